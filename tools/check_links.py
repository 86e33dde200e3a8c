#!/usr/bin/env python3
"""Fails on a relative link in a Markdown file whose target does not exist, and
on a `docs/...` or `tools/...` path in running text that does not."""
import glob
import os
import re
import sys

LINK = re.compile(r'\]\(([^)#\s]+)(?:#[^)]*)?\)')
PATH = re.compile(r'`((?:docs|tools|tests|src)/[\w./-]+\.\w+)`')


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
    count = bad = 0
    for page in sorted(glob.glob('*.md') + glob.glob('docs/**/*.md',
                                                     recursive=True)):
        with open(page, encoding='utf-8') as handle:
            lines = handle.read().splitlines()
        for number, line in enumerate(lines, 1):
            wanted = [os.path.join(os.path.dirname(page), target)
                      for target in LINK.findall(line)
                      if '://' not in target and not target.startswith('mailto')]
            for target in wanted + PATH.findall(line):
                count += 1
                if not os.path.exists(target):
                    print('%s:%d: %s does not exist' % (page, number, target))
                    bad += 1
    print('check_links: %d links, %d broken' % (count, bad))
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
