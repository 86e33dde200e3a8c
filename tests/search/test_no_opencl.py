#!/usr/bin/env python3
"""The same program on a machine without any OpenCL library."""
import glob
import json
import os
import subprocess

import run_kit
from test_kill import SCRIPT, SHAPE

REMEDY = b'apt-get install'


def bare():
    place = run_kit.Place()
    place.env['WHET_OPENCL_LIBRARY'] = '/nonexistent.so'
    return place


def test_search_no_opencl__program_does_not_link_to_it():
    with run_kit.Place() as place:
        try:
            listed = subprocess.run(['ldd', run_kit.BINARY],
                                    stdout=subprocess.PIPE, env=place.env)
        except FileNotFoundError:
            raise run_kit.Skip('no ldd')
        assert b'libc.so' in listed.stdout, listed.stdout
        assert b'OpenCL' not in listed.stdout, listed.stdout


def test_search_no_opencl__doctor_names_the_remedy():
    with bare() as place:
        out = place.must('doctor')
        assert REMEDY in out and b'absent' in out, out.decode()
        report = json.loads(place.must('doctor', '--json'))
        assert 'apt-get install' in json.dumps(report)


def test_search_no_opencl__commands_that_need_it_end_with_3():
    kernel = os.path.join(run_kit.DATA, 'tasks/gemm/baselines/opencl.cl')
    with bare() as place:
        for words in (['run', 'gemm'], ['run', 'gemm', '--device', 'opencl'],
                      ['judge', 'gemm', kernel]):
            code, out, err = place.run(*words)
            assert code == 3, (words, code, err)
            assert out == b'' and run_kit.is_one_line(err), (words, out, err)
            assert REMEDY in err, (words, err)
            left = [n for n in os.listdir(place.dir)
                    if n not in ('cache', 'state')]
            assert left == [], left


def test_search_no_opencl__the_rest_works():
    with bare() as place:
        place.write('script.json', SCRIPT)
        place.must('--version')
        place.must('task', 'list')
        place.must('run', 'gemm', '--device', 'null:script.json', '-n', '8',
                   '-q', *SHAPE, '-l', 'x.ledger')
        place.must('log', 'x.ledger')
        place.must('resume', 'x.ledger', '-q')


def test_search_no_opencl__unit_tests_of_devices_pass():
    build = os.path.dirname(os.path.abspath(run_kit.BINARY))
    found = []
    for room in ('device', 'toolchain', 'candidate', 'ledger'):
        found += sorted(p for p in glob.glob(
            os.path.join(build, 'tests', room + '_test_*'))
            if os.path.isfile(p) and os.access(p, os.X_OK))
    if not found:
        raise run_kit.Skip('the unit tests are not built')
    env = dict(os.environ, WHET_OPENCL_LIBRARY='/nonexistent.so')
    for path in found:
        done = subprocess.run([path], env=env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=run_kit.LIMIT_S)
        # 77: the whole program was left out.
        assert done.returncode in (0, 77), '%s: %d\n%s' % (
            path, done.returncode, done.stdout.decode(errors='replace'))


if __name__ == '__main__':
    run_kit.main(globals())
