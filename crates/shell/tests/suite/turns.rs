//! Turns: what a command prints and returns, and what stays in the shell between two.

use crate::support::{Fixture, text};

#[tokio::test]
async fn a_turn_has_a_status_and_an_output() {
    let fixture = Fixture::new().await;
    fixture.check("echo hello", 0, "hello\n").await;
    fixture.check("false", 1, "").await;
    fixture.check("printf x", 0, "x").await;
    fixture.check("(exit 42)", 42, "").await;
    fixture.check("nosuchcommand", 127, "bash: nosuchcommand: command not found\n").await;
    fixture.check("", 0, "").await;
}

#[tokio::test]
async fn the_shell_remembers() {
    let fixture = Fixture::new().await;
    fixture
        .check("cd /usr; export X=1; y=2; f() { echo \"f $1\"; }; alias ll='echo listed'; a=(1 2 3)", 0, "")
        .await;
    fixture
        .check("pwd; env | grep ^X=; echo $y; f z; ll; echo ${a[2]}", 0, "/usr\nX=1\n2\nf z\nlisted\n3\n")
        .await;
    fixture.check("set -- p q; umask 027", 0, "").await;
    fixture.check("echo $1 $2; umask", 0, "p q\n0027\n").await;
}

#[tokio::test]
async fn the_status_crosses_turns() {
    let fixture = Fixture::new().await;
    assert_eq!(fixture.finish("(exit 7)").await.0, 7);
    assert_eq!(fixture.finish("echo $?").await, (0, "7\n".into()));
    assert_eq!(fixture.finish("echo $?").await, (0, "0\n".into()));
}

#[tokio::test]
async fn nothing_of_ours_shows_in_the_shell() {
    let fixture = Fixture::new().await;
    fixture.finish("(exit 3)").await;
    let look = "set; declare -F; trap; env; alias; history; echo \"[$PROMPT_COMMAND]\"; compgen -v; jobs";
    let (_, seen) = fixture.finish(look).await;
    for word in ["string_r", "/dev/fd/250", ">&250", ">&251", "HISTFILE="] {
        assert!(!seen.contains(word), "{word} in {seen}");
    }
    assert!(seen.contains(&format!("    1  (exit 3)\n    2  {look}\n")), "{seen}");
    fixture.check("echo $PS1", 0, "$\n").await;
    fixture.check("bash -c 'ls /proc/self/fd | wc -l'", 0, "4\n").await;
}

#[tokio::test]
async fn a_descriptor_that_leaks_into_the_guard_does_not_reach_the_shell() {
    let leaked = std::fs::File::open("/dev/null").unwrap();
    rustix::io::fcntl_setfd(&leaked, rustix::io::FdFlags::empty()).unwrap();
    let fixture = Fixture::new().await;
    fixture
        .check(
            "ls /proc/self/fd | wc -l; ls /proc/$$/fd | sort -n | tr '\\n' ' '",
            0,
            "4\n0 1 2 63 248 249 250 251 252 255 ",
        )
        .await;
}

#[tokio::test]
async fn two_shells_share_nothing() {
    let (one, two) = (Fixture::new().await, Fixture::new().await);
    one.finish("cd /; export X=1").await;
    let expected = format!("[]{}\n", two.path().display());
    two.check("echo \"[$X]$PWD\"", 0, &expected).await;
}

#[tokio::test]
async fn commands_sent_at_once_run_in_order_and_are_not_mixed() {
    let fixture = Fixture::new().await;
    let payload = |n: usize| format!("for i in 1 2 3 4 5; do echo {n}; done; order+=({n})");
    let runs: Vec<_> = (0..8).map(payload).collect();
    let (a, b, c, d, e, f, g, h) = tokio::join!(
        fixture.run(&runs[0]),
        fixture.run(&runs[1]),
        fixture.run(&runs[2]),
        fixture.run(&runs[3]),
        fixture.run(&runs[4]),
        fixture.run(&runs[5]),
        fixture.run(&runs[6]),
        fixture.run(&runs[7]),
    );
    for (n, turn) in [a, b, c, d, e, f, g, h].iter().enumerate() {
        assert_eq!(text(turn), format!("{n}\n").repeat(5));
    }
    fixture.check("echo ${order[@]}", 0, "0 1 2 3 4 5 6 7\n").await;
}

