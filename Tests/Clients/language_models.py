#!/usr/bin/env python3
"""The packages openai, anthropic, gql and elasticsearch by the rules of etc/rules, and with a cassette.

Each asks twice: the second time no request reaches the origin, and the caller sees the same. 100 that ask at once cause one
request. The packages are those of a virtual environment, which `make language-models` makes.
"""

import concurrent.futures
import contextlib
import os
import re
import sys
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ENVIRONMENT = os.environ.get("MODELS", ROOT + "/.build/language-models")
if os.path.realpath(sys.prefix) != os.path.realpath(ENVIRONMENT):
    if not os.access(ENVIRONMENT + "/bin/python", os.X_OK):
        sys.exit(f"there is no {ENVIRONMENT}: make language-models")
    os.execv(ENVIRONMENT + "/bin/python", [ENVIRONMENT + "/bin/python", *sys.argv])

from clients import Client, Daemon, Directory, binary, check, finish, run  # noqa: E402
from models import asking  # noqa: E402
from models.origin import ModelOrigin  # noqa: E402

MANY = 100


class Setting:
    """A daemon with the rules for an origin."""

    def __init__(self, directory):
        self.origin = ModelOrigin()
        url = self.origin.url("")
        key = directory + "/team-key"
        with open(os.open(key, os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
            file.write("key-of-the-team")
        settings = f'[service.team]\nbase = "{url}/team"\n'
        settings += f'headers = {{ Authorization = {{ file = "{key}", prefix = "Bearer " }} }}\n'
        for name in ("openai", "anthropic", "graphql", "elasticsearch"):
            settings += f'[[include]]\nfile = "{ROOT}/etc/rules/{name}.toml"\nbelow = ["{url}/"]\n'
        with open(directory + "/respite.toml", "w") as file:
            file.write(settings)
        self.daemon = Daemon(directory + "/store", "--config", directory + "/respite.toml")
        self.base = f"http://127.0.0.1:{self.daemon.port}/{url}"
        self.team = f"http://127.0.0.1:{self.daemon.port}/team"

    @contextlib.contextmanager
    def counted(self):
        """A list that gets the number of requests that the origin saw meanwhile."""
        before = len(self.origin.requests)
        count = []
        yield count
        count.append(len(self.origin.requests) - before)

    def connections(self):
        client = Client(self.daemon.admin_port)
        fields = [f"Authorization: Bearer {self.daemon.token}"]
        client.send("GET", "/metrics", fields, host=f"127.0.0.1:{self.daemon.admin_port}")
        return int(re.search(rb"^respite_connections (\d+)", client.answer().content, re.MULTILINE)[1])

    def stop(self):
        check(self.daemon.stop() == 0, "the daemon ended well")
        self.origin.stop()


def twice(setting, name, ask):
    with setting.counted() as asked:
        one = ask(setting.base)
    with setting.counted() as again:
        other = ask(setting.base)
    found = "the same" if one == other else f"{one} and {other}"
    check(asked == [1] and again == [0] and one == other, f"{name}, twice: {asked[0]} and {again[0]} requests, {found}")


def at_once(setting, name, ask_all, connections=MANY):
    """The origin answers when all clients are there."""
    setting.origin.gate = threading.Event()
    with setting.counted() as asked, concurrent.futures.ThreadPoolExecutor(1) as pool:
        future = pool.submit(ask_all)
        deadline = time.monotonic() + 60
        while setting.connections() < connections and time.monotonic() < deadline and not future.done():
            time.sleep(0.05)
        setting.origin.gate.set()
        answers = future.result()
    setting.origin.gate = None
    check(asked == [1] and len(answers) == MANY and all(one == answers[0] for one in answers), f"{name}, {MANY} at once: {asked[0]} requests")


def many(ask):
    with concurrent.futures.ThreadPoolExecutor(MANY) as pool:
        return list(pool.map(lambda _: ask(), range(MANY)))


def plain(setting):
    for name, ask in {**asking.PLAIN, **asking.OTHERS}.items():
        twice(setting, name, ask)
    # One client for all, since each needs time to begin.
    model, messages, index = asking.to_openai(setting.base), asking.to_anthropic(setting.base), asking.to_elasticsearch(setting.base)
    at_once(setting, "openai", lambda: many(lambda: asking.chat(model, temperature=0.5)))
    at_once(setting, "anthropic", lambda: many(lambda: asking.message(messages, system="Be brief")))
    at_once(setting, "gql", lambda: asking.by_aiohttp(setting.base, MANY, id="3"))
    at_once(setting, "elasticsearch", lambda: many(lambda: index.search(index="books", size=3).body))


def streams(setting):
    """Streams are stored, replayed piece by piece, and joined while they run."""
    for name, ask in asking.STREAMED.items():
        twice(setting, name, ask)
    clients = {
        "openai, streamed": (asking.to_openai(setting.base), asking.chat, {"temperature": 0.5}),
        "anthropic, streamed": (asking.to_anthropic(setting.base), asking.message, {"system": "Be brief"}),
    }
    for name, (client, ask, more) in clients.items():
        # The origin sends the rest when every client has the first event.
        setting.origin.gate = threading.Event()
        lock, left = threading.Lock(), [MANY]

        def first():
            with lock:
                left[0] -= 1
                if left[0] == 0:
                    setting.origin.gate.set()

        with setting.counted() as asked:
            answers = many(lambda: ask(client, first, stream=True, **more))
        setting.origin.gate = None
        same = all(one == answers[0] for one in answers)
        check(
            asked == [1] and left == [0] and same,
            f"{name}, {MANY} at once: {asked[0]} requests, and each had the first event before the origin sent the second",
        )


def keys(setting):
    """What counts and what does not."""
    model = asking.to_openai(setting.base)
    for name, more, expected in (
        ("another temperature", {"temperature": 0.25}, 1), ("another user", {"temperature": 0.25, "user": "u"}, 0),
        ("other metadata", {"temperature": 0.25, "metadata": {"run": "1"}}, 0),
        ("another seed", {"temperature": 0.25, "seed": 7}, 1), ("a demand for a new answer", {"temperature": 0.25, "extra_headers": {"Cache-Control": "no-cache"}}, 1),
    ):
        with setting.counted() as asked:
            asking.chat(model, **more)
        check(asked == [expected], f"openai, {name}: {asked[0]} requests")
    marked = [{"role": "user", "content": [{"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}]}]
    bare = [{"role": "user", "content": [{"type": "text", "text": "x"}]}]
    with setting.counted() as asked:
        client = asking.to_anthropic(setting.base)
        for messages in (marked, bare):
            client.messages.create(model=asking.MODEL, max_tokens=64, messages=messages, metadata={"user_id": str(len(asked))})
    check(asked == [1], f"anthropic, where a prompt is cached does not count: {asked[0]} requests")
    with setting.counted() as asked:
        for key in ("key-of-alice", "key-of-bob"):
            asking.message(asking.to_anthropic(setting.base, key))
            asking.chat(asking.to_openai(setting.base, key))
    check(asked == [4], f"other keys share nothing: {asked[0]} requests")
    with setting.counted() as asked:
        for key in ("key-of-alice", "key-of-bob"):
            asking.chat(asking.to_openai(setting.team, key))
    last = setting.origin.requests[-1]
    check(asked == [1] and last == "Bearer key-of-the-team", f"who uses a service with a key shares: {asked[0]} requests, {last}")


def mutations(setting):
    asking.by_requests(setting.base, id="9")
    with setting.counted() as asked:
        asking.by_requests(setting.base, "query User(  $id:ID!, ) {\n user(id:$id) {name, visits} # spaced\n}", id="9")
    check(asked == [0], f"gql, the same query in other white space: {asked[0]} requests")
    with setting.counted() as asked:
        asking.by_requests(setting.base, "mutation { rename(name: \"Ada\") { name } }")
        asking.by_requests(setting.base, id="9")
    check(asked == [2], f"gql, a mutation, and the query afterwards: {asked[0]} requests")


def cassettes(directory):
    """A program with all clients is recorded; then it gets the same without an origin."""
    origin = ModelOrigin()
    kept = {"PATH": os.environ["PATH"], "HOME": directory, "LANG": "C.UTF-8", "TMPDIR": directory}
    words = [directory + "/api.har", "--", sys.executable, asking.__file__, origin.url("")]
    recorded = run([binary(), "record", *words], env=kept, timeout=300)
    count = len(origin.requests)
    origin.stop()
    ways = len(asking.PLAIN) + len(asking.STREAMED) + len(asking.OTHERS)
    check(recorded.returncode == 0 and recorded.stdout.count("\n") == ways == count, f"record: {count} requests; {recorded.stderr.strip()[-300:]}")
    replayed = run([binary(), "replay", *words], env=kept, timeout=300)
    same = replayed.stdout == recorded.stdout
    check(replayed.returncode == 0 and same, f"replay: {'the same' if same else 'other'} answers; {replayed.stderr.strip()[-300:]}")
    with open(directory + "/api.har") as file:
        check("key-of-a-test" not in file.read(), "no key is in the cassette")


with Directory() as directory:
    setting = Setting(directory)
    plain(setting)
    streams(setting)
    keys(setting)
    mutations(setting)
    setting.stop()
    cassettes(directory)
finish()
