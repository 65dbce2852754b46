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
    let files = json!({"files": [{"path": "string.md", "url": "app.md"}], "delivery": "link", "install_hint": "Read on."});
    web.page("/m.json", "application/json", files.to_string());
    let refused =
        world.fails("main", &format!("/install --as m {}", web.url("/m.json")), "INVALID_PACKAGE").await;
    assert!(refused.contains(&format!("/install --link {}\n", web.url("/m.json"))), "{refused}");
    assert!(refused.contains("Its author says: \"Read on.\""), "{refused}");
    let linked = world.ok("main", &format!("/install --as m --link {}", web.url("/m.json"))).await;
    assert!(linked.ends_with("Its author says: \"Read on.\""), "{linked}");
    assert!(world.ok("app:m", "/open").await.contains("# Two"));
    // One that gives it no address cannot be what it wants to be.
    let files = json!({"files": [{"path": "string.md", "content": page(front, "# C")}], "delivery": "link"});
    web.page("/c.json", "application/json", files.to_string());
    for flag in ["", "--link "] {
        let command = format!("/install {flag}{}", web.url("/c.json"));
        let refused = world.fails("main", &command, "INVALID_PACKAGE").await;
        assert!(refused.contains("its string.md has no url"), "{refused}");
    }
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
async fn uninstalling_leaves_no_state_of_topics_that_are_not_open() {
    let world = World::new().await;
    world.home.write("a.md", page("name: a\ntype: app", "# A"));
    world.ok("main", "/install a.md").await;
    for scope in ["session:app:a", "session:app:a:work", "session:app:ab"] {
        world.ok("system", &format!("/state put {scope} k 1")).await;
    }
    world.ok("main", "/uninstall a").await;
    let left = world.ok("system", "/state ls").await;
    assert!(
        left.contains("session:app:ab") && !left.contains("session:app:a:") && left.lines().count() == 3,
        "{left}"
    );
}

