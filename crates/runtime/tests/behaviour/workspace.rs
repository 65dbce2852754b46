//! The workspace: no spelling, link or swap leads a command out of it, and credentials stay closed within.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use tempfile::TempDir;
use testkit::World;

const SECRET: &str = "the secret of another place";

/// A directory outside of every workspace, with a secret in it.
fn outside() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("secret.md"), SECRET).unwrap();
    dir
}

fn at_home(world: &World, name: &str) -> PathBuf {
    world.home.path().join(name)
}

/// The target is refused as a path, not merely missing, and nothing of the secret is shown.
async fn refused(world: &World, target: &str) {
    let content = world.fails("main", &format!("/open {target}"), "INVALID_PATH").await;
    assert!(!content.contains(SECRET), "{target}: {content}");
}

#[tokio::test]
async fn no_spelling_climbs_out_of_the_home() {
    let world = World::new().await;
    world.home.write("docs/a.md", "# A\n");
    let evil = PathBuf::from(format!("{}-evil", world.home.path().display()));
    fs::create_dir(&evil).unwrap();
    fs::write(evil.join("secret.md"), SECRET).unwrap();
    let name = evil.file_name().unwrap().to_str().unwrap();
    let absolute = evil.join("secret.md").display().to_string();
    let encoded = absolute.replace('/', "%2F");
    world.ok("main", "/open docs/a.md").await;
    let targets = [
        format!("../{name}/secret.md"),
        format!("../../{name}/secret.md"),
        format!("~/../{name}/secret.md"),
        format!("docs/../../{name}/secret.md"),
        format!("./.././../{name}/secret.md"),
        format!("x/y/../../../{name}/secret.md"),
        format!("%2e%2e/{name}/secret.md"),
        format!("%2E%2E%2F{name}%2Fsecret.md"),
        format!(".%2e/{name}/secret.md"),
        format!("~/%2e%2e/{name}/secret.md"),
        format!("~/../{name}/secret.md#part"),
        format!("//{absolute}"),
        format!("\"{absolute}\""),
        absolute.clone(),
        encoded,
        "/etc/passwd".into(),
        "/".into(),
        "..".into(),
        "~/..".into(),
        "../".into(),
        format!("{}/../{name}/secret.md", world.home.path().display()),
    ];
    for target in &targets {
        let reply = world.say("other", &format!("/open {target}")).await;
        let code = reply.code.map(|code| code.as_str());
        // A literal reading may exist nowhere before the decoded one is refused; what counts is that none opens.
        assert!(matches!(code, Some("INVALID_PATH")), "{target}: {}", reply.content);
        assert!(!reply.content.contains(SECRET), "{target}");
    }
    for target in ["../../x", "./../../x", ".%2e/../x"] {
        refused(&world, target).await;
    }
    fs::remove_dir_all(&evil).unwrap();
}

#[tokio::test]
async fn names_that_only_look_like_paths_are_missing_files() {
    let world = World::new().await;
    for target in
        ["%252e%252e/x", "..%00/x", "~root/x", "file:///etc/passwd", "....//x", "..\\x", "a\\..\\..\\x"]
    {
        let reply = world.say("main", &format!("/open {target}")).await;
        assert!(!reply.ok(), "{target}");
        assert!(!reply.content.contains("root:"), "{target}");
    }
    for target in ["a\0b", "docs/%00/x", "\0"] {
        refused(&world, target).await;
    }
}

