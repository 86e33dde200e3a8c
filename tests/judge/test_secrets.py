#!/usr/bin/env python3
"""Planted secrets stay where they are: a token in the environment and in files
of the home folder, /tmp, the working and the build folder is in no verdict,
message, ledger, image or anything else that judging writes, whatever a
candidate includes, embeds or asks for. Nor does a process stay behind.

Usage: test_secrets.py CACHE_FOLDER
$WHET_BINARY names the program. Exit status 77: this machine cannot judge."""

import base64
import ctypes
import os
import re
import secrets
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

SHAPE = 'M=16,N=16,K=16'
VARIABLES = ('AWS_SECRET_ACCESS_KEY', 'OPENAI_API_KEY', 'GITHUB_TOKEN',
             'WHET_SECRET', 'POCL_SECRET', 'CUDA_SECRET')
PLAN = """/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/
"""
BODY = """
__kernel void gemm(__global const float *A, __global const float *B,
                   __global float *C, int M, int N, int K)
{
    int j = get_global_id(0), i = get_global_id(1);
    float s = 0.0f;

    if (i >= M || j >= N)
        return;
    for (int k = 0; k < K; ++k)
        s += A[(size_t)i * K + k] * B[(size_t)k * N + j];
    C[(size_t)i * N + j] = s;
}
"""
SKILL = """---
id: curious
level: advanced
applies: {ops: [gemm], dtypes: [f32], features: [], finding_codes: []}
template: templates/%s.cl
expected_gain: {ratio: 1, samples: 1, device: "none", date: 2026-12-01}
refuted_by: "every check"
source: "for tests"
---
# Curious

**When.** Never.
"""


class Fault(Exception):
    pass


