//! Packages from repositories: what of them is installed, and that nothing is ever half done.

mod refused;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Web, World};
use tokio::time::timeout;

const COMMIT: &str = "6dcb09b5b57875f334f61aebed695e2e4193db5e";

/// A GitHub with one repository, `ada/apps`, and a world that installs from it.
struct Hub {
    web: Web,
    world: World,
}

/// A file of a repository: its path, its mode as git writes it, and what it holds.
type File<'a> = (&'a str, &'a str, &'a str);

impl Hub {
    async fn new() -> Self {
        let web = Web::start().await;
        let world = World::with_github(&web).await;
        Self { web, world }
    }

    /// A hub with these files on its default branch.
    async fn with(files: &[File<'_>]) -> Self {
        let hub = Self::new().await;
        hub.commit("HEAD", COMMIT, files);
        hub
    }

    /// Lets a reference stand for a commit of these files.
    fn commit(&self, reference: &str, commit: &str, files: &[File<'_>]) {
        let entries = files.iter().map(|(path, mode, content)| {
            let kind = if *mode == "160000" { "commit" } else { "blob" };
            json!({"path": path, "mode": mode, "type": kind, "size": content.len()})
        });
        self.list(reference, commit, &json!({"tree": entries.collect::<Vec<_>>(), "truncated": false}));
        for (path, _, content) in files {
            let path = path.replace(' ', "%20");
            self.web.page(&format!("/raw/ada/apps/{commit}/{path}"), "text/plain", content.to_string());
        }
    }

    fn list(&self, reference: &str, commit: &str, tree: &Value) {
        self.web.page(&format!("/api/repos/ada/apps/commits/{reference}"), "text/plain", commit.to_owned());
        let path = format!("/api/repos/ada/apps/git/trees/{commit}");
        self.web.page(&path, "application/json", tree.to_string());
    }

    async fn installs(&self, source: &str) -> String {
        self.world.ok("main", &format!("/install {source}")).await
    }

    /// A refusal that leaves nothing behind and fetched no file.
    async fn refuses(&self, source: &str, code: &str) -> String {
        let refused = self.world.fails("main", &format!("/install {source}"), code).await;
        let fetched = self.web.seen().into_iter().filter(|seen| seen.uri.path().starts_with("/raw/"));
        assert_eq!(fetched.count(), 0, "{refused}");
        assert!(!self.place("").exists(), "{refused}");
        refused
    }

    fn place(&self, name: &str) -> std::path::PathBuf {
        self.world.home.path().join(".string/packages").join(name)
    }

    fn record(&self, name: &str) -> Value {
        serde_json::from_slice(&fs::read(self.place(name).join(".package.json")).unwrap()).unwrap()
    }
}

fn page(front: &str) -> String {
    format!("---\n{front}\n---\n# Page\n")
}

#[tokio::test]
async fn a_repository_is_installed_at_the_commit_it_has_now() {
    let entry = page("name: weather\nnamespace: ada\ntype: app\nversion: 1.0");
    let hub = Hub::with(&[
        ("string.md", "100644", &entry),
        ("nav/main menu.md", "100644", "# Menu\n"),
        ("run.sh", "100755", "#!/bin/sh\n"),
        (".github/ci.yml", "100644", "on: push\n"),
        (".link", "120000", "elsewhere"),
    ])
    .await;
    assert_eq!(hub.installs("github:ada/apps").await, "Installed app:weather — string app:weather /open");
    let place = hub.place("weather");
    assert_eq!(fs::read_to_string(place.join("string.md")).unwrap(), entry);
    assert_eq!(fs::read_to_string(place.join("nav/main menu.md")).unwrap(), "# Menu\n");
    assert!(!place.join(".github").exists() && !place.join(".link").exists());
    let mode = fs::metadata(place.join("run.sh")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    let record = hub.record("weather");
    assert_eq!((&record["source"], &record["commit"]), (&json!("github:ada/apps"), &json!(COMMIT)));
    let shown = hub.world.ok("app", "/info weather").await;
    assert!(shown.contains("github:ada/apps") && shown.contains(COMMIT), "{shown}");
    assert!(hub.world.ok("app:weather", "/open").await.ends_with("# Page"));
    // Asked as GitHub wants to be asked.
    let asked = &hub.web.seen()[0];
    assert_eq!(asked.headers["accept"], "application/vnd.github.sha");
    assert!(asked.headers["user-agent"].to_str().unwrap().starts_with("String/"));
}

#[tokio::test]
async fn a_folder_a_page_and_a_reference_are_parts_of_a_repository() {
    let hub = Hub::new().await;
    let (app, tool) = (page("type: app"), page("type: tool"));
    let files = [
        ("apps/rain/string.md", "100644", app.as_str()),
        ("apps/rain/a.md", "100644", "# A\n"),
        ("tools/sum.md", "100644", &tool),
    ];
    hub.commit("HEAD", COMMIT, &files);
    hub.commit("v1.2", "aa11", &[("apps/rain/string.md", "100644", &app)]);
    hub.commit("feature/sun", "bb22", &[("apps/rain/string.md", "100644", &page("type: app\nname: sun"))]);
    // Where the page says no name, the last part of the path is it.
    assert_eq!(
        hub.installs("github:ada/apps/apps/rain/").await,
        "Installed app:rain — string app:rain /open"
    );
    assert!(hub.place("rain/a.md").is_file() && !hub.place("rain/sum.md").exists());
    assert_eq!(hub.installs("github:ada/apps/tools/sum.md").await, "Installed tool:sum — /tool:sum --help");
    assert!(hub.place("sum/string.md").is_file());
    hub.installs("--as old github:ada/apps/apps/rain@v1.2").await;
    assert_eq!((&hub.record("old")["commit"], hub.place("old/a.md").exists()), (&json!("aa11"), false));
    hub.installs("github:ada/apps/apps/rain@feature/sun").await;
    assert_eq!(hub.record("sun")["source"], json!("github:ada/apps/apps/rain@feature/sun"));
}

#[tokio::test]
async fn tools_and_their_scripts_come_from_a_repository() {
    let manifest = "name: greet\ndescription: Greets.\ninput_schema: { type: object }\n\
                    execution: { type: script, script_file: greet.ts }\n";
    let script = "export function run() { return 'hi' }\n";
    let hub = Hub::with(&[("t/greet.tool.yaml", "100644", manifest), ("t/greet.ts", "100644", script)]).await;
    assert_eq!(hub.installs("github:ada/apps/t").await, "Installed tool:t: greet — string tool /list");
    let refused =
        hub.world.fails("main", "/install github:ada/apps/t/greet.tool.yaml", "INVALID_PACKAGE").await;
    assert!(refused.ends_with("Install the folder: /install github:ada/apps/t"), "{refused}");
}

#[tokio::test]
async fn a_newer_commit_of_the_same_package_is_an_upgrade_and_another_package_is_not() {
    let front = |space: &str, version: &str| {
        page(&format!("name: w\nnamespace: {space}\ntype: app\nversion: {version}"))
    };
    let hub =
        Hub::with(&[("string.md", "100644", &front("ada", "1.0")), ("old.md", "100644", "# Old\n")]).await;
    hub.installs("github:ada/apps").await;
    hub.commit("HEAD", "cc33", &[("string.md", "100644", &front("ada", "1.1"))]);
    assert_eq!(hub.installs("github:ada/apps").await, "Updated app:w 1.0 → 1.1");
    assert_eq!((&hub.record("w")["commit"], hub.place("w/old.md").exists()), (&json!("cc33"), false));
    hub.commit("theirs", "dd44", &[("string.md", "100644", &front("eve", "2"))]);
    let refused = hub.world.fails("main", "/install github:ada/apps@theirs", "CONFLICTING_PACKAGE").await;
    assert!(refused.contains("ada/w") && refused.contains("--as NAME"), "{refused}");
    assert_eq!(hub.record("w")["commit"], json!("cc33"));
    assert_eq!(hub.installs("--force github:ada/apps@theirs").await, "Updated app:w 1.1 → 2");
    // A local package of the same name is another source of the same package.
    hub.world.home.write("w.md", front("eve", "3"));
    hub.installs("w.md").await;
    assert_eq!((&hub.record("w")["source"], &hub.record("w")["commit"]), (&json!("~/w.md"), &Value::Null));
}

#[tokio::test]
async fn a_file_that_fails_leaves_what_was_there() {
    let entry = page("name: w\ntype: app\nversion: 1");
    let hub = Hub::with(&[("string.md", "100644", &entry)]).await;
    hub.installs("github:ada/apps").await;
    let newer = page("name: w\ntype: app\nversion: 2");
    hub.commit("HEAD", "ee55", &[("string.md", "100644", &newer), ("z.md", "100644", "# Z\n")]);
    let broken = "/raw/ada/apps/ee55/z.md";
    let failures: [(u16, &str, &str); 4] = [
        (404, "", "NOT_FOUND"),
        (500, "", "LOAD_ERROR"),
        (200, "# ", "LOAD_ERROR"),
        (200, "# Z and more\n", "LOAD_ERROR"),
    ];
    for (status, body, code) in failures {
        hub.web.answer(broken, status, &[], body);
        let refused = hub.world.fails("main", "/install github:ada/apps", code).await;
        assert!(refused.contains("Nothing was installed"), "{refused}");
        assert!(refused.ends_with("Try again: /install github:ada/apps"), "{refused}");
        assert_eq!(hub.record("w")["commit"], json!(COMMIT));
        let left: Vec<_> =
            fs::read_dir(hub.place("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert!(left.iter().all(|name| name == "w" || name == ".lock"), "{left:?}");
    }
    hub.web.answer(broken, 200, &[], "# Z\n");
    assert_eq!(hub.installs("github:ada/apps").await, "Updated app:w 1 → 2");
}

#[tokio::test]
async fn files_come_side_by_side_and_each_lands_in_its_place() {
    let entry = page("name: w\ntype: app");
    let hub = Hub::with(&[
        ("string.md", "100644", &entry),
        ("a.md", "100644", "# A\n"),
        ("b.md", "100644", "# B\n"),
    ])
    .await;
    let raw = |path: &str| format!("/raw/ada/apps/{COMMIT}/{path}");
    let gates = [("a.md", "# A\n"), ("b.md", "# B\n")]
        .map(|(path, text)| hub.web.gated(&raw(path), "text/plain", text));
    let installing = hub.world.spawn(hub.world.request("main", "/install github:ada/apps"));
    // Nothing of the first has come when the second is asked for.
    let both_asked = async {
        while !hub.web.seen().iter().any(|seen| seen.uri.path() == raw("b.md")) {
            tokio::task::yield_now().await;
        }
    };
    timeout(Duration::from_secs(20), both_asked).await.unwrap();
    gates.iter().rev().for_each(|gate| gate.add_permits(1));
    let reply = installing.await.unwrap();
    assert!(reply.ok(), "{}", reply.content);
    assert_eq!(fs::read_to_string(hub.place("w/a.md")).unwrap(), "# A\n");
    assert_eq!(fs::read_to_string(hub.place("w/b.md")).unwrap(), "# B\n");
}
