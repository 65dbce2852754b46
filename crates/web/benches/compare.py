#!/usr/bin/env python3
"""Times this crate against trafilatura and html2text on the same pages, in one run.

    python3 crates/web/benches/compare.py

Installs both into a temporary virtual environment, lets the benchmark write its pages, and prints ratios.
"""
import re, subprocess, sys, tempfile, venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
ROUNDS = 5
MEASURE = """
import sys, time, statistics, trafilatura, html2text
page = open(sys.argv[1], encoding="utf-8").read()
def median(convert):
    times = []
    for _ in range(int(sys.argv[2])):
        start = time.perf_counter(); out = convert(page); times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times), len(out or "")
for name, convert in (
    ("trafilatura", lambda h: trafilatura.extract(h, output_format="markdown", include_links=True, include_formatting=True, include_tables=True)),
    ("html2text", lambda h: html2text.HTML2Text().handle(h)),
):
    ms, length = median(convert)
    print(f"{name}\\t{ms}\\t{length}")
"""


def main():
    with tempfile.TemporaryDirectory(prefix="compare-") as folder:
        folder = Path(folder)
        venv.create(folder / "venv", with_pip=True)
        python = folder / "venv/bin/python"
        subprocess.run([python, "-m", "pip", "install", "-q", "trafilatura", "html2text", "lxml_html_clean"], check=True)
        bench = ["cargo", "bench", "-q", "-p", "web", "--bench", "page", "--", str(folder)]
        lines = subprocess.run(bench, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
        for line in lines:
            match = re.match(r"(.+?): .* in ([\d.]+) ms", line)
            if not match:
                continue
            name, ours = match[1], float(match[2])
            print(line)
            page = folder / (name.replace(" ", "-") + ".html")
            theirs = subprocess.run([python, "-c", MEASURE, page, str(ROUNDS)], check=True, capture_output=True, text=True)
            for row in theirs.stdout.splitlines():
                other, ms, length = row.split("\t")
                print(f"  {other}: {float(ms):.1f} ms ({int(length) >> 10} KB), {float(ms) / ours:.1f} × ours")


if __name__ == "__main__":
    sys.exit(main())
