"""A Debian 12 below .build-package, in which the package is installed, and daemons that run in it."""

import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess

PLACE = pathlib.Path(".build-package").resolve()
SUITE = "bookworm"
MIRROR = os.environ.get("MIRROR") or "http://deb.debian.org/debian"
# What every installation of any package changes.
CHANGING = re.compile(
    r"/var/(cache/(apt|ldconfig|debconf)|lib/(apt|dpkg|systemd/deb-systemd-\w+$|systemd/deb-systemd-\w+/\w+\.wants$)|log)(/|$)"
    r"|/etc/(ld\.so\.cache|\.pwd\.lock)|/etc/systemd/(system|user)(/\w+[-\w]*\.target\.wants)?$"
)
OWN = re.compile(r"respite")


class Failure(Exception):
    pass


def require(holds, sentence):
    if not holds:
        raise Failure(sentence)


def run(command, **options):
    """The output of a command, which must end with 0."""
    done = subprocess.run(
        [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, timeout=540, **options
    )
    require(done.returncode == 0, f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout[-3000:]}")
    return done.stdout


class Root:
    """The file system of a fresh machine. Names in it begin at its own root."""

    def __init__(self):
        base, self.path = PLACE / SUITE, PLACE / "root"
        if not (base / "etc/debian_version").exists():
            PLACE.mkdir(exist_ok=True)
            making = PLACE / "making"
            shutil.rmtree(making, ignore_errors=True)
            run(["debootstrap", "--variant=minbase", SUITE, making, MIRROR])
            making.rename(base)
        if self.path.exists():
            shutil.rmtree(self.path)
        run(["cp", "-a", base, self.path])
        shutil.copy("/etc/resolv.conf", self.file("/etc/resolv.conf"))

    def file(self, name):
        return self.path / name.lstrip("/")

    def write(self, name, text):
        self.file(name).parent.mkdir(parents=True, exist_ok=True)
        self.file(name).write_text(text, encoding="utf-8")

    def words(self, command, user=None):
        """The command line that runs a command in here. Its /proc goes when it ends."""
        inner = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--no-new-privs"] if user else []
        mounting = 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"'
        return ["unshare", "--mount", "sh", "-c", mounting, str(self.path), *inner, *map(str, command)]

    def run(self, *command):
        return run(self.words(command), env={"PATH": os.environ["PATH"], "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C"})

    def refuses(self, *command):
        """Whether a command ends with another code than 0."""
        try:
            self.run(*command)
        except Failure:
            return True
        return False

    def apt(self, *words):
        return self.run("apt-get", "--yes", "--quiet", "--no-install-recommends", *words)

    def names(self):
        """All names below /etc, /usr and /var, without what belongs to dpkg and apt."""
        found = set()
        for top in ("etc", "usr", "var"):
            for folder, folders, files in os.walk(self.path / top):
                found.update("/" + os.path.relpath(os.path.join(folder, name), self.path) for name in folders + files)
        return {name for name in found if OWN.search(name) or not CHANGING.match(name)}


class Daemon:
    """A daemon in the root. It tells that it serves by the protocol of systemd."""

    def __init__(self, root, command, user, environment):
        notices, name = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM), root.file("/run/notices")
        notices.bind(str(name))
        os.chmod(name, 0o666)
        notices.settimeout(60)
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "NOTIFY_SOCKET": "/run/notices", **environment}
        self.process = subprocess.Popen(
            root.words(command, user), env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True,
        )
        try:
            while "READY=1" not in notices.recv(4096).decode():
                pass
        except TimeoutError:
            self.process.kill()
            raise Failure(f"{command} does not serve:\n{self.process.communicate()[0]}") from None
        finally:
            notices.close()
            name.unlink()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        output = self.process.communicate(timeout=60)[0]
        require(self.process.returncode == 0, f"the daemon ended with {self.process.returncode}:\n{output}")

    @property
    def users(self):
        """The user ids of the process: real, effective, saved, of files."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        return {int(word) for word in re.search(r"^Uid:(.*)$", status, re.MULTILINE)[1].split()}
