#!/usr/bin/env python3
"""make_regex_cases.py [--seed N] [--count N] - writes test/core/regex_cases.inc: patterns, texts, and all their matches.

In Python's dialect: all matches that re.finditer of the running Python finds (3.11). In RE2's: the first match of
the package google-re2 with longest_match (1.1.20251105). A match reads begin-end in bytes of UTF-8, with the group's
begin-end in brackets, or "()" if the group took no part. Of the text of all characters: how many matches Python finds,
and the sum of their begins."""

import argparse
import random
import re
import signal
import warnings

import re2

PATH = "test/core/regex_cases.inc"

HAND_PYTHON = [
    r"(?u)\b\w\w+\b", r"\b[a-z ]+\b", r"\w+|[^\w\s]+", r"(\w+)@(?:\w+)", r"\b\w+\b", r"[a-zA-Z0-9_]+", r"\S+", r"\d+",
    r"(?:a|ab)(?:c|bcd)(d*)", r"(a*)*", r"(a*)+", r"(a|b*)*", r"(?:a*)*b", r"(|a)*", r"(|a)+", r"(a|)+", r"(a*?)*?b", r"(a??)*",
    r"(?:a?b??)*", r"(?:(a*)b?)*", r"((?:a*)*)*", r"(?:a?){3}", r"(a?){2,4}", r"(a?){2,4}?b", r"(?:a|aa)+$", r"x*", r"x*?", r"",
    r"a||b", r"(?:|b)a", r"a{,2}", r"a{2}", r"a{2,}", r"a{1,2}?", r"a{,}", r"a{x}", r"a{", r"{", r"^", r"$", r"(?m)^", r"(?m)$",
    r"(?m)^\w*$", r"\A\w", r"\w\Z", r"\w$", r"\B", r"\b", r"\B\w\B", r".", r"(?s).", r".*", r"(?s).+?b", r"[^a]", r"[]a]+",
    r"[^]a]+", r"[a-]+", r"[\w-]+", r"[\]\-]+", r"[^\W\d]+", r"[\s\d]+", r"\x61\u00e9", r"\U0001F600+", r"(?i)straße", r"(?i)SS",
    r"(?i)[a-k]+", r"(?i)[^k]+", r"(?i)σ+", r"(?i)[Σ]", r"(?i)i+", r"(?i)[i]", r"(?i)İ", r"(?i)\w+", r"(?i)[\W]",
    r"(?a)\w+", r"(?a)\W",
    r"(?ai)[a-zé]+", r"(?ai)k", r"(?a)\b\w", r"(?a)\s", r"\s", r"(?is)a.b", r"(?i)(?m)^A", r"(?P<word>\w+)\s", r"(?:(a)|b)*",
    r"(?:(a)|b)+?c", r"(a)?b", r"(?:a(b)?)+", r"é+", r"[à-ÿ]+", r"[一-龥]", r"\w\w", r"e\u0301", r"(?:\b|a)+",
    r"(?:^a|b$)+", r"(?:$|a)*",
    r"\.\*\+\?\(\)\[\]\{\}\|\^\$\\", r"[\x00-\x7f]+", r"[^\x00-\x7f]+", r"\-",
]
EVERY_CHARACTER = [
    r"\w", r"\d", r"\s", r"\W+", r"\b", r"[^\W\d]+", r"(?a)\w", r"(?i)[a-z]", r"(?i)[à-ÿ]", r"(?i)[α-ω]+", r"(?i)[а-я]",
    r"(?i)[^α-ω]+", r"(?i)\u01c5", r"(?i)\u1e9e", r"(?i)µ", r"[\U00010000-\U0010ffff]+", r"(?ai)[a-z]", r"(?i)[\u0100-\u2fff]+", r".", r"(?i)[Ꭰ-Ᏼ]",
]
HAND_RE2 = [
    r"\w+", r"[a-z]+|[a-z]+\d+", r"a|ab|abc", r"(a|ab)(c|bcd)", r"(a*)*", r"(a*?)", r"a*?", r"\b\w", r"\B", r"\W+",
    r"\s+", r"[^\s]+",
    r"\d{2,3}", r".", r"(?s).+", r"^\w+$", r"(?m)^\w+$", r"\A.", r".\z", r"(?i)k", r"(?i)[s]+", r"(?i)i", r"(?i)\w+",
    r"(?i)\W", r"^*a", r"a{,2}",
    r"[\w-]+", r"[\w--/]", r"\x{e9}+", r"é|e", r"", r"a||b", r"(?:a|b|ab)*", r"(?P<x>a)(b)", r"[^a]", r"(?:ab?)+?",
    r"\_", r"(?i)[^k]+",
]
TEXTS = [
    "", "a", "b", "aa", "ab", "aab", "aaab", "aba", "abcd", "aaaaaa", "xaxbx", "abab ab", "a\n", "\n", "a\nb", "a\nb\n",
    "\na", "Hello, World 42!",
    "foo bar_baz qux", "me@example org", "été café", "e\u0301te\u0301", "naïve Straße STRASSE", "日本語 テキスト", "😀😀 ok", "ΟΔΟΣ οδος σς",
    "İstanbul ıI i", "K\u212ak ſsS", "a b\tc\x0bd\x1ce", "٣٤ 12", "a-b_c.d", "]a-[", "{a{x}", ".*+?()[]{}|^$\\",
    "\u0345ι\u1fbe", "ab\u200dcd\u00a0e", "AbC aBc",
    "bcbcb", "aaaabaaab", "1a2b", "\x00a\x7f",
]
CHARACTERS = "".join(chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000)


