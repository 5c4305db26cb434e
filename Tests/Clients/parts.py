#!/usr/bin/env python3
"""Origins that answer ranges wrongly, against parts that are stored: a client gets one representation, or sees a failure.

Each case stores some parts, has the origin answer the next ranges as it should not, and then as it should: by then the
whole comes, right, and is a hit afterwards. An argument selects cases whose names contain it.
"""

import concurrent.futures
import email.utils
import itertools
import sys

from clients import Daemon, Directory, check, finish
from misbehaving import CHANGES, CONTRADICTIONS, DIGESTS, IN_THE_MIDDLE, LENGTH, NEW, OLD, Misbehaving

from harness.ranged import Representation, complaint, fetch, is_begin

# What is stored before: a first part, or also one from the middle.
STORED = (("bytes=0-99",), ("bytes=0-99", "bytes=60000-60999"))
# What clients ask for while the origin misbehaves: nothing of it is stored whole.
ASKED = (None, "bytes=50-299", "bytes=0-9,500-599", "bytes=-200", "bytes=60500-")
# So many ask for the same at once, and make so many requests to the origin at most, even if each answer is half of the rest.
CLIENTS = 2
MOST_REQUESTS = 64


def ask(daemon, url, value):
    """The answer, and whether all of it came."""
    return fetch(daemon, url, *([f"Range: {value}"] if value else []))


def fault(answer, whole, value, versions):
    """What is wrong with an answer; the whole is right for any range, and a cut where the begin is right."""
    if not whole:
        return None if not answer or is_begin(answer, versions) else "other bytes before the cut"
    asked = None if answer.status == 200 else value
    faults = [complaint(answer, asked, version, knows_length=False) for version in versions]
    return None if None in faults else faults[0]


class Case:
    """An origin that has `before`, and misbehaves by `act`; then it has `after`. Answers may be of `others`, too.

    It misbehaves after as many `good` answers.
    """

    def __init__(self, name, act, before, after=None, others=(), good=0, parts=STORED):
        self.name, self.act, self.before, self.after, self.good = name, act, before, after or before, good
        self.parts = parts
        self.versions = [before, self.after, *others]
        self.right, self.failed, self.passed, self.wrong = 0, 0, 0, []

    def run(self, daemon, origin, keeps=True):
        for stored, value in itertools.product(self.parts, ASKED):
            self.run_one(daemon, origin, stored, value)
            self.wrong += [(value, *found) for found in self.afterwards(daemon, origin, keeps)]
            # One that hangs takes long enough once.
            if any("nothing more" in found[-1] for found in self.wrong):
                break
        figures = f"{self.right} right, {self.failed} failures shown, {self.passed} passed as they came, {len(self.wrong)} wrong"
        check(not self.wrong, f"{self.name}: {figures} {self.wrong[:4] or ''}")

    def run_one(self, daemon, origin, stored, value):
        self.url = origin.begin(self.before)
        for one in stored:
            answer, whole = ask(daemon, self.url, one)
            if not whole or complaint(answer, one, self.before):
                self.wrong.append((one, "does not come"))
        origin.forget()
        origin.act, origin.current, origin.good = self.act, self.before if self.act else self.after, self.good
        with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
            for answer, whole in pool.map(lambda _: ask(daemon, self.url, value), range(CLIENTS)):
                self.judge(answer, whole, value, origin)
        conditions = {one[3] for one in origin.requests if one[3] and not one[3].startswith('"')}
        if conditions or len(origin.requests) > MOST_REQUESTS:
            self.wrong.append((value, f"{len(origin.requests)} requests, If-Range {conditions}"))

    def judge(self, answer, whole, value, origin):
        if not answer or answer.status >= 500:
            self.failed += 1
        elif not (found := fault(answer, whole, value, self.versions)):
            self.right += whole
            self.failed += not whole
        elif origin.has_sent(answer, value):
            self.passed += 1
        else:
            self.wrong.append((value, found))

    def afterwards(self, daemon, origin, keeps):
        """The origin is as it should be: ranges and the whole are right, and stored; what is not."""
        origin.act, origin.current = None, self.after
        for value in ("bytes=40-400", None):
            answer, whole = ask(daemon, self.url, value)
            if found := fault(answer, whole, value, self.versions) if whole else "a cut":
                yield value, f"afterwards {found}"
        if keeps and (found := self.missing_hit(daemon, origin)):
            yield "again", found

    def missing_hit(self, daemon, origin):
        """None if the whole is a hit, at the latest after the responses that were still on their way when it was stored."""
        for _ in range(3):
            asked = len(origin.requests)
            answer, whole = ask(daemon, self.url, None)
            if found := fault(answer, whole, None, self.versions) if whole else "a cut":
                return found
            if answer.is_hit and len(origin.requests) == asked:
                return None
        return "no hit"


def with_tags(content, *lengths):
    """What cases send of a content without a tag, or with a weak one."""
    return [Representation(content[:length], tag) for length in (LENGTH, *lengths) for tag in (None, 'W/"one"')]


def cases():
    old, new = Representation(OLD, more=[DIGESTS[0]]), Representation(NEW, '"two"')
    yield Case("nothing is wrong", None, old, parts=[*STORED, *[("bytes=0-99", "bytes=98800-98999")] * 10])
    for name, act in CONTRADICTIONS.items():
        yield Case(name, act, old, others=with_tags(OLD))
        if name in IN_THE_MIDDLE:
            yield Case(name + ", in the middle", act, old, others=with_tags(OLD), good=1)
    others = [*with_tags(NEW), Representation(NEW), Representation(NEW[:70], '"two"')]
    for name, act in CHANGES.items():
        yield Case(name, act, old, new, others)
        yield Case(name + ", in the middle", act, old, new, others, good=1)
    yield Case("a change", None, old, new)
    for name, tag, modified in ("weak tags", 'W/"one"', None), ("no validators", None, None), ("dates of this moment", None, email.utils.formatdate(usegmt=True)):
        yield Case(f"{name}, and a change that they do not tell", None, Representation(OLD, tag, modified), Representation(NEW, tag, modified))


def main(directory, word):
    origin = Misbehaving()
    daemon = Daemon(directory + "/store")
    for case in cases():
        if word in case.name:
            case.run(daemon, origin)
    check(daemon.stop() == 0, "the daemon ended well")
    daemon = Daemon(directory + "/small", "--set", "storage.max-object-size=64KiB")
    Case("larger than what may be stored", None, Representation(OLD)).run(daemon, origin, keeps=False)
    check(daemon.stop() == 0, "the daemon ended well")


with Directory() as scratch:
    main(scratch, sys.argv[1] if len(sys.argv) > 1 else "")
finish()
