#!/usr/bin/env python3
"""Two searches started together never share a card: on one card the second
waits, on two it takes the other. The whole program over a fake HIP runtime of
two cards, see test_hip_end_to_end.py.

Usage: test_two_runs.py FAKE_ROCM FAKE_DTK DATA_FOLDER
$WHET_BINARY names the program. Exit status 77: this machine cannot judge."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import test_hip_end_to_end as kit

ONE_CARD = 'hip:0000:36:00.0'


def start(bench, name, device, more=()):
    """A search of some seconds at most, in the background."""
    env = bench.env(kit.GOOD_DTK)
    argv = [os.environ['WHET_BINARY'], 'run', 'gemm', '--device', device,
            '--workload', kit.SIZE, '--skills',
            os.path.join(bench.folder, 'skills'), '--evaluations', '2',
            '--calls', '12', '--ledger',
            os.path.join(bench.folder, name + '.ledger'), '--json', *more]
    return subprocess.Popen(argv, env=env, cwd=bench.folder,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)


def end(process):
    out, err = process.communicate(timeout=kit.LONGEST_S)
    return process.returncode, out.decode(), err.decode()


def holder(bench, card, process):
    """Wait until this process holds the card."""
    path = os.path.join(bench.folder, 'locks', card)
    for _ in range(1000):
        try:
            with open(path) as file:
                if file.read().startswith('%d ' % process.pid):
                    return True
        except OSError:
            pass
        if process.poll() is not None:
            return False
        time.sleep(0.01)
    return False


def one_card_fault(bench):
    """The first is stopped while it holds the card, so that the second finds
    it held, however slow the machine is."""
    first = start(bench, 'first', ONE_CARD)
    if not holder(bench, '0000:36:00.0', first):
        return 'the first never held its card: %s' % (end(first),)
    first.send_signal(signal.SIGSTOP)
    try:
        status, _, err = end(start(bench, 'refused', ONE_CARD, ['--wait', '0']))
        words = 'card 0000:36:00.0 is in use by whet run, pid %d' % first.pid
        if status != 3 or words not in err:
            return 'without waiting: status %d: %s' % (status, err)
        second = start(bench, 'second', ONE_CARD)
        line = second.stderr.readline().decode()
    finally:
        first.send_signal(signal.SIGCONT)
    if words + '; waiting at most 10 min' not in line:
        return 'the second did not wait: ' + line
    for process in (first, second):
        status, out, err = end(process)
        if status != 0:
            return 'status %d: %s%s' % (status, out, err)
    return None


def killed_fault(bench):
    """A holder that is killed leaves the card to the next one."""
    first = start(bench, 'killed', ONE_CARD)
    if not holder(bench, '0000:36:00.0', first):
        return 'the first never held its card: %s' % (end(first),)
    first.kill()
    first.communicate()
    status, _, err = end(start(bench, 'next', ONE_CARD, ['--wait', '0']))
    return None if status == 0 else 'status %d: %s' % (status, err)


def two_cards_fault(bench):
    """Started together without a card's name: each has one of its own."""
    both = [start(bench, name, 'hip') for name in ('left', 'right')]
    cards = []
    for process in both:
        status, out, err = end(process)
        if status != 0:
            return 'status %d: %s%s' % (status, out, err)
        if json.loads(out)['champion'] is None:
            return 'no champion: ' + out
        cards += [line for line in err.splitlines() if 'card 0000:' in line]
    if len(cards) != 2 or cards[0] == cards[1]:
        return 'expected two lines that name a card each: %s' % cards
    return None


def main():
    fakes = {'rocm': sys.argv[1], 'dtk': sys.argv[2]}
    folder = tempfile.mkdtemp(prefix='whet-two-')
    try:
        bench = kit.Bench(folder, fakes, sys.argv[3])
        status, _, err = bench.judge(kit.GOOD_DTK, 'gemm_fast')
        if status == 3 and 'no sandbox' in err:
            print('skipped: ' + err.strip())
            return 77
        bench.write('skills/gemm_faked.md', kit.SKILL)
        bench.write('skills/templates/gemm_faked.wk',
                    kit.CANDIDATE % {'kernel': 'gemm_fast', 'side': 16,
                                     'more': 'tunables:\n  SPARE: [1, 2]\n'})
        faults = 0
        for case in (one_card_fault, killed_fault, two_cards_fault):
            fault = case(bench)
            faults += fault is not None
            print('%s: %s' % (case.__name__, fault or 'fine'))
        return 1 if faults else 0
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == '__main__':
    sys.exit(main())
