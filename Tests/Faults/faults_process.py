"""The process: killed, stopped, told to reload, short of descriptors and memory; its log and its clock."""

import os
import random
import resource
import signal
import socket
import subprocess
import threading
import time

from world import MIB, Client, Traffic, binary, content, ensure, free_port, processor_seconds, scenario, together, usual, wait

DAY = 86_400
MEMORY = "memory.limit=1MiB"


def aging(seconds):
    """An origin whose content is fresh for so long."""

    def script(exchange):
        if exchange.request["If-None-Match"]:
            return exchange.head("304 Not Modified", 'ETag: "one"', f"Cache-Control: max-age={seconds}")
        exchange.reply("200 OK", f"Cache-Control: max-age={seconds}", 'ETag: "one"', content=content(exchange.target))

    return script


def clock_moved(world, seconds):
    """The wall clock jumps while the daemon runs: no hang, sane ages, nothing fresh for longer than its lifetime."""
    origin = world.origin(aging(3))
    daemon = world.start(shim=True, settings=[MEMORY])
    began = time.monotonic()
    targets = world.filled(daemon, origin, 20)
    world.faults.move_clock(seconds)
    for target in targets:
        answer = world.get(daemon, origin, target)
        ensure(answer.status == 200, "answered")
        age = int(answer["Age"] or 0)
        ensure(0 <= age <= abs(seconds) + 10, f"Age {age}")
    ensure(world.is_served(daemon, origin) < 2, "new URLs are answered")
    time.sleep(max(0, 4 - (time.monotonic() - began)))
    for target in targets:
        before = origin.count(target)
        world.get(daemon, origin, target)
        ensure(origin.count(target) == before + 1, "what is older than its lifetime is validated")
    client = Client(daemon.port, timeout=5)
    client.send("GET", origin.url("/x"))
    ensure(client.answer().status == 200, "timers go on")


@scenario("the wall clock jumps a day ahead (H-157)")
def day_ahead(world):
    clock_moved(world, DAY)


@scenario("the wall clock jumps a day back (H-157)")
def day_back(world):
    clock_moved(world, -DAY)


@scenario("the wall clock jumps ten years ahead (H-157)")
def years_ahead(world):
    clock_moved(world, 3652 * DAY)


@scenario("the wall clock jumps ten years back (H-157)")
def years_back(world):
    clock_moved(world, -3652 * DAY)


@scenario("a daemon that starts with a clock a day slow serves nothing stored as fresh for longer than it may be (H-157)")
def slow_clock_at_start(world):
    origin = world.origin(aging(2))
    daemon = world.start(shim=True)
    targets = world.filled(daemon, origin, 10)
    world.wait_durable(daemon, 10)
    daemon.stop()
    world.faults.move_clock(-DAY)
    again = world.start(shim=True)
    time.sleep(3)
    for target in targets:
        before = origin.count(target)
        world.get(again, origin, target)
        ensure(origin.count(target) == before + 1, "validated")


def kills(world, rounds, size="", urls=400):
    """SIGKILL amid traffic, again and again: whatever the store serves afterwards is right."""
    origin = world.origin()
    chooser = random.Random(3)
    for _ in range(rounds):
        daemon = world.start(settings=[MEMORY])
        with Traffic(world, daemon, origin, urls=urls, size=size, allowed=("whole", "cut", "refused")):
            time.sleep(chooser.uniform(0.05, 0.6))
            daemon.kill()
    daemon = world.start(settings=[MEMORY])
    targets = [f"/t/{size}/{index}x" if size else f"/t/{index}x" for index in range(urls)]
    held = world.held(daemon, origin, targets[:400])
    ensure(held > 0, "something is held after all this")


@scenario("12 SIGKILLs amid small responses: no wrong byte (H-152)")
def killed_small(world):
    kills(world, 12)


@scenario("12 SIGKILLs amid body files: no wrong byte (H-152)")
def killed_large(world):
    kills(world, 12, size=400_000, urls=100)


