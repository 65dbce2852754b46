//! The boundary, tried from inside: as this user and, where that is root, as an ordinary one.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::path::{Path, PathBuf};

use shell::boundary::{Boundary, Level, Secrets, Support};
use shell::exec::{Command, exec};
use shell::{Config, Shell, Spawner};
use tempfile::TempDir;

use crate::support::{LONG, code, config, environment, finished, has, spawner, text, waits_for_input};

/// An ordinary user that every system has.
pub(crate) const NOBODY: u32 = 65534;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum User {
    Own,
    Ordinary,
}

/// A home with secrets in it, and a place outside.
pub(crate) struct Place {
    root: TempDir,
    pub(crate) user: User,
    spawner: Spawner,
    support: Support,
}

impl Place {
    /// None, with a line that says so, where the level cannot be had.
    async fn new(user: User, level: Level) -> Option<Self> {
        let root = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let spawner = match user {
            User::Own => spawner(),
            User::Ordinary => ordinary_spawner(&root)?,
        };
        let support = spawner.support().await.unwrap();
        if let Err(error) = support.secrets(level) {
            println!("skipped: {level:?} as {user:?}: {error}");
            return None;
        }
        let place = Self { root, user, spawner, support };
        place.furnish();
        Some(place)
    }

    fn furnish(&self) {
        let files = [
            ("home/.ssh/id_rsa", "secret"),
            ("home/.netrc", "secret"),
            ("home/.string/config.json", "secret"),
            ("home/.string/output/1.log", "a log"),
            ("home/.string/work/file", "work"),
            ("home/project/src/file", "code"),
            ("outside/file", "outside"),
            ("allowed/file", "allowed"),
            ("allowed/.aws/credentials", "secret"),
            ("beside/.ssh/id_rsa", "secret"),
            ("beside/file", "beside"),
        ];
        fs::set_permissions(self.root.path(), fs::Permissions::from_mode(0o755)).unwrap();
        for (name, content) in files {
            let path = self.root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, content).unwrap();
        }
        if self.user == User::Ordinary {
            let own = |path: &Path| chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
            own(self.root.path());
            walk(self.root.path(), &own);
        }
    }

    fn home(&self) -> PathBuf {
        self.root.path().canonicalize().unwrap().join("home")
    }

    fn boundary(&self, level: Level) -> Boundary {
        Boundary::new(level, &self.support, self.home())
            .unwrap()
            .allow(self.root.path().canonicalize().unwrap().join("allowed"))
            .allow(self.home().join(".string/work"))
            .beside(self.root.path().canonicalize().unwrap().join("beside"))
            .keep(self.home().join(".string/output"))
    }

    fn config(&self, level: Level) -> Config {
        let mut config = config(&self.home());
        config.environment =
            environment(&self.home()).with("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin");
        config.boundary = self.boundary(level);
        config
    }

    pub(crate) async fn shell(&self, level: Level) -> Shell {
        Shell::start(&self.spawner, self.config(level)).await.unwrap()
    }
}

fn walk(directory: &Path, visit: &impl Fn(&Path)) {
    for entry in fs::read_dir(directory).unwrap().flatten() {
        visit(&entry.path());
        if entry.path().is_dir() {
            walk(&entry.path(), visit);
        }
    }
}

/// Starts guards as an ordinary user; only root can.
fn ordinary_spawner(root: &TempDir) -> Option<Spawner> {
    if !rustix::process::geteuid().is_root() || !has("setpriv") {
        println!("skipped: cannot become another user");
        return None;
    }
    let (program, wrapper) = (root.path().join("fixture"), root.path().join("as-nobody"));
    let text = root.path().join("as-nobody.txt");
    let script = format!(
        "#!/bin/sh\nexec /usr/bin/setpriv --reuid={NOBODY} --regid={NOBODY} --clear-groups {} \"$@\"\n",
        program.display()
    );
    fs::write(&text, script).unwrap();
    install(Path::new(env!("CARGO_BIN_EXE_shell-fixture")), &program);
    install(&text, &wrapper);
    Some(Spawner::new(wrapper, "/bin/bash").unwrap())
}