def spans(text):
    """Byte offsets of each character's begin, and of the end."""
    places = [0]
    for c in text:
        places.append(places[-1] + len(c.encode()))
    return places


def answer_python(pattern, text):
    compiled, places, out = re.compile(pattern), spans(text), []
    for match in compiled.finditer(text):
        group = ""
        if compiled.groups:
            begin, end = match.span(1)
            group = "()" if begin < 0 else f"({places[begin]}-{places[end]})"
        out.append(f"{places[match.start()]}-{places[match.end()]}{group}")
    return " ".join(out)


def answer_re2(pattern, text):
    """None if it lies inside a character: RE2's \\B looks at bytes, and can match between two of one character."""
    options = re2.Options()
    options.longest_match = True
    match = re2.compile(pattern.encode(), options).search(text.encode())
    if match and not set(match.span()) <= set(spans(text)):
        return None
    return f"{match.start()}-{match.end()}" if match else ""


def c_string(text):
    """Octal escapes have three digits, so no character after them is one of theirs; ?? could begin a trigraph."""
    out = []
    for byte in text.encode():
        c = chr(byte)
        out.append("\\" + c if c in '"\\?' else c if 32 <= byte < 127 else f"\\{byte:03o}")
    return '"' + "".join(out) + '"'


class TooLong(Exception):
    pass


def in_time(answer, pattern, text):
    """None if a search goes back and forth for seconds, as Python's can. None of the committed cases does."""

    def stop(number, frame):
        raise TooLong

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 2)
    try:
        return answer(pattern, text)
    except TooLong:
        return None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


class Writer:
    """Random patterns over a small alphabet, so that they match often."""

    def __init__(self, rng, python):
        self.rng, self.python, self.groups = rng, python, 0

    def atom(self, depth):
        pick = self.rng.random()
        if depth > 0 and pick < 0.3:
            return self.group(depth - 1)
        if pick < 0.7:
            return self.rng.choice("abcabcabxé")
        if pick < 0.8:
            return self.rng.choice([".", r"\w", r"\W", r"\d", r"\s", "[ab]", "[^a]", "[b-x]", r"[\w-]", r"[^\W\d_]"])
        if pick < 0.9:
            return self.rng.choice(["(?:^)", "(?:$)", r"(?:\b)", r"(?:\B)"])
        return self.rng.choice("ab")

    def group(self, depth):
        inner = self.choice(depth)
        if self.python and self.groups == 0 and self.rng.random() < 0.5:
            self.groups = 1
            return f"({inner})"
        return f"(?:{inner})"

    def item(self, depth):
        repeat = ""
        if self.rng.random() < 0.45:
            repeat = self.rng.choice(["*", "+", "?", "*", "{2}", "{1,2}", "{0,2}", "{2,}"]) + self.rng.choice(["", "", "?"])
        return self.atom(depth) + repeat

    def sequence(self, depth):
        return "".join(self.item(depth) for _ in range(self.rng.choice([0, 1, 1, 2, 2, 3])))

    def choice(self, depth):
        return "|".join(self.sequence(depth) for _ in range(self.rng.choice([1, 1, 2, 2, 3])))

    def pattern(self):
        flags = self.rng.choice(["", "", "", "", "(?m)", "(?i)", "(?s)", "(?a)" if self.python else ""])
        return flags + self.choice(3)


def random_text(rng):
    return "".join(rng.choice("aaabbbcx é\nA1") for _ in range(rng.randrange(9)))


def python_rows(rng, count):
    rows = [(pattern, text) for pattern in HAND_PYTHON for text in rng.sample(TEXTS, 12)]
    while len(rows) < len(HAND_PYTHON) * 12 + count:
        pattern = Writer(rng, True).pattern()
        rows += [(pattern, random_text(rng)) for _ in range(2)]
    return rows


def re2_rows(rng, count):
    rows = [(pattern, text) for pattern in HAND_RE2 for text in rng.sample(TEXTS, 8)]
    while len(rows) < len(HAND_RE2) * 8 + count:
        rows.append((Writer(rng, False).pattern(), random_text(rng)))
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1000)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    warnings.simplefilter("ignore")
    lines = ["/* regex_cases.inc - made by test/core/make_regex_cases.py; do not edit. */", "/* clang-format off */"]
    python, longest = python_rows(rng, options.count), re2_rows(rng, options.count // 2)
    for name, rows, answer in (("PYTHON", python, answer_python), ("RE2", longest, answer_re2)):
        for pattern, text in sorted(set(rows)):
            matches = in_time(answer, pattern, text)
            if matches is not None:
                lines.append(f"{name}({c_string(pattern)}, {c_string(text)}, \"{matches}\")")
    for pattern in EVERY_CHARACTER:
        begins = [int(match.split("-")[0]) for match in answer_python(pattern, CHARACTERS).split()]
        lines.append(f"EVERY({c_string(pattern)}, {len(begins)}, {sum(begins)}u)")
    with open(PATH, "w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")
    print(f"{len(lines) - 2} cases")


if __name__ == "__main__":
    main()