#[tokio::test]
async fn links_that_lead_out_are_refused() {
    let world = World::new().await;
    let outside = outside();
    let out = outside.path();
    world.home.write("docs/a.md", "# A\n");
    let climb = "../".repeat(world.home.path().components().count() - 1);
    let relative = format!("{climb}{}", out.strip_prefix("/").unwrap().display());
    symlink(out.join("secret.md"), at_home(&world, "file")).unwrap();
    symlink(out, at_home(&world, "dir")).unwrap();
    symlink(out.join("gone"), at_home(&world, "dangling")).unwrap();
    symlink("second", at_home(&world, "first")).unwrap();
    symlink(out.join("secret.md"), at_home(&world, "second")).unwrap();
    symlink(&relative, at_home(&world, "relative")).unwrap();
    symlink("loop", at_home(&world, "loop")).unwrap();
    symlink(out, at_home(&world, "docs/dir")).unwrap();
    let targets = [
        "file",
        "dir",
        "dir/",
        "dir/secret.md",
        "dir/gone.md",
        "dir/gone/x",
        "dangling",
        "dangling/x",
        "first",
        "relative",
        "relative/secret.md",
        "loop",
        "loop/x",
        "docs/dir/secret.md",
        "docs/../dir/secret.md",
        "dir/../file",
        "%64ir/secret.md",
    ];
    for target in targets {
        refused(&world, target).await;
    }
}

#[tokio::test]
async fn a_directory_whose_index_leads_out_is_refused() {
    let world = World::new().await;
    let outside = outside();
    world.home.write("docs/a.md", "# A\n");
    symlink(outside.path().join("secret.md"), at_home(&world, "docs/string.md")).unwrap();
    refused(&world, "docs/").await;
}

#[tokio::test]
async fn links_that_stay_inside_are_followed() {
    let world = World::new().await;
    let shared = tempfile::tempdir().unwrap();
    fs::write(shared.path().join("s.md"), "# Shared\n").unwrap();
    world.home.write("docs/a.md", "# A\n");
    symlink(at_home(&world, "docs/a.md"), at_home(&world, "absolute")).unwrap();
    symlink("docs/a.md", at_home(&world, "relative")).unwrap();
    symlink("docs", at_home(&world, "dir")).unwrap();
    symlink("relative", at_home(&world, "chain")).unwrap();
    symlink(shared.path(), at_home(&world, "shared")).unwrap();
    for target in ["absolute", "relative", "dir/a.md", "chain"] {
        assert!(world.ok("main", &format!("/open {target}")).await.ends_with("# A"), "{target}");
    }
    refused(&world, "shared/s.md").await;
    world.ok("agent", &format!("/allow {}", shared.path().display())).await;
    assert!(world.ok("main", "/open shared/s.md").await.ends_with("# Shared"));
}

#[tokio::test]
async fn an_allowed_path_that_becomes_a_link_leads_nowhere_new() {
    let world = World::new().await;
    let outside = outside();
    world.home.write("sub/a.md", "# A\n");
    world.ok("agent", "/allow ~/sub").await;
    fs::remove_dir_all(at_home(&world, "sub")).unwrap();
    symlink(outside.path(), at_home(&world, "sub")).unwrap();
    refused(&world, "sub/secret.md").await;
    let world = world.restart().await;
    refused(&world, "sub/secret.md").await;
}

#[tokio::test]
async fn a_link_that_a_person_allows_opens_where_it_leads() {
    let world = World::new().await;
    let shared = tempfile::tempdir().unwrap();
    fs::write(shared.path().join("s.md"), "# Shared\n").unwrap();
    symlink(shared.path(), at_home(&world, "link")).unwrap();
    let shown = format!("Allowed paths\n---\n{}", shared.path().display());
    assert_eq!(world.ok("agent", "/allow ~/link").await, shown);
    assert!(world.ok("main", "/open link/s.md").await.ends_with("# Shared"));
    assert!(world.ok("agent", "/allow --remove ~/link").await.ends_with("None besides the home."));
    refused(&world, "link/s.md").await;
}

