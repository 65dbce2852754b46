//! What the versions of one agent may take together, and which of them give way to a new one.
//!
//! The sum is kept beside them, so that a commit reads no other file's versions as long as there is room.

use store::{AtomicWrite, Expect, Key, KeyRange, Limit, Space};

use super::{Version, Versions, contents, records, version};
use crate::agent;
use crate::error::{Code, Error, Result, store_failed};

/// What an agent's versions may take together. Beyond it the oldest give way.
pub(super) const BYTES_MAX: usize = 1024 * 1024 * 1024;
/// What the smallest one counts for, with its record: so their number has a bound too, 262,144.
const LEAST: usize = 4 * 1024;

impl Versions {
    /// A write that makes room for a version of this size, and counts it.
    pub(super) async fn make_room(&self, agent: &agent::Id, size: usize) -> Result<AtomicWrite> {
        let (sums, key) = (sums(agent), Key::new("all"));
        let kept = self.store.get(&sums, &key).await.map_err(store_failed)?;
        let seen = kept.as_ref().map(|entry| entry.version);
        let sum = kept.and_then(|entry| Some(u64::from_be_bytes(entry.value.try_into().ok()?) as usize));
        let (sum, gone) = match sum.map(|sum| sum + counted(size)) {
            Some(sum) if sum <= self.bytes_max => (sum, Vec::new()),
            _ => self.give_way(agent, size).await?,
        };
        let write = AtomicWrite::new().check(&sums, &key, Expect::unchanged(seen)).put(
            &sums,
            &key,
            (sum as u64).to_be_bytes(),
            None,
        );
        let (records, contents) = (records(agent), contents(agent));
        Ok(gone.iter().fold(write, |write, old| write.delete(&records, old).delete(&contents, old)))
    }

    /// The versions that give way to a new one, and what the others take with it: the oldest, but never the last one of
    /// a file, which its numbers go on from.
    async fn give_way(&self, agent: &agent::Id, size: usize) -> Result<(usize, Vec<Key>)> {
        let page = self.store.scan(&records(agent), &KeyRange::all(), Limit::entries(usize::MAX)).await;
        let (mut taken, mut older, mut file) = (counted(size), Vec::new(), None);
        for entry in page.map_err(store_failed)?.entries {
            let Version { size, time, .. } = version(&entry.key, &entry.value)?;
            taken += counted(size);
            let of = entry.key.as_bytes().split_last_chunk::<4>().map(|(file, _)| file.to_owned());
            if file == of {
                older.push((time, size, entry.key));
            }
            file = of;
        }
        older.sort_by_key(|(time, ..)| *time);
        let mut older = older.into_iter();
        let mut gone = Vec::new();
        while taken > self.bytes_max {
            let (_, size, key) = older.next().ok_or_else(|| self.no_room())?;
            taken -= counted(size);
            gone.push(key);
        }
        Ok((taken, gone))
    }

    fn no_room(&self) -> Error {
        let limit = sfmd::size_label(self.bytes_max);
        Error::new(
            Code::Conflict,
            format!("The last versions of all files take {limit}, which is the limit."),
        )
        .hint("Nothing was committed. Keep a copy of the file instead.")
    }
}

pub(super) fn sums(agent: &agent::Id) -> Space {
    Space::new(format!("version-sums/{agent}"))
}

fn counted(size: usize) -> usize {
    size.max(LEAST)
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use store::memory::Memory;
    use store::{SystemClock, Timestamp};

    use super::super::{Committed, Number, key};
    use super::*;

    struct World {
        versions: Versions,
        agent: agent::Id,
    }

    impl World {
        /// There is room for so many small versions.
        fn new(versions: usize) -> Self {
            let store = Arc::new(Memory::new(Arc::new(SystemClock)));
            let versions = Versions { store, bytes_max: versions * LEAST };
            Self { versions, agent: agent::Id::default_agent() }
        }

        async fn commit(&self, file: &str, content: &[u8], now: i64) -> Result<Committed> {
            let now = Timestamp::from_millis(now);
            self.versions.commit(&self.agent, Path::new(file), content, "why", now).await
        }

        async fn numbers(&self, file: &str) -> Vec<u32> {
            let all = self.versions.list(&self.agent, Path::new(file), 10).await.unwrap();
            all.iter().map(|version| version.number.0).collect()
        }
    }

    #[tokio::test]
    async fn the_oldest_versions_give_way_but_no_files_last_one() {
        let world = World::new(10);
        let (large, larger) = (|byte| vec![byte; 3 * LEAST], |byte| vec![byte; 4 * LEAST]);
        for now in 0..3 {
            world.commit("/a", &large(now), i64::from(now)).await.unwrap();
        }
        world.commit("/b", &larger(3), 3).await.unwrap();
        assert_eq!((world.numbers("/a").await, world.numbers("/b").await), (vec![3, 2], vec![1]));
        let content = world.versions.content(&world.agent, Path::new("/a"), Number(1));
        assert_eq!(content.await.unwrap(), None);
        world.commit("/b", &large(4), 4).await.unwrap();
        assert_eq!((world.numbers("/a").await, world.numbers("/b").await), (vec![3], vec![2, 1]));
        let refused = world.commit("/c", &vec![5; 5 * LEAST], 5).await.unwrap_err();
        assert_eq!(refused.code, Code::Conflict);
        assert_eq!((world.numbers("/a").await, world.numbers("/b").await), (vec![3], vec![2, 1]));
    }

    #[tokio::test]
    async fn there_is_a_bound_to_small_versions_too() {
        let world = World::new(3);
        for now in 0..4 {
            world.commit("/a", &[now], i64::from(now)).await.unwrap();
        }
        assert_eq!(world.numbers("/a").await, [4, 3, 2]);
        // What gave way is not counted any more.
        world.commit("/b", &[], 4).await.unwrap();
        assert_eq!((world.numbers("/a").await, world.numbers("/b").await), (vec![4, 3], vec![1]));
    }

    #[tokio::test]
    async fn a_commit_reads_no_version_of_another_file_while_there_is_room() {
        let world = World::new(3);
        world.commit("/a", b"one", 0).await.unwrap();
        world.commit("/b", b"one", 1).await.unwrap();
        let damaged = key(Path::new("/b"), Number(1));
        let write = AtomicWrite::new().put(&records(&world.agent), &damaged, b"damaged", None);
        world.versions.store.commit(write).await.unwrap().unwrap();
        world.commit("/a", b"two", 2).await.unwrap();
        assert!(world.commit("/a", b"three", 3).await.is_err(), "somebody has to give way");
    }

    #[tokio::test]
    async fn a_sum_that_was_never_kept_is_made_anew() {
        let world = World::new(2);
        world.commit("/a", b"one", 0).await.unwrap();
        world.versions.store.drop_space(&sums(&world.agent)).await.unwrap();
        world.commit("/a", b"two", 1).await.unwrap();
        world.commit("/a", b"three", 2).await.unwrap();
        assert_eq!(world.numbers("/a").await, [3, 2]);
    }
}
