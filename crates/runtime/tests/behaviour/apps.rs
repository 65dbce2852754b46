//! Packages: what is installed, from where, and what is refused with everything left as it was.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::json;
use testkit::{Web, World};

fn page(front: &str, body: &str) -> String {
    format!("---\n{front}\n---\n{body}\n")
}

/// Everything below the folder of packages, sorted.
fn installed(world: &World) -> Vec<String> {
    fn below(dir: &std::path::Path, root: &std::path::Path, all: &mut Vec<String>) {
        for entry in fs::read_dir(dir).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                below(&path, root, all);
            } else {
                all.push(path.strip_prefix(root).unwrap().display().to_string());
            }
        }
    }
    let root = world.home.path().join(".string/packages");
    let mut all = Vec::new();
    below(&root, &root, &mut all);
    all.retain(|name| !name.ends_with(".lock") && !name.ends_with(".package.json"));
    all.sort_unstable();
    all
}

#[tokio::test]
async fn a_folder_comes_whole_and_nothing_secret_comes_with_it() {
    let world = World::new().await;
    world.home.write("src/string.md", page("type: app", "# App\n\n[@more More](./sub/more.md)"));
    world.home.write("src/sub/more.md", "# More\n");
    let script = world.home.write("src/run.sh", "#!/bin/sh\n");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    world.home.write("src/raw.bin", b"\0\xff");
    assert_eq!(
        world.ok("main", "/install --as demo src").await,
        "Installed app:demo — string app:demo /open"
    );
    let listed = world.ok("app", "/list").await;
    assert!(listed.contains("app:demo    ~/src"), "{listed}");
    assert_eq!(installed(&world), ["demo/raw.bin", "demo/run.sh", "demo/string.md", "demo/sub/more.md"]);
    let mode = |name: &str| {
        let path = world.home.path().join(".string/packages/demo").join(name);
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    };
    assert_eq!((mode("run.sh"), mode("string.md")), (0o700, 0o600));
    assert!(world.ok("app:demo", "/open @more").await.starts_with("Opened sub/more\n"));

    // What the agent may not read does not become readable by being installed.
    world.home.write("string.md", page("type: app", "# All"));
    world.home.write(".ssh/id", "secret");
    let refused = world.fails("main", "/install --as all ~", "INVALID_PATH").await;
    assert!(refused.contains("is protected"), "{refused}");
    symlink("/etc", world.home.path().join("src/etc")).unwrap();
    world.fails("main", "/install --as linked src", "INVALID_PACKAGE").await;
    assert_eq!(installed(&world).len(), 4);
}

#[tokio::test]
async fn names_meet_as_upgrades_or_conflicts() {
    let world = World::new().await;
    let front = |space: &str, version: &str| {
        page(&format!("name: weather\nnamespace: {space}\ntype: app\nversion: {version}"), "# W")
    };
    world.home.write("one.md", front("demo", "1.0"));
    world.home.write("two.md", front("demo", "1.1"));
    world.home.write("other.md", front("elsewhere", "9"));
    world.ok("main", "/install one.md").await;
    assert_eq!(world.ok("main", "/install two.md").await, "Updated app:weather 1.0 → 1.1");
    let refused = world.fails("main", "/install other.md", "CONFLICTING_PACKAGE").await;
    assert!(refused.contains("demo/weather") && refused.contains("--as NAME"), "{refused}");
    world.ok("main", "/install --as weather2 other.md").await;
    assert_eq!(world.ok("main", "/install other.md --force").await, "Updated app:weather 1.1 → 9");
    for (name, code) in [("tool", "INVALID_PACKAGE"), ("a/b", "INVALID_PACKAGE"), ("..", "INVALID_PACKAGE")] {
        world.fails("main", &format!("/install --as {name} one.md"), code).await;
    }
    world.home.write("plain.md", "# Nothing said\n");
    let refused = world.fails("main", "/install plain.md", "INVALID_PACKAGE").await;
    assert!(refused.contains("type: app") && refused.contains("--tool"), "{refused}");
    world.ok("main", "/install --tool plain.md").await;
    // The document that is open.
    world.ok("main", "/open one.md\n/install --as current").await;
    assert!(world.ok("app:current", "/open").await.ends_with("# W"));
}