/// Makes a program of a file, in another process: what this one writes itself, a process that another test is just
/// starting may hold open, and the kernel runs nothing that somebody may still write to.
fn install(from: &Path, to: &Path) {
    let copied = std::process::Command::new("install").args(["-m", "755"]).args([from, to]).status();
    assert!(copied.unwrap().success());
}

/// Calls `check` for each user and level that can be had here.
pub(crate) async fn everywhere(check: impl AsyncFn(&Place, &Shell, Level)) {
    for user in [User::Own, User::Ordinary] {
        for level in [Level::Workspace, Level::Isolated] {
            if let Some(place) = Place::new(user, level).await {
                let shell = place.shell(level).await;
                check(&place, &shell, level).await;
                let turn = shell.run("echo alive", LONG).await.unwrap();
                assert_eq!(finished(&turn), (0, "alive\n".into()), "{user:?} {level:?}");
            }
        }
    }
}

pub(crate) async fn succeeds(place: &Place, shell: &Shell, payload: &str, expected: &str) {
    let turn = shell.run(payload, LONG).await.unwrap();
    assert_eq!(finished(&turn), (0, expected.into()), "{payload} as {:?}", place.user);
}

async fn fails(place: &Place, shell: &Shell, payload: &str) {
    let turn = shell.run(payload, LONG).await.unwrap();
    assert_ne!(code(&turn), 0, "{payload} as {:?}: {}", place.user, text(&turn));
}

#[tokio::test]
async fn this_kernel_says_what_it_supports() {
    let support = spawner().support().await.unwrap();
    println!("{support:?}");
    assert_eq!(support, spawner().support().await.unwrap());
}

#[tokio::test]
async fn writes_work_where_they_are_allowed() {
    everywhere(async |place, shell, _| {
        let allowed = "echo x >~/new && cat ~/new && echo y >../allowed/new && cat ../allowed/new && \
                       echo z >~/.string/work/new && cat ~/.string/work/new";
        succeeds(place, shell, allowed, "x\ny\nz\n").await;
        let moves = "mkdir -p a b && echo f >a/f && mv a/f b/f && ln b/f a/g && ln -s b l && cat a/g l/f && rm -r a b l";
        succeeds(place, shell, moves, "f\nf\n").await;
        let temporary = "f=$(mktemp) && echo t >$f && cat $f && rm $f && f=/dev/shm/$$ && echo s >$f && cat $f && rm $f";
        succeeds(place, shell, temporary, "t\ns\n").await;
        let devices = "echo x >/dev/null && echo t >/dev/tty && echo e 2>/dev/null >&2; head -c1 /dev/zero >/dev/null; mkfifo p && rm p";
        succeeds(place, shell, devices, "t\n").await;
    })
    .await;
}

#[tokio::test]
async fn writes_are_refused_everywhere_else() {
    everywhere(async |place, shell, _| {
        let outside = place.root.path().join("outside");
        for payload in [
            "echo x >../outside/new",
            "echo x >../outside/file",
            "rm ../outside/file",
            "chmod 777 ../outside/file",
            "mkdir ../outside/dir",
            "mv ../outside/file ~/",
            "ln ../outside/file ~/link && echo x >~/link",
            "ln -s ../outside ~/way && echo x >~/way/new",
            "echo x >/etc/string-boundary-test",
            "touch /usr/string-boundary-test",
            "echo x >~/.string/output/new",
            "echo x >~/.ssh/new",
            "echo 1 >/proc/sys/vm/drop_caches",
            "mknod ~/device c 1 3",
            "mount -t tmpfs none ~/project",
            "mount -o remount,rw /",
            "umount ~/.ssh",
            "mv ~/.ssh ~/ssh",
            "nsenter -t 1 -m true",
            "ls /proc/1/root/",
        ] {
            fails(place, shell, payload).await;
        }
        assert_eq!(fs::read_to_string(outside.join("file")).unwrap(), "outside");
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
        let mode = fs::metadata(outside.join("file")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o644);
    })
    .await;
}

