"""Whether the tests notice small changes at random places of the sources.

usage: mutants [--count N] [--list] [--near] [--again] [--only NUMBER,…] [--jobs N] [--runs N] SEED

Draws N places (150) by SEED, over all folders of Sources by their size: an operator, a literal, a condition, a Boolean result,
or a call left out. Copies the package to `.build-mutants` and builds it once, with all changes in it; each is a switch, which
the variable RESPITE_MUTANTS turns by its number when a program starts. What does not compile is taken out and named.

First the tests of each target run without a change: which places they come to is noted, and only changes at those run
against them. Then each change runs against the tests of its target. Those that pass run against the tests of all targets
that depend on it, EndToEndTests last, five at once, which are halved where one is noticed. A run ends at the first test
that fails. That test runs once more: if it passes then, the change was noticed by chance, and the search goes on. A crash
counts as noticed, and so does a run in which no test begins or ends for long. Two runs go on at once.

`mutants.toml` names areas with more places than their size gives them, and changes that were reviewed and found equivalent:
they do not run, and do not count. What it names and the sources no longer have is printed. Prints the report, and writes it
to `.build-mutants/report.md`. An interrupted run goes on where it was; one whose sources have changed begins anew, one whose
tests have changed does not. Exit code 1 if fewer are noticed than the table asks for.

  --list    print the changes, and the place of each
  --near    ask only the tests of each change's own target: a quick look for holes, over many changes
  --again   let survivors run once more, as after a test was written
  --only    only these numbers, whether or not they ran before
"""

import argparse
import concurrent.futures
import json
import pathlib
import sys
import threading
import time
import tomllib

import draw
import package
import places
import report
import runs

TABLE = pathlib.Path(__file__).resolve().parent.with_suffix(".toml")
STATE = package.SCRATCH / "state.json"
# So many changes run at once where few are noticed.
AT_ONCE = 5


def tell(text):
    print(text, flush=True)


class State:
    """What is known of a draw, kept in a file."""

    # By the numbers of changes, and by the names of test targets.
    BY_NUMBER = ("results", "left_out", "passed", "by_chance")
    BY_TESTS = ("seconds", "pauses", "skipped", "reached", "written")

    def __init__(self, key):
        self.key, self.lock = key, threading.RLock()
        for name in self.BY_NUMBER + self.BY_TESTS:
            setattr(self, name, {})
        if STATE.is_file():
            kept = json.loads(STATE.read_text(encoding="utf-8"))
            if kept["key"] == key:
                for name in self.BY_NUMBER:
                    setattr(self, name, {int(number): each for number, each in kept[name].items()})
                for name in self.BY_TESTS:
                    setattr(self, name, kept[name])

    def forget(self, number):
        for each in (self.results, self.passed, self.by_chance):
            each.pop(number, None)

    def save(self):
        with self.lock:
            STATE.parent.mkdir(exist_ok=True)
            written = STATE.with_suffix(".new")
            kept = {name: getattr(self, name) for name in ("key", *self.BY_NUMBER, *self.BY_TESTS)}
            written.write_text(json.dumps(kept, indent=1), encoding="utf-8")
            written.replace(STATE)


def equivalents(table, chosen):
    """The reasons of those changes that the table names as equivalent."""
    reasons = {}
    for each in table.get("equivalent", []):
        for before, *afters in each["changes"]:
            for after in afters:
                reasons[each["path"], before, after] = each["reason"]
    keys = {number: (path, place.before, place.after) for number, (path, place) in chosen.items()}
    return {number: reasons[key] for number, key in keys.items() if key in reasons}


def gone(table, files):
    """What the table names and the sources no longer have."""
    for each in table.get("area", []):
        if not any(path.startswith(each["path"].rstrip("/") + "/") for path in files):
            yield each["path"]
    texts = {}
    for each in table.get("equivalent", []):
        path = each["path"]
        if path not in texts:
            texts[path] = f" {places.one_line(files.get(path, ''))} "
        for before, *_ in each["changes"]:
            if f" {before} " not in texts[path]:
                yield f"`{before}` in {path}"


