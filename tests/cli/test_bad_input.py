#!/usr/bin/env python3
"""Bad input of every command that reads a task, a candidate or a ledger: one
line on stderr, the right status, and nothing half-written.
"""
import fcntl
import json
import os
import shutil
import sqlite3
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                os.pardir, 'search'))
import run_kit  # noqa: E402

SHAPE = ['--workload', 'M=64,N=64,K=64', '--calls', '4', '-n', '4']
RUN = ['run', '--device', 'null:', '-q', '-l', 'x.ledger', *SHAPE]
JUDGE = ['judge', '--device', 'null:', '--calls', '4', '--workload',
         'M=64,N=64,K=64']
BAD, ENVIRONMENT = 2, 3

PLAN = '''/* whet:
launches:
  - kernel: gemm
    grid: ["ceil_div(N, 16)", "ceil_div(M, 16)"]
    block: [16, 16]
    args: [A, B, C, M, N, K]
*/
__kernel void gemm(__global const float *A) { }
'''


def shipped(name):
    path = os.path.join(run_kit.DATA, 'tasks/gemm', name)
    with open(path) as text:
        return text.read()


def task(place, name, edits):
    """A copy of gemm with edits of its task.yaml; each must apply."""
    text = shipped('task.yaml')
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new, 1)
    place.write(name + '/task.yaml', text)
    place.write(name + '/reference.c', shipped('reference.c'))
    for baseline in 'opencl.cl', 'cuda.cu', 'hip.hip':
        path = 'baselines/' + baseline
        place.write(name + '/' + path, shipped(path))


# name: edits of gemm's task.yaml, part of the message
TASKS = {
    'not-yaml': ([('dims: [M, N, K]', 'dims: [M, N')], 'task.yaml:'),
    'tab': ([('dims:', '\tdims:')], 'task.yaml:'),
    'unknown-key': ([('cost:', 'costs:')], 'did you mean'),
    'unknown-tensor-key': ([('dist: mixed', 'dits: mixed')], 'did you mean'),
    'alias': ([('dims: [M, N, K]', 'dims: &d [M, N, K]'),
               ('summary:', 'op2: *d\nsummary:')], 'task.yaml:'),
    'shape-overflow': ([('shape: [M, K]',
                         'shape: [M * 9223372036854775807, K]')], 'overflow'),
    'workload-overflow': ([('M: 1024', 'M: 9999999999')], 'task.yaml'),
    'unbound-dim': ([('shape: [M, K]', 'shape: [M, Q]')], 'Q'),
    'workload-lacks-dim': ([('{M: 1024, N: 1024, K: 1024}',
                             '{M: 1024, N: 1024}')], 'K'),
    'zero-size': ([('M: 1024', 'M: 0')], 'task.yaml'),
    'no-output': ([('role: out', 'role: in')], 'out'),
    'divides-by-zero': ([('ops: 2 * M', 'ops: 2 / (M - M) * M')],
                        'task.yaml'),
}

# name: text of a candidate file, part of the message
CANDIDATES = {
    'empty.cl': ('', 'empty.cl'),
    'binary.cl': (bytes(range(256)) * 8, 'binary.cl'),
    'nul.cl': (PLAN.encode() + b'\0', 'nul.cl'),
    'no-plan.cl': ('__kernel void gemm() {}\n', 'no-plan.cl'),
    'open-plan.cl': ('/* whet:\nlaunches: []\n', 'open-plan.cl'),
    'no-launch.cl': ('/* whet:\nlaunches: []\n*/\n', 'no-launch.cl'),
    'unknown-key.cl': (PLAN.replace('block:', 'blocks:'), 'did you mean'),
    'unknown-name.cl': (PLAN.replace('M, N, K]', 'M, N, Z]'), 'Z'),
    'cyclic-lets.cl': (PLAN.replace(
        '*/\n__', 'lets: {p: q + 1, q: p + 1}\n*/\n__'), 'cyclic-lets.cl'),
    'self-let.cl': (PLAN.replace('*/\n__', 'lets: {p: p + 1}\n*/\n__'),
                    'self-let.cl'),
    'huge.cl': (PLAN + ' ' * (2 << 20), 'huge.cl'),
}


