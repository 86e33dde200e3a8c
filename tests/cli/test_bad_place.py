#!/usr/bin/env python3
"""Odd places to be started in: closed streams, names that would move the
cursor, limits on files, no home. One line on stderr, the right status, and
nothing left behind.
"""
import os
import resource
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                os.pardir, 'search'))
import run_kit  # noqa: E402

SHAPE = ['--workload', 'M=64,N=64,K=64', '--calls', '4']
RUN = ['run', 'gemm', '--device', 'null:', '-q', '-n', '2', *SHAPE]
OK, NO, BAD, ENVIRONMENT = 0, 1, 2, 3


def started(place, words, before):
    """(status, stdout, stderr) of a child that calls `before` first."""
    child = place.start(*words, preexec_fn=before)
    out, err = child.communicate(timeout=run_kit.LIMIT_S)
    return child.returncode, out, err


def test_cli_bad_place__a_closed_stdout_is_not_given_to_a_file():
    with run_kit.Place() as place:
        for words in ([*RUN, '-l', 'x.ledger'], ['task', 'list'], ['doctor'],
                      ['--help'], ['--version'], ['run', '--help']):
            code, _, err = started(place, words, lambda: os.close(1))
            assert code == ENVIRONMENT and run_kit.is_one_line(err), (
                words, code, err)
            assert b'standard output' in err, err
        # What the run recorded is whole all the same.
        place.must('log', 'x.ledger')
        place.must('export', 'x.ledger')


def test_cli_bad_place__closed_streams_leave_their_numbers_unused():
    with run_kit.Place() as place:
        for closed in ((0,), (2,), (0, 2)):
            def close(closed=closed):
                for fd in closed:
                    os.close(fd)
            name = 'x%s.ledger' % ''.join(map(str, closed))
            words = [w for w in RUN if w != '-q']
            code, out, _ = started(place, [*words, '-l', name], close)
            assert code == NO and name.encode() in out, (closed, code, out)
            place.must('log', name)


def test_cli_bad_place__help_into_a_full_disk_says_so():
    with run_kit.Place() as place, open('/dev/full', 'wb') as full:
        for words in (['--help'], ['--version'], ['help', 'run'],
                      ['judge', '--help'], ['task', '--help']):
            code, _, err = place.run(*words, stdout=full)
            assert code == ENVIRONMENT and run_kit.is_one_line(err), (
                words, code, err)
            assert b'No space left' in err, err


def test_cli_bad_place__a_limit_on_file_size_is_a_full_disk():
    with run_kit.Place() as place:
        for most in (0, 20 << 10):
            def limit(most=most):
                resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
            code, out, err = started(place, [*RUN, '-l', 'x.ledger'], limit)
            assert code == ENVIRONMENT and out == b'', (most, code, out)
            assert run_kit.is_one_line(err) and b'x.ledger' in err, err
            left = [n for n in os.listdir(place.dir) if n.startswith('x.')]
            assert left == [], left


def quiet(place, words, status):
    """stdout of a run that must send the terminal no escapes."""
    code, out, err = place.run(*words)
    assert code == status, (words, code, err)
    assert b'\x1b' not in out + err, (words, out, err)
    return out


def test_cli_bad_place__names_cannot_reach_the_terminal():
    with run_kit.Place() as place:
        for name in ('a\x1b[31mb', 'two\nlines', "it's $(id)", '-n'):
            shutil.copytree(os.path.join(run_kit.DATA, 'tasks/gemm'),
                            place.path(name))
            run = ['./' + name if w == 'gemm' else w for w in RUN]
            out = quiet(place, run, NO)
            last = out.decode().splitlines()[-1]
            assert last.startswith('evidence: whet log '), last
            quiet(place, ['resume', '-q', './' + name + '.ledger'], NO)
            quiet(place, ['log', './' + name + '.ledger'], OK)
            quiet(place, ['task', 'show', './' + name], OK)
            quiet(place, ['task', 'list', '.'], OK)
            code, _, err = place.run('log', name + '.absent')
            assert code == BAD and run_kit.is_one_line(err), err


def test_cli_bad_place__a_long_path_does_not_hide_the_reason():
    with run_kit.Place() as place:
        path = 'x/' * 2500
        for words, part in ((['log', path], b'no such ledger'),
                            (['run', path], b'expected'),
                            (['judge', '--device', 'null:', 'gemm', path],
                             b'no such file'),
                            ([*RUN, '-l', path], b'no such folder'),
                            ([*RUN, '-l', 'y' * 300], b'File name too long')):
            code, out, err = place.run(*words)
            assert code in (BAD, ENVIRONMENT) and out == b'', (code, err)
            assert run_kit.is_one_line(err) and part in err, (words[0], err)


def test_cli_bad_place__no_home_is_the_environments_fault():
    with run_kit.Place() as place:
        for name in ('WHET_STATE_DIR', 'WHET_CACHE_DIR'):
            del place.env[name]
        code, out, err = place.run('calibrate')
        assert code == ENVIRONMENT and out == b'', (code, out)
        assert run_kit.is_one_line(err), err
        # Nothing else needs one.
        place.must(*RUN, '-l', 'x.ledger', status=NO)
        place.must('doctor', '--json')


def test_cli_bad_place__a_folder_of_broken_tasks_lists_nothing():
    with run_kit.Place() as place:
        place.write('broken/task.yaml', 'name: [\n')
        for more in ([], ['--json']):
            code, out, err = place.run('task', 'list', '.', *more)
            assert code == BAD and out == b'', (code, out)
            assert run_kit.is_one_line(err), err
        # A sound one beside it is listed all the same.
        shutil.copytree(os.path.join(run_kit.DATA, 'tasks/gemm'),
                        place.path('sound'))
        code, out, err = place.run('task', 'list', '.')
        assert code == BAD and b'gemm' in out and run_kit.is_one_line(err)


if __name__ == '__main__':
    run_kit.main(globals())