#[tokio::test]
async fn credentials_are_refused_at_any_depth() {
    let world = World::new().await;
    let files = [
        ".ssh/id_ed25519",
        "a/b/.ssh/config",
        ".string/run/token",
        "project/.string/config.json",
        ".netrc",
        "x/.netrc",
        ".aws/credentials",
        ".gnupg/key",
        ".config/gh/hosts.yml",
        "x/.kube/config",
        ".cargo/credentials.toml",
        ".docker/config.json",
        ".codex/auth.json",
        ".claude/.credentials.json",
        ".git-credentials",
        ".npmrc",
        ".pgpass",
    ];
    for file in files {
        world.home.write(file, SECRET);
        refused(&world, file).await;
        refused(&world, &format!("~/{file}#x")).await;
        refused(&world, &file.replacen('.', "%2e", 1)).await;
        let missing = format!("{file}-missing");
        let content = world.say("main", &format!("/open {missing}")).await.content;
        assert!(!content.contains(SECRET), "{content}");
    }
    for directory in [".ssh", ".ssh/", ".string", "a/b/.ssh/", ".config/gh"] {
        refused(&world, directory).await;
    }
    refused(&world, ".ssh/missing").await;
    symlink(".ssh", at_home(&world, "keys")).unwrap();
    symlink(".ssh/id_ed25519", at_home(&world, "key")).unwrap();
    refused(&world, "keys/id_ed25519").await;
    refused(&world, "key").await;
    world.home.write(".config/app.md", "# Fine\n");
    world.home.write(".sshx/a.md", "# Fine\n");
    for fine in [".config/app.md", ".sshx/a.md"] {
        world.ok("main", &format!("/open {fine}")).await;
    }
    world.ok("agent", "/allow /").await;
    refused(&world, &at_home(&world, ".ssh/id_ed25519").display().to_string()).await;
}

#[tokio::test]
async fn the_root_is_closed_whatever_its_name() {
    let world = World::with_root("daemon-files").await;
    world.home.write("daemon-files/run/token", SECRET);
    symlink("daemon-files", at_home(&world, "link")).unwrap();
    for target in
        ["daemon-files", "daemon-files/", "daemon-files/run/token", "daemon-files/gone", "link/run/token"]
    {
        refused(&world, target).await;
    }
    world.ok("agent", "/allow /").await;
    refused(&world, "daemon-files/run/token").await;
    world.ok("agent", "/add codex").await;
    world.home.write("daemon-files/agents/codex/a.md", "# Mine\n");
    let open = async |agent: &str, target: &str| {
        world.run(world.request_as(agent, "main", &format!("/open {target}"))).await
    };
    assert!(open("codex", "a.md").await.content.ends_with("# Mine"));
    for (agent, target) in
        [("codex", "../../run/token"), ("codex", "../"), ("default", "daemon-files/agents/codex/a.md")]
    {
        assert_eq!(open(agent, target).await.code.unwrap().as_str(), "INVALID_PATH", "{agent} {target}");
    }
    for path in ["daemon-files", "daemon-files/run", "daemon-files/agents"] {
        world.fails("agent", &format!("/allow ~/{path}"), "INVALID_PARAMS").await;
    }
}

#[tokio::test]
async fn a_directory_that_is_swapped_for_a_link_never_leads_out() {
    const OPENS: usize = 10_000;
    let world = World::new().await;
    let outside = outside();
    world.home.write("flip/secret.md", "# Harmless\n");
    symlink(outside.path(), at_home(&world, "other")).unwrap();
    let (stop, flips) = (AtomicBool::new(false), AtomicUsize::new(0));
    let (here, there) = (at_home(&world, "flip"), at_home(&world, "other"));
    let workspace = world.runtime.agents.named("default").unwrap().workspace.clone();
    let (mut opened, mut refused) = (Vec::new(), Vec::new());
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                renameat_with(CWD, &here, CWD, &there, RenameFlags::EXCHANGE).unwrap();
                flips.fetch_add(1, Ordering::Relaxed);
            }
        });
        for _ in 0..OPENS {
            // The handle, once opened, is of one file: what it reads cannot be swapped any more.
            match workspace.find(&here.join("secret.md")) {
                Ok(found) => opened.push(found.read(100).unwrap()),
                Err(error) => refused.push(error.to_string()),
            }
            if let Some(found) = workspace.find_at_once(&here.join("secret.md")) {
                opened.push(found.read(100).unwrap());
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert!(opened.iter().all(|text| text == b"# Harmless\n"), "something from outside was opened");
    assert!(refused.iter().all(|error| !error.contains(SECRET)));
    let counts = (flips.into_inner(), opened.len(), refused.len());
    assert!(counts.0 > 0 && counts.1 > 0 && counts.2 > 0, "flips, opened, refused: {counts:?}");
}
