//! Where bash looks into a value (it calculates, or takes a name), nothing in the value is run: checked with a real bash.

use std::process::Command;

use proptest::prelude::{Just, Strategy, prop_assert, prop_oneof, proptest};
use runtime::error::{Code, Result};
use runtime::substitute::{CommandLine, command_line, fill_line};
use serde_json::json;
use sfmd::{Dialect, Template};

use super::substitution::Given;

/// Each would leave the file `pwned` behind if bash looked into it.
const HOSTILE: [&str; 10] = [
    "a[$(touch pwned)]",
    "a[`touch pwned`]",
    "x[$(touch pwned)]=1",
    "($(touch pwned))",
    "$(touch pwned)",
    "0]+a[$(touch pwned)",
    "-va[$(touch pwned)]",
    "1 -o -v a[$(touch pwned)]",
    "x; touch pwned",
    "STRING_VALUE_2",
];

/// Lines in which the value must be a whole number.
const CALCULATED: [&str; 52] = [
    "echo $(( {x} ))",
    "echo \"$(( 1 + {x} ))\"",
    "echo $(( (1 + {x}) * 2 ))",
    "echo $(( \"{x}\" + 1 ))",
    "echo $(( ${y:-{x}} + 1 ))",
    "echo \"$(( ${y:-{x}} + 1 ))\"",
    "echo \"$(echo \"$(( {x} ))\")\"",
    "echo $[ {x} + 1 ]",
    "echo \"$[ 1 + {x} ]\"",
    "echo `echo \\$(( {x} ))`",
    "(( {x} > 1 ))",
    "(( \"{x}\" > 3 )) && echo big",
    "if (( {x} > 3 )); then :; fi",
    "for (( i={x}; i<3; i++ )); do :; done",
    "[[ {x} -eq 1 ]]",
    "[[ \"{x}\" -gt 3 ]] && echo big || echo small",
    "[[ '{x}' -gt 3 ]]",
    "[[ 3 -lt {x} ]]",
    "[[ ! 1{x} -lt 3 ]]",
    "[[ ( {x} -lt 3 ) ]]",
    "[[ -n a && ( b == b || {x} -ge 3 ) ]]",
    "[[ -n a&&{x} -ge 3 ]]",
    "if [[ ${y:-{x}} -ne 3 ]]; then :; fi",
    "s=abcdef; echo \"${s:0:{x}}\"",
    "s=abcdef; echo ${s:{x}}",
    "s=abcdef; echo ${s: {x}:1}",
    "s=abcdef; echo \"${s:\"{x}\"}\"",
    "s=abcdef; echo ${s:0:'{x}'}",
    "set -- a b; echo ${@:{x}} ${1:{x}}",
    "list=(zero one two); echo \"${list[{x}]}\"",
    "list=(zero one two); echo ${#list[1+{x}]}",
    "list=(zero one); echo ${list[0]:{x}}",
    "x[{x}]=5",
    "list=([{x}]=5)",
    "declare -a list=([{x}]=5)",
    "declare list[{x}]=5",
    "unset \"list[{x}]\"",
    "[[ -v list[{x}] ]]",
    "test -v \"list[{x}]\"",
    "let y={x}+1",
    "let \"y = 1\" '{x}'",
    "declare -i y={x}",
    "typeset -xi y={x}",
    "f() { local -i y={x}; }; f",
    "declare -i y; y={x}",
    "y={x}; echo $((y+1))",
    "y={x}; [[ \"$y\" -gt 3 ]]",
    "for y in 1 {x}; do (( y++ )); done",
    "y=(1 {x}); echo $(( y[1] ))",
    "OPTIND={x}",
    "printf -v RANDOM %s {x}",
    "for OPTIND in {x}; do :; done",
];

/// Lines in which the value must be a name.
const NAMED: [&str; 25] = [
    "[[ -v {x} ]]",
    "[[ ! -v \"{x}\" ]] || echo set",
    "test -v {x}",
    "[ -n a -a -v '{x}' ]",
    "printf -v {x} text",
    "printf -v{x} text",
    "echo hi | read {x}",
    "echo hi | { read -r -p prompt y {x}; }",
    "while read -a {x}; do :; done < /dev/null",
    "unset {x}",
    "time -p test -v {x}",
    "builtin -- unset {x}",
    "for ((i=0; i<1; i++)) do printf -v {x} y; done",
    "while ((1)) do [ -v {x} ]; break; done",
    "my-f() { printf -v {x} y; }; my-f",
    "while (true) do unset {x}; break; done",
    "unset -v y {x}",
    "a=(1); unset {x}",
    "true & wait -n -p {x}",
    "true & wait -np {x}",
    "declare -n y; y={x}; echo \"$y\"",
    "declare {x}",
    "declare {x}=1",
    "declare -n y={x}; echo \"$y\"",
    "y={x}; echo \"${!y}\"",
];

