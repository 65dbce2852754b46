//! The pages on tools and scripts are true to the letter, and a stock TypeScript compiler accepts every sample.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use testkit::pages::{fences, page};

use crate::support::world;

const PAGES: [&str; 2] = ["tools.md", "scripts.md"];

#[tokio::test(flavor = "multi_thread")]
async fn the_examples_of_tools_and_scripts_are_true() {
    for name in PAGES {
        let fences = fences(&page(name));
        for fence in fences.iter().filter(|fence| fence.info == "session") {
            let world = world().await;
            for (path, file) in fences.iter().filter_map(|fence| Some((fence.file()?, fence))) {
                world.home.write(path, file.text.clone());
            }
            for turn in fence.turns() {
                let reply = world.say(turn.topic, turn.payload).await.content;
                assert!(turn.matches(&reply), "docs/{name}:{} {}\n{reply}\n", fence.line, turn.payload);
            }
        }
    }
}

#[test]
fn a_stock_compiler_accepts_the_declarations_and_every_sample() {
    let Some(compiler) = compiler() else { return };
    let folder = tempfile::tempdir().unwrap();
    let put = |path: &Path, text: &str| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let mut string = Command::new(env!("CARGO_BIN_EXE_string"));
    assert!(status(string.args(["--types", "flo.d.ts"]).current_dir(&folder)).status.success());
    assert_eq!(fs::read_to_string(folder.path().join("flo.d.ts")).unwrap(), script::TYPES);
    put(Path::new("tsconfig.json"), CONFIG);
    let mut samples = 0;
    for name in PAGES {
        for fence in fences(&page(name)).iter().filter(|fence| fence.info.starts_with("ts file=")) {
            put(&Path::new(name).join(fence.file().unwrap()), &fence.text);
            samples += 1;
        }
    }
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for sample in scripts_below(&top.join("examples"))
        .into_iter()
        .chain(scripts_below(&top.join("crates/cli/tests/samples")))
    {
        put(sample.strip_prefix(&top).unwrap(), &fs::read_to_string(&sample).unwrap());
        samples += 1;
    }
    assert!(samples >= 5, "only {samples} samples were found");
    let check = || {
        let checked = status(Command::new("node").arg(&compiler).args(["-p", "."]).current_dir(&folder));
        (checked.status.success(), String::from_utf8_lossy(&checked.stdout).into_owned())
    };
    let (accepted, said) = check();
    assert!(accepted, "{said}");
    // What is misspelt is found: the declarations are not merely permissive.
    put(
        Path::new("wrong.ts"),
        "export const run = () => flo.state.put({ scope_kind: \"task\", key: \"k\", value: 1, ifRevision: null });",
    );
    let (accepted, said) = check();
    assert!(!accepted && said.contains("ifRevision"), "{said}");
}

const CONFIG: &str = r#"{ "compilerOptions": { "strict": true, "noEmit": true, "target": "es2023", "lib": ["es2023", "dom", "dom.iterable"],
  "module": "esnext", "moduleResolution": "bundler", "allowImportingTsExtensions": true, "types": [] } }"#;

/// The compiler of npm's package `typescript`, fetched once. Without node or npm, or where the registry cannot be reached, there is none.
fn compiler() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("typescript");
    let compiler = folder.join("node_modules/typescript/lib/tsc.js");
    fs::create_dir_all(&folder).unwrap();
    let has =
        |program: &str| Command::new(program).arg("--version").output().is_ok_and(|run| run.status.success());
    if has("node") && has("npm") && !compiler.is_file() {
        let install = ["install", "--no-audit", "--no-fund", "--silent", "--prefix", ".", "typescript@5"];
        status(Command::new("npm").args(install).current_dir(&folder));
    }
    if !compiler.is_file() {
        // Past the capture of the test harness, so that everyone sees what was not tested.
        let _ =
            writeln!(std::io::stderr(), "SKIPPED: no TypeScript compiler, the declarations are not checked");
        return None;
    }
    Some(compiler)
}

fn status(command: &mut Command) -> Output {
    command.stdin(Stdio::null()).output().unwrap()
}

fn scripts_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            found.extend(scripts_below(&entry));
        } else if entry.extension().is_some_and(|ending| ending == "ts") {
            found.push(entry);
        }
    }
    found
}
