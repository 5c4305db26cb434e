"""Findings that are printed; a false one makes the program fail."""

import sys

_failures = []


def check(holds, sentence):
    """Prints a finding; a false one makes `finish` fail."""
    print(("ok      " if holds else "FAILED  ") + sentence, flush=True)
    if not holds:
        _failures.append(sentence)
    return holds


def finish():
    sys.exit(1 if _failures else 0)
