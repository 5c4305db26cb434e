"""What a test run came to, from the events the tests write themselves (`swift test --event-stream-output-path FILE`).

Not from what `swift test` prints: it hands the text of the tests on in pieces, and leaves out a piece that begins or ends
within a character, which happens whenever its reader is slow.
"""

import json

ORDER = ["passed", "skipped", "failed"]


def records(path):
    """What a run wrote, one value for each line."""
    with open(path, encoding="utf-8") as events:
        for line in events:
            # The last line of a run that was killed.
            if not line.endswith("\n"):
                break
            yield json.loads(line)


def outcomes(path):
    """The display name and outcome ("passed", "skipped", "failed") of each test; a test that never ended has failed."""
    names, found = {}, {}
    for record in records(path):
        payload = record["payload"]
        if record["kind"] == "test" and payload["kind"] == "function":
            names[payload["id"]] = payload.get("displayName", payload["name"])
        elif record["kind"] == "event" and payload.get("testID") in names:
            if payload["kind"] == "testStarted":
                found[payload["testID"]] = "failed"
            elif payload["kind"] == "testSkipped":
                found[payload["testID"]] = "skipped"
            elif payload["kind"] == "testEnded" and not any(m["symbol"] == "fail" for m in payload["messages"]):
                found[payload["testID"]] = "passed"
    return [(names[test], outcome) for test, outcome in found.items()]


def failures(path):
    """The display name, place and messages of each test that failed; one that never ended has no message."""
    tests, running, texts = {}, set(), {}
    for record in records(path):
        payload = record["payload"]
        test = payload["id"] if record["kind"] == "test" else payload.get("testID")
        if record["kind"] == "test":
            tests[test] = payload
        elif payload["kind"] == "testStarted":
            running.add(test)
        elif payload["kind"] == "testEnded":
            running.discard(test)
        elif payload["kind"] == "issueRecorded" and any(m["symbol"] == "fail" for m in payload["messages"]):
            said = "\n".join(message["text"] for message in payload["messages"])
            texts.setdefault(test, []).append(f"{place(payload['issue'])} {said}")
    for test in sorted(running - set(texts), key=str):
        if tests.get(test, {}).get("kind") == "function":
            texts[test] = []
    for test, said in texts.items():
        payload = tests.get(test, {"name": "outside of a test"})
        yield payload.get("displayName", payload["name"]), place(payload), said


def place(payload):
    """The file and line of a test or an issue, or nothing where it has none."""
    location = payload.get("sourceLocation")
    return f"{location['fileID']}:{location['line']}" if location else ""


def worst_by_number(path, numbers):
    """The worst outcome of each number that `numbers(name)` finds in the tests' names."""
    worst = {}
    for name, outcome in outcomes(path):
        for number in numbers(name):
            worst[number] = max(worst.get(number, "passed"), outcome, key=ORDER.index)
    return worst


def report(what, wanted, worst, text):
    """Prints which of `wanted` are shown by passing tests, and which are not; whether all are."""
    shown = [each for each in wanted if worst.get(each) == "passed"]
    print(f"{what}: {len(shown)} of {len(wanted)} covered by passing tests")
    for name, outcome in [("failed", "failed"), ("skipped", "skipped"), ("no test", None)]:
        those = [text(each) for each in wanted if worst.get(each) == outcome]
        if those:
            print(f"  {name} ({len(those)}): {' '.join(those)}")
    return len(shown) == len(wanted)
