#!/usr/bin/env python3
"""Compiles every .cu under the folders for an NVIDIA card with NVRTC, as the
judge does: what its file expects to be refused by the build must be, all else
must give a cubin that holds the kernels of its plan. A card then never spends
time on a typing error. Compiler bombs (d9) are left to the judge's sandbox.

Usage: test_compiles.py DATA_FOLDER FOLDER...   ($WHET_NVRTC: the library)
Exit status: 0 all right, 1 something was not, 2 no .cu, 77 no NVRTC here."""

import ctypes
import glob
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import run  # noqa: E402

ARCHES = ('sm_90a',)
PLACES = ('/usr/local/cuda/lib64', '/usr/local/cuda-*/lib64',
          '/opt/cuda/lib64', '/usr/lib/x86_64-linux-gnu')


def library():
    """NVRTC and its folder, or None."""
    paths = [os.environ.get('WHET_NVRTC', '')]
    for place in PLACES:
        paths += sorted(glob.glob(place + '/libnvrtc.so*'), key=len)
    for path in paths:
        if path and os.path.exists(path):
            return ctypes.CDLL(path), os.path.dirname(os.path.realpath(path))
    return None


def includes(folder):
    """Options for the toolkit's headers beside the library."""
    for up in ('/../include', '/../../../include'):
        if os.path.isdir(folder + up):
            return ['-I' + folder + up, '-I' + folder + up + '/cccl']
    return []


def text_of(lib, program, size_of, get):
    size = ctypes.c_size_t()
    getattr(lib, size_of)(program, ctypes.byref(size))
    data = ctypes.create_string_buffer(size.value)
    getattr(lib, get)(program, data)
    return data.raw


def build(lib, source, options):
    """The cubin, or None, and what the compiler said."""
    program = ctypes.c_void_p()
    words = [o.encode() for o in options]
    if lib.nvrtcCreateProgram(ctypes.byref(program), source, b'candidate.cu',
                              0, None, None) != 0:
        return None, 'no program'
    code = lib.nvrtcCompileProgram(
        program, len(words), (ctypes.c_char_p * len(words))(*words))
    said = text_of(lib, program, 'nvrtcGetProgramLogSize',
                   'nvrtcGetProgramLog').decode(errors='replace')
    cubin = None
    if code == 0:
        cubin = text_of(lib, program, 'nvrtcGetCUBINSize', 'nvrtcGetCUBIN')
    lib.nvrtcDestroyProgram(ctypes.byref(program))
    return cubin, said


def first_point(text):
    """Each tunable at the first value of its domain, as definitions."""
    plan = text[:text.find('*/')].partition('\ntunables:')[2]
    plan = re.split(r'\n[a-z]', plan)[0]
    return ['-D%s=%s' % found for found in re.findall(
        r'(\w+):\s*\[\s*(-?\d+)', plan)]


def fault_of(case, lib, dialect, options):
    """What is wrong with one file, or None."""
    with open(case.path, 'rb') as file:
        source = file.read()
    text = source.decode('utf-8', 'replace')
    cubin, said = build(lib, dialect + b'\n#line 1 "candidate.cu"\n' + source,
                        options + first_point(text))
    # What is refused by its image compiles.
    refusals = [v for v in case.verdicts
                if v.startswith('build/') and v != 'build/build-limit']
    is_refused = len(refusals) == len(case.verdicts)
    is_either = bool(refusals)
    complaint = said.strip().replace('\n', ' | ')[:400]
    if cubin is None:
        return None if is_either else 'does not compile: ' + complaint
    if is_refused:
        return 'compiles, expected ' + ' or '.join(case.verdicts)
    for name in re.findall(r'kernel: (\w+)', text[:text.find('*/')]):
        if b'.text.' + name.encode() + b'\0' not in cubin:
            return 'the cubin lacks kernel ' + name
    return None


def main():
    data, folders = sys.argv[1], sys.argv[2:]
    found = library()
    if found is None:
        print('skipped: no NVRTC in ' + ', '.join(PLACES))
        return 77
    lib, folder = found
    with open(os.path.join(data, 'skills/dialect/whet_dialect.h'),
              'rb') as file:
        dialect = file.read()
    paths = [os.path.join(place, name) for f in folders
             for place, _, names in sorted(os.walk(f))
             for name in sorted(names) if name.endswith('.cu')]
    faults = []
    for path in paths:
        if '/d9-' in path:
            continue
        for arch in ARCHES:
            case = run.Case(path, data)
            fault = fault_of(case, lib, dialect, [
                '--gpu-architecture=' + arch, '--std=c++17',
                '--device-as-default-execution-space'] + includes(folder))
            if fault:
                faults.append('%s, %s: %s' % (case.name, arch, fault))
    print('\n'.join(faults + ['%d files, %d faults' % (len(paths),
                                                       len(faults))]))
    return 2 if not paths else 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
