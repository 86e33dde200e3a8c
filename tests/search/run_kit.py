"""Shared by the tests that run the built program: a folder of their own, an
environment of their own, and the lines by which the suite counts cases.

A test is a function named test_<room>_<file>__<behaviour>; main(globals())
runs them in order of definition. $WHET_BINARY names the program.
"""
import ctypes
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import traceback

BINARY = os.environ.get('WHET_BINARY')
DATA = os.environ.get('WHET_DATA_DIR')
LIMIT_S = 120
PASSED_ON = ('PATH', 'CC', 'WHET_DATA_DIR', 'ASAN_OPTIONS', 'UBSAN_OPTIONS',
             'OCL_ICD_VENDORS')
PR_SET_CHILD_SUBREAPER = 36


class Skip(Exception):
    """The machine lacks what the test needs."""


def adopt_orphans():
    """Processes that lose their parent become ours, so that they are seen."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise Skip('no child subreaper here')


def children():
    """Pids of our living children; the dead are reaped."""
    while True:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                break
        except ChildProcessError:
            return []
    found = []
    for name in os.listdir('/proc'):
        if not name.isdigit():
            continue
        try:
            with open('/proc/%s/stat' % name) as stat:
                fields = stat.read().rsplit(')', 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == os.getpid() and fields[0] != 'Z':
            found.append(int(name))
    return found


def is_unborn_sandbox(pid):
    """A bubblewrap whose parent was killed in the moment in which it started:
    it sleeps for ever and has run nothing (docs/judging.md). Ends it."""
    try:
        with open('/proc/%d/comm' % pid) as comm:
            if comm.read().strip() != 'bwrap':
                return False
        os.kill(pid, signal.SIGKILL)
    except OSError:
        return False
    return True


def wait_for_no_children(limit_s=10):
    """Children still there after the limit."""
    end = time.monotonic() + limit_s
    while children():
        if time.monotonic() > end:
            return [pid for pid in children() if not is_unborn_sandbox(pid)]
        time.sleep(0.01)
    return []


class Place:
    """A fresh folder to run the program in."""

    def __init__(self):
        self.dir = tempfile.mkdtemp(prefix='whet-test-')
        self.env = {k: os.environ[k] for k in PASSED_ON if k in os.environ}
        self.env['WHET_CACHE_DIR'] = self.path('cache')
        self.env['WHET_STATE_DIR'] = self.path('state')
        self.env['LC_ALL'] = 'C.UTF-8'

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.dir, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.dir, name)

    def write(self, name, content):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if isinstance(content, dict):
            content = json.dumps(content)
        if isinstance(content, str):
            content = content.encode()
        with open(path, 'wb') as out:
            out.write(content)
        return path

    def start(self, *words, **kwargs):
        return subprocess.Popen([BINARY, *words], cwd=self.dir, env=self.env,
                                stdin=subprocess.DEVNULL,
                                stdout=kwargs.pop('stdout', subprocess.PIPE),
                                stderr=kwargs.pop('stderr', subprocess.PIPE),
                                **kwargs)

    def run(self, *words, stdout=None):
        """(status, stdout, stderr); the streams as bytes."""
        child = self.start(*words, stdout=stdout or subprocess.PIPE)
        try:
            out, err = child.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            child.kill()
            raise AssertionError('%s: no end in %d s' % (words, LIMIT_S))
        return child.returncode, out or b'', err

    def must(self, *words, status=0):
        """stdout of a run that must end with this status."""
        code, out, err = self.run(*words)
        assert code == status, '%s: status %d, expected %d: %s' % (
            ' '.join(words), code, status, err.decode(errors='replace'))
        return out

    def beside(self, ledger):
        """Other files of a ledger: its lock, journal, ..."""
        base = os.path.basename(ledger)
        return sorted(n for n in os.listdir(os.path.dirname(ledger))
                      if n.startswith(base) and n != base)


def rows(ledger):
    """Events as they lie in the file, read from a copy without the program."""
    with tempfile.TemporaryDirectory(prefix='whet-test-') as copy:
        for suffix in ('', '-wal', '-journal'):
            if os.path.exists(ledger + suffix):
                shutil.copy(ledger + suffix, os.path.join(copy, 'x' + suffix))
        db = sqlite3.connect(os.path.join(copy, 'x'))
        try:
            return db.execute('SELECT seq, wall_ns, run, kind, subject, data '
                              'FROM events ORDER BY seq').fetchall()
        finally:
            db.close()


def steps(events):
    """What a run decided, in order: kinds, candidates and rungs."""
    return [(kind, subject, json.loads(data).get('rung'))
            for _, _, _, kind, subject, data in events if kind != 'resumed']


def check_once(events):
    """No candidate has two verdicts of one stage in a run."""
    seen = set()
    for _, _, run, kind, subject, data in events:
        if kind not in ('screened', 'raced', 'confirmed', 'champion',
                        'candidate'):
            continue
        key = (run, kind, subject, json.loads(data).get('rung'))
        assert key not in seen, 'twice: %s' % (key,)
        seen.add(key)


def is_one_line(err):
    """A message for people: one line that begins with the program's name."""
    return (err.startswith(b'whet: ') and err.endswith(b'\n') and
            err.count(b'\n') == 1 and len(err) > len(b'whet: \n'))


def main(names):
    """Run the tests of a module; exit status for the suite."""
    tests = [(n, f) for n, f in names.items()
             if n.startswith('test_') and callable(f)]
    if BINARY is None:
        print('WHET_BINARY is not set')
        sys.exit(77)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    failed = 0
    print('[==========] Running %d test(s).' % len(tests))
    for name, function in tests:
        print('[ RUN      ] ' + name, flush=True)
        try:
            function()
            print('[       OK ] ' + name, flush=True)
        except Skip as why:
            print('%s\n[  SKIPPED ] %s' % (why, name), flush=True)
        except Exception:
            traceback.print_exc(file=sys.stdout)
            print('[  FAILED  ] ' + name, flush=True)
            failed += 1
    print('[==========] %d test(s) run.' % len(tests))
    sys.exit(1 if failed else 0)
