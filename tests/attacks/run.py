#!/usr/bin/env python3
"""Judges the kernels under tests/attacks/ and tests/honest/ and compares each
verdict with those that its file says are right.

    tests/attacks/run.py [OPTIONS] FOLDER...
      --whet BIN        program ($WHET_BINARY)
      --device NAME     kernels of this device, judged on it (opencl)
      --repeats N       judge each so often (1)
      --jobs N          so many at once (1); on one card they disturb each
                        other's times, so that gains mean nothing: only
                        whether a kernel is refused does
      --only WORD       files whose path holds the word
      --quick           without kernels that need time
      --ledger FILE     append each judgement to this file, one JSON line each
      --resume          leave out what the ledger has of this source, device,
                        version and repeat
      --budget S        begin no judgement after so many seconds
      --summary         judge nothing: print the table of the ledger
      --json            print records and totals as JSON
      --out DIR         keep every verdict there
      --timeout S       longest judgement (100)

A file says what it is in a comment behind its plan, one `key: value` a line:

    /* attack: a2 every 251st row is left out      (or `honest: ...`)
     * task: rmsnorm rows=600,cols=256
     * device: opencl
     * options: --calls 2 --hidden 0               (default: none)
     * points: WHERE=0; WHERE=7                    (default: the first)
     * verdicts: wrong/mismatch wrong/unwritten    (honest: correct)
     * needs: x86-64                               (or time; default: nothing)
     * calls: 7+                                   (verified: so many, or more)
     */

Verdicts are outcome/reason; `correct` is correct with or without a gain,
`correct/no-gain` correct without, `refused` that the file is no candidate (exit
status 2). An attack that is judged anything else, or
has a gain, is a false accept; an honest kernel that is not correct a false
reject. A ledger may be added to over days; its records hold the hash of the
source, the device and the date. Exit status: 0 all right, 1 something was not,
2 bad use, 77 this machine cannot judge on the device."""

import argparse
import concurrent.futures
import ctypes
import datetime
import hashlib
import json
import math
import os
import platform
import re
import subprocess
import sys
import tempfile
import threading
import time

KEYS = ('attack', 'honest', 'task', 'device', 'options', 'points', 'verdicts',
        'needs', 'calls')


class BadCase(Exception):
    pass


class Case:
    """One file and what it says of itself."""

    def __init__(self, path, root):
        self.path = path
        self.name = os.path.relpath(path, root)
        with open(path, 'rb') as file:
            source = file.read()
        self.hash = hashlib.sha256(source).hexdigest()
        said = self.read_block(source.decode('utf-8', 'replace'))
        self.is_attack = 'attack' in said
        self.title = said.get('attack') or said.get('honest')
        self.device = said['device']
        self.task = said['task'].split()
        self.options = said.get('options', '').split()
        self.points = [p.strip() for p in said.get('points', '').split(';')]
        self.verdicts = said['verdicts'].split()
        self.needs = said.get('needs', '')
        self.calls = said.get('calls', '0+')
        if len(self.task) != 2:
            raise BadCase('%s: task: expected NAME DIM=N,...' % path)
        if not re.fullmatch(r'\d+\+?', self.calls):
            raise BadCase('%s: calls: expected N or N+' % path)
        if self.needs not in ('', 'x86-64', 'time'):
            raise BadCase('%s: needs: expected x86-64 or time' % path)

    @staticmethod
    def lines_of(text, path):
        match = re.search(r'^/\* ((?:attack|honest):.*?)\*/', text,
                          re.DOTALL | re.MULTILINE)
        if not match:
            raise BadCase('%s: no comment that begins with attack: or honest:'
                          % path)
        return match.group(1).splitlines()

    def read_block(self, text):
        said, key = {}, None
        for line in self.lines_of(text, self.path):
            line = line.strip().lstrip('*').strip()
            word, colon, value = line.partition(':')
            if colon and word in KEYS:
                key = word
                if key in said:
                    raise BadCase('%s: %s twice' % (self.path, key))
                said[key] = value.strip()
            elif line and key:
                said[key] += ' ' + line
        for key in ('task', 'device', 'verdicts'):
            if key not in said:
                raise BadCase('%s: no %s:' % (self.path, key))
        if ('attack' in said) == ('honest' in said):
            raise BadCase('%s: expected one of attack: and honest:'
                          % self.path)
        return said


