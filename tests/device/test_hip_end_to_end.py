#!/usr/bin/env python3
"""Judgements and a run on device `hip`: the whole program over fake runtimes of
both ABIs (fake_hip.c) and a fake compiler. No card and no vendor's package is
needed; a sandbox is.

Usage: test_hip_end_to_end.py FAKE_ROCM FAKE_DTK DATA_FOLDER
$WHET_BINARY names the program. Exit status 77: this machine cannot judge."""

import concurrent.futures
import ctypes
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

LONGEST_S = 60
SIZE = 'M=64,N=64,K=67'

# The compiler asserts what it is told of the device and hands out one image.
DCC = '''#!/bin/sh
if [ "$1" = --version ]; then echo "dcc of the tests 1.0"; exit 0; fi
here=$(dirname "$0") arch= out=
while [ $# -gt 0 ]; do
    case "$1" in
    --cuda-gpu-arch=*) arch=${1#*=} ;;
    -o) out=$2; shift ;;
    esac
    shift
done
case "$arch" in
gfx936|gfx90a) cp "$here/kernels.hsaco" "$out" ;;
*) echo "error: unknown architecture '$arch'" >&2; exit 1 ;;
esac
'''

CANDIDATE = '''/* whet:
launches:
  - kernel: %(kernel)s
    grid: ["ceil_div(N, %(side)d)", "ceil_div(M, %(side)d)"]
    block: [%(side)d, %(side)d]
    args: [A, B, C, M, N, K]
%(more)s*/
extern "C" __global__ void %(kernel)s(const float *A, const float *B, float *C,
                                      int M, int N, int K);
'''

SKILL = '''---
id: gemm_faked
level: basic
applies: {ops: [gemm], dtypes: [f32], features: [gpu], finding_codes: []}
template: templates/gemm_faked.wk
expected_gain: {ratio: 1, samples: 1, device: "none", date: 2026-11-30}
refuted_by: "Nothing: it is made up for a test."
source: "this test"
---
# A kernel that the fake runtime knows

**When.** In a test.

**What.** Call it.

**Gained.** Nothing was measured.

**Refuted by.** Nothing: it is made up for a test.
'''

GOOD_DTK = [('dtk', 'good')]
GOOD_ROCM = [('rocm', 'good')]

# name, runtimes, kernel, outcome/reason, words of the message or of `device`
JUDGED = [
    ('success on DTK', GOOD_DTK, 'gemm_fast', 'correct/none',
     ['libgalaxyhip-good.so', 'DTK numbers', 'hycu 6.3.8']),
    ('success on ROCm', GOOD_ROCM, 'gemm_fast', 'correct/none',
     ['libamdhip64-good.so', 'ROCm numbers', 'amdgpu 6.10.5']),
    ('ROCm sees none, DTK does', [('rocm', 'none'), ('dtk', 'good')],
     'gemm_fast', 'correct/none', ['libgalaxyhip-good.so']),
    ('DTK sees none, ROCm does', [('dtk', 'none'), ('rocm', 'good')],
     'gemm_fast', 'correct/none', ['libamdhip64-good.so']),
    ('ROCm dies, DTK does not', [('rocm', 'crash'), ('dtk', 'good')],
     'gemm_fast', 'correct/none', ['libgalaxyhip-good.so']),
    ('old numbers', [('dtk', 'hip4')], 'gemm_fast', 'correct/none',
     ['HIP 4 numbers']),
    ('no limits told', [('dtk', 'limits')], 'gemm_fast', 'correct/none',
     ['DTK, checked numbers']),
    ('nonsense told', [('dtk', 'garbage')], 'gemm_fast', 'correct/none',
     ['unknown numbers']),
    ('a runtime that talks and dies at its end', [('dtk', 'noisy')],
     'gemm_fast', 'correct/none', ['libgalaxyhip-noisy.so']),
    ('wrong result', GOOD_DTK, 'gemm_wrong', 'wrong/mismatch', []),
    ('launch failure', GOOD_DTK, 'gemm_refused', 'resource/launch',
     ['hipErrorLaunchFailure (719)']),
    ('sticky error', GOOD_ROCM, 'gemm_fault', 'resource/launch',
     ['hipErrorIllegalAddress (700)']),
    ('endless kernel', GOOD_DTK, 'gemm_endless', 'resource/call-timeout', []),
    ('group larger than built for', GOOD_DTK, 'gemm_fast/32',
     'resource/plan-limit', ['1024 work-items', 'it was built for 256']),
    ('no such kernel', GOOD_DTK, 'gemm_none', 'build/no-kernel', []),
]