@scenario("SIGKILL within the first 30 ms after exec, 30 times: the store is whole (H-152)")
def killed_at_start(world):
    origin = world.origin()
    daemon = world.start()
    targets = world.filled(daemon, origin, 50)
    world.wait_durable(daemon, 50)
    daemon.kill()
    for index in range(30):
        command = [binary(), "serve", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--store", world.store]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(index / 1000)
        process.kill()
        process.wait()
    again = world.start()
    ensure(world.held(again, origin, targets) == 50, "all 50 are held")


@scenario("SIGSTOP for 3 s amid traffic: afterwards all goes on, every answer whole")
def stopped(world):
    origin = world.origin()
    daemon = world.start()
    with Traffic(world, daemon, origin) as traffic:
        traffic.go_on(50)
        daemon.process.send_signal(signal.SIGSTOP)
        time.sleep(3)
        daemon.process.send_signal(signal.SIGCONT)
        traffic.go_on(100)


@scenario("SIGTERM amid a slow body: it comes whole, new connections are refused, exit 0 (H-153)")
def drained(world):
    go_on = threading.Event()

    def slow(exchange):
        body = content(exchange.target)
        exchange.head("200 OK", f"Content-Length: {len(body)}", "Cache-Control: max-age=99")
        exchange.socket.sendall(body[:1000])
        go_on.wait(10)
        exchange.socket.sendall(body[1000:])

    origin = world.origin(slow)
    daemon = world.start()
    client = Client(daemon.port)
    client.send("GET", origin.url("/100000/a"))
    client.head()
    daemon.process.send_signal(signal.SIGTERM)

    def refuses():
        try:
            Client(daemon.port, timeout=1).close()
            return False
        except OSError:
            return True

    wait(refuses, "new connections are refused")
    go_on.set()
    ensure(client.rest() == content("/100000/a"), "the body comes whole")
    ensure(daemon.process.wait(10) == 0, "exit 0")


@scenario("a second SIGTERM ends it at once (H-153)")
def second_term(world):
    origin = world.origin(lambda exchange: time.sleep(20))
    daemon = world.start()
    client = Client(daemon.port)
    client.send("GET", origin.url("/a"))
    wait(lambda: origin.count("/a") == 1, "a request is under way")
    daemon.process.send_signal(signal.SIGTERM)
    time.sleep(0.3)
    daemon.process.send_signal(signal.SIGTERM)
    began = time.monotonic()
    daemon.process.wait(10)
    ensure(time.monotonic() - began < 3, "at once")


@scenario("50 reloads by SIGHUP amid traffic lose no request")
def reload_storm(world):
    config = world.directory + "/respite.toml"
    with open(config, "w") as file:
        file.write('[[rule]]\nmatch = "http://*/**"\nttl = "60s"\n')
    origin = world.origin()
    daemon = world.start("--config", config)
    with Traffic(world, daemon, origin) as traffic:
        for _ in range(50):
            daemon.process.send_signal(signal.SIGHUP)
            time.sleep(0.03)
        traffic.go_on(50)


@scenario("a reload of a broken file changes nothing and ends nothing")
def broken_reload(world):
    config = world.directory + "/respite.toml"
    with open(config, "w") as file:
        file.write('[log]\nlevel = "info"\n')
    origin = world.origin()
    daemon = world.start("--config", config)
    with open(config, "w") as file:
        file.write("[log\nlevel = nonsense")
    daemon.process.send_signal(signal.SIGHUP)
    wait(lambda: "respite.toml" in daemon.errors, "the mistake is logged")
    ensure(world.is_served(daemon, origin) < 1, "it serves")


@scenario("SIGUSR1 while it still reads its settings does not end it; SIGTERM does, with exit code 0")
def early_signals(world):
    config = world.directory + "/settings.toml"
    os.mkfifo(config)
    command = [binary(), "serve", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--store", "none", "--config", config]
    for early in (signal.SIGUSR1, signal.SIGTERM):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        with open(config, "w") as settings:  # open once the daemon reads
            process.send_signal(early)
            if early == signal.SIGTERM:
                ensure(process.wait(10) == 0, f"SIGTERM ends it with 0, not {process.returncode}")
                continue
            settings.write("loops = 1\n")
        line = process.stderr.readline()
        while line and b"listening" not in line:
            line = process.stderr.readline()
        ensure(b"listening" in line, f"it listens after {early.name}")
        process.kill()
        process.wait()


@scenario("a reader of the log that stalls stops no request")
def stalled_log(world):
    origin = world.origin()
    port = free_port()
    command = [binary(), "serve", "--listen", f"127.0.0.1:{port}", "--admin", "127.0.0.1:0", "--store", "none"]
    command += ["--set", "log.access=true"]
    reading, writing = os.pipe()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=writing)
    os.close(writing)

    def listens():
        try:
            Client(port, timeout=1).close()
            return True
        except OSError:
            return False

    try:
        wait(listens, "it listens")
        client = Client(port, timeout=10)
        for index in range(5000):
            answer = client.get(origin.url(f"/{index % 50}x"))
            ensure(answer.status == 200, f"request {index}")
    finally:
        process.kill()
        process.wait()
        os.close(reading)


@scenario("standard error whose reader has gone ends nothing")
def broken_log(world):
    origin = world.origin()
    port = free_port()
    command = [binary(), "serve", "--listen", f"127.0.0.1:{port}", "--admin", "127.0.0.1:0", "--store", "none"]
    process = subprocess.Popen(
        [*command, "--set", "log.access=true"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    try:
        line = process.stderr.readline()
        while line and b"listening" not in line:
            line = process.stderr.readline()
        process.stderr.close()
        client = Client(port, timeout=10)
        for index in range(500):
            ensure(client.get(origin.url(f"/{index % 50}x")).status == 200, f"request {index}")
        ensure(process.poll() is None, "it still runs")
    finally:
        process.kill()
        process.wait()


@scenario("64 descriptors and 200 clients: no busy loop, and service goes on when they leave (H-156)")
def few_descriptors(world):
    def before():
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))

    origin = world.origin()
    daemon = world.start(before=before)
    ensure(world.is_served(daemon, origin) < 1, "at first")
    clients = []
    for _ in range(200):
        client = Client(daemon.port, timeout=5)
        clients.append(client)
    used = processor_seconds(daemon.process.pid)
    time.sleep(1)
    ensure(processor_seconds(daemon.process.pid) - used < 0.5, "no busy loop")
    for client in clients:
        client.close()
    began = time.monotonic()
    world.is_served(daemon, origin, seconds=5)
    ensure(time.monotonic() - began < 3, "soon after they left")


@scenario("descriptors for clients but few for origins: an answer to each, right or an error (H-156)")
def few_descriptors_for_origins(world):
    def before():
        resource.setrlimit(resource.RLIMIT_NOFILE, (80, 80))

    def slow(exchange):
        time.sleep(0.05)
        usual(exchange)

    origin = world.origin(slow)
    daemon = world.start(before=before)
    outcomes = together(40, lambda index: world.outcome(daemon, origin, f"/{index}x"))
    ensure("whole" in outcomes, f"outcomes {set(outcomes)}")
    ensure(set(outcomes) <= {"whole", "502", "503", "504", "cut"}, f"outcomes {set(outcomes)}")
    wait(lambda: world.outcome(daemon, origin, "/later") == "whole", "afterwards whole")


@scenario("1 MiB of memory for responses and bodies of every size: every answer is whole")
def little_memory(world):
    origin = world.origin()
    daemon = world.start(settings=[MEMORY])
    chooser = random.Random(5)
    sizes = [0, 1, 100, 65_535, 65_536, 65_537, MIB, 5 * MIB]
    before = daemon.own_memory()
    for index in range(120):
        target = f"/{chooser.choice(sizes)}/{index % 40}x"
        ensure(world.outcome(daemon, origin, target) == "whole", "whole")
    ensure(daemon.own_memory() - before < 64 * MIB, "memory stays")


@scenario("memory pressure told by the service manager frees memory and harms nothing")
def memory_pressure(world):
    fifo = world.directory + "/pressure"
    os.mkfifo(fifo)
    hold = os.open(fifo, os.O_RDWR)
    origin = world.origin()
    daemon = world.start(variables={"MEMORY_PRESSURE_WATCH": fifo})
    targets = world.filled(daemon, origin, 40, 60_000)
    world.wait_durable(daemon, 40)
    os.write(hold, b"pressure")
    wait(lambda: daemon.admin("/v1/status")["memory"]["entries"] == 0, "what is stored leaves memory")
    os.close(hold)
    ensure(world.held(daemon, origin, targets) == 40, "and is served from the store")


@scenario("address space that is nearly used up (RLIMIT_AS 4 GiB) ends nothing")
def address_space(world):
    def before():
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))

    origin = world.origin()
    daemon = world.start(before=before, settings=["memory.limit=64MiB"])
    with Traffic(world, daemon, origin, size=500_000, urls=100) as traffic:
        traffic.go_on(150)