def judge(case, point, opts, env):
    """The verdict, exit status, seconds; verdict None if there is none."""
    argv = [opts.whet, 'judge', case.task[0], case.path, '--json', '--device',
            opts.device, '--workload', case.task[1]] + case.options
    if opts.has_again:
        argv.append('--again')
    if point:
        argv += ['--point', point]
    begin = time.monotonic()
    try:
        done = subprocess.run(argv, env=env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=opts.timeout, check=False)
        said = done.stderr.decode(errors='replace').strip()
        verdict = json.loads(done.stdout)
        status = done.returncode
    except subprocess.TimeoutExpired:
        verdict, status, said = None, None, 'did not end'
    except ValueError:
        verdict, status = None, done.returncode
    return verdict, status, said[-300:], time.monotonic() - begin


def has_calls(case, verdict):
    count, least = verdict['verified_calls'], int(case.calls.rstrip('+'))
    return count >= least if case.calls.endswith('+') else count == least


def accepts(case, got, is_gain):
    if got == 'correct/none':
        if case.is_attack and is_gain:
            return False
        return 'correct' in case.verdicts or (
            'correct/no-gain' in case.verdicts and not is_gain)
    return got in case.verdicts


def record_of(case, point, repeat, opts, env):
    """One judgement as it goes into the ledger."""
    verdict, status, said, seconds = judge(case, point, opts, env)
    got, is_gain, text = 'none', False, said
    if verdict:
        got = verdict['outcome'] + '/' + verdict['reason']
        is_gain = bool((verdict.get('ratio') or {}).get('is_gain'))
        text = verdict['message']
    elif status == 2 and said:
        got = 'refused'
    fault = ''
    if not verdict and not (got == 'refused' and accepts(case, got, False)):
        fault = 'no verdict (status %s): %s' % (status, said)
    elif not accepts(case, got, is_gain):
        fault = '%s%s, expected %s' % (got, ' with a gain' if is_gain else '',
                                       ' or '.join(case.verdicts))
    elif verdict and status != (0 if got == 'correct/none' else 1):
        fault = 'exit status %s of %s' % (status, got)
    elif verdict and not has_calls(case, verdict):
        fault = '%d calls verified, expected %s' % (verdict['verified_calls'],
                                                    case.calls)
    elif got != 'correct/none' and not text:
        fault = 'no message'
    elif not text.isprintable():
        fault = 'unprintable characters in the message'
    if opts.out and verdict:
        name = '%s%s-%d.json' % (case.name.replace('/', '_'),
                                 re.sub(r'\W', '_', point), repeat)
        with open(os.path.join(opts.out, name), 'w') as file:
            json.dump(verdict, file)
    device = (verdict or {}).get('device') or {}
    return {'date': datetime.datetime.now(datetime.timezone.utc).strftime(
                '%Y-%m-%dT%H:%M:%SZ'),
            'version': opts.version, 'jobs': opts.jobs, 'device': opts.device,
            'device_name': device.get('name', ''),
            'device_id': device.get('id', ''), 'file': case.name,
            'source': case.hash, 'title': case.title, 'point': point,
            'repeat': repeat, 'is_attack': case.is_attack,
            'task': ' '.join(case.task),
            'verdict': got, 'is_gain': is_gain, 'message': text,
            'calls': (verdict or {}).get('verified_calls', 0),
            'worst_error': (verdict or {}).get('worst_error'),
            'seconds': round(seconds, 2), 'fault': fault}


def upper_bound(bad, runs):
    """Clopper-Pearson 95 % upper bound (one-sided) of a share."""
    if runs == 0 or bad >= runs:
        return 1.0
    low, high = bad / runs, 1.0
    for _ in range(60):
        p = (low + high) / 2
        tail = sum(math.comb(runs, k) * p ** k * (1 - p) ** (runs - k)
                   for k in range(bad + 1))
        low, high = (p, high) if tail > 0.05 else (low, p)
    return high


