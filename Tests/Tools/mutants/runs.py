"""Runs the built tests with changes, and says what noticed them."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import package

BUNDLE = ".build/debug/{}.xctest"
# A run hangs in which no test begins or ends for so many times as long as without a change, and some seconds more.
PATIENCE, MORE_SECONDS = 4, 60
LONGEST_SECONDS = 1800
MOST_TO_CONFIRM = 5
# A mutant that root runs could replace /dev/null, which tests name as a bad place. The system does not let it rename or
# remove a mount point.
GUARD = ("unshare", "--mount", "sh", "-c", 'mount --bind /dev/null /dev/null && exec "$@"', "sh")


def guard():
    """What stands before a command of root's; nothing where root may not mount, which is told."""
    if os.geteuid() != 0:
        return ()
    if shutil.which(GUARD[0]) and subprocess.run([*GUARD, "true"], capture_output=True).returncode == 0:
        return GUARD
    print("root cannot mount here, so a mutant could replace /dev/null", file=sys.stderr)
    return ()


class Events:
    """What the tests of a run report while they run, from the file they write it to."""

    def __init__(self, path):
        self.path, self.offset = path, 0
        # When the last one came, and the longest time without any.
        self.last, self.longest_pause = time.monotonic(), 0
        # By the identifiers of tests: their names, those of the failed, and those of the ones that did not end.
        self.names, self.failed, self.running, self.passed_count = {}, {}, {}, 0

    def read(self):
        """Reads what came since the last call."""
        if not self.path.is_file():
            return
        with self.path.open("rb") as file:
            file.seek(self.offset)
            content = file.read()
        # The last line is not written yet, or that of a run that was killed. Texts of tests may have other ends of lines.
        end = content.rfind(b"\n") + 1
        self.offset += end
        if end:
            now = time.monotonic()
            self.last, self.longest_pause = now, max(self.longest_pause, now - self.last)
        for line in content[:end].split(b"\n")[:-1]:
            self.take(json.loads(line.decode(errors="replace")))

    def take(self, record):
        payload = record["payload"]
        kind, test = payload["kind"], payload.get("testID")
        if record["kind"] == "test":
            # Suites fail with their tests.
            if kind == "function":
                self.names[payload["id"]] = payload.get("displayName", payload["name"])
        elif test in self.names and kind == "testStarted":
            self.running[test] = self.names[test]
        elif test in self.names and kind in ("issueRecorded", "testEnded"):
            has_failed = any(message["symbol"] == "fail" for message in payload["messages"])
            if has_failed:
                self.failed[test] = self.names[test]
            if kind == "testEnded":
                self.running.pop(test, None)
                self.passed_count += 0 if has_failed else 1

    def seconds_since_last(self):
        return time.monotonic() - self.last


class Outcome:
    """What became of a run."""

    def __init__(self, code, output, seconds, events):
        self.seconds, self.longest_pause = seconds, events.longest_pause
        self.failed, self.running, self.passed_count = events.failed, events.running, events.passed_count
        self.has_passed = code == 0
        self.is_timeout = code is None and not self.failed
        self.crash = None
        if code and not self.failed:
            found = re.search(r"Fatal error: .*", output)
            self.crash = found[0][:160] if found else f"code {code}"

    def suspects(self):
        """The tests to run once more: if they pass then, chance had its hand in it.

        All tests start at once: of those that did not end, nobody knows which one hung.
        """
        return list(self.failed)[:MOST_TO_CONFIRM] or (list(self.running) if self.is_timeout else [])

    def text(self):
        names = list((self.failed or self.running).values())
        sentence = f'"{names[0]}"' + (f" and {len(names) - 1} more" if len(names) > 1 else "") if names else ""
        if self.is_timeout:
            return f"timeout, {sentence}"
        return f"crash, {self.crash}" if self.crash else sentence


class Runner:
    """The built tests, how long those of each target take, and to which places they come."""

    def __init__(self, bundle):
        self.command = [*guard(), BUNDLE.format(bundle), "--testing-library", "swift-testing"]
        # By the names of test targets: how long they take, the longest time without an event, tests that are left out,
        # numbers of changes.
        self.seconds, self.pauses, self.skipped, self.reached = {}, {}, {}, {}

    def run(self, filters, numbers, longest_pause, skipped=(), reached=None, ends_early=False):
        with tempfile.TemporaryDirectory(dir=package.SCRATCH) as folder:
            events = Events(pathlib.Path(folder) / "events")
            command = self.command + ["--event-stream-output-path", str(events.path), "--event-stream-version", "6.3"]
            for each in filters:
                command += ["--filter", each]
            for each in skipped:
                command += ["--skip", each]
            begun = time.monotonic()
            variables = package.environment(numbers, reached)

            def is_over():
                events.read()
                return bool(events.failed) and ends_early or events.seconds_since_last() > longest_pause

            code, output = package.run(command, variables, is_over)
            events.read()
            return Outcome(code, output, time.monotonic() - begun, events)

    def measure(self, target, tell):
        """Runs the tests of a target without a change, which must pass.

        What fails twice is left out from then on. Notes the places that the tests come to.
        """
        note = package.SCRATCH / f"reached-{target}"
        note.write_bytes(bytes(package.MOST))
        skipped = []
        outcome = self.run([rf"^{target}\."], (), LONGEST_SECONDS, reached=note)
        if not outcome.has_passed:
            if not outcome.failed:
                raise package.Fault(f"{target} does not pass without a change: {outcome.text()}")
            again = self.run([exactly(test) for test in outcome.failed], (), LONGEST_SECONDS)
            skipped = [exactly(test) for test in again.failed]
            for test, name in outcome.failed.items():
                is_left_out = test in again.failed
                tell(f'    fails without a change{", so is left out" if is_left_out else ", but not again"}: "{name}"')
        self.reached[target] = [number for number, is_reached in enumerate(note.read_bytes()) if is_reached]
        self.seconds[target], self.pauses[target] = outcome.seconds, outcome.longest_pause
        self.skipped[target] = skipped
        note.unlink()
        tell(
            f"    {target}: {outcome.passed_count} tests pass without a change, in {outcome.seconds:.0f} s;"
            f" they come to {len(self.reached[target])} places"
        )

    def judge(self, target, numbers):
        """What a target's tests say of changes that run together, and whether those that noticed them do so again.

        Ends at the first test that fails. If that was chance, all tests run, once.
        """
        pause = MORE_SECONDS + PATIENCE * self.pauses[target]
        for ends_early in (True, False):
            outcome = self.run([rf"^{target}\."], numbers, pause, self.skipped[target], ends_early=ends_early)
            suspects = outcome.suspects()
            if outcome.has_passed or not suspects:
                return outcome, not outcome.has_passed
            again = [exactly(test) for test in suspects]
            # Few tests alone may be silent for as long as all of them take.
            if not self.run(again, numbers, max(pause, MORE_SECONDS + 2 * self.seconds[target]), ends_early=True).has_passed:
                return outcome, True
        return outcome, False


def exactly(test):
    """The filter for one test: its identifier without the place in the source."""
    return "^" + re.escape(re.sub(r"/[^/]+\.swift:\d+:\d+$", "", test))
