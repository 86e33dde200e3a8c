#!/usr/bin/env python3
"""Fails on an undocumented public prototype.

Looks at src/<room>/*.h except *_priv.h. A prototype is documented if a comment
ends on the line before it, or if it directly follows, without an empty line, a
prototype that is documented (a group under one comment).
"""
import glob
import os
import re
import sys


def blank(text):
    """Same text with all but line ends turned into spaces."""
    return re.sub(r'[^\n]', ' ', text)


def strip(text):
    """Text without comments, directives and C++ guards, line numbers kept,
    and the set of lines on which a comment that stands alone ends."""
    comment_ends = set()

    def drop_comment(match):
        start = text.rfind('\n', 0, match.start()) + 1
        if not text[start:match.start()].strip():
            comment_ends.add(text.count('\n', 0, match.end()))
        return blank(match.group())

    code = re.sub(r'/\*.*?\*/', drop_comment, text, flags=re.S)
    code = re.sub(r'#ifdef __cplusplus\n.*?#endif', lambda m: blank(m.group()),
                  code, flags=re.S)
    code = re.sub(r'^[ \t]*#(?:[^\n]*\\\n)*[^\n]*',
                  lambda m: blank(m.group()), code, flags=re.M)
    return code, comment_ends


def declarations(code):
    """(text without bodies, first line, last line) of each declaration."""
    depth, words, start, line = 0, [], None, 0
    for char in code:
        if start is None and not char.isspace() and char != ';':
            start = line
        if char == '{':
            depth += 1
        if depth == 0 and start is not None:
            words.append(char)
        if char == '}':
            depth -= 1
            words.append('{}')
            # A function's body ends its declaration; a struct's does not.
            ended = depth == 0 and '(' in ''.join(words)
        else:
            ended = depth == 0 and char == ';'
        if ended and start is not None:
            yield ''.join(words), start, line
            words, start = [], None
        if char == '\n':
            line += 1


def is_prototype(text):
    head = text.lstrip()
    return ('(' in head and '=' not in head
            and not re.match(r'(typedef|_Static_assert|static_assert)\b', head))


def check(path):
    with open(path, encoding='utf-8') as header:
        code, comment_ends = strip(header.read())
    count, bad, group_end = 0, [], None
    for text, first, last in declarations(code):
        if not is_prototype(text):
            group_end = None
            continue
        count += 1
        if first - 1 in comment_ends or group_end == first - 1:
            group_end = last
        else:
            group_end = None
            bad.append((path, first + 1, ' '.join(text.split())))
    return count, bad


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
    total, bad = 0, []
    paths = sys.argv[1:] or sorted(glob.glob('src/*/*.h'))
    for path in paths:
        if not path.endswith('_priv.h'):
            count, problems = check(path)
            total += count
            bad += problems
    for path, line, text in bad:
        print('%s:%d: prototype without a comment: %s' % (path, line, text))
    print('check_docs: %d prototypes, %d undocumented' % (total, len(bad)))
    # No prototype at all means that this script no longer reads the headers.
    return 1 if bad or total == 0 else 0


if __name__ == '__main__':
    sys.exit(main())