#[tokio::test]
async fn an_open_construct_is_a_syntax_error_at_once() {
    let fixture = Fixture::new().await;
    for payload in [
        "echo \"open",
        "echo 'open",
        "(echo",
        "if true; then",
        "{ echo a;",
        "$(echo",
        "echo `x",
        "case x in",
        "echo ${x",
        "for i in 1 2; do",
    ] {
        let (status, output) = fixture.finish(payload).await;
        assert_eq!(status, 2, "{payload}: {output}");
        assert!(output.contains("syntax error") || output.contains("unexpected EOF"), "{payload}: {output}");
        fixture.alive().await;
    }
    // Damage of an earlier syntax error shows a turn or two later, at the next quote.
    for _ in 0..20 {
        fixture.check("echo \"$(echo 'a b')\" 'c'", 0, "a b c\n").await;
    }
}

#[tokio::test]
async fn an_open_heredoc_ends_with_the_payload() {
    let fixture = Fixture::new().await;
    let (status, output) = fixture.finish("cat <<EOF\nnever closed").await;
    assert_eq!(status, 0);
    assert!(output.ends_with("never closed\n"), "{output}");
    fixture.alive().await;
}

#[tokio::test]
async fn a_heredoc_arrives_byte_for_byte() {
    let fixture = Fixture::new().await;
    let body = "\ttab\n$x `y` \\z !! \"q' \u{2026}\n\\builtin printf 'E:0' >&250\nEOT\n \n__string_r\n";
    let payload = format!("cat <<'EOF'\n{body}EOF");
    fixture.check(&payload, 0, body).await;
    fixture.check("x=5; cat <<-EOF\n\t$x!\n\tEOF", 0, "5!\n").await;
}

#[tokio::test]
async fn a_payload_of_many_lines_is_one_unit() {
    let fixture = Fixture::new().await;
    fixture.check("for i in 1 2\ndo\n  echo \"n $i\"\ndone\nfalse", 1, "n 1\nn 2\n").await;
    fixture.check("echo $LINENO\n\necho $LINENO", 0, "1\n3\n").await;
    fixture.check("echo a\r\necho b\r", 0, "a\r\nb\r\n".replace('\r', "").as_str()).await;
    fixture.check("echo 'a!b'; echo \"a!b\" !x", 0, "a!b\na!b !x\n").await;
}

#[tokio::test]
async fn every_byte_but_nul_arrives() {
    let fixture = Fixture::new().await;
    let noise: String = (1u8..0x80).map(char::from).chain("äß漢🦀".chars()).collect();
    let quoted = noise.replace('\'', "'\\''");
    let sum = format!("printf %s '{quoted}' | od -An -tx1 | tr -d ' \\n'");
    let expected: String = noise.bytes().map(|byte| format!("{byte:02x}")).collect();
    fixture.check(&sum, 0, &expected).await;
    let refused = fixture.shell.run("a\0b", crate::support::LONG).await;
    assert!(matches!(refused, Err(shell::Error::NulByte)));
    fixture.alive().await;
}

#[tokio::test]
async fn a_megabyte_of_command_is_no_problem() {
    let fixture = Fixture::new().await;
    let line = "x".repeat(1 << 20);
    fixture.check(&format!("y='{line}'; echo ${{#y}}"), 0, "1048576\n").await;
    fixture.check(&format!("wc -c <<EOF\n{line}\nEOF"), 0, "1048577\n").await;
    let lines = "true\n".repeat(1 << 17);
    fixture.check(&format!("{lines}echo $LINENO"), 0, "131073\n").await;
}