class Judge:
    """Lets tests run until some notice a change."""

    def __init__(self, chosen, state, packaged, runs_at_once):
        self.chosen, self.state, self.packaged, self.runs_at_once = chosen, state, packaged, runs_at_once
        self.tests = {number: packaged.tests_of(packaged.target_of(path)) for number, (path, _) in chosen.items()}
        self.runner = runs.Runner(packaged.bundle)
        self.runner.seconds, self.runner.pauses = state.seconds, state.pauses
        self.runner.skipped, self.runner.reached = state.skipped, state.reached
        self.order = sorted(packaged.tests, key=lambda test: (test == package.LAST_RESORT, len(packaged.needs(test)), test))

    def judge_near(self, numbers):
        """Each by the tests of its own target alone, those of quick tests first; tells what these let pass."""
        wanted = {self.tests[number][0] for number in numbers}
        self.at_once(self.measure, [(tests,) for tests in self.order if tests in wanted])
        own = [(self.tests[number][0], [number]) for number in self.left(numbers, None)]
        self.at_once(self.ask, sorted(own, key=lambda each: self.state.seconds[each[0]]))
        for number in numbers:
            if number not in self.state.results:
                is_reached = number in self.runner.reached[self.tests[number][0]]
                text = "let pass by" if is_reached else "not come to by"
                tell(f"{number}/{len(self.chosen)} {report.describe(*self.chosen[number])}\n    {text} {self.tests[number][0]}")

    def judge(self, numbers):
        """First each by the tests of its own target, then what is left by those of the targets around, some at once."""
        wanted = {tests for number in numbers for tests in self.tests[number]}
        self.at_once(self.measure, [(tests,) for tests in self.order if tests in wanted])
        self.at_once(self.ask, [(self.tests[number][0], [number]) for number in self.left(numbers, None)])
        for tests in self.order:
            left = self.left(numbers, tests)
            groups = [left[first : first + AT_ONCE] for first in range(0, len(left), AT_ONCE)]
            self.at_once(self.ask, [(tests, group) for group in groups])
        for number in numbers:
            if number not in self.state.results:
                by_chance, is_reached = self.state.by_chance.get(number), any(
                    number in self.runner.reached[tests] for tests in self.tests[number]
                )
                text = by_chance or ("" if is_reached else "no test comes to it")
                self.settle(number, {"outcome": "chance" if by_chance else "survived", "text": text})

    def at_once(self, step, arguments):
        """Takes a step for each of the arguments, some at once."""
        with concurrent.futures.ThreadPoolExecutor(self.runs_at_once) as pool:
            steps = [pool.submit(step, *each) for each in arguments]
            try:
                for each in concurrent.futures.as_completed(steps):
                    each.result()
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def measure(self, tests):
        written = self.packaged.written(tests)
        if self.state.written.get(tests) != written:
            with self.state.lock:
                # Other tests may notice what these let pass.
                for number, passed in self.state.passed.items():
                    self.state.passed[number] = [each for each in passed if each != tests]
            self.runner.measure(tests, tell)
            self.state.written[tests] = written
            self.state.save()

    def left(self, numbers, tests):
        """Those to ask the tests of a target about, or, without one, those of their own targets."""
        return [
            number
            for number in numbers
            if number not in self.state.results
            and (tests or self.tests[number][0]) in self.tests[number]
            and (tests or self.tests[number][0]) not in self.passed(number)
            and number in self.runner.reached[tests or self.tests[number][0]]
        ]

    def passed(self, number):
        """The test targets that pass with a change."""
        with self.state.lock:
            return self.state.passed.setdefault(number, [])

    def ask(self, tests, numbers):
        """Lets tests run with changes, all at once, and halves them until it is known which are noticed."""
        outcome, is_certain = self.runner.judge(tests, numbers)
        named = ", ".join(map(str, numbers))
        if not is_certain:
            with self.state.lock:
                if not outcome.has_passed and len(numbers) == 1:
                    self.state.by_chance.setdefault(numbers[0], f"{tests}: {outcome.text()}")
                for number in numbers:
                    self.passed(number).append(tests)
            tell(f"    {named}: {tests} {'passes' if outcome.has_passed else 'passes the second time'} ({outcome.seconds:.0f} s)")
            self.state.save()
        elif len(numbers) == 1:
            self.settle(numbers[0], {"outcome": "noticed", "by": tests, "text": outcome.text()})
        else:
            tell(f"    {named}: {tests} notices one of them ({outcome.seconds:.0f} s)")
            half = len(numbers) // 2
            self.ask(tests, numbers[:half])
            self.ask(tests, numbers[half:])

    def settle(self, number, result):
        with self.state.lock:
            self.state.results[number] = result
        self.state.save()
        word = {"noticed": f"noticed by {result.get('by')}", "chance": "noticed by chance by", "survived": "SURVIVED"}
        tell(f"{number}/{len(self.chosen)} {report.describe(*self.chosen[number])}\n    {word[result['outcome']]} {result['text']}")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--near", action="store_true")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--only", type=lambda text: [int(each) for each in text.split(",")], default=[])
    parser.add_argument("--jobs", type=int, default=2, help="how many files are compiled at once (2)")
    parser.add_argument("--runs", type=int, default=2, help="how many runs of tests at once (2)")
    parser.add_argument("seed", type=int)
    return parser.parse_args()


