#!/usr/bin/env python3
"""Judges every kernel under candidates/ with `whet judge` and compares outcome,
reason and exit status with the table below: what is wrong must be refused for
the right reason, what is right must pass, and no process may be left over.

Usage: test_candidates.py CANDIDATES_FOLDER CACHE_FOLDER
$WHET_BINARY names the program. Exit status 77: this machine cannot judge."""

import concurrent.futures
import ctypes
import json
import os
import platform
import subprocess
import sys
import time

GEMM = ['gemm', 'M=64,N=64,K=67']
MANY = ['gemm', 'M=1024,N=1024,K=8']
RMSNORM = ['rmsnorm', 'rows=33,cols=1000']
SUM = ['reduce_sum', 'n=100003']
TURN = ['transpose', 'rows=301,cols=203']
SHORT = ['--calls', '2', '--hidden', '0']
HIDDEN = ['--calls', '2', '--hidden', '2']
CORRECT = ['correct/none']

# file, task and workload, options, what it must be judged to be (any of)
CASES = [
    ('right/slow', GEMM, HIDDEN, CORRECT),
    ('right/words', GEMM, SHORT, CORRECT),
    ('right/two_launches', GEMM, HIDDEN, CORRECT),
    ('right/reduce_two_launches', SUM, HIDDEN, CORRECT),
    ('right/rmsnorm', RMSNORM, HIDDEN, CORRECT),
    ('right/atomics', SUM, HIDDEN, CORRECT),
    ('right/in_place', RMSNORM, HIDDEN, CORRECT),
    ('right/large_block', SUM, HIDDEN, CORRECT),
    ('right/all_lds', TURN, HIDDEN, CORRECT),
    ('right/prints', GEMM, SHORT, CORRECT),
    ('right/registers', GEMM, HIDDEN, CORRECT),
    ('right/unions', TURN, HIDDEN, CORRECT),
    ('right/ids', GEMM, HIDDEN, CORRECT),
    ('right/windows_lines', GEMM, SHORT, CORRECT),
    ('right/number_types', SUM, HIDDEN, CORRECT),
    ('wrong/zeros', GEMM, SHORT, ['wrong/mismatch']),
    ('wrong/nothing', GEMM, SHORT, ['wrong/unwritten']),
    ('wrong/tail_of_k', GEMM, SHORT, ['wrong/mismatch']),
    ('wrong/last_of_k', GEMM, SHORT, ['wrong/mismatch']),
    ('wrong/stale_sum', GEMM, SHORT, ['wrong/unwritten', 'wrong/not-finite']),
    ('wrong/nan', GEMM, SHORT, ['wrong/not-finite']),
    ('wrong/infinite', GEMM, SHORT, ['wrong/not-finite']),
    ('wrong/half_rounded', GEMM, SHORT, ['wrong/mismatch']),
    ('wrong/half_stored', GEMM, SHORT, ['wrong/mismatch']),
    ('wrong/behind', GEMM, SHORT, ['integrity/guard']),
    ('wrong/before', GEMM, SHORT, ['integrity/guard']),
    ('wrong/behind_far', GEMM, SHORT, ['integrity/guard']),
    # Seen when the other call's buffers are used again: needs enough calls.
    ('wrong/other_slot', GEMM, ['--calls', '120', '--hidden', '0'],
     ['integrity/guard']),
    ('wrong/astray', GEMM, SHORT, ['integrity/crash']),
    ('wrong/input', GEMM, SHORT, ['integrity/input']),
    ('wrong/input_swapped', GEMM, SHORT, ['integrity/input']),
    ('wrong/endless', GEMM, SHORT + ['--call-timeout', '1s'],
     ['resource/call-timeout']),
    ('wrong/no_compile', GEMM, SHORT, ['build/compile']),
    ('wrong/lds_static', GEMM, SHORT, ['resource/plan-limit']),
    ('wrong/lds_plan', GEMM, SHORT, ['resource/plan-limit']),
    ('wrong/group_limit', GEMM, SHORT, ['resource/plan-limit']),
    ('wrong/constraint', GEMM, SHORT, ['resource/constraint']),
    ('wrong/no_kernel', GEMM, SHORT, ['build/no-kernel']),
    ('wrong/argument_count', GEMM, SHORT, ['build/arguments']),
    ('wrong/argument_type', GEMM, SHORT, ['build/arguments']),
    ('wrong/rmsnorm_sampled', RMSNORM, SHORT, ['wrong/mismatch']),
    ('wrong/rmsnorm_weight', RMSNORM, SHORT, ['wrong/mismatch']),
    ('wrong/undeclared_zero', GEMM, HIDDEN, ['resource/constraint']),
    ('wrong/undeclared_limit', GEMM, HIDDEN, ['resource/plan-limit']),
    ('wrong/rmsnorm_no_eps', RMSNORM, HIDDEN, ['wrong/mismatch']),
    ('wrong/rmsnorm_one_short', RMSNORM, SHORT, ['wrong/mismatch']),
    ('wrong/transpose_last_bit', TURN, SHORT, ['wrong/mismatch']),
    ('wrong/small_skipped', GEMM, SHORT, ['wrong/mismatch']),
    ('wrong/reduce_sampled', SUM, SHORT, ['wrong/mismatch']),
] + [
    ('wrong/one_element', MANY, SHORT + ['--point', 'WHERE=%d' % where],
     ['wrong/mismatch'])
    for where in (0, 524803, 699050, 1048575)
]

