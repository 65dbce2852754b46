//! Imports inside the tool's folder, and edits between calls.

use std::os::unix::fs::symlink;

use script::Program;
use serde_json::json;

use crate::support::World;

#[tokio::test(flavor = "multi_thread")]
async fn modules_of_every_kind_are_imported() {
    let (world, dir) = (World::new(), tempfile::tempdir().unwrap());
    let output = world
        .files(
            dir.path(),
            &[
                (
                    "scripts/main.ts",
                    "import { a } from './a.mts'; import b from '../lib/b.js'; import * as c from './c.mjs';
                     import data from './data.json' with { type: 'json' }; import { flo } from 'string:runtime';
                     export { helper } from './a.mts';
                     export const run = () => [a, b(), c.c, data, Object.keys(data), typeof flo.state.get];",
                ),
                ("scripts/a.mts", "import './main.ts'; export const a: number = 1; export const helper = 2;"),
                ("lib/b.js", "export default () => 'b';"),
                ("scripts/c.mjs", "export const c = 'c';"),
                ("scripts/data.json", "\u{feff}{\"__proto__\": 1, \"x\": [true]}"),
            ],
        )
        .await
        .unwrap();
    let data: serde_json::Value = serde_json::from_str(r#"{"__proto__": 1, "x": [true]}"#).unwrap();
    assert_eq!(output, json!([1, "b", "c", data, ["__proto__", "x"], "function"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_counts_from_the_next_call() {
    let (world, dir) = (World::new(), tempfile::tempdir().unwrap());
    let program = Program::file(dir.path(), "main.ts");
    std::fs::write(dir.path().join("main.ts"), "import { n } from './n.ts'; export const run = () => n;")
        .unwrap();
    for n in [1, 2, 3] {
        std::fs::write(dir.path().join("n.ts"), format!("export const n: number = {n};")).unwrap();
        for _ in 0..2 {
            assert_eq!(world.run(&program, json!({})).await.unwrap(), json!(n));
        }
    }
    std::fs::remove_file(dir.path().join("n.ts")).unwrap();
    let error = world.run(&program, json!({})).await.unwrap_err();
    assert_eq!(error.to_string(), "there is no n.ts");
    assert_eq!(error.position().unwrap().to_string(), "main.ts:1:19");
}

#[tokio::test(flavor = "multi_thread")]
async fn links_out_of_the_folder_are_refused() {
    let (world, dir) = (World::new(), tempfile::tempdir().unwrap());
    let tool = dir.path().join("tool");
    std::fs::create_dir(&tool).unwrap();
    std::fs::write(dir.path().join("secret.json"), "\"secret\"").unwrap();
    symlink("../secret.json", tool.join("x.json")).unwrap();
    let error =
        world.files(&tool, &[("main.ts", "import x from './x.json'; export const run = () => x;")]).await;
    assert_eq!(error.unwrap_err().to_string(), "x.json leads out of the tool's folder");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_modules_of_a_program_are_named_without_running_it() {
    let (world, dir) = (World::new(), tempfile::tempdir().unwrap());
    std::fs::create_dir(dir.path().join("lib")).unwrap();
    let main = "import { flo } from 'flo:runtime'; import './lib/a.ts'; import type { T } from './t.ts'; for (;;) {}";
    std::fs::write(dir.path().join("main.ts"), main).unwrap();
    std::fs::write(dir.path().join("lib/a.ts"), "import d from '../d.json'; export default d;").unwrap();
    std::fs::write(dir.path().join("d.json"), "1").unwrap();
    let program = Program::file(dir.path(), "main.ts");
    assert_eq!(world.pool.modules(&program).await.unwrap(), ["d.json", "lib/a.ts", "main.ts"]);
    std::fs::remove_file(dir.path().join("d.json")).unwrap();
    let error = world.pool.modules(&program).await.unwrap_err();
    assert_eq!(error.to_string(), "there is no d.json");
    assert_eq!(error.position().unwrap().to_string(), "lib/a.ts:1:15");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_import_of_what_is_not_exported_is_named_with_its_place() {
    let (world, dir) = (World::new(), tempfile::tempdir().unwrap());
    let files = [
        ("main.ts", "import { a } from './lib/a.ts';\nexport const run = () => a;"),
        ("lib/a.ts", "\nimport { gone } from './b.ts';\nexport const a = gone;"),
        ("lib/b.ts", "export const other = 1;"),
    ];
    let error = world.files(dir.path(), &files).await.unwrap_err();
    assert!(error.to_string().contains("'gone'"), "{error}");
    assert_eq!(error.position().unwrap().to_string(), "lib/a.ts:2:22");
}

#[tokio::test(flavor = "multi_thread")]
async fn javascript_that_is_not_there_means_its_typescript() {
    let (world, dir) = (World::new(), tempfile::tempdir().unwrap());
    let files = [
        (
            "main.ts",
            "import { n } from './lib/x.js'; import { n as same, add } from './lib/x.ts'; import { y } from './y.js';\nexport const run = () => { add(); return [n, same, y]; }",
        ),
        ("lib/x.ts", "export let n: number = 1;\nexport const add = (): void => { n += 1; };"),
        ("y.js", "export const y = 'javascript';"),
        ("y.ts", "export const y: string = 'typescript';"),
    ];
    for _ in 0..2 {
        assert_eq!(world.files(dir.path(), &files).await.unwrap(), json!([2, 2, "javascript"]));
    }
    let missing = [("main.ts", "import './lib/none.js';\nexport const run = 1")];
    let error = world.files(dir.path(), &missing).await.unwrap_err();
    assert!(error.to_string().contains("there is no lib/none.js"), "{error}");
}
