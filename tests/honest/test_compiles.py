#!/usr/bin/env python3
"""Every CUDA kernel under tests/honest/ compiles for the oldest and the newest
architecture that it is meant for, with default tunables, without a card. What
the kernels compute is judged on one, by tests/attacks/run.py."""

import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile

ARCHITECTURES = ('sm_80', 'sm_90a')
FOLDERS = ('/usr/local/cuda/bin', '/opt/cuda/bin')


def find_compiler():
    names = [os.path.join(os.environ.get(name, ''), 'bin', 'nvcc')
             for name in ('CUDA_HOME', 'CUDA_PATH')]
    names += ['nvcc'] + [os.path.join(f, 'nvcc') for f in FOLDERS]
    return next(filter(None, map(shutil.which, names)), None)


def definitions(source):
    """Tunables become macros: -DNAME=FIRST of `  NAME: [FIRST, ...]`."""
    plan = source.split('*/', 1)[0]
    inside = plan.partition('\ntunables:')[2]
    return ['-D%s=%s' % pair
            for pair in re.findall(r'\b([A-Z]+): \[(\d+)', inside)]


def fault_of(compiler, path, place):
    with open(path) as file:
        source = file.read()
    if not re.search(r'extern "C" __global__ void ', source):
        return '%s: no kernel' % path
    argv = [compiler, '--std=c++17', '-cubin', '-o']
    base = os.path.relpath(path, os.path.dirname(__file__)).replace('/', '_')
    for arch in ARCHITECTURES:
        out = os.path.join(place, base + '.' + arch)
        done = subprocess.run(argv + [out, '-arch=' + arch, path] +
                              definitions(source), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              check=False, text=True)
        if done.returncode != 0 or not os.path.exists(out):
            return '%s for %s: %s' % (path, arch, done.stdout.strip())
        if done.stdout.strip():
            return '%s for %s warns: %s' % (path, arch, done.stdout.strip())
    return None


def main():
    compiler = find_compiler()
    if compiler is None:
        print('skipped: no nvcc on the path or in $CUDA_HOME')
        return 77
    paths = [os.path.join(place, name)
             for place, _, names in os.walk(os.path.dirname(__file__))
             for name in sorted(names)
             if name.endswith('.cu')]
    with tempfile.TemporaryDirectory() as place, \
            concurrent.futures.ThreadPoolExecutor(2) as pool:
        faults = list(filter(None, pool.map(
            lambda path: fault_of(compiler, path, place), paths)))
    print('\n'.join(faults + ['%d kernels, %d faults' % (len(paths),
                                                         len(faults))]))
    return 1 if faults or not paths else 0


if __name__ == '__main__':
    sys.exit(main())
