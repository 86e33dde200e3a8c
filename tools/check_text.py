#!/usr/bin/env python3
"""Fails on text that must not be in the repository.

Paths of one person's machine, hosts other than the listed ones (addresses of
package registries, mirrors and internal services do not belong here), private
addresses, marks of unfinished work, mail addresses, and things that only look
like secrets. Looks at the files git tracks, or at all files without git.
"""
import os
import re
import subprocess
import sys

# Public documentation that texts may point to.
HOSTS = {
    'www.apache.org', 'keepachangelog.com', 'semver.org', 'mesonbuild.com',
    'www.sqlite.org', 'cmocka.org', 'portablecl.org', 'registry.khronos.org',
    'docs.kernel.org', 'man7.org', 'llvm.org', 'arxiv.org', 'doi.org',
    'github.com', 'www.w3.org', 'json-schema.org', 'example.com',
    'example.org', 'localhost',
}
URL = re.compile(r'\b(?:https?|ftp|git|ssh)://([A-Za-z0-9.-]+)')
# Written in pieces so that this file does not hold what it looks for.
RULES = [
    (re.compile(r'(?<![\w./-])/(?:wo' r'rk|ro' r'ot|ho' r'me/\w+)/'),
     'path of one machine'),
    (re.compile(r'\b(?:pypi\.' r'org|crates\.' r'io|npmjs\.' r'(?:org|com)'
                r'|pythonhosted\.' r'org|proxy\.go' r'lang\.org'
                r'|deb\.deb' r'ian\.org|artifact' r'ory|snapshot\.deb' r'ian'
                r'|archive\.ub' r'untu)\b'),
     'package registry'),
    (re.compile(r'\b(?:10\.\d{1,3}|192\.168|172\.(?:1[6-9]|2\d|3[01]))'
                r'\.\d{1,3}\.\d{1,3}\b'), 'private address'),
    (re.compile(r'\b(?:TO' r'DO|FIX' r'ME|XX' r'X)\b'), 'unfinished work'),
    (re.compile(r'\b(?:sk-[A-Za-z0-9_-]{20,}|gh[pousr]_[A-Za-z0-9]{20,}'
                r'|AKIA[0-9A-Z]{16})\b'), 'looks like a secret'),
    (re.compile(r'-----BEGIN [A-Z ]*PRIV' r'ATE KEY'), 'private key'),
]
# Hostile inputs of tests may hold anything.
EXEMPT = ('tests/fuzz/corpus/', 'LICENSE')


def files():
    git = subprocess.run(
        ['git', '-c', 'safe.directory=*', 'ls-files', '-z', '--cached',
         '--others', '--exclude-standard'],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if git.returncode == 0:
        return sorted(os.fsdecode(p) for p in git.stdout.split(b'\0') if p)
    found = []
    for folder, folders, names in os.walk('.'):
        folders[:] = [f for f in folders
                      if f != '.git' and not f.startswith('build')]
        found += [os.path.relpath(os.path.join(folder, n)) for n in names]
    return sorted(found)


def problems(text):
    for number, line in enumerate(text.splitlines(), 1):
        for host in URL.findall(line):
            if host.lower() not in HOSTS:
                yield number, 'host not in the list: ' + host
        for rule, what in RULES:
            match = rule.search(line)
            if match:
                yield number, '%s: %s' % (what, match.group())


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
    count = bad = 0
    for path in files():
        if path.startswith(EXEMPT) or not os.path.isfile(path):
            continue
        with open(path, 'rb') as handle:
            text = handle.read().decode('utf-8', 'replace')
        count += 1
        for number, what in problems(text):
            print('%s:%d: %s' % (path, number, what))
            bad += 1
    print('check_text: %d files, %d problems' % (count, bad))
    return 1 if bad or count == 0 else 0


if __name__ == '__main__':
    sys.exit(main())
