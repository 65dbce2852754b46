//! What users do to their shell: turns still end, and what was set stays set.

use crate::support::Fixture;

#[tokio::test]
async fn prompts_and_their_commands_do_not_matter() {
    let fixture = Fixture::new().await;
    fixture.check("PS1='>>> '; PS2='... '; PROMPT_COMMAND='echo prompted'", 0, "").await;
    fixture.check("echo \"$PS1$PS2$PROMPT_COMMAND\"", 0, ">>> ... echo prompted\n").await;
    fixture.check("PROMPT_COMMAND=; unset PS1", 0, "").await;
    fixture.check("echo \"[${PS1-unset}]\"", 0, "[unset]\n").await;
    fixture.check("PS0='zero '", 0, "").await;
    fixture.check("declare -p PS0", 0, "declare -- PS0=\"zero \"\n").await;
    fixture.check("false; declare -p PS0; unset PS0", 0, "declare -- PS0=\"zero \"\n").await;
    fixture.check("declare -p PS0 2>/dev/null", 1, "").await;
}

#[tokio::test]
async fn tracing_shows_the_users_commands_and_none_of_ours() {
    let fixture = Fixture::new().await;
    fixture.finish("set -x").await;
    assert_eq!(fixture.finish("echo traced").await, (0, "++ echo traced\ntraced\n".into()));
    assert_eq!(fixture.finish("(exit 4)").await, (4, "++ exit 4\n".into()));
    assert_eq!(fixture.finish("echo $?").await, (0, "++ echo 4\n4\n".into()));
    let (_, history) = fixture.finish("history").await;
    assert!(!history.contains("string_r"), "{history}");
    assert!(history.contains("echo traced"), "{history}");
    fixture.finish("set +x").await;
    fixture.alive().await;
    fixture.finish("set -v").await;
    let (_, verbose) = fixture.finish("echo seen").await;
    assert!(verbose.contains("echo seen\nseen\n") && !verbose.contains("builtin"), "{verbose}");
    fixture.finish("set +v").await;
    fixture.alive().await;
}

#[tokio::test]
async fn traps_stay_and_see_none_of_our_commands() {
    let fixture = Fixture::new().await;
    fixture.finish("trap 'echo \"[$BASH_COMMAND]\"' DEBUG").await;
    assert_eq!(fixture.finish("echo one").await, (0, "[echo one]\none\n".into()));
    assert_eq!(fixture.finish("echo two").await, (0, "[echo two]\ntwo\n".into()));
    fixture.finish("trap - DEBUG").await;
    fixture.alive().await;
    fixture.finish("trap 'echo failed' ERR").await;
    assert_eq!(fixture.finish("false").await, (1, "failed\n".into()));
    assert_eq!(fixture.finish("false || true").await, (0, String::new()));
    fixture.alive().await;
    fixture.finish("trap - ERR; trap 'echo usr1' USR1").await;
    assert_eq!(fixture.finish("kill -USR1 $$; true").await, (0, "usr1\n".into()));
    fixture.alive().await;
}

#[tokio::test]
async fn names_of_ours_may_be_taken() {
    let fixture = Fixture::new().await;
    let aliases = "alias builtin='echo no' .='echo no' exec='echo no' printf='echo no' set='echo no' trap='echo no' history='echo no'";
    fixture.check(aliases, 0, "").await;
    let functions = "printf() { echo no; }; set() { echo no; }; trap() { echo no; }; history() { echo no; }; declare() { echo no; }; return() { echo no; }";
    fixture.finish(functions).await;
    fixture.alive().await;
    assert_eq!(fixture.finish("(exit 5)").await.0, 5);
    fixture.alive().await;
}