#[tokio::test]
async fn open_topics_go_on_with_a_new_version_and_not_with_another_package() {
    let world = World::new().await;
    let act = |said: &str| format!("# A\n\n```act.go\nSET {{said}} = \"{said}\"\n```\n");
    world.home.write("one.md", page("name: a\nnamespace: x\nversion: 1\ntype: app", &act("one")));
    world.home.write("two.md", page("name: a\nnamespace: x\nversion: 2\ntype: app", &act("two")));
    world.home.write("other.md", page("name: a\nnamespace: y\nversion: 1\ntype: app", &act("other")));
    world.ok("main", "/install one.md").await;
    world.ok("app:a", "/open").await;
    world.ok("app:a", "/set {token} = \"t\"").await;
    assert_eq!(world.ok("main", "/install two.md").await, "Updated app:a 1 → 2");
    assert!(world.ok("app:a", "/source").await.contains("\"two\""));
    assert!(world.ok("app:a", "/set").await.contains("{token} = \"t\""));
    let reply = world.ok("main", "/install other.md --force").await;
    assert_eq!(reply, "Updated app:a 2 → 1\nClosed topic: app:a");
    assert!(world.ok("app:a", "/open\n/source").await.contains("\"other\""));
    assert_eq!(world.ok("app:a", "/set").await, "No variables set.");
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

/// The test has one thread: a command that blocked it would end nothing.
#[tokio::test]
async fn a_lock_that_somebody_holds_keeps_nobody_else_waiting() {
    let world = World::new().await;
    world.home.write("a.md", page("name: a\ntype: app", "# A"));
    world.ok("main", "/install a.md").await;
    let held = |name: &str| {
        let lock = fs::File::open(world.home.path().join(name)).unwrap();
        lock.lock().unwrap();
        lock
    };
    let lock = held(".string/packages/.lock");
    let waiting: Vec<_> =
        ["one", "two", "three"].map(|topic| world.spawn(world.request(topic, "/uninstall a"))).into();
    world.ok("agent", "/use default").await;
    let settings = held(".string/.lock");
    let using = world.spawn(world.request("agent", "/use default"));
    world.ok("main", "/info").await;
    drop((lock, settings));
    assert!(using.await.unwrap().ok());
    let mut codes = Vec::new();
    for reply in waiting {
        codes.push(reply.await.unwrap().code.map(|code| code.as_str()));
    }
    codes.sort_unstable();
    assert_eq!(codes, [None, Some("NOT_FOUND"), Some("NOT_FOUND")]);
}

#[tokio::test]
async fn a_package_of_another_kind_takes_no_place_unasked() {
    let world = World::new().await;
    world.home.write("nt.md", "# N\n\n```act.go\nCLI echo hi\n```\n");
    world.ok("main", "/install nt.md --app").await;
    let refused = world.fails("main", "/install nt.md --tool", "CONFLICTING_PACKAGE").await;
    assert!(
        refused.contains("as app:nt") && refused.contains("--as NAME") && refused.contains("--force"),
        "{refused}"
    );
    assert!(world.ok("app:nt", "/open").await.contains("# N"));
    let reply = world.ok("main", "/install nt.md --tool --force").await;
    assert_eq!(reply, "Installed tool:nt in place of app:nt\nClosed topic: app:nt");
    assert_eq!(
        world.ok("main", "/install nt.md --tool").await,
        "Updated tool:nt (no version) → (no version)"
    );
}

#[tokio::test]
async fn variables_that_stayed_can_be_purged_later() {
    let world = World::new().await;
    world.home.write("a.md", page("type: app", "# A"));
    world.ok("main", "/install a.md").await;
    world.ok("app:a", "/set $KEY = \"v\"").await;
    world.ok("main", "/uninstall a").await;
    assert!(world.home.exists(".string/apps/a"));
    let reply = world.ok("main", "/uninstall a --purge").await;
    assert_eq!(reply, "a was uninstalled before. Its variables are gone too.");
    assert!(!world.home.exists(".string/apps/a"));
    for name in ["a", "..", "../apps"] {
        world.fails("main", &format!("/uninstall {name} --purge"), "NOT_FOUND").await;
    }
    assert!(world.home.exists(".string"));
}

#[tokio::test]
async fn what_is_no_page_is_no_package() {
    let world = World::new().await;
    for name in ["only.ts", "x.txt", "x.json", "bare"] {
        world.home.write(name, "export const run = () => 1");
        for flag in ["", "--app ", "--tool "] {
            let refused = world.fails("main", &format!("/install {flag}{name}"), "INVALID_PACKAGE").await;
            assert!(
                refused.contains("is no page.") && refused.contains("a folder with a string.md"),
                "{refused}"
            );
            assert_eq!(
                refused.contains("only.tool.yaml with script_file: only.ts"),
                name == "only.ts",
                "{refused}"
            );
        }
    }
    world.home.write("P.MD", page("type: tool", "# P"));
    world.ok("main", "/install --as p P.MD").await;
}

#[tokio::test]
async fn a_script_that_is_not_in_the_package_refuses_it() {
    let world = World::new().await;
    world.home.write("outside.ts", "export const run = () => 1");
    world.home.write("src/in.ts", "export const run = () => 1");
    for (script, is_there) in [("../outside.ts", false), ("./none.ts", false), ("./in.ts", true)] {
        let text = page("name: s\ntype: tool", &format!("# S\n\n```act.go\nSCRIPT {script}\n```"));
        world.home.write("src/string.md", text);
        let reply = world.say("main", "/install src").await;
        assert_eq!(reply.ok(), is_there, "{script}: {}", reply.content);
        assert!(
            is_there || reply.content.contains("act.go") && reply.content.contains("string.md"),
            "{}",
            reply.content
        );
        assert!(!reply.content.contains(".staged-"), "{}", reply.content);
    }
}