def plant(path, token):
    """Bytes that a compiler would quote, and that an image would hold."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w') as file:
        file.write('%s is_no_type;\n' % token)
    os.chmod(path, 0o644)  # only the sandbox may keep it from being read
    return path


class Place:
    """A home, a working folder and what is planted in them."""

    def __init__(self, root, build):
        self.token = 'CANARY_' + secrets.token_hex(12)
        self.root, self.build = root, build
        os.chmod(root, 0o755)
        self.work = os.path.join(root, 'work')
        self.cache = os.path.join(root, 'cache')
        self.tmp = tempfile.mkdtemp(prefix='whet-secret-', dir='/tmp')
        os.chmod(self.tmp, 0o755)
        self.files = [
            plant(os.path.join(root, 'home/.secret.h'), self.token),
            plant(os.path.join(self.work, 'beside.h'), self.token),
            plant(os.path.join(self.tmp, 'secret.h'), self.token),
            plant(os.path.join(build, 'secret.h'), self.token)]
        self.env = dict(os.environ, HOME=os.path.join(root, 'home'),
                        WHET_CACHE_DIR=self.cache,
                        WHET_STATE_DIR=os.path.join(root, 'state'))
        for name in VARIABLES:
            self.env[name] = self.token
        self.streams = []

    def close(self):
        shutil.rmtree(self.tmp, ignore_errors=True)
        os.unlink(self.files[3])

    def whet(self, words):
        done = subprocess.run([os.environ['WHET_BINARY'], *words],
                              env=self.env, cwd=self.work,
                              stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=200, check=False)
        for stream in (done.stdout, done.stderr):
            self.streams.append((' '.join(words), stream))
        return done.returncode, done.stdout, done.stderr

    def write(self, name, text):
        path = os.path.join(self.work, name)
        with open(path, 'w') as file:
            file.write(text)
        return path


def paths_to(place):
    """Ways to name the planted files."""
    for file in place.files:
        yield file
        for depth in (1, 4, 12):
            yield '../' * depth + file.lstrip('/')
        for process in ('self', '1', str(os.getpid())):
            yield '/proc/%s/root%s' % (process, file)
            yield '/proc/%s/cwd/%s' % (process, os.path.basename(file))
    yield 'beside.h'
    yield './beside.h'
    yield 'link.h'
    for process in ('self', '1', str(os.getpid()), 'thread-self'):
        yield '/proc/%s/environ' % process


def curious(place):
    """(name, source, what its message may be) of every candidate. A source
    that sees a file says SEEN."""
    paths = sorted(set(paths_to(place)))
    has = ''.join('#if __has_include("%s")\n#error SEEN\n#endif\n' % p
                  for p in paths)
    yield 'has_include', PLAN + has + BODY
    for i, path in enumerate(place.files + [
            'link.h', 'beside.h', '/proc/self/root' + place.files[0],
            '/proc/%d/environ' % os.getpid()]):
        yield 'include_%d' % i, PLAN + '#include "%s"\n' % path + BODY
    embed = ''.join('#if __has_embed("%s")\n#error SEEN\n#endif\n' % p
                    for p in paths)
    yield 'has_embed', PLAN + '#ifdef __has_embed\n' + embed + '#endif\n' + BODY
    for i, path in enumerate([place.files[0], '/proc/self/environ']):
        yield 'embed_%d' % i, (
            PLAN + '__constant char x[] = {\n#embed "%s"\n};\n' % path + BODY)
        yield 'incbin_%d' % i, PLAN + BODY.replace(
            'float s', '__asm__ volatile(".pushsection .rodata\\n.incbin '
            '\\"%s\\"\\n.popsection\\n");\n    float s' % path)
        yield 'file_asm_%d' % i, (
            PLAN + '__asm__(".section .rodata\\n.incbin \\"%s\\"\\n");\n'
            % path + BODY)
        yield 'asm_include_%d' % i, (
            PLAN + '__asm__(".include \\"%s\\"\\n");\n' % path + BODY)
        yield 'import_%d' % i, PLAN + '#import "%s"\n' % path + BODY
    yield 'line', (PLAN + '#line 1 "%s"\n#error here \u009b2J\u202ex\n'
                   % place.files[0] + BODY)
    yield 'escape', (PLAN + '#line 7 "a\\x1b[2J\\nerror: b"\n'
                     '_Pragma("GCC error \\"\\033[2J\\"")\n' + BODY)
    yield 'pragma', (PLAN + '#pragma GCC dependency "%s"\n' % place.files[0]
                     + '#pragma clang module import x\n'
                     '#pragma comment(lib, "%s")\n' % place.files[0] + BODY)
    yield 'message', (PLAN + '#define S(x) #x\n#define T(x) S(x)\n'
                      + ''.join('#ifdef %s\n_Pragma(T(message(T(%s))))\n'
                                '#error SEEN\n#endif\n' % (n, n)
                                for n in VARIABLES) + BODY)
    yield 'options', (PLAN.replace('*/', 'tunables:\n  "X=1 -I%s": [1]\n*/'
                                   % place.work) + BODY)
    yield 'option_value', (PLAN.replace(
        '*/', 'tunables:\n  X: ["1 -include %s"]\n*/' % place.files[0]) + BODY)


def judge(place, name, path):
    status, out, err = place.whet(['judge', 'gemm', path, '--json',
                                   '--workload', SHAPE, '--calls', '2',
                                   '--hidden', '0'])
    if status == 3:
        print('skipped: ' + err.decode(errors='replace').strip())
        sys.exit(77)
    text = (out + err).decode(errors='replace')
    if re.search('error: SEEN|: SEEN|"SEEN', text):
        raise Fault('%s sees a file or variable: %s' % (name, text))
    if re.search('[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]', text):
        raise Fault('%s: control characters in %r' % (name, text))
    return status, text


def check_control(place):
    """Without a sandbox the same source does see the files: what follows is
    no test of misspelt names."""
    for name, source in curious(place):
        if name == 'has_include':
            path = place.write('control.cl', source)
    done = subprocess.run([os.environ['WHET_BINARY'], 'judge', 'gemm', path,
                           '--unsafe', '--workload', SHAPE, '--calls', '2',
                           '--hidden', '0'], env=place.env, cwd=place.work,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=100, check=False)
    if done.returncode == 3:
        print('skipped: ' + done.stderr.decode(errors='replace').strip())
        sys.exit(77)
    if b'SEEN' not in done.stdout:
        raise Fault('control: nothing is seen without a sandbox either: '
                    + done.stdout.decode(errors='replace'))


def check_judge(place):
    os.symlink(place.files[0], os.path.join(place.work, 'link.h'))
    status, text = judge(place, 'honest', place.write('ok.cl', PLAN + BODY))
    if status != 0:
        raise Fault('the honest kernel is refused: ' + text)
    for name, source in curious(place):
        status, text = judge(place, name, place.write(name + '.cl', source))
        if name.startswith('include_') and 'not found' not in text:
            raise Fault('%s: expected a file that is not found: %s%s'
                        % (name, source.split('*/')[1][:120], text))
        if name == 'has_include' and status != 0:
            raise Fault('%s: status %d: %s' % (name, status, text))
    os.symlink(place.files[0], os.path.join(place.work, 'secret.cl'))
    judge(place, 'a link', os.path.join(place.work, 'secret.cl'))


def check_run(place):
    """The same through a search, whose ledger keeps what it was given."""
    skills = os.path.join(place.root, 'skills')
    os.makedirs(os.path.join(skills, 'templates'))
    wanted = ('include_0', 'has_include', 'incbin_0', 'incbin_1', 'embed_0',
              'file_asm_0', 'message')
    for name, source in curious(place):
        if name not in wanted:
            continue
        with open(os.path.join(skills, 'templates', name + '.cl'), 'w') as file:
            file.write(source)
        with open(os.path.join(skills, name + '.md'), 'w') as file:
            file.write((SKILL % name).replace('id: curious', 'id: ' + name))
    with open(os.path.join(skills, 'link.md'), 'w') as file:
        file.write((SKILL % 'link').replace('id: curious', 'id: link'))
    os.symlink(place.files[0], os.path.join(skills, 'templates/link.cl'))
    ledger = os.path.join(place.work, 'a.ledger')
    status, _, err = place.whet(['run', 'gemm', '--skills', skills,
                                 '--workload', SHAPE, '--calls', '4',
                                 '--ledger', ledger])
    if status not in (0, 1):
        raise Fault('run: status %d: %s' % (status, err.decode()))
    if place.whet(['export', ledger])[0] != 0:
        raise Fault('export failed')
    place.whet(['log', ledger])
    with sqlite3.connect('file:%s?mode=ro' % ledger, uri=True) as base:
        rows = 0
        for table, in base.execute("SELECT name FROM sqlite_master WHERE "
                                   "type = 'table'").fetchall():
            for row in base.execute('SELECT * FROM "%s"' % table):
                rows += 1
                place.streams.append(('ledger', b' '.join(
                    x if isinstance(x, bytes) else str(x).encode()
                    for x in row)))
        if rows < len(wanted):
            raise Fault('the ledger has %d rows only' % rows)


def forms(token):
    """The token as it is, and as it is often carried."""
    raw = token.encode()
    yield raw
    yield raw.hex().encode()
    yield raw[::-1]
    for shift in range(3):
        # Whole groups that do not depend on what stands before and behind.
        yield base64.b64encode(b'x' * shift + raw)[4:-4]


def check_traces(place):
    wanted = list(forms(place.token))
    planted = {os.path.realpath(path) for path in place.files}
    for what, stream in place.streams:
        if any(form in stream for form in wanted):
            raise Fault('the token is in the output of %s:\n%s'
                        % (what, stream.decode(errors='replace')[:2000]))
    seen = 0
    for folder in (place.root, place.build):
        for path, _, names in os.walk(folder):
            for name in names:
                full = os.path.join(path, name)
                if os.path.realpath(full) in planted:
                    continue
                with open(full, 'rb') as file:
                    content = file.read()
                seen += 1
                if any(form in content for form in wanted):
                    raise Fault('the token is in ' + full)
    if seen < 10:
        raise Fault('only %d files were written' % seen)


def survivors():
    """Processes left over: as a subreaper we inherit them all."""
    left = []
    for _ in range(100):
        left = []
        for task in os.listdir('/proc/self/task'):
            with open('/proc/self/task/%s/children' % task) as file:
                left += file.read().split()
        for pid in left:
            os.waitpid(int(pid), os.WNOHANG)
        if not left:
            break
        time.sleep(0.05)
    return left


def main():
    build = sys.argv[1]
    os.makedirs(build, exist_ok=True)
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
    with tempfile.TemporaryDirectory() as root:
        place = Place(root, build)
        try:
            check_control(place)
            check_judge(place)
            check_run(place)
            check_traces(place)
            left = survivors()
            if left:
                raise Fault('processes left over: ' + ' '.join(left))
        except Fault as fault:
            print(fault)
            return 1
        finally:
            place.close()
    return 0


if __name__ == '__main__':
    sys.exit(main())
