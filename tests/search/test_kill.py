#!/usr/bin/env python3
"""A search that is killed at any moment and resumed loses nothing."""
import run_kit
from kill_kit import Killer

# Times that differ between points and vary between calls, so that the search
# has something to decide; refused and wrong candidates too.
SCRIPT = {
    'whet_script': 1,
    'default': {'time_ns': 1000000, 'jitter_pct': 8},
    'rules': [
        {'match': 'BM=64', 'time_ns': 300000},
        {'match': 'BN=64', 'time_ns': 200000},
        {'match': 'BK=8', 'build': 'refuse'},
        {'match': 'BK=16 SPLIT=8', 'fail': 'mismatch', 'fail_from_call': 3},
        {'match': 'BM=128 BN=128', 'time_ns': 700000},
        # The fastest of all until it fails as a reference.
        {'match': 'BM=64 BN=64 BK=16 SPLIT=2', 'time_ns': 120000,
         'fail': 'mismatch', 'fail_from_call': 8},
    ],
}
SHAPE = ['--workload', 'M=64,N=64,K=64', '--calls', '24']


def test_search_kill__loses_no_event_and_decides_as_before():
    run_kit.adopt_orphans()
    with run_kit.Place() as place:
        place.write('script.json', SCRIPT)
        words = ['gemm', '--device', 'null:script.json', '-n', '18', *SHAPE]
        killer = Killer(place, words, seed=1, same_decisions=True)
        killer.run(wanted=30, most=90)


if __name__ == '__main__':
    run_kit.main(globals())
