#!/usr/bin/env python3
"""A kernel that is wrong now and then is judged once: the second time it is
refused unasked, in another layout too, in a search too, but not with --again.

Usage: test_memory.py KERNEL CACHE_FOLDER
$WHET_BINARY names the program. Exit status 77: this machine cannot judge."""

import json
import os
import subprocess
import sys
import tempfile

SHAPE = 'M=64,N=64,K=64'
SKILL = """---
id: now_and_then
level: advanced
applies: {ops: [gemm], dtypes: [f32], features: [], finding_codes: []}
template: templates/now_and_then.cl
expected_gain: {ratio: 1, samples: 1, device: "none", date: 2026-12-01}
refuted_by: "every check"
source: "for tests"
---
# Wrong now and then

**When.** Never.
"""


class Fault(Exception):
    pass


def whet(words, env):
    done = subprocess.run([os.environ['WHET_BINARY'], *words], env=env,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=100, check=False)
    if done.returncode == 3:
        print('skipped: ' + done.stderr.decode(errors='replace').strip())
        sys.exit(77)
    return done.returncode, done.stdout, done.stderr.decode(errors='replace')


def judge(path, env, *options):
    """Fails to be refused once in 10^8 times: 1200 calls."""
    status, out, err = whet(['judge', 'gemm', path, '--json', '--workload',
                             SHAPE, '--calls', '1200', '--hidden', '0',
                             *options], env)
    if status != 1:
        raise Fault('judge %s: status %d, expected 1: %s' % (
            ' '.join(options), status, err))
    verdict = json.loads(out)
    if (verdict['outcome'], verdict['reason']) != ('wrong', 'mismatch'):
        raise Fault('%(outcome)s/%(reason)s: %(message)s' % verdict)
    return verdict


def was_refused(verdict):
    rules = [rule['name'] for rule in verdict['rules']]
    refused = 'failed-before' in rules
    if refused != verdict['message'].startswith('failed before (20'):
        raise Fault('rules %s, but: %s' % (rules, verdict['message']))
    if refused and '--again' not in verdict['message']:
        raise Fault('no way out is named: ' + verdict['message'])
    if refused and verdict['spend']['device_ns'] != 0:
        raise Fault('it was run although it was refused')
    return refused


def expect(refused, verdict, what):
    if was_refused(verdict) != refused:
        raise Fault('%s: %s refused, message: %s' % (
            what, 'not' if refused else 'was', verdict['message']))


def screened(ledger, env):
    status, out, err = whet(['export', ledger], env)
    if status != 0:
        raise Fault('export: ' + err)
    events = [json.loads(line) for line in out.splitlines()]
    return [e['data'] for e in events if e.get('kind') == 'screened']


def search(place, source, env):
    """The same kernel as a skill's template."""
    folder = os.path.join(place, 'skills')
    os.makedirs(os.path.join(folder, 'templates'))
    with open(os.path.join(folder, 'now_and_then.md'), 'w') as file:
        file.write(SKILL)
    with open(os.path.join(folder, 'templates/now_and_then.cl'), 'w') as file:
        file.write(source)
    ledger = os.path.join(place, 'a.ledger')
    status, _, err = whet(['run', 'gemm', '--skills', folder,
                           '--workload', SHAPE,
                           '--calls', '8', '--ledger', ledger], env)
    if status != 1:
        raise Fault('run: status %d, expected 1: %s' % (status, err))
    verdicts = screened(ledger, env)
    if len(verdicts) != 1:
        raise Fault('run: %d screenings, expected 1' % len(verdicts))
    expect(True, verdicts[0], 'run')
    ledger = os.path.join(place, 'b.ledger')
    status, _, err = whet(['run', 'gemm', '--skills', folder,
                           '--workload', SHAPE, '--calls', '8', '--again',
                           '--ledger', ledger], env)
    if status not in (0, 1):
        raise Fault('run --again: status %d: %s' % (status, err))
    verdicts = screened(ledger, env)
    if len(verdicts) != 1:
        raise Fault('run --again: %d screenings' % len(verdicts))
    expect(False, verdicts[0], 'run --again')


def check(kernel, place, env):
    with open(kernel) as file:
        source = file.read()
    other = os.path.join(place, 'other.cl')
    plan, code = source.split('*/', 1)
    with open(other, 'w') as file:
        file.write(plan + '*/' + code.replace('    ', '\t') + '\n// so\n')
    expect(False, judge(kernel, env), 'first time')
    expect(True, judge(kernel, env), 'second time')
    expect(True, judge(other, env), 'another layout')
    expect(False, judge(kernel, env, '--again'), '--again')
    expect(True, judge(kernel, env), 'after --again')
    folder = os.path.join(env['WHET_STATE_DIR'], 'failures')
    if os.stat(folder).st_mode & 0o77:
        raise Fault('%s is open to others' % folder)
    search(place, source, env)


def main():
    kernel, cache = sys.argv[1:]
    with tempfile.TemporaryDirectory() as place:
        env = dict(os.environ, WHET_CACHE_DIR=cache,
                   WHET_STATE_DIR=os.path.join(place, 'state'))
        try:
            check(kernel, place, env)
        except Fault as fault:
            print(fault)
            return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
