"""Durable state beside its peers, in one run on one disk: a raw append and fdatasync, Redis with
`appendfsync always`, Deno KV. Prints each bar with the ratio that was reached; nothing here fails.

    python3 benches/state.py [DIRECTORY]

Peers that are not installed are left out: `redis-server` and `redis-benchmark` (Debian: redis-server), and `deno`
(npm: deno), found on PATH or named by DENO. The rounds of what is compared alternate, because a shared machine drifts.
"""

import csv
import json
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS = 5
VALUE_BYTES = 100

KV = """
const kv = await Deno.openKv(Deno.args[0]);
const value = "v".repeat(100), times = [], begun = performance.now();
for (let n = 0; performance.now() - begun < 700; n++) {
  const started = performance.now();
  await kv.set(["profile", `key/${n % 100000}`], value);
  times.push(performance.now() - started);
}
console.log(times.sort((a, b) => a - b)[Math.floor(times.length / 2)] * 1000);
"""


def store_bench():
    """The path of the compiled benchmark of the store."""
    command = ["cargo", "bench", "-q", "-p", "store", "--no-run", "--message-format=json"]
    for line in subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines():
        message = json.loads(line)
        if message.get("target", {}).get("kind") == ["bench"] and message.get("executable"):
            return message["executable"]
    sys.exit("cargo built no benchmark of the store")


class Redis:
    """A server on a private port, whose every write is synced before it is answered."""

    def __init__(self, folder):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        settings = ["--port", str(self.port), "--bind", "127.0.0.1", "--dir", folder, "--save", "", "--appendonly", "yes"]
        command = ["redis-server", *settings, "--appendfsync", "always", "--daemonize", "no"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        for _ in range(100):
            if subprocess.run([*self.client("redis-cli"), "ping"], capture_output=True).stdout == b"PONG\n":
                return
            time.sleep(0.05)
        sys.exit("redis-server does not answer")

    def client(self, program):
        return [program, "-h", "127.0.0.1", "-p", str(self.port)]

    def measure(self, test, clients, requests):
        """Requests per second, and the median latency in microseconds."""
        load = ["-t", test, "-c", str(clients), "-n", str(requests), "-d", str(VALUE_BYTES), "-r", "100000", "--csv"]
        out = subprocess.run([*self.client("redis-benchmark"), *load], check=True, capture_output=True, text=True).stdout
        row = list(csv.DictReader(out.splitlines()))[0]
        return float(row["rps"]), float(row["p50_latency_ms"]) * 1000

    def stop(self):
        self.process.terminate()
        self.process.wait()


def deno_put(deno, folder):
    script = os.path.join(folder, "kv.js")
    with open(script, "w") as file:
        file.write(KV)
    database = os.path.join(folder, "kv.sqlite")
    command = [deno, "run", "-A", "--unstable-kv", script, database]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def one_round(bench, folder):
    """Medians of one round in microseconds: a raw append and sync, a put on a fresh file, a put; and 64 writers' rate."""
    out = subprocess.run([bench, folder, "writes", "1"], check=True, capture_output=True, text=True).stdout
    row = out.splitlines()[1]
    raw, fresh, put = (float(number) for number in re.findall(r"([\d.]+) / [\d.]+ µs", row))
    return raw, fresh, put, float(re.search(r"([\d.]+)/s", row).group(1))


def main():
    bench = store_bench()
    deno = os.environ.get("DENO") or shutil.which("deno")
    has_redis = shutil.which("redis-server") and shutil.which("redis-benchmark")
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else None) as folder:
        redis = Redis(folder) if has_redis else None
        rows = {name: [] for name in ("raw", "fresh", "put", "crowd", "redis", "redis crowd", "redis get", "deno")}
        try:
            for _ in range(ROUNDS):
                raw, fresh, put, crowd = one_round(bench, folder)
                measured = {"raw": raw, "fresh": fresh, "put": put, "crowd": crowd}
                if redis:
                    measured["redis"] = redis.measure("set", 1, 3000)[1]
                    measured["redis crowd"] = redis.measure("set", 50, 50000)[0]
                    measured["redis get"] = redis.measure("get", 1, 10000)[1]
                if deno:
                    measured["deno"] = deno_put(deno, folder)
                for name, value in measured.items():
                    rows[name].append(value)
                print("  ".join(f"{name} {value:.0f}" for name, value in measured.items()), flush=True)
        finally:
            if redis:
                redis.stop()
        median = {name: statistics.median(values) for name, values in rows.items() if values}

        def ratio(one, other):
            """The median of the ratios of the rounds, each of one moment."""
            return statistics.median(a / b for a, b in zip(rows[one], rows[other]))

        print(f"\ndurable put, one client: {median['put']:.0f} µs, {ratio('put', 'raw'):.2f} × raw append + fdatasync "
              f"({median['raw']:.0f} µs; bar 1.5); in a fresh file {ratio('fresh', 'raw'):.2f} ×")
        if redis:
            print(f"  {ratio('put', 'redis'):.2f} × Redis always ({median['redis']:.0f} µs; bar below 1)")
        if deno:
            print(f"  {ratio('put', 'deno'):.2f} × Deno KV ({median['deno']:.0f} µs; bar below 1)")
        print(f"durable put, 64 writers: {median['crowd']:.0f}/s")
        if redis:
            print(f"  {ratio('crowd', 'redis crowd'):.2f} × Redis always with 50 clients "
                  f"({median['redis crowd']:.0f}/s; bar at least 1)")
            print(f"get of Redis over loopback: {median['redis get']:.0f} µs")
        rates = ("crowd", "redis crowd")
        best = {name: max(values) if name in rates else min(values) for name, values in rows.items() if values}
        print("best rounds, for a machine that others use too: "
              + ", ".join(f"{name} {value:.0f}{'/s' if name in rates else ' µs'}" for name, value in best.items()))
        print("get, page and start-up with a thousand and a million entries (bar: get below 20 µs, ratios at most 2):", flush=True)
        subprocess.run([bench, folder, "reads"], check=True)


if __name__ == "__main__":
    main()
