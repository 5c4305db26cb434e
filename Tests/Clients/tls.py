#!/usr/bin/env python3
"""TLS between clients and the proxy, and its Unix socket: curl, OpenSSL and sslscan.

A forward proxy, the prefix gateway, a service and a tunnel behind an https:// listener; versions, protocols, resumption;
a new certificate on SIGHUP and a bad one; the wrong protocol on either kind of listener; no weak protocol or cipher.
"""

import os
import re
import signal
import ssl
import subprocess
import xml.etree.ElementTree as xml

from clients import Daemon, Directory, Origin, check, finish, has, run


def script(exchange):
    path = exchange.target.rsplit("/", 1)[1]
    if path == "moved":
        return exchange.reply("302 Found", f"Location: http://{exchange.request['Host']}/cached", content=b"")
    return exchange.reply("200 OK", "Cache-Control: max-age=600", content=b"cached answer")


def certificate(directory, name):
    """A key and a certificate of its own for localhost."""
    paths = [os.path.join(directory, name + end) for end in (".crt", ".key")]
    words = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30"]
    words += ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,DNS:api.localhost,IP:127.0.0.1"]
    done = run([*words, "-out", paths[0], "-keyout", paths[1]])
    assert done.returncode == 0, done.stderr
    return paths


def copy(source, target):
    with open(source, "rb") as file, open(target, "wb") as other:
        os.chmod(target, 0o600)
        other.write(file.read())


class Listener:
    """The daemon with three listeners, and how clients reach them."""

    def __init__(self, directory, origin):
        self.directory = directory
        self.files = certificate(directory, "first")
        self.used = [os.path.join(directory, "used.crt"), os.path.join(directory, "used.key")]
        self.install(self.files)
        self.socket = os.path.join(directory, "proxy.sock")
        words = ["--listen", "https://127.0.0.1:0", "--listen", "unix:" + self.socket]
        words += ["--set", f'tls.certificate-file="{self.used[0]}"', "--set", f'tls.key-file="{self.used[1]}"']
        config = os.path.join(directory, "respite.toml")
        with open(config, "w") as file:
            file.write(f'[service.api]\nbase = "{origin.url("")}"\n')
        words += ["--config", config, "--set", "access.connect-ports=[1,443]"]
        self.daemon = Daemon(os.path.join(directory, "store"), *words)
        self.port = int(re.search(r"listen=https://127\.0\.0\.1:(\d+)", self.daemon.errors).group(1))

    def install(self, files):
        for source, target in zip(files, self.used):
            copy(source, target)

    def curl(self, *words, trusts=None):
        trusted = trusts or self.files[0]
        kept = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
        words = ["curl", "-sS", "--cacert", trusted, "--proxy-cacert", trusted, *words]
        return run(words, env=kept)

    def status(self, *words, **options):
        done = self.curl("-o", os.devnull, "-D", "-", *words, **options)
        heads = [head for head in done.stdout.split("\r\n\r\n") if head.startswith("HTTP/")]
        return heads[-1] if heads else done.stderr

    def client(self, *words):
        words = ["openssl", "s_client", "-connect", f"127.0.0.1:{self.port}", "-CAfile", self.files[0], "-ign_eof", *words]
        return run(words, input="GET / HTTP/1.0\r\nHost: localhost\r\n\r\n")

    def reload(self, expected):
        """Sends SIGHUP and waits for the line of the log that says what became of it."""
        while not self.daemon.lines.empty():
            self.daemon.lines.get()
        self.daemon.process.send_signal(signal.SIGHUP)
        while (line := self.daemon.lines.get(timeout=30)) is not None:
            if "reloaded" in line:
                return expected in line
        return False