# These hold assembly of x86-64. A correct one spoils its own result unless
# what it tries was refused.
CASES_X86_64 = [
    ('wrong/previous_output', GEMM, SHORT, ['wrong/mismatch']),
    ('hostile/denied_calls', GEMM, SHORT, CORRECT),
    ('hostile/kill_parent', GEMM, SHORT, CORRECT),
    ('hostile/host_files', GEMM, SHORT, CORRECT),
    ('hostile/ignores_signals', GEMM, SHORT, CORRECT),
    ('hostile/noisy', GEMM, SHORT, CORRECT),
    ('hostile/hog', GEMM, SHORT, CORRECT),
    ('hostile/fill_tmp', GEMM, SHORT, CORRECT),
    ('hostile/done_early', GEMM, SHORT,
     ['wrong/unwritten', 'integrity/protocol']),
    ('hostile/done_twice', GEMM, SHORT,
     ['integrity/protocol', 'wrong/unwritten']),
    ('hostile/wakes_itself', GEMM, SHORT, CORRECT),
    ('hostile/deaf', GEMM, SHORT, ['integrity/protocol']),
    ('hostile/fail_record', GEMM, SHORT, ['resource/launch']),
    ('hostile/noise', GEMM, SHORT, ['integrity/protocol']),
    ('hostile/part_of_record', GEMM, SHORT, ['integrity/protocol']),
    ('hostile/close_socket', GEMM, SHORT, ['integrity/crash']),
    ('hostile/unmap', GEMM, SHORT, ['integrity/crash']),
    ('hostile/unmap_after', GEMM, SHORT, ['integrity/crash']),
    ('hostile/move_memory', GEMM, SHORT, ['wrong/mismatch']),
    ('hostile/drop_memory', GEMM, SHORT, ['wrong/mismatch']),
    ('hostile/read_only', GEMM, SHORT, ['integrity/crash']),
    ('hostile/exit', GEMM, SHORT, ['integrity/crash']),
    ('hostile/crash', GEMM, SHORT, ['integrity/crash']),
    ('hostile/host_locks', GEMM, SHORT, CORRECT),
    ('hostile/lasting_work', GEMM, SHORT, CORRECT),
    ('hostile/file_memory', GEMM, SHORT, CORRECT),
    ('hostile/takes_rights', GEMM, SHORT, ['integrity/crash']),
    ('hostile/smash_stack', GEMM, SHORT, ['integrity/crash']),
    # Frozen after the first record, it may not have come to the second.
    ('hostile/many_records', GEMM, SHORT,
     ['integrity/protocol', 'wrong/unwritten']),
    ('hostile/fail_text', GEMM, SHORT, ['resource/launch']),
    ('hostile/build_forks', GEMM, SHORT, CORRECT),
    ('hostile/build_hog', GEMM, SHORT, CORRECT),
    ('hostile/constructor_spins', GEMM, SHORT + ['--call-timeout', '1s'],
     ['resource/call-timeout']),
    ('hostile/constructor_ready', GEMM, SHORT, ['integrity/protocol']),
    ('hostile/constructor_exits', GEMM, SHORT, ['integrity/crash']),
]