/// Lines in which a value may be any text that bash does not run, though some of it is looked into.
const LOOKED_INTO: [&str; 55] = [
    "set -- {x}; echo $(( $1 ))",
    "f() { (( $1 )); }; f {x}",
    "echo $(( $(printf %s {x}) + 1 ))",
    "echo $(( `printf %s {x}` + 1 ))",
    "[[ $(printf %s {x}) -gt 3 ]]",
    "read y <<< {x}; (( y ))",
    "echo {x} | { read y; (( y )); }",
    "read <<< {x}; (( REPLY ))",
    "mapfile -t y <<< {x}; (( y ))",
    "[[ {x} =~ (.*) ]] && (( BASH_REMATCH[1] ))",
    ": {x}; (( $_ ))",
    "y={x}; z=$y; (( z ))",
    "y={x}; unset \"$y\"; [[ -v $y ]]",
    "set -- {x}; echo ${!1}",
    "y=({x}); echo ${!y[0]}",
    "declare -i y; read y <<< {x}",
    "z=\"$(printf %s {x})\"; RANDOM=$z",
    "declare -a y={x}",
    "declare -A y='{x}'",
    "declare -a y=\"({x})\"",
    "y=(1); declare y={x}",
    "z={x}; declare -a y=$z",
    "readonly -a y={x}",
    "export {x} 'y=($(touch pwned))'; true",
    "printf {x} y",
    "printf $ARGS",
    "test $ARGS",
    "[ {x} {x} ]",
    "z=-v; [ \"$z\" {x} ]",
    "declare -A m; unset \"m[{x}]\"; read \"m[{x}]\" <<< y",
    "set -- \"a[{x}]\"; echo $(( $1 ))",
    "declare -i y; : ${y:={x}}; : ${z={x}}; echo $((z))",
    "eval \"echo {x}\"",
    "eval y={x}",
    "trap 'rm -f {x}' EXIT",
    "mapfile -C {x} -c 1 y <<< text",
    "readarray -tC{x} -c1 y <<< text",
    "y={x}; eval \"echo $y\"",
    "y={x} eval 'echo $((y))'",
    "compgen -W {x}",
    "export PS4={x}; set -x; :",
    "PS4='$(echo {x})'; set -x; :",
    "read OPTIND <<< {x}",
    "mapfile SECONDS <<< {x}",
    "read y <<< {x}; eval '((y))'",
    "read y <<< {x}; trap '[[ y -gt 1 ]]' EXIT",
    "echo `echo \\`[[ {x} -gt 3 ]]\\``",
    "y={x}; echo \"${y@P}\"",
    "PS4={x}; set -x; :",
    "y=let; $y {x}",
    "y=-i; declare $y z={x}",
    "l=(1); l+=({x}); echo ${l[$(echo {x})]}",
    "s=abc; y={x}; echo ${s:\"$(echo $y)\"}",
    "f() { local a={x}; shift $((a)); }; f",
    "env true; command let y={x}; builtin let z={x}",
];

fn built(line: &str, given: &Given) -> Result<CommandLine> {
    command_line(&fill_line(&Template::parse(line, Dialect::Shell), given).unwrap())
}

/// What a line prints in an empty directory, and whether it ran what is in a value.
fn run(command: CommandLine) -> (String, bool) {
    let directory = tempfile::tempdir().unwrap();
    let mut bash = Command::new("bash");
    bash.arg("-c").arg(&command.line).current_dir(&directory).env_clear().env("PATH", "/usr/bin:/bin");
    let output = bash.envs(command.values).stdin(std::process::Stdio::null()).output().unwrap();
    (String::from_utf8_lossy(&output.stdout).into_owned(), directory.path().join("pwned").exists())
}

fn given(value: &str) -> Given {
    let mut given = Given::x(value);
    given.words = vec!["-v".to_owned(), value.to_owned(), "text".to_owned()];
    given
}

fn refused(line: &str, value: &str) -> String {
    let error = built(line, &given(value)).expect_err(&format!("{line} {value}"));
    assert_eq!(error.code, Code::InvalidParams, "{line} {value}");
    error.message
}

fn all_lines() -> impl Iterator<Item = &'static str> {
    CALCULATED.into_iter().chain(NAMED).chain(LOOKED_INTO).chain(ORDINARY.iter().map(|(line, _)| *line))
}

#[test]
fn nothing_in_a_value_is_run() {
    for line in all_lines() {
        for value in HOSTILE {
            if let Ok(command) = built(line, &given(value)) {
                assert!(!run(command).1, "{line} {value}");
            }
        }
    }
}

