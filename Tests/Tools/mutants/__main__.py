"""Whether the tests notice small changes at random places of the sources.

usage: mutants [--count N] [--list] [--again] [--only NUMBER,…] [--jobs N] SEED

Draws N places (150) by SEED, over all folders of Sources by their size: an operator, a literal, a condition, a Boolean result,
or a call left out. Copies the package to `.build-mutants` and builds it once, with all changes in it; each is a switch, which
the variable RESPITE_MUTANT turns by its number when a program starts. What does not compile is taken out and named.

Then, one after the other, each change runs against the tests of its target, and if they pass, against those of all targets
that depend on it, EndToEndTests last. A test that fails is run once more: if it passes then, the change was noticed by
chance, and the search goes on. A crash counts as noticed, and so does a run that takes six times as long as usual.

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


def tell(text):
    print(text, flush=True)


class State:
    """What is known of a draw, kept in a file."""

    def __init__(self, key):
        self.key, self.results, self.left_out, self.seconds, self.skipped = key, {}, {}, {}, {}
        if STATE.is_file():
            kept = json.loads(STATE.read_text(encoding="utf-8"))
            if kept["key"] == key:
                self.results = {int(number): result for number, result in kept["results"].items()}
                self.left_out = {int(number): reason for number, reason in kept["left_out"].items()}
                self.seconds, self.skipped = kept["seconds"], kept["skipped"]

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


def judge(number, target, packaged, runner):
    """Lets tests run until some notice a change."""
    begun, by_chance = time.monotonic(), None
    for tests in packaged.tests_of(target):
        runner.measure(tests, tell)
        outcome, is_certain = runner.judge(tests, number)
        if is_certain:
            found = {"outcome": "noticed", "by": tests, "text": outcome.text()}
            break
        if not outcome.has_passed:
            by_chance = by_chance or f"{tests}: {outcome.text()}"
    else:
        found = {"outcome": "chance", "text": by_chance} if by_chance else {"outcome": "survived", "text": ""}
    return {**found, "seconds": round(time.monotonic() - begun)}


def show(number, count, path, place, result):
    word = {"noticed": f"noticed by {result.get('by')}", "chance": "noticed by chance by"}.get(result["outcome"], "SURVIVED")
    tell(f"{number}/{count} {report.describe(path, place)}\n    {word} {result['text']} ({result['seconds']} s)")


def judge_all(chosen, numbers, state, packaged):
    runner = runs.Runner(packaged.bundle)
    runner.seconds, runner.skipped = state.seconds, state.skipped
    for number in numbers:
        path, place = chosen[number]
        result = judge(number, packaged.target_of(path), packaged, runner)
        state.results[number] = result
        state.save()
        show(number, len(chosen), path, place, result)


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
            del state.results[number]
    for number, reason in equivalent.items():
        state.results[number] = {"outcome": "equivalent", "text": reason, "seconds": 0}
    packaged = package.Package()
    begun = time.monotonic()
    tell(f"{len(chosen)} changes by seed {options.seed}, {len(state.results)} are known; building")
    package.build(chosen, state.left_out, options.jobs, tell)
    state.save()
    tell(f"built in {time.monotonic() - begun:.0f} s")
    wanted = [number for number in chosen if number not in state.results and number not in state.left_out]
    judge_all(chosen, [number for number in wanted if not options.only or number in options.only], state, packaged)
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
