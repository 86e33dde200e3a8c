#!/usr/bin/env python3
"""As test_kill.py, over an OpenCL device: real builds, workers, sandboxes.

    kill_opencl.py [KILLS]

Not part of the suite at its full length of 30 kills, which takes minutes.
"""
import sys

import run_kit
from kill_kit import Killer

WORDS = ['gemm', '--workload', 'M=128,N=128,K=128', '-n', '4', '--calls', '12',
         '--device', 'opencl']


def kill(wanted):
    run_kit.adopt_orphans()
    with run_kit.Place() as place:
        code, _, err = place.run('run', *WORDS, '-l', 'first.ledger', '-q')
        if code == 3:
            raise run_kit.Skip(err.decode(errors='replace').strip())
        # The images are in the cache now, as in any but the first run.
        killer = Killer(place, WORDS, seed=2, same_decisions=False)
        killer.run(wanted, most=3 * wanted)


KILLS = int(sys.argv[1]) if len(sys.argv) > 1 else 30


def test_search_kill_opencl__loses_no_event_and_no_process():
    kill(KILLS)


if __name__ == '__main__':
    run_kit.main(globals())
