"""The copy of the package in which the places are switches, and its build."""

import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile

import places

ROOT = pathlib.Path(__file__).resolve().parents[3]
SCRATCH = ROOT / ".build-mutants"
COPY = SCRATCH / "package"
VARIABLE = "RESPITE_MUTANTS"
# Names a file with one byte for each change, which programs set once they come to its place.
REACHED = "RESPITE_REACHED"
MOST = 10_000
# How often a run is looked at, in seconds.
LOOK_EVERY = 0.2
LAST_RESORT = "EndToEndTests"
ERROR = re.compile(r"^(/.+?):(\d+):(\d+): error: (.*)$", re.MULTILINE)

# The tests start programs with variables of their own choice: those ask the processes they descend from.
SWITCH = """\
#include <stdbool.h>
#include <stdint.h>

#define RESPITE_MUTANTS %(count)d
extern bool respiteMutants[RESPITE_MUTANTS];
extern bool *respiteReached;

/// Whether the change with this number runs.
static inline bool %(switch)s(int32_t number) {
    if (!respiteReached[number]) respiteReached[number] = true;
    return __builtin_expect(respiteMutants[number], 0);
}
"""
NUMBER = """\
#include "include/CMutants.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

bool respiteMutants[RESPITE_MUTANTS];
static bool unnoted[RESPITE_MUTANTS];
bool *respiteReached = unnoted;

// Shared memory, so that it is kept when a program is killed.
static void note(const char *path) {
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return;
    void *memory = mmap(NULL, RESPITE_MUTANTS, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (memory != MAP_FAILED) respiteReached = memory;
}

static void turn(char *numbers) {
    for (char *at = numbers, *end = at; *at; at = *end == ',' ? end + 1 : end) {
        long number = strtol(at, &end, 10);
        if (end == at || number < 0 || number >= RESPITE_MUTANTS) abort();
        respiteMutants[number] = true;
    }
}

static bool find(int process, int *parent) {
    char path[64], text[65536];
    snprintf(path, sizeof path, "/proc/%%d/environ", process);
    FILE *file = fopen(path, "r");
    size_t count = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file) fclose(file);
    text[count] = 0;
    for (char *at = text; at < text + count; at += strlen(at) + 1) {
        if (strncmp(at, "%(variable)s=", %(length)d) == 0) {
            turn(at + %(length)d);
            return true;
        }
        if (strncmp(at, "%(reached)s=", %(reached_length)d) == 0) {
            note(at + %(reached_length)d);
            return true;
        }
    }
    snprintf(path, sizeof path, "/proc/%%d/stat", process);
    file = fopen(path, "r");
    count = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file) fclose(file);
    text[count] = 0;
    char *name = strrchr(text, ')');
    return !name || sscanf(name, ") %%*c %%d", parent) != 1;
}

__attribute__((constructor)) static void look(void) {
    for (int process = getpid(), parent = 0; process > 1 && !find(process, &parent); process = parent) {}
}
"""
MANIFEST = """
package.targets.append(.target(name: "%(module)s", path: "Mutants"))
for target in package.targets where ![.system, .binary, .plugin, .macro].contains(target.type) {
    if target.name != "%(module)s" && target.swiftSettings != nil { target.dependencies.append("%(module)s") }
}
"""


class Fault(Exception):
    """Something that keeps the run from going on."""


def put(path, content, mode=0o644):
    """Writes only what differs, so that nothing is built for nothing."""
    if not path.is_file() or path.read_bytes() != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        path.chmod(mode)