#[test]
fn where_bash_calculates_only_whole_numbers_stand() {
    for line in CALCULATED {
        for value in HOSTILE.into_iter().chain(["x", "1;id", "y=5"]) {
            let message = refused(line, value);
            assert!(message.ends_with("is calculated with, and is no whole number."), "{line}: {message}");
        }
        assert!(built(line, &given("-5")).is_ok(), "{line}");
    }
    let lines = [
        ("echo $(( {x} + 1 )) \"$((2 * {x}))\" $[{x}]", "42 82 41\n"),
        ("[[ \"{x}\" -gt 3 && '{x}' -lt 50 ]] && echo yes", "yes\n"),
        ("list=([{x}]=a); list[{x}]+=b; echo \"${list[{x}]:{x}-40:1}\"", "b\n"),
        ("let y={x}+1; declare -i z={x}+2; echo $y $z", "42 43\n"),
    ];
    for (line, expected) in lines {
        assert_eq!(run(built(line, &given("41")).unwrap()).0, expected, "{line}");
    }
}

#[test]
fn where_bash_takes_a_name_only_names_stand() {
    for line in NAMED {
        for value in HOSTILE.into_iter().take(9).chain(["a b", "-v", "a[1]"]) {
            let message = refused(line, value);
            assert!(message.ends_with("stands for a variable, and is no name of one."), "{line}: {message}");
        }
        assert!(built(line, &given("some_name")).is_ok(), "{line}");
    }
    let line = "read {x} <<< 'one two'; [[ -v {x} ]] && echo \"$name\"; printf -v {x} three; echo $name";
    assert_eq!(run(built(line, &given("name")).unwrap()).0, "one two\nthree\n");
}

#[test]
fn other_text_may_stand_where_it_could_be_looked_into() {
    for line in LOOKED_INTO {
        let is_number = line.contains("let ")
            || line.contains("$((a))")
            || line.contains("$((z))")
            || line.contains("m[{x}]");
        assert!(
            built(line, &given(if is_number { "7" } else { "seven" })).is_ok() || line.contains("$ARGS"),
            "{line}"
        );
    }
}

/// Lines that do not look into their value, and what they print for `@` as the value.
const ORDINARY: [(&str, &str); 26] = [
    ("[[ -n {x} ]] && [[ 5 -gt 3 ]] && echo hi {x}", "hi @"),
    ("if [[ {x} != foo* && ${#HOME} -ge 0 ]]; then echo {x}; fi", "@"),
    ("[[ 5 -gt 3 && {x} == {x} ]] && echo {x}", "@"),
    ("echo $((1 + 2)) {x}", "3 @"),
    ("(( 3 > 2 )) && echo {x}", "@"),
    ("test -n {x} && [ 3 -gt 2 ] && echo {x}", "@"),
    ("printf '%s\\n' {x}", "@"),
    ("printf '%s\\n' '-v {x}'", "-v @"),
    ("read -r y <<< {x}; echo \"$y\"", "@"),
    ("read -r -p {x} y < /dev/null; echo {x}", "@"),
    ("y={x}; echo \"${y:-none}\" \"${none:-{x}}\"", "@ @"),
    ("f() { local y={x}; export z={x}; echo \"$y $z\"; }; f", "@ @"),
    ("declare y={x}; echo \"$y\"", "@"),
    ("declare -A m; m[{x}]={x}; echo \"${m[{x}]}\"", "@"),
    ("declare -A m=([{x}]=1); echo \"${!m[@]}\"", "@"),
    ("[[ a#b =~ a(#|x)b ]] && echo {x}", "@"),
    ("y=(a b[{x}] {x}); echo \"${y[2]}\"", "@"),
    ("echo \"list[{x}]\" # it's {x}", "list[@]"),
    ("unset y; echo {x} 2>&1 | cat", "@"),
    ("for y in {x} b; do echo \"$y\"; break; done", "@"),
    ("case {x} in a) echo b;; *) echo {x};; esac", "@"),
    ("echo \"$(case 1 in 1) printf '<%s>' {x};; esac)\"", "<@>"),
    ("echo \"`case 1 in (0|1) printf '<%s>' {x};; esac` {x}\"", "<@> @"),
    ("trap 'echo -n' EXIT; trap - INT; echo {x}", "@"),
    ("eval 'echo -n'; echo {x}", "@"),
    ("cat <(echo {x}) | while read -r y; do echo \"$y\"; done", "@"),
];

#[test]
fn an_ordinary_line_takes_any_value() {
    let values =
        ["two words", "*", "abc", "$5", "-x", "a[$(touch pwned)]", "$(touch pwned)", "(x)", "it's \"so\""];
    for (line, expected) in ORDINARY {
        for value in values {
            let command =
                built(line, &given(value)).unwrap_or_else(|error| panic!("{line} {value}: {error}"));
            assert_eq!(run(command).0, expected.replace('@', value) + "\n", "{line} {value}");
        }
    }
}

