//! The store beside one raw append and sync, in one run: `cargo bench -p store`.
//!
//! Times drift between minutes on a shared machine, so the rounds of what is compared alternate, and the ratios say
//! more than the times. `cargo bench -p store -- DIRECTORY` measures on another disk; with `writes` or `reads` behind
//! the directory only those, and with a number behind `writes` so many rounds. `benches/state.py` sets other stores
//! beside it.
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot measure has nothing else to do")]

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use store::sqlite::Sqlite;
use store::{AtomicWrite, Key, KeyRange, Limit, Space, Store, SystemClock};
use tokio::runtime::Runtime;

const ROUNDS: usize = 5;
const ROUND: Duration = Duration::from_millis(700);
const WRITERS: usize = 64;
const KEYS: u64 = 100_000;
const READS: u64 = 20_000;
const SMALL: u64 = 1_000;
const LARGE: u64 = 1_000_000;
const VALUE: [u8; 100] = [b'v'; 100];

/// The first puts of a new file, before its log has wrapped.
const FRESH_PUTS: usize = 1_000;

fn main() -> io::Result<()> {
    let mut words = std::env::args().skip(1).filter(|argument| !argument.starts_with('-'));
    let folder = words.next().map_or_else(tempfile::tempdir, tempfile::tempdir_in)?;
    let (part, rounds) = (words.next(), words.next().map_or(ROUNDS, |number| number.parse().unwrap()));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let mut out = io::stdout().lock();
    if part.as_deref() != Some("reads") {
        writes(&mut out, folder.path(), &runtime, rounds)?;
    }
    if part.as_deref() != Some("writes") {
        reads(&mut out, folder.path(), &runtime)?;
    }
    Ok(())
}

/// Durations of single operations.
struct Times(Vec<Duration>);

impl Times {
    fn quantile(&mut self, part: f64) -> f64 {
        self.0.sort_unstable();
        let place = (self.0.len() as f64 * part) as usize;
        self.0[place.min(self.0.len() - 1)].as_secs_f64() * 1e6
    }
}

fn writes(out: &mut impl Write, folder: &Path, runtime: &Runtime, rounds: usize) -> io::Result<()> {
    let store = open(&folder.join("writes.db"));
    let (mut fresh_ratios, mut put_ratios, mut rates) = (Vec::new(), Vec::new(), Vec::new());
    writeln!(
        out,
        "{:>6} {:>20} {:>20} {:>20} {:>12}",
        "round", "raw append+sync", "put, fresh file", "put", "64 writers"
    )?;
    for round in 0..rounds {
        let mut raw = raw_appends(&folder.join(format!("raw{round}")))?;
        let fresh_store = open(&folder.join(format!("fresh{round}.db")));
        let fresh = puts(fresh_store, Until::Count(FRESH_PUTS));
        let mut fresh = runtime.block_on(runtime.spawn(fresh)).unwrap();
        let put = puts(Arc::clone(&store), Until::Time(ROUND));
        let mut put = runtime.block_on(runtime.spawn(put)).unwrap();
        let rate = runtime.block_on(crowd(&store));
        write!(out, "{round:>6}")?;
        for times in [&mut raw, &mut fresh, &mut put] {
            write!(out, " {:>20}", format!("{:.0} / {:.0} µs", times.quantile(0.5), times.quantile(0.99)))?;
        }
        writeln!(out, " {rate:>10.0}/s")?;
        fresh_ratios.push(fresh.quantile(0.5) / raw.quantile(0.5));
        put_ratios.push(put.quantile(0.5) / raw.quantile(0.5));
        rates.push(rate);
    }
    let [fresh, put, rate] = [fresh_ratios, put_ratios, rates].map(median);
    writeln!(out, "median: put on a fresh file {fresh:.2} × raw, put {put:.2} × raw (bar 1.5), {rate:.0}/s\n")
}

