//! A home with the examples of the repository, and the demo API that they call.

use std::fs;
use std::path::Path;

use testkit::demo;
use tokio::net::TcpListener;

use super::World;

/// A home with a copy of `examples/` whose apps call this server.
pub(crate) struct Examples {
    pub(crate) world: World,
    /// Where the demo API listens.
    pub(crate) address: String,
    _api: tokio::runtime::Runtime,
}

impl Examples {
    pub(crate) fn new() -> Self {
        let api = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let listener = api.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        api.spawn(demo::serve(listener));
        let examples = Self { world: World::new(), address, _api: api };
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
        copy(&from, &examples.world.home().join("examples"));
        examples.says("main", &format!("/set $DEMO_API = \"{}\"", examples.address));
        examples
    }

    pub(crate) fn reply(&self, topic: &str, payload: &str) -> (Option<i32>, String) {
        let run = self.world.run(&["--raw", topic, payload]);
        (run.code, run.out.trim_end().to_owned())
    }

    /// The reply to a command that must succeed.
    pub(crate) fn says(&self, topic: &str, payload: &str) -> String {
        let (code, out) = self.reply(topic, payload);
        assert_eq!(code, Some(0), "{topic} {payload}: {out}");
        out
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
