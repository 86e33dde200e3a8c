#!/usr/bin/env python3
"""Runs `meson test` and counts single test cases.

    run_tests.py BUILD_DIR [meson test option...]

Builds first. Test programs print one line per case in cmocka's form; a program
without such lines counts as one case. Failed cases are named, with the end of
their program's output. The last line is `N passed, N failed`, with
`, N skipped` if there are any. Exit status 0 only if nothing failed and at
least one case passed.
"""
import json
import os
import re
import subprocess
import sys

CASE = re.compile(r'^\[\s*(RUN|OK|FAILED|SKIPPED|ERROR)\s*\] (\w+)$', re.M)
END = re.compile(r'^\[=+\] (?:\S+: )?\d+ test\(s\) run\.', re.M)
TAIL_LINES = 40


def program_of(record):
    """'base/test_err' from meson's 'whet:base+unit / base/test_err'."""
    return record['name'].split(' / ')[-1]


def count_cases(record):
    """Names of passed, failed and skipped cases of one program's record."""
    program = program_of(record)
    text = record.get('stdout', '') + '\n' + record.get('stderr', '')
    state = {}
    # Worst result wins: a forked child may print its parent's lines again.
    rank = {'RUN': 0, 'OK': 1, 'SKIPPED': 2, 'FAILED': 3, 'ERROR': 3}
    for word, case in CASE.findall(text):
        if rank[word] >= rank.get(state.get(case), -1):
            state[case] = word
    passed = [c for c, w in state.items() if w == 'OK']
    skipped = [c for c, w in state.items() if w == 'SKIPPED']
    # A case that began and never ended took its program down.
    failed = [c for c, w in state.items() if w in ('RUN', 'FAILED', 'ERROR')]
    result = record['result']
    if result == 'SKIP':
        return passed, failed, skipped or [program]
    if result not in ('OK', 'EXPECTEDFAIL'):
        return passed, failed or ['(%s, status %s)' % (
            result, record.get('returncode'))], skipped
    if state and not END.search(text):
        # exit(0) in the middle of a test must not look like success.
        failed = failed or ['(ended before its last case)']
    if not state:
        passed = [program]
    return passed, failed, skipped


def print_tail(record):
    for stream in ('stdout', 'stderr'):
        lines = record.get(stream, '').rstrip().splitlines()
        if len(lines) > TAIL_LINES:
            print('    ... (%d lines of %s before)'
                  % (len(lines) - TAIL_LINES, stream))
        for line in lines[-TAIL_LINES:]:
            print('    ' + line)


def read_records(path):
    with open(path, encoding='utf-8', errors='replace') as log:
        return [json.loads(line) for line in log if line.strip()]


def give_up(message):
    print('run_tests: ' + message)
    print('0 passed, 1 failed')
    return 1


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    # Output of a failed test may hold any byte; the terminal's locale any set.
    sys.stdout.reconfigure(errors='backslashreplace')
    build = sys.argv[1]
    log = os.path.join(build, 'meson-logs', 'testlog.json')
    ninja = os.environ.get('NINJA', 'ninja')
    if subprocess.call([ninja, '-C', build]) != 0:
        return give_up('the build failed')
    if os.path.exists(log):
        os.remove(log)
    # Tests written in Python leave no bytecode in the source tree.
    os.environ['PYTHONDONTWRITEBYTECODE'] = '1'
    # Its status is not needed: the log says more. stderr carries its notes.
    status = subprocess.call(['meson', 'test', '-C', build, '--no-rebuild']
                             + sys.argv[2:], stdin=subprocess.DEVNULL)
    if not os.path.exists(log):
        return give_up('meson ran no test (status %d)' % status)

    passed = failed = skipped = 0
    for record in read_records(log):
        ok, bad, left = count_cases(record)
        passed, failed = passed + len(ok), failed + len(bad)
        skipped += len(left)
        for case in left:
            print('skipped: %s %s' % (program_of(record), case))
        for case in bad:
            print('FAILED: %s %s' % (program_of(record), case))
        if bad:
            print_tail(record)
    if status != 0 and failed == 0:
        print('FAILED: meson test ended with status %d' % status)
        failed = 1
    line = '%d passed, %d failed' % (passed, failed)
    if skipped:
        line += ', %d skipped' % skipped
    print(line, flush=True)
    return 0 if failed == 0 and passed > 0 else 1


if __name__ == '__main__':
    sys.exit(main())