def listed():
    """The files of the package: those git has, and new ones."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout.split("\0")
    return sorted({name for name in names if name and (ROOT / name).is_file()})


def sources():
    """The Swift files of the targets, by path."""
    return {
        name: (ROOT / name).read_text(encoding="utf-8")
        for name in listed()
        if name.startswith("Sources/") and name.endswith(".swift") and ".docc/" not in name
    }


def fingerprint(*parts):
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


class Package:
    """The targets of the package, and which tests see which."""

    def __init__(self):
        command = ["swift", "package", "dump-package"]
        output = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
        self.targets = {target["name"]: target for target in json.loads(output)["targets"]}
        self.bundle = json.loads(output)["name"] + "PackageTests"
        self.tests = [name for name, target in self.targets.items() if target["type"] == "test"]

    def folder(self, name):
        target = self.targets[name]
        return target.get("path") or f"{'Tests' if target['type'] == 'test' else 'Sources'}/{name}"

    def needs(self, name):
        """The targets that one depends on, itself included."""
        found, waiting = set(), [name]
        while waiting:
            each = waiting.pop()
            if each in self.targets and each not in found:
                found.add(each)
                for dependency in self.targets[each]["dependencies"]:
                    waiting.append((dependency.get("byName") or dependency.get("target") or dependency.get("product"))[0])
        return found

    def target_of(self, path):
        """The target whose folder a file is in."""
        return next((name for name in self.targets if path.startswith(self.folder(name) + "/")), None)

    def tests_of(self, target):
        """The test targets that see a target: its own first, those that start the daemon last."""
        own = target + "Tests"
        seeing = [test for test in self.tests if target in self.needs(test)]
        seeing += [LAST_RESORT] if LAST_RESORT in self.tests and target in self.needs("respite") else []
        nearness = {test: (test != own, test == LAST_RESORT, len(self.needs(test))) for test in seeing}
        return sorted(nearness, key=nearness.get)


    def written(self, tests):
        """The fingerprint of the files that the tests of a target are made of."""
        folders = {self.folder(name) for name in self.needs(tests) if name in self.targets}
        folders = {folder for folder in folders if folder.startswith("Tests/")} | {f"Tests/{tests}"}
        names = [name for name in listed() if any(name.startswith(folder + "/") for folder in folders)]
        return fingerprint(*[[name, (ROOT / name).read_bytes().hex()] for name in names])


def copy(chosen):
    """Copies the package with these switches, and returns where each stands in its file."""
    kept = set()
    by_file = {}
    for number, (path, place) in chosen.items():
        by_file.setdefault(path, []).append((number, place))
    spans = {}
    for name in listed():
        kept.add(name)
        content = (ROOT / name).read_bytes()
        if name in by_file:
            text, found = places.rewritten(content.decode(), by_file[name])
            spans[name] = {"text": text, "spans": found}
            content = text.encode()
        elif name == "Package.swift":
            content = manifest(content.decode()).encode()
        put(COPY / name, content, (ROOT / name).stat().st_mode & 0o777)
    text = {"switch": places.SWITCH, "variable": VARIABLE, "length": len(VARIABLE) + 1, "count": MOST}
    text |= {"reached": REACHED, "reached_length": len(REACHED) + 1}
    put(COPY / f"Mutants/include/{places.MODULE}.h", (SWITCH % text).encode())
    put(COPY / "Mutants/switch.c", (NUMBER % text).encode())
    for folder in ("Sources", "Tests"):
        for path in (COPY / folder).rglob("*"):
            if path.is_file() and str(path.relative_to(COPY)) not in kept:
                path.unlink()
    return spans


def manifest(text):
    """The manifest, with the module of the switches and with warnings that stay warnings."""
    return text.replace(".treatAllWarnings(as: .error)", ".treatAllWarnings(as: .warning)") + MANIFEST % {"module": places.MODULE}


def environment(numbers=(), reached=None):
    """The variables of a build or of the tests.

    `numbers` are those of the changes that run; `reached` is where programs note which places they come to.
    """
    variables = {**os.environ, "SWIFT_BACKTRACE": "enable=no", "RESPITE_PROPERTY_COUNT": "200"}
    if shared := variables.get("SHARED"):
        variables["SHARED"] = str((ROOT / shared).resolve())
    variables.pop(VARIABLE, None)
    if numbers:
        variables[VARIABLE] = ",".join(map(str, numbers))
    if reached:
        variables[REACHED] = str(reached)
    return variables


def heed_signals():
    """What runs in the background of a shell ignores signals that tests send."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for each in (signal.SIGQUIT, signal.SIGHUP):
        signal.signal(each, signal.SIG_DFL)


def run(command, variables, is_over=None):
    """Exit code and output; the code is None if the program was ended since `is_over` said so."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            command,
            cwd=COPY,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env=variables,
        )
        code = None
        try:
            while code is None:
                try:
                    code = process.wait(timeout=LOOK_EVERY)
                except subprocess.TimeoutExpired:
                    if is_over and is_over():
                        break
        finally:
            # Also what the tests have started.
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
        output.seek(0)
        return code, output.read().decode(errors="replace")


def compiled(jobs):
    """The errors of a build as (file, line, column, text); none if it succeeded."""
    for product in ("respitePackageTests", "respite"):
        code, output = run(["swift", "build", "-j", str(jobs), "--product", product], environment())
        if code != 0:
            found = sorted({(path, int(line), int(column), text) for path, line, column, text in ERROR.findall(output)})
            if not found:
                raise Fault(f"the build fails without naming a place:\n{output[-3000:]}")
            return found
    return []


def guilty(errors, spans):
    """The numbers of the changes that keep the package from being built."""
    found = set()
    for path, line, column, _ in errors:
        name = os.path.relpath(path, COPY)
        if name not in spans:
            continue
        text, placed = spans[name]["text"], spans[name]["spans"]
        offset = len("\n".join(text.split("\n")[: line - 1])) + column
        inside = [number for number, (begin, end) in placed.items() if begin <= offset < end]
        # Else the error is about what stands around a change: the nearest one.
        found |= set(inside) or {min(placed, key=lambda number: abs(placed[number][0] - offset))}
    return found


def build(chosen, left_out, jobs, tell):
    """Builds with all switches that compile, and adds the numbers of the others to `left_out`, with the reason."""
    while True:
        spans = copy({number: each for number, each in chosen.items() if number not in left_out})
        errors = compiled(jobs)
        if not errors:
            return
        numbers = guilty(errors, spans)
        if not numbers:
            texts = "\n".join(f"{path}:{line}: {text}" for path, line, _, text in errors[:5])
            raise Fault(f"the package does not build, whatever is changed:\n{texts}")
        for number in sorted(numbers):
            path, place = chosen[number]
            reason = next((text for at, _, _, text in errors if at.endswith("/" + path)), errors[0][3])
            left_out[number] = reason
            tell(f"    {number} does not compile: {path}:{place.line}: {place.before} → {place.after or '(left out)'} ({reason})")


def clean():
    shutil.rmtree(SCRATCH, ignore_errors=True)