def check(place, words, status, part, stdout=None):
    before = sorted(os.listdir(place.dir))
    code, out, err = place.run(*words, stdout=stdout)
    what = '%s: status %d, stderr %r' % (' '.join(words), code, err)
    assert code == status, what
    assert out == b'', what + ', stdout %r' % out
    assert run_kit.is_one_line(err), what
    assert len(err) < 1200, what
    assert part.encode() in err, what + ', expected %r' % part
    after = sorted(n for n in os.listdir(place.dir)
                   if n not in ('cache', 'state'))
    assert after == [n for n in before if n not in ('cache', 'state')], (
        what + ', left %s' % after)


def ledger(place, name='good.ledger'):
    place.must('run', 'gemm', '--device', 'null:', '-q', '-l', name, *SHAPE,
               status=1)
    return place.path(name)


def test_cli_bad_input__tasks():
    with run_kit.Place() as place:
        for name, (edits, part) in TASKS.items():
            task(place, name, edits)
        place.write('empty/task.yaml', '')
        place.write('binary/task.yaml', bytes(range(256)))
        place.write('no-yaml/reference.c', '')
        good = place.write('good.cl', PLAN)
        for name in TASKS:
            check(place, [*RUN, './' + name], BAD, TASKS[name][1])
            check(place, [*JUDGE, './' + name, good], BAD, TASKS[name][1])
        for name in ('./empty', './binary', './no-yaml', './absent', 'gemmm',
                     '', '/dev/null', 'good.cl'):
            check(place, [*RUN, name], BAD, '')
            check(place, [*JUDGE, name, good], BAD, '')


def test_cli_bad_input__candidates():
    with run_kit.Place() as place:
        for name, (text, part) in CANDIDATES.items():
            place.write(name, text)
            check(place, [*JUDGE, 'gemm', name], BAD, part)
            check(place, [*RUN, 'gemm', '--baseline', name], BAD, part)
        for name in ('absent.cl', '.', '/dev/zero'):
            check(place, [*JUDGE, 'gemm', name], BAD, name)
            check(place, [*RUN, 'gemm', '--baseline', name], BAD, name)


def test_cli_bad_input__a_plan_beyond_the_device():
    with run_kit.Place() as place:
        place.write('wide.cl', PLAN.replace('[16, 16]', '[1024, 1024]'))
        place.write('never.cl', PLAN.replace('*/\n__',
                                             'constraints: ["M < 0"]\n*/\n__'))
        # A candidate gets its verdict; a baseline keeps the run from starting.
        for name, reason in (('wide.cl', 'plan-limit'),
                             ('never.cl', 'constraint')):
            out = place.must(*JUDGE, '--json', 'gemm', name, status=1)
            assert reason.encode() in out, out
            check(place, [*RUN, 'gemm', '--baseline', name], BAD,
                  'baseline refused')