#[tokio::test]
async fn options_of_the_shell_stay() {
    let fixture = Fixture::new().await;
    for option in [
        "set -o vi",
        "set +o emacs; set +o vi",
        "set -o emacs",
        "set -o posix",
        "shopt -s nocasematch",
        "set -f",
        "set -C",
        "set -k",
        "set -P",
        "set +m",
        "set -o history",
        "set -h",
        "set +B",
        "shopt -s extglob nullglob failglob dotglob",
        "set -o noglob",
        "set -a",
        "set -T",
        "set -E",
        "shopt -s expand_aliases; shopt -u sourcepath",
        "bind '\"a\": \"b\"'",
    ] {
        let fixture = Fixture::new().await;
        fixture.finish(option).await;
        fixture.alive().await;
        fixture.alive().await;
        assert_eq!(fixture.finish("(exit 6)").await.0, 6, "{option}");
    }
    fixture.check("set -o vi", 0, "").await;
    fixture.check("set -o | grep -c '^vi.*on'", 0, "1\n").await;
    fixture.check("IFS=x", 0, "").await;
    fixture.check("echo ${IFS}; unset IFS", 0, "\n").await;
    fixture.check("set -u; echo ${nothing:-fine}", 0, "fine\n").await;
    fixture.check("unset PWD; echo fine", 0, "fine\n").await;
    fixture.check("echo ${nothing-still fine}", 0, "still fine\n").await;
}

#[tokio::test]
async fn history_has_the_users_commands_and_none_of_ours() {
    for more in ["", "HISTCONTROL=ignoreboth", "HISTIGNORE='*'", "set -e"] {
        let fixture = Fixture::new().await;
        fixture.finish(more).await;
        fixture.finish("echo first").await;
        fixture.finish("set -o history; echo kept").await;
        fixture.finish("echo last").await;
        let (status, listed) = fixture.finish("history").await;
        let commands: Vec<&str> = listed.lines().map(|line| line[7..].trim()).collect();
        let expected = [more, "echo first", "set -o history; echo kept", "echo last", "history"];
        assert_eq!((status, &commands[commands.len() - 4..]), (0, &expected[1..]), "{more}: {listed}");
        assert!(!listed.contains("string"), "{more}: {listed}");
    }
}

#[tokio::test]
async fn errors_that_end_a_script_do_not_end_the_shell() {
    let fixture = Fixture::new().await;
    fixture.finish("x=kept; set -u").await;
    let (status, output) = fixture.finish("echo $nothing").await;
    assert!(status != 0 && output.contains("unbound variable"), "{status} {output}");
    fixture.check("echo $x", 0, "kept\n").await;
    fixture.finish("set +u").await;
    let (status, output) = fixture.finish("echo ${nothing:?is missing}").await;
    assert!(status != 0 && output.contains("is missing"), "{status} {output}");
    fixture.check("echo $x", 0, "kept\n").await;
    fixture.check("set -o pipefail; false | true", 1, "").await;
}

#[tokio::test]
async fn terminal_modes_are_the_users() {
    let fixture = Fixture::new().await;
    fixture.finish("stty -echo").await;
    fixture.check("stty -a | grep -o -- '-echo '", 0, "-echo \n").await;
    fixture.finish("stty raw").await;
    fixture.alive().await;
    fixture.finish("stty sane").await;
    fixture.check("stty size", 0, "48 160\n").await;
}

#[tokio::test]
async fn users_may_use_descriptors() {
    let fixture = Fixture::new().await;
    fixture.check("exec 3>~/file 10<&3 11>&1; echo hi >&3; cat ~/file", 0, "hi\n").await;
    fixture.check("echo there >&11; exec 3>&- 10<&- 11>&-", 0, "there\n").await;
    fixture.check("exec 2>&1; echo err >&2", 0, "err\n").await;
    fixture.finish("exec >~/log").await;
    assert_eq!(fixture.finish("echo hidden").await, (0, String::new()));
    fixture.finish("exec >/dev/tty").await;
    fixture.alive().await;
}

#[tokio::test]
async fn a_trap_for_interrupts_stays_also_in_posix_mode() {
    let fixture = Fixture::new().await;
    fixture.finish("trap 'echo caught' INT").await;
    fixture.check("kill -INT $$", 0, "caught\n").await;
    fixture.finish("set -o posix").await;
    fixture.check("kill -INT $$", 0, "caught\n").await;
    fixture.finish("trap - INT").await;
    fixture.finish("set +o posix").await;
    fixture.check("trap -p INT", 0, "").await;
}

#[tokio::test]
async fn aliases_of_reserved_words_are_the_users() {
    let fixture = Fixture::new().await;
    fixture.finish("alias do='echo no' for='echo no' done='echo no' if='echo no'").await;
    fixture.check("(exit 3)", 3, "").await;
    fixture.alive().await;
}
