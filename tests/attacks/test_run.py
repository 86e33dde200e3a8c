#!/usr/bin/env python3
"""run.py itself: what a file says, what counts as a fault, what is refused."""

import json
import os
import stat
import subprocess
import sys
import tempfile
import unittest

RUN = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'run.py')

# Answers what the kernel's last line says: OUTCOME REASON GAIN STATUS.
FAKE = """#!%s
import json, sys
if '--version' in sys.argv:
    print('fake 1'); sys.exit(0)
if '--help' in sys.argv:
    print('--again'); sys.exit(0)
path = [a for a in sys.argv if a.endswith('.cl')][0]
words = open(path).read().split('\\n')[-2].split()
if 'baselines' in path:
    words = ['correct', 'none', '0', '0']
if words[0] == 'nothing':
    sys.stderr.write(' '.join(words[2:]))
    sys.exit(int(words[1]))
print(json.dumps({'outcome': words[0], 'reason': words[1],
                  'message': ' '.join(words[4:]), 'verified_calls': 3,
                  'ratio': {'is_gain': words[2] == '1'}}))
sys.exit(int(words[3]))
""" % sys.executable


class Run(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.whet = os.path.join(self.place.name, 'whet')
        with open(self.whet, 'w') as file:
            file.write(FAKE)
        os.chmod(self.whet, stat.S_IRWXU)
        self.folder = os.path.join(self.place.name, 'kernels')
        os.mkdir(self.folder)

    def tearDown(self):
        self.place.cleanup()

    def write(self, answer, head='attack: a1 zeros', verdicts='wrong/mismatch',
              more=''):
        with open(os.path.join(self.folder, 'k.cl'), 'w') as file:
            file.write('/* whet:\n*/\n/* %s\n * task: gemm M=1,N=1,K=1\n'
                       ' * device: opencl\n%s * verdicts: %s\n */\n%s\n' % (
                           head, more, verdicts, answer))

    def run_it(self, *more):
        return subprocess.run([sys.executable, RUN, '--whet', self.whet,
                               self.folder, *more], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False)

    def test_right_verdicts_pass(self):
        self.write('wrong mismatch 0 1 off')
        done = self.run_it('--repeats', '3')
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn('1 kernels, 3 judgements, 0 false accepts', done.stdout)

    def test_faults_are_found(self):
        for answer, head, verdicts in (
                ('wrong unwritten 0 1 off', 'attack: a', 'wrong/mismatch'),
                ('correct none 1 0', 'attack: a', 'correct'),
                ('correct none 0 0', 'attack: a', 'wrong/mismatch'),
                ('wrong mismatch 0 1 off', 'honest: h', 'correct'),
                ('wrong mismatch 0 0 off', 'attack: a', 'wrong/mismatch'),
                ('wrong mismatch 0 1', 'attack: a', 'wrong/mismatch'),
                ('wrong mismatch 0 1 a\x1bb', 'attack: a', 'wrong/mismatch'),
                ('nothing 2', 'attack: a', 'wrong/mismatch')):
            self.write(answer, head, verdicts)
            done = self.run_it()
            self.assertEqual(done.returncode, 1, answer)
            self.assertIn('FAULT', done.stdout)

    def test_an_attack_may_be_correct_without_a_gain(self):
        self.write('correct none 0 0', verdicts='correct/no-gain')
        self.assertEqual(self.run_it().returncode, 0)

    def test_an_honest_kernel_may_gain(self):
        self.write('correct none 1 0', 'honest: h', 'correct')
        self.assertEqual(self.run_it().returncode, 0)

    def test_calls_are_counted(self):
        for calls, status in (('3', 0), ('2', 1), ('2+', 0), ('4+', 1)):
            self.write('wrong mismatch 0 1 off',
                       more=' * calls: %s\n' % calls)
            self.assertEqual(self.run_it().returncode, status, calls)

    def test_a_ledger_gathers(self):
        ledger = os.path.join(self.place.name, 'ledger')
        self.write('wrong mismatch 0 1 off')
        self.run_it('--ledger', ledger)
        self.run_it('--ledger', ledger)
        with open(ledger) as file:
            records = [json.loads(line) for line in file]
        self.assertEqual(len(records), 2)
        done = self.run_it('--summary', '--ledger', ledger)
        self.assertEqual(done.returncode, 0)
        self.assertIn('2 judgements', done.stdout)

    def test_resuming_does_what_is_missing(self):
        ledger = os.path.join(self.place.name, 'ledger')
        self.write('wrong mismatch 0 1 off')
        more = ['--ledger', ledger, '--resume', '--repeats']
        for repeats, budget, lines in (('2', '0', 0), ('2', '99', 2),
                                       ('2', '99', 2), ('3', '99', 3)):
            self.run_it('--budget', budget, *more, repeats)
            with open(ledger) as file:
                self.assertEqual(len(file.readlines()), lines)
        # Another source is another judgement; so is one without a verdict.
        self.write('nothing 3')
        self.run_it(*more, '1')
        self.run_it(*more, '1')
        with open(ledger) as file:
            self.assertEqual(len(file.readlines()), 5)

    def test_a_file_may_be_refused(self):
        for answer, verdicts, status in (
                ('nothing 2 no text', 'refused', 0),
                ('nothing 2', 'refused', 1),
                ('nothing 1 no text', 'refused', 1),
                ('nothing 2 no text', 'wrong/mismatch', 1)):
            self.write(answer, verdicts=verdicts)
            self.assertEqual(self.run_it().returncode, status, answer)

    def test_what_needs_time_is_left_out(self):
        self.write('correct none 1 0', more=' * needs: time\n')
        self.assertEqual(self.run_it().returncode, 1)
        self.assertEqual(self.run_it('--quick').returncode, 2)

    def test_json_has_records_and_totals(self):
        self.write('wrong mismatch 0 1 off')
        said = json.loads(self.run_it('--json', '--repeats', '2').stdout)
        self.assertEqual(len(said['records']), 2)
        self.assertEqual(said['totals']['attacks']['judgements'], 2)
        self.assertAlmostEqual(said['totals']['attacks']['bound'],
                               1 - 0.05 ** 0.5, places=9)

    def test_bad_ledgers_are_refused_in_one_line(self):
        ledger = os.path.join(self.place.name, 'ledger')
        with open(ledger, 'w') as file:
            file.write('{}\n')
        for more in (['--ledger', ledger], ['--ledger', ledger + 'x'], []):
            done = self.run_it('--summary', *more)
            self.assertEqual(done.returncode, 2, more)
            self.assertEqual(done.stderr.count('\n'), 1, done.stderr)

    def test_bad_files_are_refused_in_one_line(self):
        for head, more, verdicts in (
                ('nothing: a', '', 'wrong/mismatch'),
                ('attack: a', ' * task: x y\n', 'wrong/mismatch'),
                ('attack: a', ' * needs: luck\n', 'wrong/mismatch'),
                ('attack: a', ' * calls: many\n', 'wrong/mismatch'),
                ('attack: a\n * honest: b', '', 'correct')):
            self.write('wrong mismatch 0 1', head, verdicts, more)
            done = self.run_it()
            self.assertEqual(done.returncode, 2, head + more)
            self.assertEqual(done.stderr.count('\n'), 1, done.stderr)

    def test_no_kernels_is_bad_use(self):
        self.assertEqual(self.run_it().returncode, 2)


if __name__ == '__main__':
    unittest.main(verbosity=0)
