//! Command actions through the real binary: bash, the boundary, and values that stay data.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod support;

use std::fs;

use support::World;

const PAGE: &str = r#"
```act.where
CLI pwd; echo $HOME; echo ${HOME:+set}
```
```act.fail
CLI echo out; echo err >&2; exit 3
```
```act.names
CLI env | cut -d= -f1 | sort | grep -c '^STRING\|^API_KEY'
```
```act.args
CLI printf '[%s]' "$ARGS" $ARGS
```
```act.say
CLI echo "hello {name}" and '{name}' and {name}; read -r line < /proc/$BASHPID/cmdline; echo "$line"
  name: string (required)
```
```act.count
CLI printf %s {text} | wc -c; echo "$(( {n} * 2 ))"
  text: string (required)
  n: string = 4
```
```act.json
CLI printf '{"b": %s, "a": 1}' {n}
  n: integer
```
```act.json.response
{Response.body.b} {Response.status}
```
```act.handled
CLI echo gone; exit 4
```
```act.handled.response
if: failed
it said {Response.body}, {Response.status}
end:
```
"#;

fn reply(world: &World, payload: &str) -> (Option<i32>, String) {
    let run = world.run(&["--raw", "main", payload]);
    (run.code, run.out.trim_end().to_owned())
}

#[test]
fn commands_run_where_their_document_is_with_values_as_data() {
    let world = World::new();
    fs::write(world.home().join("page.md"), PAGE).unwrap();
    fs::create_dir(world.home().join("sub")).unwrap();
    fs::write(world.home().join("sub/inner.md"), "```act.here\nCLI cat ./data.txt\n```\n").unwrap();
    fs::write(world.home().join("sub/data.txt"), "beside").unwrap();
    let ok = |payload: &str| {
        let (code, out) = reply(&world, payload);
        assert_eq!(code, Some(0), "{payload}: {out}");
        out
    };
    ok("/open page.md");
    ok("/set $API_KEY = \"sk-secret\"");
    let home = world.home().display().to_string();
    assert_eq!(ok("/act.where"), format!("{home}\n{home}\nset"));
    assert_eq!(
        reply(&world, "/act.fail"),
        (Some(1), "ERROR(ACTION_FAILED): exit 3\n  out\n  err".to_owned())
    );
    assert_eq!(reply(&world, "/act.names").1, "ERROR(ACTION_FAILED): exit 1\n  0");
    assert_eq!(ok("/act.args a 'b c' '$(id)'"), "[a b c $(id)][a][b c][$(id)]");
    assert_eq!(ok("/act.json 7"), "7 0");
    assert_eq!(ok("/act.handled"), "it said gone, 4");
    let hostile = "a'b $(touch pwned) `id` ; ls";
    let said = ok(&format!("/act.say --name \"{hostile}\""));
    let (first, line) = said.split_once('\n').unwrap();
    assert_eq!(first, format!("hello {hostile} and {hostile} and {hostile}"));
    // What other processes see of this one are names.
    assert!(line.contains("STRING_VALUE_1") && !line.contains("pwned"), "{line}");
    fs::write(world.home().join("long.txt"), "x".repeat(1024 * 1024)).unwrap();
    assert_eq!(ok("/act.count --text-file long.txt"), "1048576\n8");
    let (code, refused) = reply(&world, "/act.count text --n 'a[$(touch pwned)]'");
    assert!(code == Some(1) && refused.contains("is calculated with, and is no whole number"), "{refused}");
    assert!(!world.home().join("pwned").exists());
    ok("/open sub/inner.md");
    assert_eq!(ok("/act.here"), "beside");
}

const PRINTED: &str = r#"
```act.id
CLI printf 'abc\n\n'; echo note >&2
```
```act.id.response
{id} = {Response.stdout}
{@note} = {Response.stderr}
{quoted} = "{Response.stdout}."
save: Response.stdout
to: out.txt
```
```act.same
CLI echo 42
```
```act.same.response
if: Response.stdout == "42"
the same
end:
```
```act.named
CLI echo '{"name": ".profile"}'
```
```act.named.response
save: Response.body.name
to: {Response.body.name}
```
```act.use
CLI printf '[%s]' {id} {note}
  note: string
```
```act.text
CLI echo a b | awk '\{print}'; echo "price \$API_KEY" \{x}
```
```act.slow
CLI echo begun; sleep 60
  --timeout 200ms
```
```act.told
CLI echo begun; sleep 60
  --timeout 200ms
```
```act.told.response
if: failed
{Response.error.message} {Response.status}
end:
```
"#;

#[test]
fn what_a_command_prints_is_passed_on_without_its_line_end() {
    let world = World::new();
    fs::write(world.home().join("page.md"), PRINTED).unwrap();
    let ok = |payload: &str| {
        let (code, out) = reply(&world, payload);
        assert_eq!(code, Some(0), "{payload}: {out}");
        out
    };
    ok("/open page.md");
    ok("/act.id");
    assert_eq!(fs::read_to_string(world.home().join("out.txt")).unwrap(), "abc\n\n");
    assert_eq!(
        ok("/set {out} = {Response.stdout}\n{body} = {Response.body}"),
        "{out} = \"abc\"\n{body} = \"abc\""
    );
    assert_eq!(ok("/act.use @note"), "[abc][note]");
    assert_eq!(ok("/act.same"), "the same");
    let refused = reply(&world, "/act.named").1;
    assert!(refused.contains("A name from an answer begins with a dot."), "{refused}");
    assert!(ok("/set").contains("{quoted} = \"abc\n\n.\""));
    ok("/set $API_KEY = \"sk-secret\"");
    assert_eq!(ok("/act.text"), "a b\nprice $API_KEY {x}");
    let ended = "The command took longer than 0.2 s and was ended.";
    assert_eq!(reply(&world, "/act.slow").1, format!("ERROR(ACTION_FAILED): {ended}\n  begun"));
    assert_eq!(ok("/act.told"), format!("{ended} -1"));
}
