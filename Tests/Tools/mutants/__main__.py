"""Whether the tests notice small changes at random places of the sources.

usage: mutants [--count N] [--list] [--again] [--only NUMBER,…] [--jobs N] SEED

Draws N places (150) by SEED, over all folders of Sources by their size: an operator, a literal, a condition, a Boolean result,
or a call left out. Copies the package to `.build-mutants` and builds it once, with all changes in it; each is a switch, which
the variable RESPITE_MUTANTS turns by its number when a program starts. What does not compile is taken out and named.

Then, one after the other, each change runs against the tests of its target. Those that pass run against the tests of all
targets that depend on it, EndToEndTests last, five at once, which are halved where one is noticed. A test that fails is run
once more: if it passes then, the change was noticed by chance, and the search goes on. A crash counts as noticed, and so does
a run that takes two and a half times as long as usual and a minute more.

`mutants.toml` names areas with more places than their size gives them, and changes that were reviewed and found equivalent:
they do not run, and do not count. Prints the report, and writes it to `.build-mutants/report.md`. An interrupted run goes on
where it was; one whose sources have changed begins anew, one whose tests have changed does not. Exit code 1 if fewer are
noticed than the table asks for.

  --list    print the changes, and the place of each
  --again   let survivors run once more, as after a test was written
  --only    only these numbers, whether or not they ran before
"""

import argparse
import json
import pathlib
import sys
import time
import tomllib

import draw
import package
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

    def __init__(self, key):
        self.key, self.seconds, self.skipped = key, {}, {}
        # By the numbers of changes.
        self.results, self.left_out, self.passed, self.by_chance = {}, {}, {}, {}
        if STATE.is_file():
            kept = json.loads(STATE.read_text(encoding="utf-8"))
            if kept["key"] == key:
                self.seconds, self.skipped = kept["seconds"], kept["skipped"]
                for name in ("results", "left_out", "passed", "by_chance"):
                    setattr(self, name, {int(number): each for number, each in kept[name].items()})

    def forget(self, number):
        for each in (self.results, self.passed, self.by_chance):
            each.pop(number, None)

    def save(self):
        STATE.parent.mkdir(exist_ok=True)
        written = STATE.with_suffix(".new")
        written.write_text(json.dumps(vars(self), indent=1), encoding="utf-8")
        written.replace(STATE)


def equivalents(table, chosen):
    """The reasons of those changes that the table names as equivalent."""
    known = {(each["before"], each["after"]): each["reason"] for each in table.get("equivalent", [])}
    return {
        number: known[place.before, place.after]
        for number, (_, place) in chosen.items()
        if (place.before, place.after) in known
    }


class Judge:
    """Lets tests run until some notice a change."""

    def __init__(self, chosen, state, packaged):
        self.chosen, self.state = chosen, state
        self.tests = {number: packaged.tests_of(packaged.target_of(path)) for number, (path, _) in chosen.items()}
        self.runner = runs.Runner(packaged.bundle)
        self.runner.seconds, self.runner.skipped = state.seconds, state.skipped
        self.order = sorted(packaged.tests, key=lambda test: (test == package.LAST_RESORT, len(packaged.needs(test)), test))

    def judge(self, numbers):
        """First each by the tests of its own target, then what is left by those of the targets around, some at once."""
        for number in numbers:
            if self.tests[number][0] not in self.passed(number):
                self.ask(self.tests[number][0], [number])
        for tests in self.order:
            left = [number for number in numbers if number not in self.state.results and tests in self.tests[number]]
            left = [number for number in left if tests not in self.passed(number)]
            for first in range(0, len(left), AT_ONCE):
                self.ask(tests, left[first : first + AT_ONCE])
        for number in numbers:
            if number not in self.state.results:
                by_chance = self.state.by_chance.get(number)
                self.settle(number, {"outcome": "chance" if by_chance else "survived", "text": by_chance or ""})

    def passed(self, number):
        """The test targets that pass with a change."""
        return self.state.passed.setdefault(number, [])

    def ask(self, tests, numbers):
        """Lets tests run with changes, all at once, and halves them until it is known which are noticed."""
        self.runner.measure(tests, tell)
        outcome, is_certain = self.runner.judge(tests, numbers)
        named = ", ".join(map(str, numbers))
        if not is_certain:
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
        self.state.results[number] = result
        self.state.save()
        word = {"noticed": f"noticed by {result.get('by')}", "chance": "noticed by chance by", "survived": "SURVIVED"}
        tell(f"{number}/{len(self.chosen)} {report.describe(*self.chosen[number])}\n    {word[result['outcome']]} {result['text']}")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--only", type=lambda text: [int(each) for each in text.split(",")], default=[])
    parser.add_argument("--jobs", type=int, default=2, help="how many files are compiled at once (2)")
    parser.add_argument("seed", type=int)
    return parser.parse_args()


def main():
    options = arguments()
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    named, files = table.get("area", []), package.sources()
    for each in named:
        if not any(path.startswith(each["path"].rstrip("/") + "/") for path in files):
            tell(f"mutants.toml: there is no {each['path']} any more")
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
    Judge(chosen, state, packaged).judge([number for number in wanted if not options.only or number in options.only])
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