#[tokio::test]
async fn nobody_has_more_privileges_inside_than_root_has_in_a_container() {
    let container: u64 = 0xa804_25fb;
    everywhere(async |place, shell, _| {
        let turn =
            shell.run("sed -n 's/^CapEff:\\s*//p;s/^CapPrm:\\s*//p' /proc/self/status", LONG).await.unwrap();
        let (_, held) = finished(&turn);
        for set in held.lines() {
            let set = u64::from_str_radix(set, 16).unwrap();
            assert_eq!(set & !container, 0, "{set:x} as {:?}", place.user);
        }
        assert_eq!(held.lines().count(), 2, "{held}");
        let outsider = std::process::id();
        fails(place, shell, &format!("cat /proc/{outsider}/environ")).await;
        fails(place, shell, &format!("cat /proc/{outsider}/maps")).await;
        succeeds(place, shell, "cat /proc/$$/environ | tr '\\0' '\\n' | grep -c ^HOME=", "1\n").await;
    })
    .await;
}

#[tokio::test]
async fn secrets_are_hidden_and_the_rest_can_be_read() {
    everywhere(async |place, shell, _| {
        fails(place, shell, "cat ~/.ssh/id_rsa").await;
        fails(place, shell, "cat ~/.string/config.json").await;
        fails(place, shell, "unshare -Ur cat ~/.string/config.json").await;
        fails(place, shell, "unshare -Urm sh -c 'umount ~/.ssh; cat ~/.ssh/id_rsa'").await;
        succeeds(place, shell, "ls -A ~/.ssh | wc -l; cat ~/.netrc", "0\n").await;
        succeeds(place, shell, "ls -A1 ~/.string; cat ~/.string/output/1.log", "output\nwork\na log").await;
        succeeds(place, shell, "cat ../outside/file ~/project/src/file", "outsidecode").await;
        succeeds(place, shell, "cat /etc/passwd | grep -c ^root:", "1\n").await;
        let found = "grep -rs secret ~ 2>/dev/null | wc -l; find .. -name id_rsa | wc -l";
        succeeds(place, shell, found, "0\n0\n").await;
    })
    .await;
    // Outside, everything is where it was.
    let Some(place) = Place::new(User::Own, Level::Workspace).await else { return };
    assert_eq!(fs::read_to_string(place.home().join(".ssh/id_rsa")).unwrap(), "secret");
}

#[tokio::test]
async fn what_others_keep_secret_is_hidden_too() {
    everywhere(async |place, shell, _| {
        for payload in ["cat ../beside/.ssh/id_rsa", "cat ../allowed/.aws/credentials"] {
            fails(place, shell, payload).await;
        }
        succeeds(place, shell, "cat ../beside/file ../allowed/file", "besideallowed").await;
    })
    .await;
}