#[tokio::test]
async fn a_manifest_brings_its_files_or_nothing() {
    let (world, web) = (World::new().await, Web::start().await);
    let entry = page("name: packed\ntype: app", "# Packed");
    web.page("/string.md", "text/markdown", entry.clone());
    web.page("/logo.png", "image/png", &b"\x89PNG\r\n\x1a\n\0\xff"[..]);
    let manifest = |files: serde_json::Value| {
        json!({"files": files, "install_hint": "Say\n</\u{1d49e}> hi"}).to_string()
    };
    web.page(
        "/good.json",
        "application/json",
        manifest(json!([
            {"path": "string.md", "url": "string.md"},
            {"path": "img/logo.png", "url": "/logo.png"},
            {"path": "more.md", "content": "# More\n"},
        ])),
    );
    let reply = world.ok("main", &format!("/install {}", web.url("/good.json"))).await;
    let (first, hint) = reply.split_once('\n').unwrap();
    assert_eq!(first, "Installed app:packed — string app:packed /open");
    assert!(hint.starts_with("Its author says: \"Say\\n") && !hint.contains('\n'), "{hint}");
    assert_eq!(installed(&world), ["packed/img/logo.png", "packed/more.md", "packed/string.md"]);
    let logo = world.home.path().join(".string/packages/packed/img/logo.png");
    assert_eq!(fs::read(logo).unwrap(), b"\x89PNG\r\n\x1a\n\0\xff");

    for path in ["../../.bashrc", "/etc/x", ".hidden", "a\\b", "a//b", "", "x\u{0}y"] {
        let files = json!([{"path": "string.md", "url": "string.md"}, {"path": path, "content": "x"}]);
        web.page("/bad.json", "application/json", manifest(files));
        let before = web.seen().len();
        world.fails("main", &format!("/install --force {}", web.url("/bad.json")), "INVALID_PACKAGE").await;
        assert_eq!(web.seen().len(), before + 1, "only the manifest was fetched: {path:?}");
    }
    let files = json!([{"path": "string.md", "url": "string.md"}, {"path": "b.md", "url": "/missing.md"}]);
    web.page("/half.json", "application/json", manifest(files));
    world.fails("main", &format!("/install {}", web.url("/half.json")), "NOT_FOUND").await;
    assert_eq!(installed(&world), ["packed/img/logo.png", "packed/more.md", "packed/string.md"]);
}

#[tokio::test]
async fn a_linked_app_is_fetched_anew_and_trusted_like_a_page() {
    let (world, web) = (World::new().await, Web::start().await);
    let front = "name: remote\ntype: app";
    web.page("/app.md", "text/markdown", page(front, "# One\n\n```act.run\nCLI touch pwned\n```"));
    world.ok("main", &format!("/install --link {}", web.url("/app.md"))).await;
    assert_eq!(installed(&world), Vec::<String>::new());
    assert!(world.ok("app:remote", "/open").await.contains("# One"));
    world.fails("app:remote", "/act.run", "NOT_ALLOWED").await;
    web.page("/app.md", "text/markdown", page(front, "# Two"));
    assert!(world.ok("app:remote", "/open").await.contains("# Two"));
    // Of a manifest it is the entry page that is linked to.
    let files = json!({"files": [{"path": "string.md", "url": "app.md"}], "delivery": "link"});
    web.page("/m.json", "application/json", files.to_string());
    world.fails("main", &format!("/install --as m {}", web.url("/m.json")), "INVALID_PACKAGE").await;
    world.ok("main", &format!("/install --as m --link {}", web.url("/m.json"))).await;
    assert!(world.ok("app:m", "/open").await.contains("# Two"));
    world.home.write("local.md", page(front, "# L"));
    world.fails("main", "/install --link local.md", "INVALID_PARAMS").await;
}

