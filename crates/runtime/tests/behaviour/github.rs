//! Packages from repositories: what of them is installed, and what is refused with nothing half done.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};
use testkit::{Web, World};

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
async fn what_is_no_plain_file_inside_the_package_is_refused_before_anything_is_fetched() {
    let entry = page("name: w\ntype: app");
    for (path, mode) in [
        ("../../.bashrc", "100644"),
        ("nav/../../x", "100644"),
        ("/etc/passwd", "100644"),
        ("a\\b", "100644"),
        ("nav//x", "100644"),
        ("x\u{202e}y.md", "100644"),
        ("passwd", "120000"),
        ("vendor", "160000"),
        ("device", "060000"),
    ] {
        let hub = Hub::with(&[("string.md", "100644", &entry), (path, mode, "x")]).await;
        let refused = hub.refuses("github:ada/apps", "INVALID_PACKAGE").await;
        assert!(!refused.contains('\u{202e}') && refused.contains("othing was fetched"), "{path}: {refused}");
    }
    // A page alone may be no link either.
    let hub = Hub::with(&[("page.md", "120000", "/etc/passwd")]).await;
    assert!(hub.refuses("github:ada/apps/page.md", "INVALID_PACKAGE").await.contains("is a link"));
    for source in ["github:ada", "github:../apps", "github:ada/apps/../x", "github:ada/apps@", "github:a/b?c"]
    {
        let refused = hub.refuses(source, "INVALID_PARAMS").await;
        assert!(refused.contains("github:owner/repo[/path][@ref]"), "{refused}");
    }
}

#[tokio::test]
async fn what_is_too_large_or_listed_in_part_is_refused_before_anything_is_fetched() {
    let hub = Hub::new().await;
    let file = |path: &str, size: u64| json!({"path": path, "mode": "100644", "type": "blob", "size": size});
    let large =
        json!({"tree": [file("string.md", 10), file("a/string.md", 10), file("video.bin", 40 << 20)]});
    hub.list("HEAD", COMMIT, &large);
    let refused = hub.refuses("github:ada/apps", "INVALID_PACKAGE").await;
    assert!(refused.contains("at most 32 MB in 4096 files"), "{refused}");
    assert!(refused.ends_with("Install a package of it: /install github:ada/apps/a"), "{refused}");
    let many: Vec<_> = (0..4097).map(|n| file(&format!("{n}/string.md"), 1)).collect();
    hub.list("HEAD", COMMIT, &json!({"tree": many}));
    hub.refuses("github:ada/apps", "INVALID_PACKAGE").await;
    hub.list("HEAD", COMMIT, &json!({"tree": [file("string.md", 10)], "truncated": true}));
    let refused = hub.refuses("github:ada/apps/x", "INVALID_PACKAGE").await;
    assert!(refused.contains("more files than GitHub lists"), "{refused}");
    assert!(refused.ends_with("git clone https://github.com/ada/apps, then /install ./apps/x"), "{refused}");
    hub.list("HEAD", COMMIT, &json!({"message": "?"}));
    hub.refuses("github:ada/apps", "INVALID_PACKAGE").await;
    hub.list("HEAD", "<html>", &large);
    assert!(hub.refuses("github:ada/apps", "LOAD_ERROR").await.contains("no commit: \"<html>\""));
}

#[tokio::test]
async fn what_is_not_there_is_told_with_what_is() {
    let hub =
        Hub::with(&[("apps/rain/string.md", "100644", "x"), ("apps/sun/string.md", "100644", "x")]).await;
    let packages = "\n  Install a package of it: /install github:ada/apps/apps/rain\n  Install a package of it: /install github:ada/apps/apps/sun";
    let refused = hub.refuses("github:ada/apps", "INVALID_PACKAGE").await;
    assert!(
        refused.contains("github:ada/apps has no string.md.") && refused.ends_with(packages),
        "{refused}"
    );
    let refused = hub.refuses("github:ada/apps/snow", "NOT_FOUND").await;
    assert_eq!(refused, format!("ERROR(NOT_FOUND): github:ada/apps has no folder \"snow\".{packages}"));
    // A repository that is missing or private, and a reference that is not there.
    let refused = hub.refuses("github:eve/secret", "NOT_FOUND").await;
    assert!(refused.starts_with("ERROR(NOT_FOUND): GitHub shows no repository eve/secret.\n"), "{refused}");
    assert!(
        refused.contains("private") && refused.contains("git clone https://github.com/eve/secret"),
        "{refused}"
    );
    let missing = "/api/repos/ada/apps/commits/v9";
    hub.web.answer(missing, 422, &[], r#"{"message": "No commit found for SHA: v9"}"#);
    let refused = hub.refuses("github:ada/apps/apps/rain@v9", "NOT_FOUND").await;
    assert!(refused.contains("has no branch, tag or commit \"v9\""), "{refused}");
    assert!(refused.ends_with("Install its default branch: /install github:ada/apps/apps/rain"), "{refused}");
    hub.web.answer(missing, 409, &[], r#"{"message": "Git Repository is empty."}"#);
    assert!(hub.refuses("github:ada/apps@v9", "INVALID_PACKAGE").await.contains("ada/apps is empty"));
    // Nothing is fetched for a link, which would be a page and not a repository.
    let before = hub.web.seen().len();
    let refused = hub.refuses("--link github:ada/apps/apps/sun@v1", "INVALID_PARAMS").await;
    let page = hub.web.url("/raw/ada/apps/v1/apps/sun/string.md");
    assert!(refused.ends_with(&format!("Link its page: /install --link {page}")), "{refused}");
    assert_eq!(hub.web.seen().len(), before);
}

#[tokio::test]
async fn a_limit_says_when_it_ends_and_what_works_meanwhile() {
    let hub = Hub::new().await;
    let now = hub.world.runtime.now().as_millis() / 1000;
    let reset = (now + 23 * 60 - 5).to_string();
    let asked = "/api/repos/ada/apps/commits/HEAD";
    let used_up: &[(&str, &str)] = &[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", &reset)];
    for (status, headers, said) in [
        (403, used_up, ", in 23 min."),
        (429, used_up, ", in 23 min."),
        (403, &[("retry-after", "90")][..], ", in 2 min."),
        (429, &[], " for a while."),
    ] {
        hub.web.answer(asked, status, headers, "{}");
        let refused = hub.refuses("github:ada/apps", "LOAD_ERROR").await;
        let (first, hints) = refused.split_once('\n').unwrap();
        assert!(
            first.starts_with("ERROR(LOAD_ERROR): GitHub answers no more requests") && first.ends_with(said),
            "{refused}"
        );
        assert!(
            hints.contains("Then: /install github:ada/apps\n") && hints.contains("git clone"),
            "{refused}"
        );
    }
    // Refused for another reason: nothing is said about time.
    hub.web.answer(asked, 403, &[("x-ratelimit-remaining", "12"), ("x-ratelimit-reset", &reset)], "{}");
    let refused = hub.refuses("github:ada/apps", "AUTH_REQUIRED").await;
    assert!(refused.contains("HTTP 403") && !refused.contains("min."), "{refused}");
}
