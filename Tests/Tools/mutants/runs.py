"""Runs the built tests with changes, and says what noticed them."""

import json
import re
import time

import package

EVENTS = package.SCRATCH / "events"
BUNDLE = ".build/debug/{}.xctest"
# A run that takes so many times as long as without a change, and a minute more, hangs.
PATIENCE, MORE_SECONDS = 2.5, 60
MOST_TO_CONFIRM = 5


def events():
    """Of the last run: the names of tests that failed or did not end, by their identifiers, and how many passed."""
    names, failed, running, passed = {}, {}, {}, 0
    text = EVENTS.read_text(encoding="utf-8", errors="replace") if EVENTS.is_file() else ""
    # The last line is empty, or that of a run that was killed. Texts of tests may have other ends of lines.
    for line in text.split("\n")[:-1]:
        record = json.loads(line)
        payload = record["payload"]
        test = payload.get("testID")
        if record["kind"] == "test":
            # Suites fail with their tests.
            if payload["kind"] == "function":
                names[payload["id"]] = payload.get("displayName", payload["name"])
        elif test in names and payload["kind"] == "testStarted":
            running[test] = names[test]
        elif test in names and payload["kind"] == "testEnded":
            running.pop(test, None)
            if any(message["symbol"] == "fail" for message in payload["messages"]):
                failed[test] = names[test]
            else:
                passed += 1
    return failed, running, passed


class Outcome:
    """What became of a run."""

    def __init__(self, code, output, seconds):
        self.seconds = seconds
        self.failed, self.running, self.passed_count = events()
        self.has_passed = code == 0
        self.is_timeout = code is None
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
    """The built tests, and how long those of each target take."""

    def __init__(self, bundle):
        self.bundle = BUNDLE.format(bundle)
        self.seconds = {}
        self.skipped = {}

    def run(self, filters, numbers, limit, skipped=()):
        EVENTS.unlink(missing_ok=True)
        command = [self.bundle, "--testing-library", "swift-testing"]
        command += ["--event-stream-output-path", str(EVENTS), "--event-stream-version", "6.3"]
        for each in filters:
            command += ["--filter", each]
        for each in skipped:
            command += ["--skip", each]
        begun = time.monotonic()
        code, output = package.run(command, limit, numbers)
        return Outcome(code, output, time.monotonic() - begun)

    def measure(self, target, tell):
        """Runs the tests of a target without a change, which must pass; what fails is left out from then on."""
        if target in self.seconds:
            return
        skipped = []
        for _ in range(3):
            outcome = self.run([rf"^{target}\."], (), 1800, skipped)
            if outcome.has_passed and outcome.passed_count:
                self.seconds[target], self.skipped[target] = outcome.seconds, skipped
                tell(f"    {target}: {outcome.passed_count} tests pass without a change, in {outcome.seconds:.0f} s")
                return
            if not outcome.failed:
                raise package.Fault(f"{target} does not pass without a change: {outcome.text()}")
            skipped += [exactly(test) for test in outcome.failed]
            tell(f"    left out, since it fails without a change: {outcome.text()}")
        raise package.Fault(f"{target} does not pass without a change")

    def judge(self, target, numbers):
        """What a target's tests say of changes that run together, and whether those that noticed them do so again."""
        limit = MORE_SECONDS + PATIENCE * self.seconds[target]
        outcome = self.run([rf"^{target}\."], numbers, limit, self.skipped[target])
        suspects = outcome.suspects()
        if outcome.has_passed or not suspects:
            return outcome, not outcome.has_passed
        again = [exactly(test) for test in suspects]
        return outcome, not self.run(again, numbers, MORE_SECONDS + self.seconds[target]).has_passed


def exactly(test):
    """The filter for one test: its identifier without the place in the source."""
    return "^" + re.escape(re.sub(r"/[^/]+\.swift:\d+:\d+$", "", test))
