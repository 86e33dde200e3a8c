"""Kills searches with SIGKILL at random moments and looks at what is left."""
import json
import random
import signal
import threading
import time

import run_kit

PROGRESS = b'whet: '


class Killer:
    """Runs one search many times in a place, killed and resumed."""

    def __init__(self, place, words, seed, same_decisions):
        self.place, self.words = place, words
        self.random = random.Random(seed)
        # Over scripted times a resumed run must decide as one that was never
        # stopped; over measured ones it may not.
        self.same_decisions = same_decisions
        self.landed = self.early = self.late = 0
        begin = time.monotonic()
        code, _, err = place.run('run', *words, '-l', 'whole.ledger')
        assert code == 0, (code, err)
        self.duration = time.monotonic() - begin
        self.steps = err.count(b'\n')
        self.whole = run_kit.rows(place.path('whole.ledger'))

    def kill_one(self, words):
        """Start, kill at a random moment. (status, lines it had printed)"""
        child = self.place.start(*words)
        lines, reached = [], threading.Event()
        # Half of the kills fall after a random step, half at a random time.
        last = self.random.randint(1, self.steps)
        by_step = self.random.random() < 0.5
        delay = self.random.uniform(0, 0.5 * self.duration / self.steps)

        def read():
            for line in child.stderr:
                lines.append(line)
                if len(lines) >= last:
                    reached.set()
            reached.set()

        reader = threading.Thread(target=read)
        reader.start()
        if by_step:
            reached.wait(run_kit.LIMIT_S)
            time.sleep(delay)
        else:
            time.sleep(self.random.uniform(0, 0.8 * self.duration))
        child.send_signal(signal.SIGKILL)
        child.wait()
        reader.join()
        child.stdout.close()
        child.stderr.close()
        orphans = run_kit.wait_for_no_children()
        assert not orphans, 'left behind by the kill: %s' % orphans
        return child.returncode, [l for l in lines if l.endswith(b'\n')]

    def check_committed(self, ledger, lines):
        """Every step that was told is in the file. Its events."""
        events = run_kit.rows(ledger)
        told = sum(1 for l in lines if l[len(PROGRESS):].split()[0].isdigit())
        kept = sum(1 for e in events if e[3] == 'screened')
        assert kept >= told, '%d told, %d kept' % (told, kept)
        return events

    def finish(self, ledger, before):
        out = self.place.must('resume', ledger, '--json', '-q')
        after = run_kit.rows(ledger)
        assert after[:len(before)] == before, 'a committed event was lost'
        run_kit.check_once(after)
        assert self.place.beside(ledger) == [], self.place.beside(ledger)
        assert run_kit.wait_for_no_children() == []
        result = json.loads(out)
        champion = result['champion']
        assert champion['outcome'] == 'correct', champion['outcome']
        assert champion['ratio']['is_gain'], champion['ratio']
        assert champion['ratio']['lo'] > 1
        crowned = [e for e in after if e[3] == 'champion']
        assert crowned[-1][4] == champion['candidate'], 'another champion'
        stops = [e for e in after if e[3] == 'run_stopped']
        assert len(stops) == 1 and after[-1] == stops[0], 'ends without an end'
        if self.same_decisions:
            assert run_kit.steps(after) == run_kit.steps(self.whole)
        # Resumed once more, it says the same and writes nothing.
        assert self.place.must('resume', ledger, '--json', '-q') == out
        assert run_kit.rows(ledger) == after

    def cycle(self, number):
        """Kill a run, perhaps kill its resumption too, then let it end."""
        name = 'killed-%d.ledger' % number
        ledger = self.place.path(name)
        status, lines = self.kill_one(['run', *self.words, '-l', name])
        if status >= 0:
            self.late += 1
            return
        code, _, err = self.place.run('log', name)
        if code != 0 or not run_kit.rows(ledger):
            # Before its first commit: nothing is left that could mislead.
            self.early += 1
            code, _, err = self.place.run('resume', name)
            assert code == 2 and run_kit.is_one_line(err), err
            self.place.must('run', *self.words, '-l', name)
            assert self.place.beside(ledger) == []
            return
        before = self.check_committed(ledger, lines)
        if self.random.random() < 0.4:
            self.kill_one(['resume', name])
            after = run_kit.rows(ledger)
            assert after[:len(before)] == before, 'a committed event was lost'
            before = after
        self.landed += 1
        self.finish(ledger, before)

    def run(self, wanted, most):
        """Cycles until so many kills fell into the middle of a run."""
        for number in range(most):
            if self.landed >= wanted:
                break
            self.cycle(number)
        print('%d killed in the middle, %d before the first commit, %d ended '
              'before' % (self.landed, self.early, self.late))
        assert self.landed >= wanted, 'only %d kills landed' % self.landed
