#!/usr/bin/env python3
"""Whole judgements besides those of tests/attacks and tests/honest: the
baseline against itself, and a judgement that is killed midway.

Usage: test_judgements.py ENDLESS_KERNEL CACHE_FOLDER
$WHET_BINARY names the program. Exit status 77: this machine cannot judge."""

import ctypes
import json
import os
import subprocess
import sys
import time


def judge(path, workload, options, env):
    argv = [os.environ['WHET_BINARY'], 'judge', 'gemm', path, '--json',
            '--workload', workload] + options
    done = subprocess.run(argv, env=env, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=100, check=False)
    return done.returncode, done.stdout, done.stderr.decode(errors='replace')


def baseline_fault(env):
    """The baseline against itself: 1.00 must lie inside the interval. One
    time in twenty it may not, by the interval's own definition."""
    path = os.path.join(env['WHET_DATA_DIR'], 'tasks/gemm/baselines/opencl.cl')
    said = []
    for _ in range(3):
        status, out, err = judge(path, 'M=128,N=128,K=128',
                                 ['--calls', '48', '--hidden', '1'], env)
        if status == 3:
            print('skipped: ' + err.strip())
            sys.exit(77)
        if status != 0:
            return 'status %d: %s%s' % (status, out.decode(), err.strip())
        ratio = json.loads(out)['ratio']
        if ratio['lo'] <= 1.0 <= ratio['hi']:
            return None
        said.append('[%.3f, %.3f]' % (ratio['lo'], ratio['hi']))
    return 'ratio intervals without 1.00: ' + ', '.join(said)


def kill_midway(endless, env):
    """Kill a judgement in the middle of a call: survivors() looks whether its
    processes went with it."""
    argv = [os.environ['WHET_BINARY'], 'judge', 'gemm', endless, '--workload',
            'M=64,N=64,K=67', '--calls', '2', '--hidden', '0']
    with subprocess.Popen(argv, env=env, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as process:
        time.sleep(1.5)
        process.kill()


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
    endless, cache = sys.argv[1:]
    env = dict(os.environ, WHET_CACHE_DIR=cache)
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
    faults = []
    fault = baseline_fault(env)
    if fault:
        faults.append('baseline: ' + fault)
    kill_midway(endless, env)
    left = survivors()
    if left:
        faults.append('processes left over: ' + ' '.join(left))
    print('\n'.join(faults + ['%d faults' % len(faults)]))
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