def routes(listener, origin):
    proxy = f"https://localhost:{listener.port}"
    first = listener.status("--proxy", proxy, origin.url("/cached"))
    check(" 200 " in first and "hit" not in first, "curl --proxy https:// gets an answer through TLS")
    check("; hit" in listener.status("--proxy", proxy, origin.url("/cached")), "and its second one from the store")
    check("; hit" in listener.status(f"{proxy}/{origin.url('/cached')}"), "by prefix over TLS it is the same resource")
    check("; hit" in listener.status(f"{proxy}/api/cached"), "and by the path of a service")
    service = f"https://api.localhost:{listener.port}"
    check("; hit" in listener.status("--resolve", f"api.localhost:{listener.port}:127.0.0.1", service + "/cached"),
          "and by its host")
    moved = listener.curl("-L", "-o", os.devnull, "-w", "%{url_effective} %{http_code}", f"{proxy}/{origin.url('/moved')}")
    check(moved.stdout == f"{proxy}/{origin.url('/cached')} 200", f"a redirect stays with https and the prefix: {moved.stdout}")
    check(origin.count("/cached") == 1, "all this was one request to the origin")
    page = listener.curl(proxy + "/").stdout
    check(f"export https_proxy={proxy}\n" in page, "the page on / names the proxy by https")


def tunnel(listener, directory):
    certificate_file, key_file = certificate(directory, "site")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate_file, key_file)
    site = Origin(script, context=context)
    both = os.path.join(directory, "both.crt")
    with open(both, "w") as file:
        for path in (certificate_file, listener.files[0]):
            with open(path) as one:
                file.write(one.read())
    done = listener.curl("--proxy", f"https://localhost:{listener.port}", site.url("/x"), trusts=both)
    check("403" in done.stderr, "CONNECT through TLS obeys `access.connect-ports`")


def protocols(listener):
    for version, works in (("-tls1_1", False), ("-tls1_2", True), ("-tls1_3", True)):
        words = [version, "-cipher", "DEFAULT:@SECLEVEL=0"] if version == "-tls1_1" else [version]
        done = listener.client(*words)
        check(("HTTP/1.1 200" in done.stdout) == works, f"openssl s_client {version} is {'served' if works else 'refused'}")
    done = listener.client("-alpn", "h2,http/1.1")
    check("ALPN protocol: http/1.1" in done.stdout, "of h2 and http/1.1 the latter is chosen")
    check("Compression: NONE" in listener.client("-tls1_2").stdout, "nothing is compressed")
    done = listener.client("-tls1_2", "-fallback_scsv")
    check("inappropriate fallback" in done.stderr + done.stdout, "a downgrade is noticed (RFC 7507)")
    for version in ("-tls1_2", "-tls1_3"):
        file = os.path.join(listener.directory, "session" + version)
        listener.client(version, "-sess_out", file)
        done = listener.client(version, "-sess_in", file)
        check("Reused, TLS" in done.stdout, f"openssl s_client {version} resumes its session")


def wrong_protocol(listener):
    plain = listener.curl(f"http://127.0.0.1:{listener.port}/", "-w", "%{http_code}")
    check("this listener speaks TLS" in plain.stdout and plain.stdout.endswith("400"), "plain HTTP to the TLS port is told so")
    done = listener.curl(f"https://127.0.0.1:{listener.daemon.port}/")
    check(done.returncode == 35, f"TLS to the plain port fails at once: {done.stderr.strip()}")
    raw = run(["openssl", "s_client", "-connect", f"127.0.0.1:{listener.daemon.port}", "-msg"], input="")
    check("wrong version number" in raw.stderr + raw.stdout or raw.returncode != 0, "and OpenSSL says so, too")


def renewal(listener, origin):
    proxy = f"https://localhost:{listener.port}"
    second = certificate(listener.directory, "second")
    with open(listener.used[0], "w") as file:
        file.write("no certificate\n")
    check(listener.reload("the old ones stay in force"), "a bad certificate is told in the log on SIGHUP")
    check(" 200 " in listener.status("--proxy", proxy, origin.url("/cached")), "and the old one stays")
    copy(listener.files[0], listener.used[0])
    copy(second[1], listener.used[1])
    check(listener.reload("cannot use the key in"), "so is a key that does not fit")
    listener.install(second)
    check(listener.reload("settings reloaded"), "a new certificate comes into force on SIGHUP")
    check(" 200 " in listener.status("--proxy", proxy, origin.url("/cached"), trusts=second[0]), "and clients are shown it")
    old = listener.curl("--proxy", proxy, origin.url("/cached"))
    check(old.returncode == 60, "who trusts only the old one refuses it")
    listener.files = second