# name, runtimes, words of the message; exit status 3
REFUSED = [
    ('no device', [('rocm', 'none'), ('dtk', 'none')],
     ['libamdhip64-none.so: sees no device (100 hipErrorNoDevice)',
      'libgalaxyhip-none.so: sees no device']),
    ('cannot start', [('rocm', 'unready')],
     ['303 hipErrorSharedObjectInitFailed']),
    ('the only one dies', [('dtk', 'crash')], ['signal 6']),
    ('out of memory', [('dtk', 'full')], ['device memory']),
    ('other architecture on DTK', [('dtk', 'alien')],
     ['hipErrorInvalidKernelFile (218)']),
    ('other architecture on ROCm', [('rocm', 'alien')],
     ['hipErrorNoBinaryForGpu (209)']),
]


class Bench:
    """A folder with everything that a judgement needs."""

    def __init__(self, folder, fakes, data):
        self.folder, self.fakes, self.data = folder, fakes, data
        os.chmod(folder, 0o755)  # the sandbox is another user
        os.mkdir(os.path.join(folder, 'bin'))
        self.write('bin/dcc', DCC)
        os.chmod(os.path.join(folder, 'bin/dcc'), 0o755)
        shutil.copy(os.path.join(data, 'kernels.hsaco'),
                    os.path.join(folder, 'bin'))

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w') as file:
            file.write(text)
        return path

    def candidate(self, kernel):
        """A fresh file: judgements run beside each other."""
        kernel, _, side = kernel.partition('/')
        folder = tempfile.mkdtemp(dir=self.folder)
        return self.write(os.path.join(folder, kernel + '.hip'),
                          CANDIDATE % {'kernel': kernel,
                                       'side': int(side or 16), 'more': ''})

    def env(self, runtimes):
        libraries = []
        folder = tempfile.mkdtemp(dir=self.folder)
        for abi, mode in runtimes:
            name = {'rocm': 'libamdhip64', 'dtk': 'libgalaxyhip'}[abi]
            path = os.path.join(folder, '%s-%s.so' % (name, mode))
            shutil.copy(self.fakes[abi], path)
            libraries.append(path)
        root = 'kfd-gfx936' if runtimes[-1][0] == 'dtk' else 'kfd-gfx90a'
        return dict(os.environ, WHET_HIP_LIBRARY=':'.join(libraries),
                    WHET_HIP_SYSFS=os.path.join(self.data, root),
                    WHET_HIP_COMPILER=os.path.join(self.folder, 'bin/dcc'),
                    WHET_CACHE_DIR=os.path.join(self.folder, 'cache'),
                    WHET_STATE_DIR=os.path.join(self.folder, 'state'),
                    WHET_LOCK_DIR=os.path.join(self.folder, 'locks'))

    def whet(self, runtimes, words, **more):
        done = subprocess.run([os.environ['WHET_BINARY']] + words,
                              env=dict(self.env(runtimes), **more),
                              cwd=self.folder,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=LONGEST_S,
                              check=False)
        return (done.returncode, done.stdout.decode(errors='replace'),
                done.stderr.decode(errors='replace'))

    def judge(self, runtimes, kernel, words=(), **more):
        return self.whet(runtimes, [
            'judge', 'gemm', self.candidate(kernel), '--device', 'hip',
            '--workload', SIZE, '--calls', '2', '--hidden', '0',
            '--call-timeout', '0.5s', '--json', *words], **more)


def judged_fault(bench, case):
    """What is wrong with a judgement that ends in a verdict, or None."""
    _, runtimes, kernel, want, words = case
    status, out, err = bench.judge(runtimes, kernel)
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


def refused_fault(bench, case):
    _, runtimes, words = case
    status, out, err = bench.judge(runtimes, 'gemm_fast')
    if status != 3:
        return 'status %d, expected 3: %s%s' % (status, out, err.strip())
    for word in words:
        if word not in err:
            return '"%s" is not in %s' % (word, err.strip())
    return None


def run_fault(bench):
    """A search over one made-up skill finds the fast kernel and keeps it."""
    bench.write('skills/gemm_faked.md', SKILL)
    bench.write('skills/templates/gemm_faked.wk',
                CANDIDATE % {'kernel': 'gemm_fast', 'side': 16,
                             'more': 'tunables:\n  SPARE: [1, 2]\n'})
    status, out, err = bench.whet(GOOD_DTK, [
        'run', 'gemm', '--device', 'hip:0000:36:00.0', '--workload', SIZE,
        '--skills', os.path.join(bench.folder, 'skills'), '--evaluations', '2',
        '--calls', '12', '--ledger', os.path.join(bench.folder, 'run.ledger'),
        '--json'])
    if status != 0:
        return 'status %d, expected a champion: %s%s' % (status, out,
                                                        err.strip())
    if 'gfx936' not in out and 'libgalaxyhip-good.so' not in out:
        return 'the device is not told: ' + out
    return None


