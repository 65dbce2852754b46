#!/usr/bin/env python3
"""A turn in a live shell beside its peers, and what many shells cost, through the daemon's socket.

    benches/shells.py target/release/string [PYTHON]

PYTHON is the interpreter of a virtual environment with `swe-rex` and `openhands-tools`; a peer that cannot be
imported there is skipped with a line that says so. Times are medians of one run; compare the ratios.
"""
import json, os, pty, shutil, socket, statistics, subprocess, sys, tempfile, time

TURNS = 1000
PEER_TURNS = 30
STARTS = 50
LIVE = 200
ROUNDS = 1000

PEERS = {
    "SWE-ReX": """
import asyncio, time
from swerex.runtime.local import LocalRuntime
from swerex.runtime.abstract import BashAction, CreateBashSessionRequest
async def main():
    runtime = LocalRuntime()
    begun = time.perf_counter()
    await runtime.create_session(CreateBashSessionRequest())
    print("start", time.perf_counter() - begun)
    for _ in range({turns}):
        begun = time.perf_counter()
        await runtime.run_in_session(BashAction(command="true"))
        print("turn", time.perf_counter() - begun)
    await runtime.close()
asyncio.run(main())
""",
    "OpenHands tools": """
import tempfile, time
from openhands.tools.terminal import TerminalAction
from openhands.tools.terminal.terminal import create_terminal_session
session = create_terminal_session(work_dir=tempfile.mkdtemp())
begun = time.perf_counter()
session.initialize()
print("start", time.perf_counter() - begun)
for _ in range({turns}):
    begun = time.perf_counter()
    session.execute(TerminalAction(command="true"))
    print("turn", time.perf_counter() - begun)
session.close()
""",
}


class Daemon:
    """The daemon through one connection that is kept."""

    def __init__(self, binary, home):
        self.binary, self.home = binary, home
        self.env = {"HOME": home, "PATH": os.environ["PATH"], "STRING_PORT": "0", "LANG": "C.UTF-8"}
        self.call("--daemon", "start")
        self.connect()

    def connect(self):
        """Also anew after the peers: the daemon closes a connection that is idle for ten seconds, and peers take longer."""
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(f"{self.home}/.string/run/string.sock")
        self.stream = self.socket.makefile("rb")

    def call(self, *words):
        return subprocess.run([self.binary, *words], env=self.env, stdin=subprocess.DEVNULL, capture_output=True, text=True)

    def send(self, topic, command):
        body = json.dumps({"topic": topic, "cmd": command}).encode()
        head = f"POST /exec HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        self.socket.sendall(head.encode() + body)
        length = 0
        while (line := self.stream.readline()) not in (b"\r\n", b""):
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        return json.loads(self.stream.read(length))

    def timed(self, topic, command):
        begun = time.perf_counter()
        reply = self.send(topic, command)
        assert reply["ok"], reply
        return time.perf_counter() - begun

    @property
    def pid(self):
        return int(open(f"{self.home}/.string/run/daemon.pid").read())

    def memory(self):
        return next(int(line.split()[1]) for line in open(f"/proc/{self.pid}/status") if line.startswith("VmRSS"))

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def processes(self):
        """Everything below the daemon."""
        parents = {}
        for entry in filter(str.isdigit, os.listdir("/proc")):
            try:
                fields = open(f"/proc/{entry}/stat").read().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if fields[0] != "Z":
                parents.setdefault(int(fields[1]), []).append(int(entry))
        below, waiting = 0, [self.pid]
        while waiting:
            children = parents.get(waiting.pop(), [])
            below += len(children)
            waiting += children
        return below


class BareBash:
    """The least there can be: bash on a terminal, and a marker that any program could fake."""

    def __init__(self):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execvpe("bash", ["bash", "--norc", "--noprofile", "--noediting", "-i"], {"PS1": "", "PATH": os.environ["PATH"], "TERM": "dumb"})
        self.turn("stty -echo")

    def turn(self, command):
        begun = time.perf_counter()
        os.write(self.fd, f"{command}; echo 'MARK'ER$?\n".encode())
        seen = b""
        while b"MARKER" not in seen.replace(b"'MARK'ER", b"") or not seen.endswith(b"\n"):
            seen += os.read(self.fd, 65536)
        return time.perf_counter() - begun

    def close(self):
        os.close(self.fd)
        os.waitpid(self.pid, 0)


def p50(times):
    return f"p50 {statistics.median(times) * 1000:8.3f} ms   p99 {sorted(times)[len(times) * 99 // 100] * 1000:8.3f} ms"


