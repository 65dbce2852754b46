//! TypeScript as authors write it, and errors with the place where it was written.

use script::{Error, Program};
use serde_json::json;

use crate::support::{World, thrown};

#[tokio::test(flavor = "multi_thread")]
async fn typescript_runs_without_its_types() {
    let world = World::new();
    let source = r#"
        import * as flo from "flo:runtime";
        import type { Nothing } from "./missing.ts";
        enum Color { Red, Green = 5 }
        const enum Size { Big = "big" }
        namespace Space { export const x = 1; }
        import Alias = Space.x;
        interface Shape { area(): number }
        abstract class Base { constructor(protected readonly name: string, public n = 2) {} abstract area(): number }
        class Square extends Base implements Shape { area(): number { return this.n ** 2; } override toString() { return this.name; } }
        function over(a: string): string; function over(a: number): number; function over(a: any) { return a; }
        const tuple = [1, "a"] as const satisfies readonly unknown[];
        const ready = await Promise.resolve("top level");
        export async function run(input: { a?: number }): Promise<unknown> {
            const square = new Square("sq", 3); const maybe: Nothing | undefined = undefined;
            using handle = { [Symbol.dispose]() {} };
            return [Color.Green, Color[0], Size.Big, Alias, square.area(), `${square}`, over(7)!, tuple, ready, input.a ?? null, maybe];
        }"#;
    let output = world.eval(source).await.unwrap();
    assert_eq!(output, json!([5, "Red", "big", 1, 9, "sq", 7, [1, "a"], "top level", null, null]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_is_what_json_makes_of_it() {
    let world = World::new();
    for (body, expected) in [
        ("return undefined", json!(null)),
        ("return () => 1", json!(null)),
        ("return 'é\\u2028'", json!("é\u{2028}")),
        ("return {b: 1, a: [undefined, NaN, -0], __proto__: null}", json!({"b": 1, "a": [null, null, 0]})),
        ("return JSON.parse('{\"__proto__\": 1}')", serde_json::from_str("{\"__proto__\": 1}").unwrap()),
        ("return new Date(0)", json!("1970-01-01T00:00:00.000Z")),
        ("JSON.stringify = () => 'mine'; Object.prototype.toJSON = undefined; return [1]", json!([1])),
    ] {
        assert_eq!(world.value(body).await, expected, "{body}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_names_the_authors_line() {
    let world = World::new();
    let sources = [
        (
            "type A = {\n  a: string;\n};\nexport function run() {\n  throw new TypeError('é is wrong');\n}",
            "TypeError",
            5,
        ),
        (
            "interface X { a: 1 }\nconst f = (): never => {\n  throw new Error('x'); };\nexport async function run() {\n  await null;\n  f();\n}",
            "Error",
            3,
        ),
        (
            "import * as flo from 'flo:runtime';\ninterface X {}\nexport async function run() {\n  const s = 'ééé'; await flo.state.list({ scope_kind: 'task', key_prefix: s });\n}",
            "FloStateError",
            4,
        ),
        ("enum E { A }\nlet x: any;\nx.y.z;\nexport function run() {}", "TypeError", 3),
    ];
    for (source, name, line) in sources {
        let thrown = thrown(world.eval(source).await.unwrap_err());
        let position = thrown.position.clone().unwrap_or_else(|| panic!("no position: {thrown:?}"));
        assert_eq!(
            (thrown.name.as_str(), position.file.as_str(), position.line),
            (name, "main.ts", line),
            "{source}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_script_throws_keeps_its_name_code_and_message() {
    let world = World::new();
    let source = "export function run() { throw Object.assign(new RangeError('m'), { code: 'E_X', retryable: true }) }";
    let error = thrown(world.eval(source).await.unwrap_err());
    assert_eq!(
        (error.name.as_str(), error.message.as_str(), error.code.as_deref()),
        ("RangeError", "m", Some("E_X"))
    );
    assert!(error.retryable);
    let error = thrown(world.eval("export const run = () => { throw 'text' }").await.unwrap_err());
    assert_eq!((error.name.as_str(), error.message.as_str()), ("", "text"));
    let error =
        thrown(world.eval("export const run = () => { throw { code: 'c', n: 1 } }").await.unwrap_err());
    assert_eq!((error.message.as_str(), error.code.as_deref()), (r#"{"code":"c","n":1}"#, Some("c")));
    let source = "export const run = () => { throw { message: 'm', code: 404 } }";
    let error = thrown(world.eval(source).await.unwrap_err());
    assert_eq!((error.message.as_str(), error.code.as_deref()), ("m", Some("404")));
    let error = thrown(world.eval("export const run = async () => { setTimeout(() => { throw new Error('late') }, 1); await new Promise(() => {}) }").await.unwrap_err());
    assert_eq!(error.message, "late");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_supported_is_refused_with_its_place() {
    let world = World::new();
    for (source, message, line) in [
        ("\n@dec class A {}\nexport const run = 1", "decorators", 2),
        ("class A { accessor x = 1 }\nexport const run = 1", "accessor", 1),
        ("\n\nexport = 1", "export =", 3),
        ("import x = require('x');\nx", "require()", 1),
        ("export const run = () => import('./x.ts')", "import()", 1),
        ("export const run = () => <b>x</b>;", "JSX", 1),
        ("export function run( {", "", 1),
        ("let a = 1;\nlet a = 2;", "already been declared", 2),
        ("import 'node:fs';", "node:fs", 1),
        ("\nimport fs from 'node:fs';\nexport const run = 1", "node:fs", 2),
        ("export * from '../up.ts'", "out of the tool's folder", 1),
        ("\nexport { x } from './missing.ts'", "there is no missing.ts", 2),
    ] {
        match world.eval(source).await.unwrap_err() {
            Error::Program { message: got, position } => {
                assert!(got.contains(message), "{source}: {got}");
                assert_eq!(position.map(|at| at.line), Some(line), "{source}");
            }
            other => panic!("{source}: {other:?}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_entry_point_must_be_a_function() {
    let world = World::new();
    for source in ["export const run = 1", "function run() {}", ""] {
        let error = world.run(&Program::inline("/", "a.ts", source), json!({})).await.unwrap_err();
        assert!(error.to_string().ends_with("exports no function run"), "{error}");
    }
    let error = world.eval("export default function run() {}").await.unwrap_err().to_string();
    assert!(
        error.ends_with("exports no function run; its default export has the entrypoint default"),
        "{error}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stack_that_a_script_reads_names_the_authors_lines() {
    let world = World::new();
    let source = "interface X {\n  a: 1;\n}\ntype Y = {\n  b: 2;\n};\nconst helper = (): never => {\n  throw new Error('bottom');\n};\nexport async function run() {
  const site: any = {};
  Error.captureStackTrace(site);
  let stack, refused;
  try { helper() } catch (e) { stack = e.stack; e.stack += 'mine'; if (e.stack !== stack + 'mine') throw e }
  try { await flo.state.list({}) } catch (e) { refused = e.stack }
  return [stack, site.stack, refused].map((text) => text.split('\\n').filter(Boolean));
}";
    assert_eq!(
        world.eval(source).await.unwrap(),
        json!([
            ["    at helper (main.ts:8:13)", "    at run (main.ts:14:9)"],
            ["    at run (main.ts:12:27)"],
            ["    at run (main.ts:15:25)"],
        ])
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_of_ones_own_class_is_where_it_was_made() {
    let world = World::new();
    for (source, line) in [
        (
            "class Base extends Error {\n  constructor(m: string) {\n    super(m);\n  }\n}\nclass Custom extends Base {\n  constructor(m: string) {\n    super(m);\n  }\n}\nexport function run() {\n  throw new Custom('mine');\n}",
            12,
        ),
        (
            "class Own extends Error {\n  constructor() {\n    super('x');\n    throw this;\n  }\n}\nnew Own();\nexport const run = 1",
            7,
        ),
    ] {
        let thrown = thrown(world.eval(source).await.unwrap_err());
        assert_eq!(thrown.position.map(|at| at.line), Some(line), "{source}");
    }
}