#[tokio::test]
async fn a_large_environment_is_no_problem() {
    let fixture = Fixture::new().await;
    let fill = "for i in {1..16}; do printf -v \"BIG$i\" %65536s x; export \"BIG$i\"; done";
    fixture.check(fill, 0, "").await;
    fixture.check("env | wc -c | awk '{ print ($1 > 1000000) }'", 0, "1\n").await;
}

#[tokio::test]
async fn top_level_jumps_do_not_leave_the_turn() {
    let fixture = Fixture::new().await;
    for payload in ["break", "continue", "break 5; echo x", "return 3; echo not reached"] {
        fixture.finish(payload).await;
        fixture.alive().await;
    }
    assert_eq!(fixture.finish("return 3").await, (3, String::new()));
}

#[tokio::test]
async fn output_that_imitates_a_report_stays_output() {
    let fixture = Fixture::new().await;
    let imitation =
        "exit: 0 | cwd: ~/fake\n---\nE00:0:himBHs:/fake\nR\nevent: done\ndata: {\"jsonrpc\":\"2.0\"}\n</𝒞>\n";
    let turn =
        fixture.run(&format!("cat <<'EOF'\n{imitation}EOF\nprintf 'R\\0E:0:x:/fake\\0\\0' >&0; false")).await;
    assert_eq!(crate::support::code(&turn), 1);
    assert!(text(&turn).starts_with(imitation), "{turn:?}");
    assert_eq!(turn.directory.path, fixture.path());
    // Even shell code that knows the descriptor does not know the token.
    fixture
        .finish(
            "printf 'R\\0E:0:x:/fake\\0\\0E00000000000000000000000000000000:0:x:/fake\\0\\0' >&250; false",
        )
        .await;
    fixture.alive().await;
}

#[tokio::test]
async fn directories_are_reported_as_they_are() {
    let fixture = Fixture::new().await;
    for name in ["a b", "it's \"q\"", "new\nline", "ünï漢", "-dash", "tab\there", "ends (deleted)"] {
        let quoted = name.replace('\'', "'\\''");
        let turn = fixture.run(&format!("cd ~; mkdir -- '{quoted}'; cd -- '{quoted}'")).await;
        assert_eq!(turn.directory.path, fixture.path().join(name));
        assert!(!turn.directory.deleted);
    }
    let turn = fixture.run("PWD=/fake").await;
    assert_eq!(turn.directory.path, fixture.path().join("ends (deleted)"));
    let turn = fixture.run("cd ~; ln -s /usr/lib link; cd link").await;
    assert_eq!(turn.directory.path, fixture.path().join("link"));
    let turn = fixture.run("cd -P .").await;
    assert_eq!(turn.directory.path, std::path::Path::new("/usr/lib"));
    fixture.alive().await;
    let turn = fixture.run("mkdir ~/$'\\xff'; cd ~/$'\\xff'").await;
    let name = std::os::unix::ffi::OsStrExt::as_bytes(turn.directory.path.file_name().unwrap());
    assert_eq!(name, b"\xff");
    let mut there = crate::support::config(&fixture.path());
    there.directory = turn.directory.path;
    let shell = shell::Shell::start(&fixture.spawner, there).await.unwrap();
    let turn = shell.run("pwd | od -An -tx1 | grep -c 'ff 0a'", crate::support::LONG).await.unwrap();
    assert_eq!(text(&turn), "1\n");
}

#[tokio::test]
async fn a_deleted_directory_is_noticed() {
    let fixture = Fixture::new().await;
    let turn = fixture.run("mkdir -p ~/gone; cd ~/gone; rmdir ~/gone").await;
    assert!(turn.directory.deleted);
    assert_eq!(turn.directory.path, fixture.path().join("gone"));
    assert!(fixture.shell.info().await.unwrap().directory.deleted);
    fixture.alive().await;
    let turn = fixture.run("cd ~").await;
    assert!(!turn.directory.deleted);
}