def test_cli_bad_input__workloads_devices_and_options():
    with run_kit.Place() as place:
        good = place.write('good.cl', PLAN)
        place.write('bad.json', '{"whet_script": 1, "defualt": {}}')
        place.write('cut.json', '{"whet_script": 1,')
        table = [
            (['--workload', 'nosuch'], BAD, 'nosuch'),
            (['--workload', 'M=64'], BAD, ''),
            (['--workload', 'M=64,N=64,K=99999999999999999999'], BAD, ''),
            (['--workload', 'M=64,N=64,K=-1'], BAD, ''),
            (['--workload', 'M=64,N=64,K=64,Q=1'], BAD, 'Q'),
            (['--workload', '99'], BAD, ''),
            (['--device', 'opencll'], BAD, 'did you mean'),
            (['--device', 'opencl:99'], None, ''),
            (['--device', 'null:absent.json'], BAD, 'absent.json'),
            (['--device', 'null:bad.json'], BAD, 'did you mean'),
            (['--device', 'null:cut.json'], BAD, 'cut.json'),
            (['--device', 'recorded:absent.json'], BAD, 'absent.json'),
            (['--device', 'recorded:bad.json'], BAD, 'bad.json'),
            (['--device', 'recorded'], BAD, ''),
            (['--calls', '1'], BAD, '--calls'),
            (['--nosuch'], BAD, 'nosuch'),
        ]
        for extra, status, part in table:
            for words in ([*RUN, 'gemm'], [*JUDGE, 'gemm', good]):
                want = status
                if want is None:
                    # Without an OpenCL library, that is what is wrong.
                    want = place.run(*words, *extra)[0]
                    assert want in (BAD, ENVIRONMENT), want
                check(place, [*words, *extra], want, part)
        for extra, part in ((['--seed', '-1'], '--seed'), (['-n', 'x'], ''),
                            (['-t', '5parsecs'], ''),
                            (['--skills', 'absent'], 'absent'),
                            (['extra'], '')):
            check(place, [*RUN, 'gemm', *extra], BAD, part)


def test_cli_bad_input__references_that_do_not_return():
    good = shipped('reference.c')
    at = good.index('{\n') + 2
    with run_kit.Place() as place:
        task(place, 'own', [])
        # Signals that a sanitizer leaves alone.
        for code, part in (('__builtin_trap();', 'signal'),
                           ('void abort(void); abort();', 'signal'),
                           ('void _exit(int); _exit(0);', 'ended its process')):
            place.write('own/reference.c', good[:at] + code + good[at:])
            check(place, ['task', 'check', './own'], BAD, part)


def test_cli_bad_input__a_reference_that_prints_is_not_heard():
    good = shipped('reference.c')
    at = good.index('{\n') + 2
    with run_kit.Place() as place:
        task(place, 'own', [])
        place.write('own/reference.c', '#include <unistd.h>\n' + good[:at] +
                    'if (write(1, "heard\\n", 6) < 0) return;' + good[at:])
        assert b'heard' not in place.must('task', 'check', './own')
        json.loads(place.must('task', 'check', './own', '--json'))


def test_cli_bad_input__no_baseline_and_no_template():
    with run_kit.Place() as place:
        text = shipped('task.yaml')
        task(place, 'bare', [(text[text.index('baselines:'):], '')])
        task(place, 'other', [('op: gemm', 'op: nosuch')])
        os.mkdir(place.path('none'))
        check(place, [*RUN, './bare'], BAD, '--baseline')
        check(place, [*RUN, './other'], BAD, 'no skill')
        check(place, [*RUN, 'gemm', '--skills', 'none'], BAD, 'no skill')


def test_cli_bad_input__a_template_that_does_not_fit_is_left_out():
    with run_kit.Place() as place:
        text = shipped('task.yaml').replace('  A:', '  P:')
        text = text[:text.index('baselines:')]
        place.write('own/task.yaml', text)
        place.write('own/reference.c', shipped('reference.c'))
        place.write('own/base.cl', PLAN.replace('[A,', '[P,'))
        code, out, err = place.run(*RUN, './own', '--baseline', 'own/base.cl')
        assert code == BAD and out == b''
        lines = err.decode().splitlines()
        assert all('is left out' in l for l in lines[:-1]), lines
        assert 'no skill' in lines[-1], lines
        assert not os.path.exists(place.path('x.ledger'))


def damage(path, how):
    with open(path, 'r+b') as file:
        how(file)


def poke(offset, data):
    def how(file):
        file.seek(offset)
        file.write(data)
    return how