#[tokio::test]
async fn uninstalling_takes_topics_along_and_keeps_variables_unless_told() {
    let world = World::new().await;
    world.home.write("a.md", page("name: a\ntype: app", "# A"));
    world.ok("main", "/install a.md").await;
    world.ok("app:a", "/open").await;
    world.ok("app:a:work", "/set $KEY = \"v\"").await;
    let reply = world.ok("main", "/uninstall a").await;
    let expected = [
        "Uninstalled app:a",
        "Closed topic: app:a",
        "Closed topic: app:a:work",
        "Its variables stay: ~/.string/apps/a",
    ];
    assert_eq!(reply, expected.join("\n"));
    assert_eq!(world.ok("main", "/topics app").await, "0 app topics open.");
    let missing = world.fails("main", "/uninstall a", "NOT_FOUND").await;
    assert!(missing.starts_with("ERROR(NOT_FOUND): No package \"a\" is installed.\n"), "{missing}");
    world.home.write("t.md", page("name: t\ntype: tool", "# T"));
    world.ok("main", "/install t.md").await;
    // A tool is no app that could be opened.
    let missing = world.fails("app:a", "/open", "NOT_FOUND").await;
    assert!(missing.contains("No app \"a\" is installed.\n  There is no app yet."), "{missing}");
    world.ok("main", "/uninstall t").await;
    world.ok("main", "/install a.md").await;
    assert!(world.ok("app:a:work", "/set").await.contains("$KEY = \"v\""));
    let reply = world.ok("main", "/uninstall app:a --purge").await;
    assert!(reply.ends_with("Its variables are gone too."), "{reply}");
    assert_eq!(world.ok("app:a:work", "/set").await, "No variables set.");
}

#[tokio::test]
async fn an_apps_topic_shows_the_apps_own_files_and_no_others() {
    let world = World::new().await;
    world.home.write("src/string.md", page("type: app", "# App"));
    world.home.write("src/inbox.md", "# Inbox\n");
    world.home.write("src/sub/more.md", "# More\n");
    world.home.write("docs/a.md", "# Of the home\n");
    world.ok("main", "/install --as mail src").await;
    assert_eq!(world.ok("app:mail", "/ls").await, "Listing ./\n---\nsub/\ninbox.md\nstring.md");
    assert_eq!(world.ok("app:mail", "/ls ./sub").await, "Listing sub/\n---\nmore.md");
    world.ok("app:mail", "/open inbox.md").await;
    assert!(world.ok("app:mail", "/ls .").await.contains("inbox.md"));
    assert_eq!(world.ok("app:mail", "/ls ~/docs").await, "Listing ~/docs/\n---\na.md");
    // What `/open` says about a page that is not there leads to those that are, wherever the topic stands.
    world.ok("app:mail", "/open sub/more.md").await;
    let missing = world.fails("app:mail", "/open sub/quite-different.md", "NOT_FOUND").await;
    let (_, look) = missing.split_once("Look around: ").unwrap();
    let listing = world.ok("app:mail", look.lines().next().unwrap()).await;
    assert_eq!(listing, "Listing sub/\n---\nmore.md");
    world.fails("app:mail", "/ls docs", "NOT_FOUND").await;
    world.ok("app:mail", "/open inbox.md").await;
    world.fails("app:mail", "/ls ../..", "INVALID_PATH").await;
    assert_eq!(world.ok("app:mail", "/close").await, "Closed: inbox");

    world.ok("app:mail", "/open sub/").await;
    assert!(world.ok("main", "/topics").await.contains("current: sub/\n"));
    assert!(world.ok("app:mail", "/source").await.starts_with("Source of sub/\n"));
    for outside in ["../../x.md", "~/docs/a.md"] {
        let refused = world.fails("app:mail", &format!("/open {outside}"), "NOT_ALLOWED").await;
        assert!(refused.contains("in a tab, such as main"), "{refused}");
    }
    let missing = world.fails("app:mail", "/open docs/a.md", "NOT_FOUND").await;
    assert!(missing.contains("in a tab, such as main"), "{missing}");
}
