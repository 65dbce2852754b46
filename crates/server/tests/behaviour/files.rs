//! `/fs`: files for whoever holds a capability, and for nobody else.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};
use testkit::Daemon;
use tokio::io::AsyncWriteExt;

use crate::http::{Answer, Call, connect, limited, read};

/// A capability that a test holds.
struct Held<'a> {
    daemon: &'a Daemon,
    token: String,
    id: String,
}

impl Held<'_> {
    fn call(&self, method: &str, path: &str) -> Call {
        Call::new(self.daemon, method, &format!("/fs/{path}"))
            .set("Authorization", &format!("Bearer {}", self.token))
    }

    async fn send(&self, method: &str, path: &str) -> Answer {
        self.call(method, path).send(self.daemon).await
    }

    async fn put(&self, path: &str, body: &str) -> Answer {
        self.call("PUT", path).body("text/plain", body).send(self.daemon).await
    }

    async fn written(&self) -> u64 {
        let listed = Call::new(self.daemon, "GET", "/capabilities").send(self.daemon).await.json();
        let own = listed["capabilities"].as_array().unwrap().iter().find(|one| one["id"] == *self.id);
        own.unwrap()["written_bytes"].as_u64().unwrap()
    }
}

async fn ask(daemon: &Daemon, terms: Value) -> Answer {
    Call::new(daemon, "POST", "/capabilities").json(&terms.to_string()).send(daemon).await
}

async fn mint(daemon: &Daemon, terms: Value) -> Held<'_> {
    let answer = ask(daemon, terms).await;
    assert_eq!(answer.status, 201, "{answer:?}");
    let minted = answer.json();
    let text = |name: &str| minted[name].as_str().unwrap().to_owned();
    Held { daemon, token: text("token"), id: text("id") }
}

async fn all(daemon: &Daemon) -> Held<'_> {
    fs::create_dir_all(daemon.home.path().join("box")).unwrap();
    mint(daemon, json!({"path": "~/box", "verbs": ["get", "put", "delete"]})).await
}

fn code(answer: &Answer) -> (u16, String) {
    (answer.status, answer.code())
}

#[tokio::test]
async fn a_file_is_put_read_and_removed() {
    let daemon = Daemon::start().await;
    let held = all(&daemon).await;
    let created = held.put("~/box/deep/er/a.txt", "hello").await;
    assert_eq!((created.status, created.body.as_str()), (201, ""));
    assert_eq!(daemon.home.read("box/deep/er/a.txt"), "hello");
    let replaced = held.put("~/box/deep/er/a.txt", "hello, world").await;
    assert_eq!(replaced.status, 204);
    assert_ne!(created.header("etag"), replaced.header("etag"));
    let got = held.send("GET", "~/box/deep/er/a.txt").await;
    assert_eq!((got.status, got.body.as_str()), (200, "hello, world"));
    assert_eq!(got.header("etag"), replaced.header("etag"));
    for (name, value) in [
        ("content-type", "text/plain; charset=utf-8"),
        ("content-length", "12"),
        ("accept-ranges", "bytes"),
        ("x-content-type-options", "nosniff"),
        ("content-security-policy", "default-src 'none'; sandbox"),
        ("referrer-policy", "no-referrer"),
        ("content-disposition", "attachment; filename*=UTF-8''a.txt"),
    ] {
        assert_eq!(got.header(name), Some(value), "{name}");
    }
    let head = held.send("HEAD", "~/box/deep/er/a.txt").await;
    assert_eq!((head.status, head.body.as_str()), (200, ""));
    assert_eq!(head.header("content-length"), Some("12"));
    assert_eq!(held.send("DELETE", "~/box/deep/er/a.txt").await.status, 204);
    assert!(!daemon.home.exists("box/deep/er/a.txt"));
    for method in ["GET", "DELETE"] {
        assert_eq!(code(&held.send(method, "~/box/deep/er/a.txt").await), (404, "NOT_FOUND".into()));
    }
    assert_eq!(held.send("HEAD", "~/box/deep/er/a.txt").await.status, 404);
    assert_eq!(held.send("POST", "~/box/a.txt").await.status, 405);
}

