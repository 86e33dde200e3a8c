#!/usr/bin/env python3
"""Ctrl-C during a search: it says so, ends with 130, and can be resumed."""
import json
import os
import signal
import sys
import time

import run_kit
from test_kill import SCRIPT, SHAPE

NULL = ['gemm', '--device', 'null:script.json', '-n', '30', *SHAPE]
OPENCL = ['gemm', '--device', 'opencl', '--workload', 'M=128,N=128,K=128',
          '-n', '3', '--calls', '12']


def interrupt(place, words, after_lines, number=signal.SIGINT, twice=False):
    """Start in a group of its own, as a terminal's job, and interrupt the
    whole group after so many lines of progress. (status, stderr)"""
    child = place.start(*words, start_new_session=True)
    lines = []
    for line in child.stderr:
        lines.append(line)
        if len(lines) == after_lines:
            os.killpg(child.pid, number)
            if twice:
                time.sleep(0.05)
                os.killpg(child.pid, number)
    child.stdout.close()
    child.stderr.close()
    status = child.wait(run_kit.LIMIT_S)
    assert run_kit.wait_for_no_children() == []
    return status, lines


def decisions(events):
    return [s for s in run_kit.steps(events) if s[0] != 'run_stopped']


def test_search_interrupt__ends_with_130_and_resumes_as_if_never_stopped():
    run_kit.adopt_orphans()
    with run_kit.Place() as place:
        place.write('script.json', SCRIPT)
        place.must('run', *NULL, '-l', 'whole.ledger', '-q')
        whole = run_kit.rows(place.path('whole.ledger'))
        for number, after in ((signal.SIGINT, 1), (signal.SIGINT, 6),
                              (signal.SIGTERM, 3), (signal.SIGHUP, 9)):
            name = 'x%d-%d.ledger' % (number, after)
            status, lines = interrupt(place, ['run', *NULL, '-l', name], after,
                                      number)
            assert status == 130, (number, status, lines)
            before = run_kit.rows(place.path(name))
            assert before[-1][3] == 'run_stopped'
            assert json.loads(before[-1][5])['stop'] == 'cancelled'
            assert place.beside(place.path(name)) == []
            place.must('resume', name, '-q')
            after_all = run_kit.rows(place.path(name))
            assert after_all[:len(before)] == before
            assert json.loads(after_all[-1][5])['stop'] != 'cancelled'
            run_kit.check_once(after_all)
            assert decisions(after_all) == decisions(whole)


def test_search_interrupt__reports_what_it_had_as_json():
    with run_kit.Place() as place:
        place.write('script.json', SCRIPT)
        child = place.start('run', *NULL, '-l', 'x.ledger', '--json')
        child.stderr.readline()
        child.send_signal(signal.SIGINT)
        out, _ = child.communicate(timeout=run_kit.LIMIT_S)
        assert child.returncode == 130, child.returncode
        assert json.loads(out)['stop'] == 'cancelled'


def live(place):
    run_kit.adopt_orphans()
    code, _, err = place.run('run', *OPENCL, '-l', 'first.ledger', '-q')
    if code == 3:
        raise run_kit.Skip(err.decode(errors='replace').strip())


def test_search_interrupt__of_the_whole_group_blames_no_candidate():
    with run_kit.Place() as place:
        live(place)
        status, _ = interrupt(place, ['run', *OPENCL, '-l', 'x.ledger'], 2)
        assert status == 130, status
        for _, _, _, kind, subject, data in run_kit.rows(
                place.path('x.ledger')):
            if kind == 'screened':
                assert json.loads(data)['outcome'] == 'correct', (subject, data)
        code, _, err = place.run('resume', 'x.ledger', '-q')
        assert code in (0, 1) and err == b'', (code, err)


def test_search_interrupt__twice_ends_at_once_and_leaves_no_process():
    with run_kit.Place() as place:
        live(place)
        begin = time.monotonic()
        status, _ = interrupt(place, ['run', *OPENCL, '-l', 'x.ledger'], 1,
                              twice=True)
        assert status == 130, status
        assert time.monotonic() - begin < 60
        code, _, err = place.run('resume', 'x.ledger', '-q')
        assert code in (0, 1) and err == b'', (code, err)
        run_kit.check_once(run_kit.rows(place.path('x.ledger')))
        assert place.beside(place.path('x.ledger')) == []


if __name__ == '__main__':
    # 'null': without the tests that need an OpenCL device.
    names = dict(globals())
    if sys.argv[1:] == ['null']:
        names = {n: f for n, f in names.items()
                 if 'group' not in n and 'twice' not in n}
    elif sys.argv[1:] == ['opencl']:
        names = {n: f for n, f in names.items()
                 if not n.startswith('test_') or 'group' in n or 'twice' in n}
    run_kit.main(names)
