#!/usr/bin/env python3
"""Judgements on device `cuda`: the whole program over a fake driver
(fake_cuda.c) and a fake nvcc. No card and no vendor's package is needed; a
sandbox is.

Usage: test_cuda_end_to_end.py FAKE_CUDA DATA_FOLDER
$WHET_BINARY names the program. Exit status 77: this machine cannot judge."""

import ctypes
import json
import os
import shutil
import sys
import tempfile

import test_hip_end_to_end as kit

# The compiler asserts what it is told of the device and hands out one image.
NVCC = '''#!/bin/sh
if [ "$1" = --version ]; then echo "nvcc of the tests 1.0"; exit 0; fi
here=$(dirname "$0") arch= out=
while [ $# -gt 0 ]; do
    case "$1" in
    -gencode=*) arch=${1#*=} ;;
    -o) out=$2; shift ;;
    esac
    shift
done
case "$arch" in
arch=compute_90a,code=sm_90a) cp "$here/kernels.cubin" "$out" ;;
*) echo "error: unknown architecture '$arch'" >&2; exit 1 ;;
esac
'''

# name, mode of the driver, kernel, outcome/reason, words of the answer
JUDGED = [
    ('success', 'good', 'gemm_fast', 'correct/none',
     ['sm_90a', 'CUDA 12.4', 'nvcc of the tests']),
    ('a driver that talks and dies at its end', 'noisy', 'gemm_fast',
     'correct/none', []),
    ('wrong result', 'good', 'gemm_wrong', 'wrong/mismatch', []),
    ('sticky error', 'good', 'gemm_fault', 'resource/launch',
     ['CUDA_ERROR_ILLEGAL_ADDRESS (700)']),
    ('group larger than built for', 'good', 'gemm_fast/32',
     'resource/plan-limit', ['1024 work-items', 'it was built for 256']),
    ('no such kernel', 'good', 'gemm_none', 'build/no-kernel', []),
]

# name, mode of the driver, words of the message; exit status 3
REFUSED = [
    ('no device', 'none', ['-none.so', 'CUDA_ERROR_NO_DEVICE']),
    ('a stub', 'stub', ['CUDA_ERROR_STUB_LIBRARY (34)']),
    ('the driver dies', 'crash', ['signal 6']),
    ('out of memory', 'full', ['device memory asked for']),
    ('image refused', 'unloadable', ['CUDA_ERROR_INVALID_IMAGE (200)']),
]


class Bench(kit.Bench):
    """Everything that a judgement on an NVIDIA card needs."""

    def __init__(self, folder, fake, data):
        self.folder, self.fake = folder, fake
        os.chmod(folder, 0o755)  # the sandbox is another user
        os.mkdir(os.path.join(folder, 'bin'))
        self.write('bin/nvcc', NVCC)
        os.chmod(os.path.join(folder, 'bin/nvcc'), 0o755)
        shutil.copy(os.path.join(data, 'kernels.cubin'),
                    os.path.join(folder, 'bin'))

    def candidate(self, kernel):
        path = super().candidate(kernel)
        return shutil.move(path, path.replace('.hip', '.cu'))

    def env(self, mode):
        library = os.path.join(tempfile.mkdtemp(dir=self.folder),
                               'libcuda-%s.so' % mode)
        shutil.copy(self.fake, library)
        return dict({name: value for name, value in os.environ.items()
                     if name != 'CUDA_VISIBLE_DEVICES'},
                    WHET_CUDA_LIBRARY=library, WHET_TOOLCHAIN='nvcc',
                    WHET_BLAS_LIBRARY='/nonexistent.so',
                    WHET_NVCC=os.path.join(self.folder, 'bin/nvcc'),
                    WHET_CACHE_DIR=os.path.join(self.folder, 'cache'),
                    WHET_STATE_DIR=os.path.join(self.folder, 'state'),
                    WHET_LOCK_DIR=os.path.join(self.folder, 'locks'))

    def judge(self, mode, kernel):
        return self.whet(mode, [
            'judge', 'gemm', self.candidate(kernel), '--device', 'cuda',
            '--workload', kit.SIZE, '--calls', '2', '--hidden', '0',
            '--call-timeout', '0.5s', '--json'])


def judged_fault(bench, mode, kernel, want, words):
    """What is wrong with a judgement that ends in a verdict, or None."""
    status, out, err = bench.judge(mode, kernel)
    try:
        verdict = json.loads(out)
    except ValueError:
        return 'status %d, no JSON: %s' % (status, err.strip())
    got = verdict['outcome'] + '/' + verdict['reason']
    if got != want or status != (0 if want == 'correct/none' else 1):
        return 'status %d, %s, expected %s (%s)' % (status, got, want,
                                                    verdict['message'])
    for word in words:
        if word not in out:
            return '"%s" is not in %s' % (word, out)
    if want == 'correct/none' and verdict['ratio']['value'] < 2:
        return 'ratio %s, expected above 2' % verdict['ratio']
    return None


def no_sandbox_fault(bench):
    """Without user namespaces judging goes on, and says so."""
    status, out, err = bench.whet('good', [
        'judge', 'gemm', bench.candidate('gemm_fast'), '--device', 'cuda',
        '--workload', kit.SIZE, '--calls', '2', '--hidden', '0', '--json'],
                                  WHET_BWRAP='/nonexistent/bwrap')
    if status != 0:
        return 'status %d, expected 0: %s' % (status, err)
    verdict = json.loads(out)
    rules = [rule['name'] for rule in verdict['rules']]
    if 'no-build-sandbox' not in rules or verdict['is_unsafe']:
        return 'rules %s, is_unsafe %s' % (rules, verdict['is_unsafe'])
    if 'compiled without a sandbox' not in err:
        return 'no warning: ' + err
    return None


def refused_fault(bench, mode, words):
    status, out, err = bench.judge(mode, 'gemm_fast')
    if status != 3:
        return 'status %d, expected 3: %s%s' % (status, out, err.strip())
    lines = [line for line in err.splitlines() if 'card 0000:' not in line]
    if len(lines) != 1:
        return 'expected one line beside the card: ' + err
    for word in words:
        if word not in lines[0]:
            return '"%s" is not in %s' % (word, lines[0])
    return None


def main():
    folder = tempfile.mkdtemp(prefix='whet-cuda-')
    try:
        bench = Bench(folder, sys.argv[1], sys.argv[2])
        status, _, err = bench.judge('good', 'gemm_fast')
        if status == 3 and 'no sandbox' in err:
            print('skipped: ' + err.strip())
            return 77
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
        faults = [(case[0], judged_fault(bench, *case[1:])) for case in JUDGED]
        faults += [(case[0], refused_fault(bench, *case[1:]))
                   for case in REFUSED]
        faults.append(('no sandbox', no_sandbox_fault(bench)))
        faults = ['%s: %s' % fault for fault in faults if fault[1]]
        left = kit.survivors()
        if left:
            faults.append('processes left over: ' + ' '.join(left))
        print('\n'.join(faults + ['%d cases, %d faults' % (
            len(JUDGED) + len(REFUSED) + 1, len(faults))]))
        return 1 if faults else 0
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == '__main__':
    sys.exit(main())