def bad_ledgers(place):
    """Names of ledgers that are none, and part of the message."""
    good = ledger(place)
    place.write('empty.ledger', '')
    place.write('text.ledger', 'not a ledger\n' * 200)
    place.write('binary.ledger', bytes(range(256)) * 64)
    os.mkdir(place.path('folder.ledger'))
    other = sqlite3.connect(place.path('other.ledger'))
    other.execute('CREATE TABLE t(x)')
    other.commit()
    other.close()
    for name, how in (
            ('cut', lambda f: f.truncate(os.path.getsize(good) // 2)),
            ('pages', poke(4096, b'\xff' * 8192)),
            ('newer', poke(60, (77).to_bytes(4, 'big')))):
        copy = place.path(name + '.ledger')
        shutil.copy(good, copy)
        damage(copy, how)
    return {'empty': 'not a ledger', 'text': 'not a ledger',
            'binary': 'not a ledger', 'folder': '', 'other': 'not a ledger',
            'cut': '', 'pages': '', 'newer': 'newer', 'absent': 'no such'}


def test_cli_bad_input__ledgers():
    with run_kit.Place() as place:
        for name, part in bad_ledgers(place).items():
            file = name + '.ledger'
            for words in (['resume', file], ['log', file],
                          ['log', file, '--json'], ['log', file, '--events'],
                          ['show', file, 'abcd'], ['export', file],
                          ['export', file, '--recording'],
                          ['judge', '--from', file, 'abcd1234']):
                if name in ('cut', 'pages') and words[0] == 'export':
                    # Says so too, though perhaps after the first lines.
                    code, _, err = place.run(*words)
                    assert code == BAD and run_kit.is_one_line(err), err
                    continue
                check(place, words, BAD, part)
            if name not in ('absent', 'empty'):
                check(place, ['run', 'gemm', '--device', 'null:', '-q', '-l',
                              file, *SHAPE], BAD, part)


def test_cli_bad_input__questions_that_a_ledger_cannot_answer():
    with run_kit.Place() as place:
        ledger(place)
        for words, part in ((['show', 'good.ledger', 'ffffffffff'], 'fffff'),
                            (['show', 'good.ledger', 'xyz'], ''),
                            (['show', 'good.ledger', ''], ''),
                            (['show', 'good.ledger'], ''),
                            (['judge', '--from', 'good.ledger', 'ffffffff'],
                             'ffff'),
                            (['judge', '--from', 'good.ledger'], ''),
                            (['log', 'good.ledger', '--run', 'r0'], 'r0')):
            check(place, words, BAD, part)


def test_cli_bad_input__stored_data_that_is_not_a_run():
    sql = ('INSERT INTO events(seq, wall_ns, run, kind, subject, data) '
           'VALUES((SELECT max(seq) + 1 FROM events), 1, ?, ?, ?, ?)')
    with run_kit.Place() as place:
        good = run_kit.rows(ledger(place))
        run = good[0][2]
        tried = [e[4] for e in good if e[3] == 'screened'][0]
        # event, status of resume, status of export --recording
        for number, (event, resume, record) in enumerate((
                (('', 'run_started', '', '{}'), BAD, BAD),
                (('r1', 'run_started', '', '{}'), BAD, BAD),
                (('r1', 'run_started', '', '{"task_files": {"../x": "y"}}'),
                 BAD, BAD),
                ((run, 'candidate', 'a' * 64, '{}'), 1, 0),
                ((run, 'screened', 'a' * 64, '{}'), 1, BAD),
                ((run, 'confirmed', tried, '{"outcome": "correct"}'), 1, BAD),
                ((run, 'run_stopped', '', '{"stop": 3, "wall_ns": "x"}'), 1,
                 0))):
            name = 'made-%d.ledger' % number
            ledger(place, name)
            db = sqlite3.connect(place.path(name))
            db.execute(sql, event)
            db.commit()
            db.close()
            for words, status in ((['resume', name, '-q'], resume),
                                  (['export', name, '--recording'], record)):
                code, _, err = place.run(*words)
                assert code == status, (event, words, code, err)
                assert run_kit.is_one_line(err) == (code == BAD), err
            for words in (['log', name], ['log', name, '--json'],
                          ['show', name, 'aaaaaaaa']):
                code, _, err = place.run(*words)
                assert code in (0, BAD), (event, words, code)
                assert err == b'' or run_kit.is_one_line(err), (event, err)


def test_cli_bad_input__a_second_writer_is_refused():
    with run_kit.Place() as place:
        good = ledger(place)
        with open(good + '.lock', 'w') as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            lock.write('%d\n' % os.getpid())
            lock.flush()
            before = run_kit.rows(good)
            check(place, ['run', 'gemm', '--device', 'null:', '-q', '-l',
                          'good.ledger', *SHAPE], ENVIRONMENT,
                  str(os.getpid()))
            check(place, ['resume', 'good.ledger'], ENVIRONMENT,
                  str(os.getpid()))
            # Readers are let in.
            place.must('log', 'good.ledger')
            place.must('export', 'good.ledger')
            assert run_kit.rows(good) == before
        os.remove(good + '.lock')


def test_cli_bad_input__full_output():
    with run_kit.Place() as place:
        good = ledger(place)
        subject = [e[4] for e in run_kit.rows(good) if e[3] == 'screened'][0]
        with open('/dev/full', 'wb') as full:
            for words in (['log', good], ['log', good, '--json'],
                          ['show', good, subject[:12]], ['export', good],
                          ['export', good, '--recording'],
                          ['resume', good]):
                check(place, words, ENVIRONMENT, 'No space left', full)


def test_cli_bad_input__places_that_cannot_be_written():
    with run_kit.Place() as place:
        words = ['run', 'gemm', '--device', 'null:', '-q', *SHAPE, '-l']
        check(place, [*words, '/dev/full'], BAD, '/dev/full')
        check(place, [*words, 'absent/x.ledger'], BAD, 'absent')
        check(place, [*words, '/proc/x.ledger'], ENVIRONMENT, '')
        if os.geteuid() != 0:
            os.mkdir(place.path('shut'), 0o500)
            check(place, [*words, 'shut/x.ledger'], ENVIRONMENT, 'shut')


def test_cli_bad_input__small_and_read_only_disks():
    if os.geteuid() != 0:
        raise run_kit.Skip('needs root to mount')
    with run_kit.Place() as place:
        disk = place.path('disk')
        os.mkdir(disk)
        words = ['run', 'gemm', '--device', 'null:', '-q', *SHAPE, '-l',
                 'disk/x.ledger']
        mounted = subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=64k',
                                  'none', disk], stderr=subprocess.DEVNULL)
        if mounted.returncode != 0:
            raise run_kit.Skip('mounts are refused here')
        try:
            check(place, words, ENVIRONMENT, 'x.ledger')
            assert os.listdir(disk) == [], os.listdir(disk)
            remount(disk, 'size=300k')
            fill_up(place, disk)
            remount(disk, 'size=8m,ro')
            check(place, ['resume', 'disk/x.ledger', '-n', '900'],
                  ENVIRONMENT, 'x.ledger')
            place.must('log', 'disk/x.ledger')
            place.must('export', 'disk/x.ledger')
        finally:
            subprocess.run(['umount', disk], check=True)


def remount(disk, options):
    subprocess.run(['mount', '-o', 'remount,' + options, disk], check=True)


def fill_up(place, disk):
    """A run that fills its disk stops with what it had, and goes on later."""
    code, _, err = place.run('run', 'gemm', '--device', 'null:', '-q',
                             '--workload', 'M=64,N=64,K=64', '-n', '900',
                             '-l', 'disk/x.ledger')
    assert code == ENVIRONMENT and run_kit.is_one_line(err), (code, err)
    before = run_kit.rows(os.path.join(disk, 'x.ledger'))
    assert before, 'nothing was kept'
    assert not os.path.exists(os.path.join(disk, 'x.ledger.lock'))
    remount(disk, 'size=8m')
    place.must('resume', 'disk/x.ledger', '-q', status=1)
    after = run_kit.rows(os.path.join(disk, 'x.ledger'))
    assert after[:len(before)] == before
    run_kit.check_once(after)
    assert os.listdir(disk) == ['x.ledger'], os.listdir(disk)


if __name__ == '__main__':
    run_kit.main(globals())