def scan(listener):
    if not has("sslscan"):
        return
    done = run(["sslscan", "--no-colour", "--xml=-", f"127.0.0.1:{listener.port}"], timeout=300)
    test = xml.fromstring(done.stdout[done.stdout.index("<?xml"):]).find("ssltest")
    enabled = sorted(p.get("type") + p.get("version") for p in test.findall("protocol") if p.get("enabled") == "1")
    check(enabled == ["tls1.2", "tls1.3"], f"sslscan: versions {', '.join(enabled)}")
    ciphers = [(c.get("sslversion"), c.get("cipher"), c.get("strength")) for c in test.findall("cipher")]
    for version, name, strength in ciphers:
        print(f"        {version} {name} {strength}")
    good = all(strength in ("strong", "acceptable") and re.search("GCM|CHACHA20", name) for _, name, strength in ciphers)
    forward = all(version == "TLSv1.3" or name.startswith("ECDHE-") for version, name, _ in ciphers)
    check(ciphers and good and forward, f"sslscan: {len(ciphers)} ciphers, all authenticated, with ephemeral keys")
    groups = [g.get("name") for g in test.findall("group")]
    check(groups and not any(int(g.get("bits")) < 128 for g in test.findall("group")), f"sslscan: groups {sorted(set(groups))}")
    check(test.find("renegotiation").get("supported") == "0", "sslscan: no renegotiation")
    leaks = [h.get("sslversion") for h in test.findall("heartbleed") if h.get("vulnerable") != "0"]
    check(not leaks, "sslscan: no Heartbleed")


def unix_socket(listener, origin):
    mode = os.stat(listener.socket).st_mode & 0o777
    check(mode == 0o600, f"the Unix socket's file has mode {mode:o}")
    head = listener.status("--unix-socket", listener.socket, "--request-target", origin.url("/cached"), "http://localhost/")
    check("; hit" in head, "curl --unix-socket asks as of a proxy")
    head = listener.status("--unix-socket", listener.socket, f"http://localhost/{origin.url('/cached')}")
    check("; hit" in head, "and by prefix")
    admin = os.path.join(listener.daemon.store, "admin.sock")
    done = listener.curl("--unix-socket", admin, "-H", f"Authorization: Bearer {listener.daemon.token}", "http://localhost/v1/status")
    check("https://127.0.0.1:" in done.stdout and "unix:" in done.stdout, "the status names all listeners, by the admin socket")
    long = subprocess.run([*listener.daemon.process.args[:2], "--listen", "unix:/" + "a" * 120, "--store", "none"],
                          capture_output=True, text=True, timeout=60)
    check(long.returncode == 2 or "unix:" in long.stderr, f"a path too long is refused: {long.stderr.splitlines()[:1]}")
    listener.daemon.stop()
    check(not os.path.exists(listener.socket) and not os.path.exists(admin), "both sockets are gone after the end")


if has("curl", "openssl"):
    with Directory() as directory:
        origin = Origin(script)
        listener = Listener(directory, origin)
        routes(listener, origin)
        tunnel(listener, directory)
        protocols(listener)
        wrong_protocol(listener)
        renewal(listener, origin)
        scan(listener)
        unix_socket(listener, origin)
    # A socket's file that a killed process left behind is replaced.
    with Directory() as directory:
        origin = Origin(script)
        first = Listener(directory, origin)
        first.daemon.kill()
        again = Listener(directory, origin)
        head = again.status("--unix-socket", again.socket, f"http://localhost/{origin.url('/cached')}")
        check(" 200 " in head, "a socket's file left behind is replaced")
        again.daemon.stop()
finish()