#[tokio::test]
async fn somebody_elses_links_hide_nothing_but_their_own() {
    everywhere(async |place, _, level| {
        let beside = place.root.path().join("beside");
        std::os::unix::fs::symlink(place.home().join("project"), beside.join(".aws")).unwrap();
        fs::create_dir(beside.join("keys")).unwrap();
        fs::write(beside.join("keys/key"), "secret").unwrap();
        std::os::unix::fs::symlink(beside.join("keys"), beside.join(".gnupg")).unwrap();
        let shell = place.shell(level).await;
        succeeds(place, &shell, "cat ~/project/src/file", "code").await;
        fails(place, &shell, "cat ../beside/keys/key").await;
        fs::remove_file(beside.join(".aws")).unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_secret_that_appears_is_hidden_before_the_next_command() {
    everywhere(async |place, shell, _| {
        let home = place.home();
        fs::create_dir(home.join(".aws")).unwrap();
        fs::write(home.join(".aws/credentials"), "secret").unwrap();
        // Over a file that is hidden already: the kernel takes the cover away with it.
        fs::write(home.join("new"), "secret").unwrap();
        fs::rename(home.join("new"), home.join(".netrc")).unwrap();
        fs::rename(home.join(".string"), home.join("old")).unwrap();
        fs::create_dir_all(home.join(".string/output")).unwrap();
        fs::write(home.join(".string/output/2.log"), "a log").unwrap();
        fs::write(home.join(".string/config.json"), "secret").unwrap();
        succeeds(place, shell, "ls -A ~/.aws; cat ~/.netrc; ls -A1 ~/.string", "output\n").await;
        succeeds(place, shell, "cat ~/.string/output/2.log", "a log").await;
        for payload in ["cat ~/.aws/credentials", "cat ~/.string/config.json", "rm -f ~/.string/output/2.log"]
        {
            fails(place, shell, payload).await;
        }
        assert_eq!(fs::read_to_string(home.join(".netrc")).unwrap(), "secret");
    })
    .await;
}

#[tokio::test]
async fn the_network_is_cut_only_in_isolation() {
    everywhere(async |place, shell, level| {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let reach = format!("(exec 3<>/dev/tcp/127.0.0.1/{port}) 2>/dev/null && echo reached || echo cut off");
        let expected = if level == Level::Isolated { "cut off\n" } else { "reached\n" };
        succeeds(place, shell, &reach, expected).await;
        if has("python3") {
            let local = "python3 - <<'EOF'\nimport socket\ns=socket.create_server(('127.0.0.1',0))\nc=socket.create_connection(s.getsockname())\na,_=s.accept()\nc.send(b'local')\nprint(a.recv(9).decode())\nEOF";
            succeeds(place, shell, local, "local\n").await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_shell_inside_is_a_shell() {
    everywhere(async |place, shell, _| {
        waits_for_input(&shell.run("read x", LONG).await.unwrap());
        assert_eq!(code(&shell.send("value", LONG).await.unwrap()), 0);
        succeeds(place, shell, "echo $x", "value\n").await;
        let turn = shell.run("echo \"open", LONG).await.unwrap();
        assert_eq!(code(&turn), 2);
        let turn = shell.run("sleep 1000", std::time::Duration::from_millis(50)).await.unwrap();
        assert!(matches!(turn.outcome, shell::Outcome::Running(_)));
        shell.interrupt().await.unwrap();
        assert_eq!(code(&shell.wait(LONG).await.unwrap()), 130);
        let turn = shell.run("cd ~/project/src", LONG).await.unwrap();
        assert_eq!(turn.directory.path, place.home().join("project/src"));
        assert!(!turn.directory.deleted);
    })
    .await;
}

#[tokio::test]
async fn one_shot_commands_have_the_same_boundary() {
    for user in [User::Own, User::Ordinary] {
        let Some(place) = Place::new(user, Level::Isolated).await else { continue };
        let command = Command {
            text: "cat ~/.ssh/id_rsa; echo x >../outside/new; echo y >new; cat new".into(),
            directory: place.home(),
            environment: environment(&place.home()),
            boundary: place.boundary(Level::Isolated),
            limit: LONG,
            logs: place.config(Level::Isolated).logs,
            live: None,
        };
        let executed = exec(&place.spawner, command).await.unwrap();
        let output = executed.output.head;
        assert!(output.ends_with("y\n") && !output.contains("secret"), "{output}");
        assert!(!place.root.path().join("outside/new").exists());
    }
}

#[tokio::test]
async fn where_namespaces_are_forbidden_writes_are_still_limited() {
    for user in [User::Own, User::Ordinary] {
        let Some(mut place) = Place::new(user, Level::Workspace).await else { continue };
        place.support.mounts = Err("forbidden".into());
        assert_eq!(place.boundary(Level::Workspace).secrets(), Secrets::Readable);
        let shell = place.shell(Level::Workspace).await;
        succeeds(&place, &shell, "echo x >~/new && cat ~/new", "x\n").await;
        fails(&place, &shell, "echo x >../outside/new").await;
        succeeds(&place, &shell, "cat ~/.ssh/id_rsa", "secret").await;
        assert!(Boundary::new(Level::Isolated, &place.support, place.home()).is_err());
    }
}
