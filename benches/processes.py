#!/usr/bin/env python3
"""What the binary costs as a process: one call, the start of the daemon, the idle daemon.

    benches/processes.py target/release/string

Times are medians of interleaved runs; compare the ratios, not the numbers of two runs.
"""
import os, shutil, socket, statistics, subprocess, sys, tempfile, time

CALLS = 200
STARTS = 20
IDLE_SECONDS = 3


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def timed(argv, env):
    started = time.perf_counter()
    pid = os.posix_spawn(argv[0], argv, env, file_actions=[(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)])
    _, status = os.waitpid(pid, 0)
    elapsed = time.perf_counter() - started
    assert status == 0, f"{argv} ended with {status}"
    return elapsed * 1000


def main():
    binary = os.path.abspath(sys.argv[1])
    home = tempfile.mkdtemp(prefix="string-bench-")
    env = {"HOME": home, "PATH": os.environ["PATH"], "STRING_PORT": str(free_port())}
    call = [binary, "main", "/info"]
    stop = [binary, "--daemon", "stop"]
    try:
        timed(call, env)
        true, info = [], []
        for _ in range(CALLS):
            true.append(timed(["/bin/true"], env))
            info.append(timed(call, env))
        true, info = statistics.median(true), statistics.median(info)
        bar = 3 * true + 2
        print(f"/bin/true                     p50 {true:7.2f} ms")
        print(f"string main /info             p50 {info:7.2f} ms   (bar: 3 x /bin/true + 2 ms = {bar:.2f} ms)")

        pid = int(open(f"{home}/.string/run/daemon.pid").read())
        before = sum(int(x) for x in open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[11:13])
        time.sleep(IDLE_SECONDS)
        after = sum(int(x) for x in open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[11:13])
        rss = next(int(line.split()[1]) for line in open(f"/proc/{pid}/status") if line.startswith("VmRSS"))
        print(f"idle daemon                       {rss / 1000:7.1f} MB   (bar: under 20 MB)")
        print(f"idle daemon, {IDLE_SECONDS} s                  {(after - before) * 10:7d} ms CPU   (bar: none)")

        starts = []
        for _ in range(STARTS):
            timed(stop, env)
            starts.append(timed(call, env))
        print(f"daemon start to first answer  p50 {statistics.median(starts):7.2f} ms, max {max(starts):.2f} ms   (bar: under 100 ms)")
    finally:
        subprocess.run(stop, env=env, stdout=subprocess.DEVNULL)
        shutil.rmtree(home, ignore_errors=True)


if __name__ == "__main__":
    main()