/// A price in a line that counts, and a number that was not given, are nothing to be afraid of.
#[test]
fn a_line_that_calculates_takes_what_runs_nothing() {
    let table = [
        ("for ((i=1;i<=2;i++)); do echo \"$i {x}\"; done", "[draft] costs $5", "1 @\n2 @\n"),
        ("i=0; i=$((i+1)); echo \"$i\" {x}", "- [ ] pay $HOME", "1 @\n"),
        ("echo {x}; rc=$?; [[ $rc -eq 0 ]] && echo ok", "{\"a\": [\"$5\"]}", "@\nok\n"),
        ("t=/tmp; trap 'echo \"$t\"' EXIT; echo {x}", "costs $5, not $ 6", "@\n/tmp\n"),
        ("declare -A p=([tea]=3); echo $(( ${p[{x}]} * 2 ))", "tea", "6\n"),
        ("n={x}; echo $(( ${n:-5} * 2 ))", "", "10\n"),
        ("n={x}; : \"${n:=10}\"; echo $((n+1))", "", "11\n"),
        ("[[ -n \"{x}\" && \"{x}\" -gt 3 ]] || echo small", "", "small\n"),
    ];
    for (line, value, expected) in table {
        let command = built(line, &given(value)).unwrap_or_else(|error| panic!("{line} {value}: {error}"));
        assert_eq!(run(command).0, expected.replace('@', value), "{line} {value}");
    }
    refused("echo $(( {x} + 1 ))", "");
    assert!(refused("eval \"$y\"; echo {x}", "$HOME").contains("read text as a command"));
}

#[test]
fn values_cannot_join_into_what_is_run() {
    let lines = [
        "y={a}{b}; (( y ))",
        "set -- {a}{b}; (( $1 ))",
        "set -- {a}; y=$1{b}; z=$y; [[ $z -gt 1 ]]",
        "read y <<< \"{a}{b}\"; unset \"$y\"; printf -v \"$y\" x",
        "declare -a y={a}{b}",
        "printf {a} {b} text",
        "[ {a} {b} ]",
        "declare {a} y={b}",
        "export {a} y={b}",
    ];
    let pairs = [
        ("a[", "$(touch pwned)]"),
        ("(", "$(touch pwned))"),
        ("-v", "a[$(touch pwned)]"),
        ("-i", "a[$(touch pwned)]"),
        ("-a", "($(touch pwned))"),
        ("STRING_VALUE_2", "a[$(touch pwned)]"),
    ];
    for line in lines {
        for (a, b) in pairs {
            let mut given = Given::default();
            given.named.insert("a".to_owned(), json!(a));
            given.named.insert("b".to_owned(), json!(b));
            if let Ok(command) = built(line, &given) {
                assert!(!run(command).1, "{line} {a} {b}");
            }
        }
    }
}

/// Lines put together from parts that bash looks into, in quotes and nested.
fn lines() -> impl Strategy<Value = String> {
    let word =
        prop_oneof![Just("{x}"), Just("\"{x}\""), Just("'{x}'"), Just("1{x}"), Just("$y"), Just("${y:-{x}}")];
    let wrapped = (word, 0..9_usize).prop_map(|(word, form)| match form {
        0 => format!("$(( {word} ))"),
        1 => format!("\"$(( {word} + 1 ))\""),
        2 => format!("\"${{s:{word}}}\""),
        3 => format!("${{l[{word}]}}"),
        4 => format!("$(printf %s {word})"),
        5 => format!("\"$(case a in a) printf %s {word};; esac)\""),
        6 => format!("$[{word}]"),
        _ => word.to_owned(),
    });
    let command = (wrapped, 0..14_usize).prop_map(|(word, form)| match form {
        0 => format!("[[ {word} -gt 3 ]]"),
        1 => format!("[[ -n {word} && 1 -lt {word} ]]"),
        2 => format!("(( {word} ))"),
        3 => format!("let z={word}"),
        4 => format!("declare -i z={word}"),
        5 => format!("y={word}"),
        6 => format!("unset {word}"),
        7 => format!("read z {word} <<< {word}"),
        8 => format!("if test -v {word}; then :; fi"),
        9 => format!("l[{word}]={word}"),
        10 => format!("printf -v {word} %s {word}"),
        11 => format!("echo {word} $((y))"),
        12 => format!("set -- {word}; (( $1 ))"),
        _ => format!("echo {word}"),
    });
    proptest::collection::vec(command, 1..4)
        .prop_map(|commands| format!("s=abc; l=(1 2); {}", commands.join("; ")))
}

proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(200))]

    #[test]
    fn no_line_runs_what_is_in_a_value(line in lines(), value in 0..HOSTILE.len()) {
        if let Ok(command) = built(&line, &given(HOSTILE[value])) {
            prop_assert!(!run(command).1, "{line} {}", HOSTILE[value]);
        }
    }
}
