//! Variables as agents set, see and lose them.

use testkit::World;

#[tokio::test]
async fn a_later_line_sees_an_earlier_one_and_nothing_is_set_if_one_fails() {
    let world = World::new().await;
    let set = world.ok("main", "/set\n{a} = \"1\"\n{b} = \"{a}2\"\n$C = {b}").await;
    assert_eq!(set, "{a} = \"1\"\n{b} = \"12\"\n$C = \"12\" (global)");
    let failed =
        world.fails("main", "/set {a} = \"x\"\n$C = \"y\"\n{d} = {nope}", "UNDEFINED_VARIABLE").await;
    assert!(failed.contains("/set {nope} = \"…\""), "{failed}");
    let list = "Variables\n---\n{a} = \"1\"\n{b} = \"12\"\n$C = \"12\"";
    assert_eq!(world.ok("main", "/set").await, list);
}

#[tokio::test]
async fn what_is_unset_must_be_there() {
    let world = World::new().await;
    world.ok("main", "/set {city} = Seoul\n$KEY = \"global\"").await;
    world.ok("app:w", "/set $KEY = \"app\"").await;
    let error = world.fails("main", "/unset {city} {ctiy}", "UNDEFINED_VARIABLE").await;
    assert!(error.contains("Nothing was changed"), "{error}");
    assert!(
        world.fails("main", "/unset city cty", "UNDEFINED_VARIABLE").await.contains("Did you mean {city}?")
    );
    assert!(world.fails("app:w:c", "/unset $KEY", "UNDEFINED_VARIABLE").await.contains("but in app:w"));
    assert_eq!(world.ok("app:w", "/unset $KEY").await, "Unset $KEY (app:w)\n$KEY now comes from global.");
    assert_eq!(world.ok("main", "/unset city $KEY").await, "Unset {city}\nUnset $KEY (global)");
    assert_eq!(world.ok("main", "/set").await, "No variables set.");
}

#[tokio::test]
async fn values_stay_out_of_the_logs_and_the_activity() {
    let world = World::new().await;
    let mut activity = world.runtime.activity.watch();
    world.ok("main", "/set $API_KEY = \"sk-secret\"\n{t} = \"sk-secret\"").await;
    world.fails("main", "/set $API_KEY = \"sk-secret\" x", "INVALID_PARAMS").await;
    world.fails("main", "/sett $API_KEY = \"sk-secret\"", "COMMAND_UNSUPPORTED").await;
    world.ok("main", "/set").await;
    world.fails("main", "/open gone/sk-secret.md", "NOT_FOUND").await;
    world.fails("tool", "/info sk-secret", "NOT_FOUND").await;
    world.fails("main", &format!("/open {}sk-secret", "x".repeat(389)), "LOAD_ERROR").await;
    let started = activity.recv().await.unwrap();
    let runtime::activity::What::Command { command, .. } = started.what else { panic!("{started:?}") };
    assert_eq!(command, "/set $API_KEY = …, {t} = …");
    let home = world.close();
    let log = home.read(".string/log/audit.jsonl");
    for line in ["/set $API_KEY = …, {t} = …", "/open gone/$API_KEY.md", "/info $API_KEY"] {
        assert!(log.contains(&format!("\"{line}\"")), "{line}: {log}");
    }
    assert!(!log.contains("sk-"), "{log}");
}

#[tokio::test]
async fn values_stay_out_however_they_are_written() {
    let world = World::new().await;
    world
        .ok("main", "/set\n$KEY = \"ab\\\"cd\\\\efgh\"\n$PEM = \"-- BEGIN --\nMIIEvQIBADANBg\n-- END --\"")
        .await;
    for target in ["$PEM", "docs/$PEM.md"] {
        let error = world.say("main", &format!("/open {target}")).await;
        assert!(!error.ok() && !error.content.contains("MIIE"), "{target}: {}", error.content);
    }
    world.say("main", r#"/act.nope --x "ab\"cd\\efgh""#).await;
    let log = world.close().read(".string/log/audit.jsonl");
    assert!(log.contains("/act.nope --x") && !log.contains("efgh") && !log.contains("MIIE"), "{log}");
}

#[tokio::test]
async fn every_line_of_a_command_is_logged() {
    let world = World::new().await;
    world.ok("main", "/set $PEM = \"-- BEGIN --\nMIIEvQIBADANBg\n-- END --\"").await;
    // There are no shells here; what was tried is logged all the same.
    world.say("main", "/exec true\ntouch hidden").await;
    world.say("bash:x", "true\n: '-- BEGIN --\nMIIEvQIBADANBg\n-- END --'\n").await;
    let log = world.close().read(".string/log/audit.jsonl");
    for line in ["/exec true ⏎ touch hidden", "true ⏎ : '$PEM'"] {
        assert!(log.contains(&format!("\"{line}\"")), "{line}: {log}");
    }
}

#[tokio::test]
async fn values_stay_out_of_errors() {
    let world = World::new().await;
    world.ok("main", "/set $API_KEY = \"sk-secret\"").await;
    for target in ["$API_KEY", "http://$API_KEY/x.md", "docs/$API_KEY.md", "sk-secret"] {
        let error = world.say("main", &format!("/open {target}")).await;
        assert!(!error.ok() && !error.content.contains("sk-secret"), "{target}: {}", error.content);
        assert!(error.content.contains("$API_KEY"), "{target}: {}", error.content);
    }
    // A value that changes is taken out at once.
    world.ok("main", "/set $API_KEY = \"sk-other!\"").await;
    let error = world.fails("main", "/open $API_KEY", "NOT_FOUND").await;
    assert!(!error.contains("sk-other"), "{error}");
}

#[tokio::test]
async fn info_counts_all_lines_of_a_long_value() {
    let world = World::new().await;
    world.ok("main", &format!("/set {{many}} = \"{}\"", "line\n".repeat(500).trim_end())).await;
    let info = world.ok("main", "/info").await;
    assert!(info.contains("{many}=(500 lines)"), "{info}");
}

#[tokio::test]
async fn agents_do_not_see_each_others_variables() {
    let world = World::new().await;
    world.ok("agent", "/add other --home ~/other").await;
    world.ok("main", "/set {mine} = \"1\"\n$MINE = \"2\"").await;
    let reply = world.run(world.request_as("other", "main", "/set")).await;
    assert_eq!(reply.content, "No variables set.");
}

#[tokio::test]
async fn a_default_of_the_document_counts_in_commands() {
    let world = World::new().await;
    world.home.write("a.md", "---\nenv:\n  - RG: \"Region\"\n    default: US\n---\n# A\n");
    world.home.write("US.md", "# US\n");
    world.fails("main", "/set {w} = $RG", "UNDEFINED_VARIABLE").await;
    world.ok("main", "/open a.md").await;
    assert_eq!(world.ok("main", "/set {w} = \"in $RG\"").await, "{w} = \"in US\"");
    world.ok("main", "/open $RG.md").await;
    world.ok("main", "/open a.md").await;
    world.ok("main", "/set $RG = KR").await;
    assert_eq!(world.ok("main", "/set {w} = $RG").await, "{w} = \"KR\"");
}