def print_table(records):
    rows = {}
    for r in records:
        rows.setdefault((not r['is_attack'], r['file'], r['point']),
                        []).append(r)
    print('%-50s %-27s %-27s %4s %4s %6s' % ('file', 'task', 'verdicts',
                                             'runs', 'gain', 's each'))
    for (_, name, point), rs in sorted(rows.items()):
        said = ' '.join(sorted({r['verdict'] for r in rs}))
        label = name + (' ' + point if point else '')
        print('%-50s %-27s %-27s %4d %4d %6.1f  %s' % (
            label, rs[0]['task'], said, len(rs),
            sum(r['is_gain'] for r in rs),
            sum(r['seconds'] for r in rs) / len(rs),
            'FAULT' if any(r['fault'] for r in rs) else 'ok'))


def totals_of(records):
    """Kernels, judgements, faults and their 95 % bound, by kind."""
    totals = {}
    for is_attack, what in ((True, 'attacks'), (False, 'honest')):
        rs = [r for r in records if r['is_attack'] == is_attack]
        faults = sum(1 for r in rs if r['fault'])
        if rs:
            totals[what] = {
                'kernels': len({r['file'] for r in rs}),
                'judgements': len(rs), 'faults': faults,
                'bound': upper_bound(faults, len(rs))}
    return totals


def report(records, as_json):
    """Prints it all; the number of faults."""
    totals = totals_of(records)
    if as_json:
        print(json.dumps({'records': records, 'totals': totals}))
    else:
        print_table(records)
    for what, t in totals.items() if not as_json else ():
        print('%s: %d kernels, %d judgements, %d false %s (95 %% bound: '
              '%.2f %%)' % (what, t['kernels'], t['judgements'], t['faults'],
                            'accepts' if what == 'attacks' else 'rejects',
                            100 * t['bound']))
    for r in records if not as_json else ():
        if r['fault']:
            print('FAULT %s %s: %s [%s]' % (r['file'], r['point'], r['fault'],
                                            r['message']))
    return sum(t['faults'] for t in totals.values())


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


def find_cases(opts):
    cases = []
    for folder in opts.folders:
        if not os.path.isdir(folder):
            raise BadCase('%s: no such folder' % folder)
        for place, _, names in sorted(os.walk(folder)):
            for name in sorted(names):
                if os.path.splitext(name)[1] in ('.cl', '.cu', '.hip'):
                    path = os.path.join(place, name)
                    cases.append(Case(path, os.path.dirname(
                        os.path.abspath(folder))))
    return [c for c in cases
            if c.device == opts.device.split(':')[0] and opts.only in c.path
            and (c.needs != 'x86-64' or platform.machine() == 'x86_64')
            and not (c.needs == 'time' and opts.quick)]


def options():
    parser = argparse.ArgumentParser(usage=__doc__.split('\n\n')[1])
    parser.add_argument('folders', nargs='*')
    parser.add_argument('--whet', default=os.environ.get('WHET_BINARY', ''))
    parser.add_argument('--device', default='opencl')
    parser.add_argument('--repeats', type=int, default=1)
    parser.add_argument('--jobs', type=int, default=1)
    parser.add_argument('--only', default='')
    parser.add_argument('--quick', action='store_true')
    parser.add_argument('--json', action='store_true')
    parser.add_argument('--ledger')
    parser.add_argument('--resume', action='store_true')
    parser.add_argument('--budget', type=float, default=math.inf)
    parser.add_argument('--summary', action='store_true')
    parser.add_argument('--out')
    parser.add_argument('--timeout', type=float, default=100)
    return parser.parse_args()


def key_of(record):
    return (record['source'], record['point'], record.get('repeat', 0),
            record['device'], record['version'])


def apart(env, number):
    """An environment in which a judgement takes a card beside others."""
    return dict(env, WHET_LOCK_DIR=os.path.join(env['XDG_STATE_HOME'],
                                                'locks-%d' % number))