def turns(daemon):
    bare = BareBash()
    daemon.send("bash:bench", "true")
    ours, plain, echo = [], [], []
    for _ in range(TURNS):
        plain.append(bare.turn("true"))
        ours.append(daemon.timed("bash:bench", "true"))
        echo.append(daemon.timed("bash:bench", "echo hi"))
    bare.close()
    print(f"turn `true`, String through its socket   {p50(ours)}   (bar: under 1 ms)")
    print(f"turn `echo hi`, the same                 {p50(echo)}")
    print(f"turn `true`, bare bash over a terminal   {p50(plain)}")


def peers(python):
    for name, script in PEERS.items():
        if python is None:
            print(f"skipped: {name} (no interpreter with it was given)")
            continue
        run = subprocess.run([python, "-c", script.replace("{turns}", str(PEER_TURNS))], capture_output=True, text=True, timeout=300)
        lines = [line.split() for line in run.stdout.splitlines()]
        times = [float(words[1]) for words in lines if words[:1] == ["turn"]]
        starts = [float(words[1]) for words in lines if words[:1] == ["start"]]
        if not times:
            print(f"skipped: {name} ({(run.stderr.strip().splitlines() or ['no output'])[-1]})")
            continue
        print(f"turn `true`, {name:<27} {p50(times)}   start {starts[0] * 1000:.0f} ms")


def one_shots(daemon):
    ours, plain, starts, closes = [], [], [], []
    for number in range(STARTS):
        begun = time.perf_counter()
        subprocess.run(["bash", "-c", "true"], env=daemon.env)
        plain.append(time.perf_counter() - begun)
        ours.append(daemon.timed("main", "/exec true"))
        starts.append(daemon.timed("bash", f"/spawn start{number}"))
        closes.append(daemon.timed(f"bash:start{number}", "//close"))
    print(f"/exec true, inside the boundary          {p50(ours)}")
    print(f"bash -c true, as a subprocess            {p50(plain)}   (bar: twice this plus the boundary)")
    print(f"start of a shell, inside the boundary    {p50(starts)}   (bar: under 20 ms)")
    print(f"close of a shell                         {p50(closes)}")


def floods(daemon):
    for name, command in [
        ("20 MB on one line", "head -c 20000000 /dev/zero | tr '\\0' x"),
        ("100 MB of lines", "yes 0123456789012345678901234567890123456789012345678 | head -n 2000000"),
    ]:
        memory, took = daemon.memory(), daemon.timed("bash:bench", command)
        print(f"{name:<40} {took * 1000:12.0f} ms   {daemon.memory() - memory} KiB more memory")


def many(daemon):
    begun = time.perf_counter()
    for number in range(LIVE):
        daemon.timed(f"bash:many{number}", "true")
    print(f"{LIVE} live shells, one after the other     {(time.perf_counter() - begun) * 1000:12.0f} ms   daemon {daemon.memory() / 1000:.1f} MB, {daemon.descriptors()} descriptors")
    begun = time.perf_counter()
    for number in range(LIVE):
        daemon.timed(f"bash:many{number}", "echo hi")
    print(f"a turn in each of them                   {(time.perf_counter() - begun) * 1000:12.0f} ms")
    for number in range(LIVE):
        daemon.timed("main", f"/session close bash:many{number}")


def rounds(daemon):
    daemon.send("bash:bench", "//close")
    daemon.send("main", "/session close bash:bench")
    before, begun = (daemon.processes(), daemon.descriptors(), daemon.memory()), time.perf_counter()
    for number in range(ROUNDS):
        daemon.timed(f"bash:round{number}", "sleep 4243 & setsid sleep 4243 & disown")
        daemon.timed("main", f"/session close bash:round{number}")
    took = time.perf_counter() - begun
    after = (daemon.processes(), daemon.descriptors(), daemon.memory())
    print(f"{ROUNDS} rounds of open, jobs, close         {took * 1000:12.0f} ms   processes, descriptors, KiB: {before} before, {after} after")


def main():
    binary, python = os.path.abspath(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None
    home = tempfile.mkdtemp(prefix="string-bench-")
    daemon = Daemon(binary, home)
    try:
        turns(daemon)
        peers(python)
        daemon.connect()
        one_shots(daemon)
        floods(daemon)
        many(daemon)
        rounds(daemon)
    finally:
        daemon.call("--daemon", "stop")
        shutil.rmtree(home, ignore_errors=True)


if __name__ == "__main__":
    main()