@scenario("an origin stopped by SIGSTOP: 504 in time, others answered, and it is used again afterwards")
def stopped_origin(world):
    port = free_port()
    folder = world.directory + "/www"
    os.mkdir(folder)
    with open(folder + "/a", "w") as file:
        file.write("stopped")
    command = ["python3", "-m", "http.server", str(port), "--bind", "127.0.0.1", "--directory", folder]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        origin = world.origin()
        daemon = world.start(settings=["upstream.first-byte-timeout=800ms", "upstream.retry-time=100ms"])

        def ask():
            client = Client(daemon.port, timeout=10)
            return client.get(f"http://127.0.0.1:{port}/a", ["Cache-Control: no-cache"]).status

        wait(lambda: ask() == 200, "it serves")
        server.send_signal(signal.SIGSTOP)
        ensure(ask() in (502, 504), "an error in time")
        ensure(world.is_served(daemon, origin) < 1, "others are answered")
        server.send_signal(signal.SIGCONT)
        wait(lambda: ask() == 200, "it serves again")
    finally:
        server.kill()
        server.wait()


@scenario("10 restarts amid clients that try again: no wrong byte, all kept (H-153)")
def restarts(world):
    origin = world.origin()
    port = free_port()
    daemon = world.start("--listen", f"127.0.0.1:{port}")
    targets = world.filled(daemon, origin, 30)
    world.wait_durable(daemon, 30)
    for _ in range(10):
        ensure(daemon.stop() == 0, "exit 0")
        daemon = world.start()
        ensure(world.held(daemon, origin, targets) == 30, "all 30 are held")


@scenario("an address in use is a clear error, not a daemon that serves nothing")
def address_in_use(world):
    taken = socket.create_server(("127.0.0.1", 0))
    port = taken.getsockname()[1]
    command = [binary(), "serve", "--listen", f"127.0.0.1:{port}", "--admin", "127.0.0.1:0", "--store", "none"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=20)
    ensure(done.returncode not in (0, -6, -11), f"exit {done.returncode}")
    ensure(str(port) in done.stderr and "in use" in done.stderr, f"the address is named: {done.stderr!r}")