LONGEST_S = 100


def judge(path, task, options, env):
    """Exit status, standard output and standard error of one judgement."""
    argv = [os.environ['WHET_BINARY'], 'judge', task[0], path, '--json',
            '--workload', task[1]] + options
    done = subprocess.run(argv, env=env, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=LONGEST_S, check=False)
    return done.returncode, done.stdout, done.stderr.decode(errors='replace')


def fault_of(case, folder, env):
    """What is wrong with the judgement of a case, or None."""
    name, task, options, want = case
    path = os.path.join(folder, name + '.cl')
    try:
        status, out, err = judge(path, task, options, env)
        verdict = json.loads(out)
    except subprocess.TimeoutExpired:
        return 'judging did not end in %d s' % LONGEST_S
    except ValueError:
        return 'status %d, no JSON: %s' % (status, err.strip())
    got = verdict['outcome'] + '/' + verdict['reason']
    message = verdict['message']
    if got not in want:
        return '%s, expected %s (%s)' % (got, ' or '.join(want), message)
    if status != (0 if got == 'correct/none' else 1):
        return 'exit status %d of %s' % (status, got)
    if got != 'correct/none' and not message:
        return 'no message'
    # Neither control characters nor what turns or breaks a line of text.
    if not message.isprintable():
        return 'unprintable characters in the message'
    # It is the real thing: its first call is right, its second the first's.
    if name == 'wrong/previous_output' and verdict['verified_calls'] != 1:
        return '%d calls verified, expected 1' % verdict['verified_calls']
    if name == 'right/slow' and verdict['verified_calls'] < 7:
        return '%d calls verified' % verdict['verified_calls']
    return None


def baseline_fault(folder, env):
    """The baseline against itself: 1.00 must lie inside the interval. One
    time in twenty it may not, by the interval's own definition."""
    path = os.path.join(env['WHET_DATA_DIR'], 'tasks/gemm/baselines/opencl.cl')
    said = []
    for _ in range(3):
        status, out, err = judge(path, ['gemm', 'M=128,N=128,K=128'],
                                 ['--calls', '48', '--hidden', '1'], env)
        if status != 0:
            return 'status %d: %s%s' % (status, out.decode(), err.strip())
        ratio = json.loads(out)['ratio']
        if ratio['lo'] <= 1.0 <= ratio['hi']:
            return None
        said.append('[%.3f, %.3f]' % (ratio['lo'], ratio['hi']))
    return 'ratio intervals without 1.00: ' + ', '.join(said)


def kill_midway(folder, env):
    """Kill a judgement in the middle of a call: survivors() looks whether its
    processes went with it."""
    argv = [os.environ['WHET_BINARY'], 'judge', 'gemm',
            os.path.join(folder, 'wrong/endless.cl'), '--workload', GEMM[1]]
    with subprocess.Popen(argv + SHORT, env=env, stdin=subprocess.DEVNULL,
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
    folder, cache = sys.argv[1:]
    env = dict(os.environ, WHET_CACHE_DIR=cache)
    status, _, err = judge(os.path.join(folder, 'right/slow.cl'), GEMM, SHORT,
                           env)
    if status == 3:
        print('skipped: ' + err.strip())
        return 77
    cases = CASES
    if platform.machine() == 'x86_64':
        cases = cases + CASES_X86_64
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
    faults = []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = pool.map(lambda case: fault_of(case, folder, env), cases)
        for case, fault in zip(cases, found):
            if fault:
                faults.append('%s: %s' % (case[0], fault))
    fault = baseline_fault(folder, env)
    if fault:
        faults.append('baseline: ' + fault)
    kill_midway(folder, env)
    left = survivors()
    if left:
        faults.append('processes left over: ' + ' '.join(left))
    print('\n'.join(faults + ['%d cases, %d faults' % (len(cases) + 1,
                                                       len(faults))]))
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