fn reads(out: &mut impl Write, folder: &Path, runtime: &Runtime) -> io::Result<()> {
    writeln!(out, "{:>10} {:>18} {:>18} {:>18}", "entries", "get", "page of 100", "open + first get")?;
    let mut medians = Vec::new();
    for entries in [SMALL, LARGE] {
        let path = folder.join(format!("{entries}.db"));
        runtime.block_on(fill(&path, entries));
        let mut opened = Times((0..50).map(|_| runtime.block_on(open_time(&path))).collect());
        let store = open(&path);
        let (mut get, mut page) = runtime.block_on(runtime.spawn(read_times(store, entries))).unwrap();
        write!(out, "{entries:>10}")?;
        for times in [&mut get, &mut page, &mut opened] {
            write!(out, " {:>18}", format!("{:.1} / {:.0} µs", times.quantile(0.5), times.quantile(0.99)))?;
        }
        writeln!(out)?;
        medians.push([get, page, opened].map(|mut times| times.quantile(0.5)));
    }
    write!(out, "{:>10}", "ratio")?;
    for (small, large) in medians[0].iter().zip(medians[1]) {
        write!(out, " {:>16.2} ×", large / small)?;
    }
    writeln!(out, "   (bar 2)")
}

fn open(path: &Path) -> Arc<Sqlite> {
    Arc::new(Sqlite::open(path, Arc::new(SystemClock)).unwrap())
}

fn space() -> Space {
    Space::new("state/profile/default")
}

fn key(n: u64) -> Key {
    Key::new(format!("key/{n:012}"))
}

/// Numbers that jump around like the keys of many clients, the same in every run.
fn scattered(n: u64) -> u64 {
    n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}

fn raw_appends(path: &Path) -> io::Result<Times> {
    let (mut file, begun, mut times) = (File::create(path)?, Instant::now(), Vec::new());
    while begun.elapsed() < ROUND {
        let started = Instant::now();
        file.write_all(&VALUE)?;
        file.sync_data()?;
        times.push(started.elapsed());
    }
    Ok(Times(times))
}

#[derive(Clone, Copy)]
enum Until {
    Count(usize),
    Time(Duration),
}

async fn puts(store: Arc<Sqlite>, until: Until) -> Times {
    let (space, begun, mut times) = (space(), Instant::now(), Vec::new());
    while match until {
        Until::Count(count) => times.len() < count,
        Until::Time(time) => begun.elapsed() < time,
    } {
        let started = Instant::now();
        put(&store, &space, scattered(times.len() as u64) % KEYS).await;
        times.push(started.elapsed());
    }
    Times(times)
}

async fn put(store: &Sqlite, space: &Space, n: u64) {
    store.commit(AtomicWrite::new().put(space, &key(n), VALUE, None)).await.unwrap().unwrap();
}

/// Puts per second of many writers at once.
async fn crowd(store: &Arc<Sqlite>) -> f64 {
    let begun = Instant::now();
    let writers: Vec<_> = (0..WRITERS as u64)
        .map(|writer| {
            let (store, space) = (Arc::clone(store), space());
            tokio::spawn(async move {
                let mut count: u64 = 0;
                while begun.elapsed() < ROUND {
                    put(&store, &space, scattered(count * WRITERS as u64 + writer) % KEYS).await;
                    count += 1;
                }
                count
            })
        })
        .collect();
    let mut count = 0;
    for writer in writers {
        count += writer.await.unwrap();
    }
    count as f64 / begun.elapsed().as_secs_f64()
}

async fn fill(path: &Path, entries: u64) {
    let (store, space) = (open(path), space());
    for begin in (0..entries).step_by(1_000) {
        let numbers = begin..(begin + 1_000).min(entries);
        let write = numbers.fold(AtomicWrite::new(), |write, n| write.put(&space, &key(n), VALUE, None));
        store.commit(write).await.unwrap().unwrap();
    }
    store.close().await.unwrap();
}

async fn open_time(path: &Path) -> Duration {
    let begun = Instant::now();
    let store = open(path);
    store.get(&space(), &key(7)).await.unwrap().unwrap();
    begun.elapsed()
}

async fn read_times(store: Arc<Sqlite>, entries: u64) -> (Times, Times) {
    let (space, mut gets, mut pages) = (space(), Vec::new(), Vec::new());
    for n in 0..READS {
        let key = key(scattered(n) % entries);
        let started = Instant::now();
        store.get(&space, &key).await.unwrap().unwrap();
        gets.push(started.elapsed());
    }
    for n in 0..READS / 10 {
        let range = KeyRange::all().after(key(scattered(n) % (entries - 100)));
        let started = Instant::now();
        let page = store.scan(&space, &range, Limit::entries(100)).await.unwrap();
        pages.push(started.elapsed());
        assert_eq!(page.entries.len(), 100);
    }
    (Times(gets), Times(pages))
}