def library_fault(bench):
    """The vendors' libraries are timed beside a kernel."""
    blas = os.path.join(os.path.dirname(bench.fakes['dtk']), 'fake_blas.so')
    status, out, err = bench.judge(GOOD_DTK, 'gemm_fast',
                                   WHET_BLAS_LIBRARY=blas)
    if status != 0:
        return 'status %d: %s%s' % (status, out, err.strip())
    libraries = json.loads(out)['libraries']
    if [row['name'] for row in libraries] != ['rocblas', 'hipblas']:
        return 'libraries are %s' % libraries
    for row in libraries:
        if not row['is_correct'] or row['median_ns'] <= 0 or row['ratio'] <= 0:
            return 'library is %s' % row
    status, out, err = bench.judge(GOOD_DTK, 'gemm_fast',
                                   WHET_BLAS_LIBRARY='/nonexistent.so')
    libraries = json.loads(out)['libraries']
    if status != 0 or not libraries[0].get('text', '').startswith(
            '/nonexistent.so: cannot open'):
        return 'status %d, an absent library is %s' % (status, libraries)
    return None


def under_fault(bench):
    """Workers start under a tool, and its times are no gain."""
    status, out, err = bench.judge(GOOD_DTK, 'gemm_fast',
                                   words=['--under', 'env'])
    if status != 0:
        return 'status %d: %s%s' % (status, out, err.strip())
    verdict = json.loads(out)
    if verdict['ratio']['is_gain'] or verdict['protocol'] != 'under a tool':
        return 'it counts: %s' % verdict['ratio']
    tool = bench.write('bin/tool', '#!/bin/sh\n"$@"\nexit 9\n')
    os.chmod(tool, 0o755)
    status, _, err = bench.judge(GOOD_DTK, 'gemm_fast',
                                 words=['--under', tool])
    if status != 0 or 'ended with exit status 9' not in err:
        return 'status %d, the tool is not heard: %s' % (status, err)
    status, _, err = bench.judge(GOOD_DTK, 'gemm_fast',
                                 words=['--under', 'no-such-tool-x'])
    if status == 0 or 'no-such-tool-x' not in err:
        return 'status %d for a tool that is not there: %s' % (status, err)
    return None


def argument_fault(bench):
    """What a plan passes has the size that the image tells."""
    text = CANDIDATE % {'kernel': 'gemm_fast', 'side': 16, 'more': ''}
    path = bench.write('longer.hip', text.replace('M, N, K]', 'M, N, i64: K]',
                                                  1))
    status, out, err = bench.whet(GOOD_DTK, [
        'judge', 'gemm', path, '--device', 'hip', '--workload', SIZE,
        '--json'])
    if status != 1 or 'argument 6 (of 6) takes 4 bytes, the plan passes long' \
            not in out:
        return 'status %d: %s%s' % (status, out, err.strip())
    return None


def kill_midway(bench):
    """Kill a judgement in the middle of a call: survivors() looks whether its
    processes went with it."""
    argv = [os.environ['WHET_BINARY'], 'judge', 'gemm',
            bench.candidate('gemm_endless'), '--device', 'hip', '--workload',
            SIZE]
    with subprocess.Popen(argv, env=bench.env(GOOD_DTK),
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as process:
        time.sleep(0.8)
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


def all_faults(bench):
    work = [(case[0], judged_fault, case) for case in JUDGED]
    work += [(case[0], refused_fault, case) for case in REFUSED]
    faults = []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = pool.map(lambda item: item[1](bench, item[2]), work)
        faults += ['%s: %s' % (item[0], fault)
                   for item, fault in zip(work, found) if fault]
    for name, test in (('run', run_fault), ('library', library_fault),
                       ('under', under_fault), ('argument', argument_fault)):
        fault = test(bench)
        if fault:
            faults.append(name + ': ' + fault)
    kill_midway(bench)
    left = survivors()
    if left:
        faults.append('processes left over: ' + ' '.join(left))
    print('\n'.join(faults + ['%d cases, %d faults' % (len(work) + 5,
                                                       len(faults))]))
    return faults


def main():
    fakes = {'rocm': sys.argv[1], 'dtk': sys.argv[2]}
    folder = tempfile.mkdtemp(prefix='whet-hip-')
    try:
        bench = Bench(folder, fakes, sys.argv[3])
        status, _, err = bench.judge(GOOD_DTK, 'gemm_fast')
        if status == 3 and 'no sandbox' in err:
            print('skipped: ' + err.strip())
            return 77
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
        return 1 if all_faults(bench) else 0
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == '__main__':
    sys.exit(main())