def main():
    options = arguments()
    package.heed_signals()
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    named, files = table.get("area", []), package.sources()
    for each in gone(table, files):
        tell(f"mutants.toml: there is no {each} any more")
    chosen, areas = draw.drawn(files, named, options.seed, options.count)
    if options.list:
        for number, (path, place) in chosen.items():
            tell(f"{number}. [{place.family}] {report.describe(path, place)}")
        return 0
    spots = [(path, place.start, place.end, place.changed) for path, place in chosen.values()]
    state = State(package.fingerprint(files, spots))
    equivalent = equivalents(table, chosen)
    for number in list(state.results):
        is_old = state.results[number]["outcome"] == "equivalent" and number not in equivalent
        if is_old or number in options.only or (options.again and state.results[number]["outcome"] in ("survived", "chance")):
            state.forget(number)
    for number, reason in equivalent.items():
        state.results[number] = {"outcome": "equivalent", "text": reason}
    packaged = package.Package()
    begun = time.monotonic()
    tell(f"{len(chosen)} changes by seed {options.seed}, {len(state.results)} are known; building")
    package.build(chosen, state.left_out, options.jobs, tell)
    state.save()
    tell(f"built in {time.monotonic() - begun:.0f} s")
    wanted = [number for number in chosen if number not in state.results and number not in state.left_out]
    judge = Judge(chosen, state, packaged, options.runs)
    wanted = [number for number in wanted if not options.only or number in options.only]
    if options.near:
        judge.judge_near(wanted)
        return 0
    judge.judge(wanted)
    heading = f"{len(chosen)} changes by seed {options.seed}"
    names = {each["path"].removeprefix("Sources/").rstrip("/"): each.get("noticed", 0) for each in named}
    lines, percent = report.report(heading, chosen, areas, state.results, state.left_out, names)
    (package.SCRATCH / "report.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    tell("\n".join(["", *lines]))
    asked = {**names, "all": table.get("noticed", 0)}
    missed = [f"{name}: {percent[name]:.0f} %, not {least} %" for name, least in asked.items() if (percent.get(name) or 100) < least]
    tell("\n".join(missed))
    return 1 if missed else 0


try:
    sys.exit(main())
except package.Fault as fault:
    sys.exit(f"mutants: {fault}")