#[tokio::test]
async fn the_address_that_mint_shows_is_enough() {
    let daemon = Daemon::start().await;
    daemon.home.write("a b/ü.md", "# Hi\n");
    let minted = ask(&daemon, json!({"path": "~/a b/ü.md", "verbs": ["get"]})).await.json();
    let url = minted["url"].as_str().unwrap();
    let target = url.strip_prefix(&daemon.url("")).unwrap();
    assert!(target.starts_with("/fs/~/a%20b/%C3%BC.md?cap=cap_"), "{target}");
    let got = Call::new(&daemon, "GET", target).without("Authorization").send(&daemon).await;
    assert_eq!((got.status, got.body.as_str()), (200, "# Hi\n"));
    assert_eq!(got.header("content-type"), Some("text/markdown; charset=utf-8"));
    let with_daemon_token = Call::new(&daemon, "GET", target).send(&daemon).await;
    assert_eq!(with_daemon_token.status, 401, "two tokens are none");
    let said = daemon.exec("agent", "/capability mint --path '~/a b' --verbs get,put --single-use").await;
    assert!(said.content.contains("/fs/~/a%20b/NAME?cap=cap_"), "{}", said.content);
}

#[tokio::test]
async fn whatever_is_wrong_with_a_token_is_said_in_the_same_words() {
    let daemon = Daemon::start().await;
    let held = all(&daemon).await;
    let other = all(&daemon).await;
    let mut off = held.token.clone();
    off.replace_range(off.len() - 1.., if off.ends_with('0') { "1" } else { "0" });
    let mixed = format!("{}{}", held.id, &other.token[other.id.len()..]);
    let call = Call::new(&daemon, "GET", "/fs/~/box/x").without("Authorization");
    let first = call.send(&daemon).await;
    assert_eq!(code(&first), (401, "UNAUTHORIZED".into()));
    let revoked = all(&daemon).await;
    let gone = Call::new(&daemon, "DELETE", &format!("/capabilities/{}", revoked.id)).send(&daemon).await;
    assert_eq!(gone.status, 204);
    for token in [&daemon.token, &off, &mixed, &held.id, &revoked.token, "", "cap_x_y"] {
        let bearer = call.clone().with("Authorization", &format!("Bearer {token}"));
        let in_address =
            Call::new(&daemon, "GET", &format!("/fs/~/box/x?cap={token}")).without("Authorization");
        for call in [bearer, in_address] {
            let answer = call.send(&daemon).await;
            assert_eq!((answer.status, &answer.body), (401, &first.body), "{token}");
        }
    }
    let basic = call.clone().with("Authorization", &format!("Basic {}", held.token)).send(&daemon).await;
    assert_eq!(basic.status, 401);
    let twice = Call::new(&daemon, "GET", &format!("/fs/~/box/x?cap={0}&cap={0}", held.token))
        .without("Authorization")
        .send(&daemon)
        .await;
    assert_eq!(twice.status, 401);
    assert_eq!(held.send("GET", "~/box/x").await.status, 404, "the right one opens");
}

#[tokio::test]
async fn the_daemons_own_routes_take_no_capability() {
    let daemon = Daemon::start().await;
    let held = all(&daemon).await;
    for path in ["/describe", "/capabilities", "/fs", "/exec"] {
        let call = Call::new(&daemon, "GET", path).set("Authorization", &format!("Bearer {}", held.token));
        assert_eq!(call.send(&daemon).await.status, 401, "{path}");
    }
}

