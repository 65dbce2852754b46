//! Ordinary development inside the boundary, as this user and as an ordinary one. What is not installed, or not
//! readable for that user, is skipped with a line that says so.

use shell::Shell;
use shell::boundary::Level;

use crate::boundary::{NOBODY, Place, User, everywhere, succeeds};
use crate::support::{LONG, code, text, waits_for_input};

/// Whether a program works at all for the user inside.
async fn can(place: &Place, shell: &Shell, probe: &str) -> bool {
    let turn = shell.run(format!("{probe} >/dev/null 2>&1"), LONG).await.unwrap();
    if code(&turn) != 0 {
        println!("skipped as {:?}: {probe} does not work here", place.user);
    }
    code(&turn) == 0
}

#[tokio::test]
async fn a_c_program_is_compiled_and_run() {
    everywhere(async |place, shell, _| {
        if can(place, shell, "gcc --version").await {
            let compile = "printf 'int main(){return 0;}' >m.c && gcc -O2 m.c -o m && ./m && echo compiled";
            succeeds(place, shell, compile, "compiled\n").await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_rust_program_is_compiled_and_run() {
    let sysroot = std::process::Command::new("rustc").args(["--print", "sysroot"]).output();
    let sysroot = sysroot.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    let tools = sysroot.map_or_else(|_| "/usr/bin".to_owned(), |root| format!("{root}/bin"));
    everywhere(async |place, shell, _| {
        shell.run(format!("PATH={tools}:$PATH"), LONG).await.unwrap();
        if can(place, shell, "cargo --version && gcc --version").await {
            // A workspace of its own, wherever this test runs.
            let build = "mkdir -p hello/src && cd hello && echo 'fn main() { println!(\"Hello\") }' >src/main.rs && \
                         printf '[package]\\nname = \"hello\"\\nedition = \"2021\"\\n[workspace]\\n' >Cargo.toml && \
                         cargo run -q --offline && cargo test -q --offline >/dev/null && cd .. && echo built";
            succeeds(place, shell, build, "Hello\nbuilt\n").await;
        }
    })
    .await;
}

#[tokio::test]
async fn git_commits_and_makes_worktrees() {
    everywhere(async |place, shell, _| {
        if can(place, shell, "git --version").await {
            let commit = "git init -q r && cd r && git config user.email a@b && git config user.name n && echo a >f && \
                          git add f && git commit -qm one && git worktree add -q ../w && git log --format=%s && cd ..";
            succeeds(place, shell, commit, "one\n").await;
        }
    })
    .await;
}

#[tokio::test]
async fn python_makes_a_virtual_environment() {
    everywhere(async |place, shell, _| {
        if can(place, shell, "python3 -c 'import venv, ensurepip'").await {
            let venv = "python3 -m venv v && . v/bin/activate && python -c 'import sys; print(sys.prefix == \"'$PWD'/v\")'; \
                        deactivate";
            succeeds(place, shell, venv, "True\n").await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_server_in_one_shell_answers_a_client_in_another() {
    let server = "import http.server as h\nserver = h.HTTPServer(('127.0.0.1', 0), h.SimpleHTTPRequestHandler)\n\
                  print(server.server_port, flush=True)\nserver.serve_forever()";
    everywhere(async |place, shell, level| {
        if !can(place, shell, "python3 --version").await {
            return;
        }
        let start = format!("echo page >index.html; cat >s.py <<'END'\n{server}\nEND\n\
                             python3 s.py >port 2>/dev/null & until test -s port; do :; done; cat port");
        let turn = shell.run(start, LONG).await.unwrap();
        let port = text(&turn).trim().to_owned();
        assert!(port.parse::<u16>().is_ok(), "{turn:?}");
        let other = place.shell(level).await;
        let get = format!(
            "python3 -c 'import urllib.request as u; print(u.urlopen(\"http://127.0.0.1:{port}/\").read().decode(), end=\"\")'"
        );
        match level {
            // Each isolated shell has a loopback of its own.
            Level::Isolated => {
                assert_ne!(code(&other.run(get.clone(), LONG).await.unwrap()), 0);
                succeeds(place, shell, &get, "page\n").await;
            }
            Level::Workspace | Level::None => succeeds(place, &other, &get, "page\n").await,
        }
        shell.run("kill %1; wait", LONG).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn temporary_files_and_terminals_work() {
    everywhere(async |place, shell, _| {
        succeeds(place, shell, "f=$(mktemp) && echo x >$f && cat $f && rm $f", "x\n").await;
        succeeds(place, shell, "mkfifo p && (echo through >p &) && cat p", "through\n").await;
        if can(place, shell, "script --version").await {
            succeeds(place, shell, "script -qec 'test -t 0 && echo a terminal' /dev/null", "a terminal\n").await;
        }
        if can(place, shell, "python3 --version").await {
            let pty = "python3 -c 'import pty, os; m, s = pty.openpty(); os.write(s, b\"pty\"); print(os.read(m, 9))'";
            succeeds(place, shell, pty, "b'pty'\n").await;
        }
    })
    .await;
}

#[tokio::test]
async fn jobs_and_ids_are_as_outside() {
    everywhere(async |place, shell, _| {
        let sleeper = "sleep 1000 & kill $!; wait $! 2>/dev/null; echo $?";
        let turn = shell.run(sleeper, LONG).await.unwrap();
        assert!(text(&turn).contains("143\n"), "{turn:?}");
        let uid = match place.user {
            User::Own => rustix::process::geteuid().as_raw(),
            User::Ordinary => NOBODY,
        };
        succeeds(place, shell, "id -u", &format!("{uid}\n")).await;
        let turn = shell.run("read x", LONG).await.unwrap();
        waits_for_input(&turn);
        shell.eof().await.unwrap();
        shell.wait(LONG).await.unwrap();
    })
    .await;
}