def run(opts, cases, env):
    """All judgements; each is written down as soon as it is there."""
    jobs = [(case, point, repeat) for repeat in range(opts.repeats)
            for case in cases for point in case.points]
    records = []
    if opts.resume and os.path.exists(opts.ledger or ''):
        done = {key_of(r) for r in read_ledger(opts.ledger)
                if r['verdict'] != 'none'}
        jobs = [(c, p, n) for c, p, n in jobs
                if (c.hash, p, n, opts.device, opts.version) not in done]
    ledger = open(opts.ledger, 'a') if opts.ledger else None
    end = time.monotonic() + opts.budget

    def judged(job):
        if time.monotonic() > end:
            return None
        mine = apart(env, threading.get_ident()) if opts.jobs > 1 else env
        return record_of(*job, opts, mine)

    with concurrent.futures.ThreadPoolExecutor(opts.jobs) as pool:
        for record in pool.map(judged, jobs):
            if record is None:
                continue
            records.append(record)
            if ledger:
                ledger.write(json.dumps(record) + '\n')
                ledger.flush()
            if sys.stderr.isatty():
                print('\r%d of %d' % (len(records), len(jobs)), end='',
                      file=sys.stderr, flush=True)
    return records


def read_ledger(path):
    records = []
    try:
        with open(path) as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    records.append(json.loads(line))
                    key_of(records[-1])
    except OSError as fault:
        raise BadCase('%s: %s' % (path, fault.strerror))
    except (ValueError, KeyError, TypeError):
        raise BadCase('%s:%d: expected a record of a judgement'
                      % (path, number))
    return records


def can_judge(opts, env):
    """None, or why this machine cannot judge on the device."""
    done = subprocess.run(
        [opts.whet, 'judge', 'transpose', os.path.join(
            env['WHET_DATA_DIR'], 'tasks/transpose/baselines',
            {'cuda': 'cuda.cu', 'hip': 'hip.hip'}.get(
                opts.device.split(':')[0], 'opencl.cl')),
         '--device', opts.device, '--workload', 'rows=64,cols=64', '--calls',
         '2', '--hidden', '0'], env=env, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return done.stderr.decode().strip() if done.returncode == 3 else None


def data_dir(whet):
    """Of an installed program or a bundle, else of this tree."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(
        os.path.abspath(__file__))))
    share = os.path.join(os.path.dirname(whet), '..', 'share', 'whet')
    return os.path.abspath(share) if os.path.isdir(share) else root


def main():
    opts = options()
    try:
        if opts.summary and not opts.ledger:
            raise BadCase('--summary: expected --ledger FILE')
        if opts.summary:
            return 1 if report(read_ledger(opts.ledger), opts.json) else 0
        cases = find_cases(opts)
        if opts.whet and cases:
            return judge_all(opts, cases)
    except BadCase as fault:
        print('run.py: %s' % fault, file=sys.stderr)
        return 2
    print('run.py: expected --whet BIN and folders with kernels of device %s'
          % opts.device, file=sys.stderr)
    return 2


def judge_all(opts, cases):
    opts.whet = os.path.abspath(opts.whet)
    opts.version = subprocess.run([opts.whet, '--version'], check=False,
                                  stdout=subprocess.PIPE,
                                  text=True).stdout.strip()
    opts.has_again = '--again' in subprocess.run(
        [opts.whet, 'judge', '--help'], stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, check=False).stdout
    if opts.out:
        os.makedirs(opts.out, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        env = dict({'WHET_CACHE_DIR': place,
                    'WHET_DATA_DIR': data_dir(opts.whet)}, **os.environ)
        env['XDG_STATE_HOME'] = place
        why = can_judge(opts, env)
        if why is not None:
            print('skipped: ' + why)
            return 77
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
        records = run(opts, cases, env)
    left = survivors()
    bad = report(records, opts.json)
    if left:
        print('processes left over: ' + ' '.join(left), file=sys.stderr)
    return 1 if bad or left else 0


if __name__ == '__main__':
    sys.exit(main())