#[tokio::test]
async fn a_capability_allows_its_verbs_on_its_path_only() {
    let daemon = Daemon::start().await;
    daemon.home.write("box/a.txt", "a");
    daemon.home.write("box-evil/a.txt", "evil");
    daemon.home.write("b.txt", "b");
    for (verb, allowed) in [("get", "GET HEAD"), ("head", "HEAD"), ("put", "PUT"), ("delete", "DELETE")] {
        let held = mint(&daemon, json!({"path": "~/box", "verbs": [verb]})).await;
        for method in ["GET", "HEAD", "PUT", "DELETE"].into_iter().filter(|one| !allowed.contains(one)) {
            assert_eq!(held.send(method, "~/box/a.txt").await.status, 403, "{verb} {method}");
        }
    }
    let held = all(&daemon).await;
    let home = daemon.home.path().display().to_string();
    for path in ["~/b.txt", "~/box-evil/a.txt", "~", "etc/passwd", &format!("{}/b.txt", &home[1..])] {
        for method in ["GET", "PUT", "DELETE"] {
            assert_eq!(held.send(method, path).await.status, 403, "{method} {path}");
        }
    }
    let bare = held.send("GET", "box/a.txt").await;
    assert_eq!((bare.status, bare.body.as_str()), (200, "a"), "a bare path is meant from the home");
    let by_bare = mint(&daemon, json!({"path": "box", "verbs": ["get"]})).await;
    assert_eq!(by_bare.send("GET", "~/box/a.txt").await.status, 200);
    let absolute = held.send("GET", &format!("{}/box/a.txt", &home[1..])).await;
    assert_eq!((absolute.status, absolute.body.as_str()), (200, "a"), "the same file by its other name");
    for method in ["GET", "PUT", "DELETE"] {
        assert_eq!(held.send(method, "~/box").await.status, 403, "{method} of a directory");
    }
    assert_eq!(daemon.home.read("box/a.txt"), "a");
}

#[tokio::test]
async fn hostile_paths_reach_nothing() {
    let daemon = Daemon::start().await;
    daemon.home.write("box/a.txt", "a");
    daemon.home.write("secret.txt", "secret");
    let held = all(&daemon).await;
    let paths = [
        "~/box/../secret.txt",
        "~/box/%2e%2e/secret.txt",
        "~/box/.%2E/secret.txt",
        "~/box/..%2fsecret.txt",
        "~/box/%2e%2e%2fsecret.txt",
        "~/box//a.txt",
        "~/box/./a.txt",
        "~/box/a.txt/",
        "~/box/a%00.txt",
        "~/box/%00",
        "/etc/passwd",
        "//etc/passwd",
        "..",
        "%2e%2e/x",
    ];
    for path in paths {
        for method in ["GET", "PUT", "DELETE"] {
            let answer = held.send(method, path).await;
            assert_eq!(code(&answer), (400, "INVALID_PARAMS".into()), "{method} {path}");
        }
    }
    for path in [format!("~/box/{}", "x".repeat(256)), format!("~/box/{}", "x/".repeat(3_000) + "x")] {
        assert_eq!(held.send("GET", &path).await.status, 400);
    }
    assert_eq!(held.send("GET", "~/box/%252e%252e/secret.txt").await.status, 404, "decoded once");
    assert_eq!(held.send("GET", "~/box/a.txt/x").await.status, 404);
    assert!(matches!(held.put("~/box/a.txt/x", "x").await.status, 403 | 404));
    assert_eq!(
        (daemon.home.read("box/a.txt"), daemon.home.read("secret.txt")),
        ("a".into(), "secret".into())
    );
}

