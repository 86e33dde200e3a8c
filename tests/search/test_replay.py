#!/usr/bin/env python3
"""The same seed over stored or scripted calls gives the same bytes."""
import json

import run_kit
from test_kill import SCRIPT, SHAPE

NULL = ['gemm', '--device', 'null:script.json', '-n', '24', '-q', *SHAPE]


def export(place, words, name):
    # 1: what the recording never confirmed cannot become a champion.
    code, _, err = place.run('run', *words, '-l', name)
    assert code in (0, 1), (code, err)
    return place.must('export', name)


def screened(text):
    """Candidates of an export in the order in which they were screened."""
    events = [json.loads(line) for line in text.splitlines()[1:]]
    return [e['subject'] for e in events if e.get('kind') == 'screened']


def check_seeds(place, words):
    one = export(place, words + ['--seed', '7'], 'one.ledger')
    two = export(place, words + ['--seed', '7'], 'two.ledger')
    other = export(place, words + ['--seed', '8'], 'other.ledger')
    assert len(screened(one)) > 8, 'the search tried too little'
    assert one == two, 'same seed, other bytes'
    assert screened(one) != screened(other), 'another seed, same order'
    return one


def test_search_replay__null_gives_the_same_bytes_for_a_seed():
    with run_kit.Place() as place:
        place.write('script.json', SCRIPT)
        check_seeds(place, NULL)


def record(place):
    """A recording of a whole scripted run, made as a user would."""
    place.write('script.json', SCRIPT)
    words = NULL[:]
    words[words.index('-n') + 1] = '0'
    place.must('run', *words, '-t', '0', '-l', 'source.ledger')
    text = place.must('export', 'source.ledger', '--recording')
    place.write('rec.json', text)


def test_search_replay__recorded_gives_the_same_bytes_for_a_seed():
    with run_kit.Place() as place:
        record(place)
        words = ['gemm', '--device', 'recorded:rec.json', *NULL[3:]]
        text = check_seeds(place, words)
        # What was scripted never passes for measured.
        assert b'"scripted"' in text and b'"measured"' not in text


def test_search_replay__recorded_finds_the_champion_of_its_source():
    with run_kit.Place() as place:
        record(place)
        source = run_kit.rows(place.path('source.ledger'))
        place.must('run', 'gemm', '--device', 'recorded:rec.json', '-n', '0',
                   '-t', '0', '-q', *SHAPE, '-l', 'again.ledger')
        again = run_kit.rows(place.path('again.ledger'))

        def crowned(events):
            return [e[4] for e in events if e[3] == 'champion'][-1]

        verdicts = {e[4]: json.loads(e[5]) for e in again
                    if e[3] == 'confirmed'}
        assert verdicts[crowned(again)]['outcome'] == 'correct'
        assert crowned(again) == crowned(source)


def test_search_replay__a_raised_budget_continues_the_same_search():
    with run_kit.Place() as place:
        place.write('script.json', SCRIPT)
        words = NULL[:]
        text = export(place, words, 'whole.ledger')
        words[words.index('-n') + 1] = '12'
        place.must('run', *words, '-l', 'raised.ledger')
        part = run_kit.rows(place.path('raised.ledger'))
        place.must('resume', 'raised.ledger', '-n', '24', '-q')
        raised = run_kit.rows(place.path('raised.ledger'))
        assert raised[:len(part)] == part
        assert len(raised) > len(part)
        run_kit.check_once(raised)
        tried = [e[4] for e in raised if e[3] == 'screened']
        # A small budget's sample is the beginning of a large one's.
        assert tried[:8] == screened(text)[:8]
        assert len(tried) <= 24


def test_search_replay__a_recording_of_another_task_is_refused():
    with run_kit.Place() as place:
        record(place)
        code, _, err = place.run('run', 'softmax', '--device',
                                 'recorded:rec.json', '-q', '-l', 'x.ledger')
        assert code == 2 and run_kit.is_one_line(err), (code, err)
        assert b'another task' in err
        assert place.beside(place.path('x.ledger')) == []


if __name__ == '__main__':
    run_kit.main(globals())