#[tokio::test]
async fn links_and_special_files_are_refused() {
    let daemon = Daemon::start().await;
    let home = daemon.home.path();
    daemon.home.write("box/real/a.txt", "a");
    daemon.home.write("secret.txt", "secret");
    symlink(home.join("secret.txt"), home.join("box/out")).unwrap();
    symlink("real", home.join("box/inside")).unwrap();
    symlink("real/a.txt", home.join("box/near")).unwrap();
    symlink("/etc", home.join("box/etc")).unwrap();
    symlink("nowhere", home.join("box/dangling")).unwrap();
    symlink("loop", home.join("box/loop")).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        home.join("box/pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    let held = all(&daemon).await;
    let names = ["out", "inside/a.txt", "near", "etc/passwd", "dangling", "dangling/x", "loop", "pipe"];
    for name in names {
        for method in ["GET", "HEAD", "PUT", "DELETE"] {
            let answer = held.send(method, &format!("~/box/{name}")).await;
            assert_eq!(answer.status, 403, "{method} {name}: {answer:?}");
        }
    }
    assert_eq!(daemon.home.read("secret.txt"), "secret");
    // The directory itself is swapped for a link after the capability was minted.
    fs::rename(home.join("box/real"), home.join("elsewhere")).unwrap();
    let real = mint(&daemon, json!({"path": "~/box/real", "verbs": ["get", "put"]})).await;
    symlink(home.join("elsewhere"), home.join("box/real")).unwrap();
    assert_eq!(real.send("GET", "~/box/real/a.txt").await.status, 403);
    assert_eq!(real.put("~/box/real/new.txt", "x").await.status, 403);
    assert!(!daemon.home.exists("elsewhere/new.txt"));
}

#[tokio::test]
async fn an_agent_grants_no_more_than_it_has() {
    let daemon = Daemon::start().await;
    let refused = [
        (json!({"path": "/etc", "verbs": ["get"]}), 400, "INVALID_PATH"),
        (json!({"path": "~/.ssh", "verbs": ["get"]}), 400, "INVALID_PATH"),
        (json!({"path": "~/.string/run/token", "verbs": ["get"]}), 400, "INVALID_PATH"),
        (json!({"path": "~/../x", "verbs": ["get"]}), 400, "INVALID_PATH"),
        (json!({"path": "../x", "verbs": ["get"]}), 400, "INVALID_PATH"),
        (json!({"path": "~/a\0b", "verbs": ["get"]}), 400, "INVALID_PATH"),
        (json!({"path": "", "verbs": ["get"]}), 400, "INVALID_PARAMS"),
        (json!({"path": "~/x", "verbs": []}), 400, "INVALID_PARAMS"),
        (json!({"path": "~/x", "verbs": ["post"]}), 400, "INVALID_PARAMS"),
        (json!({"path": "~/x", "verbs": ["get"], "ttl_seconds": 0}), 400, "INVALID_PARAMS"),
        (json!({"path": "~/x", "verbs": ["get"], "ttl_seconds": 99_999_999}), 400, "INVALID_PARAMS"),
        (json!({"path": "~/x", "verbs": ["get"], "more": 1}), 400, "INVALID_PARAMS"),
    ];
    for (terms, status, expected) in refused {
        assert_eq!(code(&ask(&daemon, terms.clone()).await), (status, expected.into()), "{terms}");
    }
    let whole = mint(&daemon, json!({"path": "~", "verbs": ["get", "put", "delete"]})).await;
    for path in ["~/.ssh/id_rsa", "~/.string/run/token", "~/sub/.aws/credentials", "~/.config/gh/hosts.yml"] {
        for method in ["GET", "PUT", "DELETE"] {
            assert_eq!(whole.send(method, path).await.status, 403, "{method} {path}");
        }
    }
}

#[tokio::test]
async fn a_capability_ends_with_its_agent() {
    let daemon = Daemon::start().await;
    assert!(daemon.exec("agent", "/add codex").await.ok);
    let terms = json!({"path": "~/x.txt", "verbs": ["put", "get"]}).to_string();
    let call = Call::new(&daemon, "POST", "/capabilities").with("X-Agent-Id", "codex").json(&terms);
    let minted = call.send(&daemon).await.json();
    let held = Held {
        daemon: &daemon,
        token: minted["token"].as_str().unwrap().into(),
        id: minted["id"].as_str().unwrap().into(),
    };
    assert_eq!(held.put("~/x.txt", "codex").await.status, 201);
    assert_eq!(daemon.home.read(".string/agents/codex/x.txt"), "codex");
    let foreign = Call::new(&daemon, "DELETE", &format!("/capabilities/{}", held.id)).send(&daemon).await;
    assert_eq!(foreign.status, 404, "another agent's capability");
    for cmd in ["/rm codex", "/add codex"] {
        assert!(daemon.exec("agent", cmd).await.ok, "{cmd}");
        assert_eq!(held.send("GET", "~/x.txt").await.status, 401, "after {cmd}");
    }
}

#[tokio::test]
async fn of_many_that_come_at_once_for_one_use_one_is_let_in() {
    let daemon = Daemon::start().await;
    daemon.home.write("box/a.txt", "a");
    let once = json!({"path": "~/box", "verbs": ["get", "put"], "single_use": true});
    for _ in 0..5 {
        let held = mint(&daemon, once.clone()).await;
        assert_eq!(held.send("DELETE", "~/box/a.txt").await.status, 403, "what is refused costs no use");
        let calls = (0..16).map(|_| held.send("GET", "~/box/a.txt"));
        let answers = futures::future::join_all(calls).await;
        let mut statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
        statuses.sort_unstable();
        assert_eq!((statuses[0], &statuses[1..]), (200, &[401; 15][..]));
    }
}

#[tokio::test]
async fn a_quota_counts_what_was_written_and_nothing_else() {
    let daemon = Daemon::start().await;
    fs::create_dir(daemon.home.path().join("box")).unwrap();
    let held = mint(&daemon, json!({"path": "~/box", "verbs": ["put"], "quota_bytes": 10})).await;
    let refused = held.put("~/box/a", "12345678901").await;
    assert_eq!(code(&refused), (413, "PAYLOAD_TOO_LARGE".into()));
    assert_eq!(held.put("~/box/a", "123456").await.status, 201);
    assert_eq!(held.written().await, 6);
    assert_eq!(held.put("~/box/a", "12345").await.status, 413);
    assert_eq!(daemon.home.read("box/a"), "123456");
    let chunked =
        |chunks: &str| held.call("PUT", "~/box/b").with("Transfer-Encoding", "chunked").text() + chunks;
    let send = async |text: String| crate::http::send(&daemon, text.as_bytes()).await.unwrap().status;
    assert_eq!(send(chunked("3\r\nabc\r\n5\r\ndefgh\r\n0\r\n\r\n")).await, 413);
    assert!(!daemon.home.exists("box/b"));
    assert_eq!(send(chunked("3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n")).await, 201);
    assert_eq!((daemon.home.read("box/b"), held.written().await), ("abcd".into(), 10));
    assert_eq!(held.put("~/box/empty", "").await.status, 201, "nothing costs nothing");
}

#[tokio::test]
async fn a_body_that_breaks_off_leaves_nothing_behind() {
    let daemon = Daemon::start().await;
    daemon.home.write("box/a.txt", "as it was");
    let held = all(&daemon).await;
    let whole = held.call("PUT", "~/box/a.txt").with("Content-Length", "1000").text();
    let chunked =
        held.call("PUT", "~/box/deep/b.txt").with("Transfer-Encoding", "chunked").text() + "5\r\nhello\r\n";
    for text in [whole + "half", chunked] {
        let mut stream = connect(&daemon).await;
        stream.write_all(text.as_bytes()).await.unwrap();
        stream.shutdown().await.unwrap();
        let answer = read(&mut stream).await;
        assert!(answer.is_none_or(|answer| answer.status == 400), "{text:.20}");
    }
    // Whatever was on its way has ended once a later request is answered and the quota is whole again.
    while held.written().await != 0 {
        tokio::task::yield_now().await;
    }
    let names: Vec<_> =
        fs::read_dir(daemon.home.path().join("box")).unwrap().map(|one| one.unwrap().file_name()).collect();
    assert_eq!(names, ["a.txt"]);
    assert_eq!(daemon.home.read("box/a.txt"), "as it was");
}

#[tokio::test]
async fn a_file_that_drips_in_is_given_up() {
    let daemon = limited(|limits| limits.body_time = crate::http::SOON).await;
    let held = all(&daemon).await;
    let mut stream = connect(&daemon).await;
    let text = held.call("PUT", "~/box/a.txt").with("Content-Length", "1000").text() + "x";
    stream.write_all(text.as_bytes()).await.unwrap();
    let answer = read(&mut stream).await.unwrap();
    assert_eq!(code(&answer), (408, "REQUEST_TIMEOUT".into()));
    assert!(!daemon.home.exists("box/a.txt"));
}

#[tokio::test]
async fn whoever_holds_a_capability_does_not_learn_where_the_agent_lives() {
    let daemon = Daemon::start().await;
    let held = all(&daemon).await;
    symlink("/etc", daemon.home.path().join("box/out")).unwrap();
    for path in ["~/box/out/passwd", "~/box/missing", "~/elsewhere", "~/box", "etc/passwd"] {
        let refused = held.send("GET", path).await;
        assert!(refused.status >= 400, "{path}: {refused:?}");
        assert!(!refused.body.contains(daemon.home.path().to_str().unwrap()), "{path}: {refused:?}");
    }
}
