//! Tools and skills as packages: installed whole or not at all, listed, upgraded, taken away.

use std::fs;

use crate::support::{tool, world};

const INLINE: &str = "description: Says a word.
input_schema: { type: object }
execution: { type: script, script: 'export const run = () => \"WORD\"' }
";

fn inline(name: &str, word: &str) -> String {
    format!("name: {name}\n{}", INLINE.replace("WORD", word))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_manifest_is_installed_with_everything_its_script_imports() {
    let world = world().await;
    let manifest = "name: adder\ndescription: Adds.\ninput_schema: { type: object }
execution: { type: script, script_file: src/adder.ts }\n";
    world.home.write("dev/adder.tool.yaml", manifest);
    world.home.write(
        "dev/src/adder.ts",
        "import { plus } from '../lib/plus.ts';\nexport const run = () => plus(1, 2);",
    );
    world.home.write(
        "dev/lib/plus.ts",
        "import n from './n.json';\nexport const plus = (a: number, b: number) => a + b + n;",
    );
    world.home.write("dev/lib/n.json", "10");
    world.home.write("dev/unrelated.ts", "x");
    world.fails("main", "/tool:adder", "NOT_FOUND").await;
    assert_eq!(
        world.ok("main", "/install ./dev/adder.tool.yaml").await,
        "Installed tool:adder — /tool:adder --help"
    );
    fs::remove_dir_all(world.home.path().join("dev")).unwrap();
    assert_eq!(world.ok("main", "/tool:adder").await, "13");
    assert!(world.ok("tool", "/list").await.contains("adder  Adds."));
    let files = world.home.path().join(".string/packages/adder");
    assert!(files.join("lib/n.json").is_file() && !files.join("unrelated.ts").exists());
    assert_eq!(world.ok("main", "/uninstall adder").await, "Uninstalled tool:adder");
    world.fails("main", "/tool:adder", "NOT_FOUND").await;
    assert!(world.ok("tool", "/list").await.contains("No tools are installed."));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bundle_installs_all_its_tools_and_an_upgrade_replaces_them() {
    let world = world().await;
    let skill = "skill_id: counting\nname: Counting\ndescription: Count things.\ninstruction_file: how.md
tools: [two]\ntool_definitions:\n  - name: one\n    description: One.\n    input_schema: { type: object }
    execution: { type: script, script: 'export const run = () => 1' }\n";
    world.home.write("bundle/counting.skill.yaml", skill);
    world.home.write("bundle/how.md", "Count slowly.");
    world.home.write("bundle/two.tool.yaml", inline("two", "2"));
    assert_eq!(
        world.ok("main", "/install ./bundle/").await,
        "Installed tool:counting: one, two — string tool /list"
    );
    assert_eq!(world.ok("main", "/tool:one").await, "1");
    assert_eq!(world.ok("main", "/tool:two").await, "2");
    let info = world.ok("tool", "/info counting").await;
    assert!(info.contains("Tools: one, two") && info.contains("Count slowly."), "{info}");
    assert!(world.ok("tool", "/list").await.contains("Skills:\ncounting  Count things."));

    world.home.write("bundle/two.tool.yaml", inline("three", "3"));
    world.home.write("bundle/counting.skill.yaml", skill.replace("tools: [two]", "tools: [three]"));
    assert_eq!(world.ok("main", "/install ./bundle/").await, "Updated tool:counting: one, three");
    assert_eq!(world.ok("main", "/tool:three").await, "3");
    world.fails("main", "/tool:two", "NOT_FOUND").await;

    world.ok("main", "/uninstall skill:counting").await;
    world.home.write("bundle/more.ts", "not part of it");
    world.home.write("bundle/three.tool.yaml", inline("three", "3"));
    fs::remove_file(world.home.path().join("bundle/two.tool.yaml")).unwrap();
    world.ok("main", "/install ./bundle/counting.skill.yaml").await;
    assert_eq!(world.ok("main", "/tool:three").await, "3");
    assert!(!world.home.path().join(".string/packages/counting/more.ts").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bundle_brings_the_tools_that_its_scripts_call() {
    let world = world().await;
    let call = |tool: &str| {
        format!(
            "input_schema: {{ type: object }}, execution: {{ type: script, script: 'import {{ flo }} from \"flo:runtime\"; export const run = async () => (await flo.callTool({{ tool_id: \"{tool}\" }})).output' }}"
        )
    };
    let skill = format!(
        "skill_id: counting\nname: Counting\ndescription: Count things.\ninstruction: Count.\nscript_tools: [helper]
tool_definitions:\n  - {{ name: one, description: One., {} }}\n",
        call("helper")
    );
    world.home.write("bundle/counting.skill.yaml", &skill);
    let helper =
        format!("{{ name: helper, description: Helps., script_tools: [deeper], {} }}\n", call("deeper"));
    world.home.write("bundle/helper.tool.yaml", helper);
    world.home.write("bundle/deeper.tool.yaml", inline("deeper", "2"));
    world.home.write("bundle/stray.tool.yaml", inline("stray", "3"));
    for outcome in ["Installed", "Updated"] {
        let reply = world.ok("main", "/install ./bundle/counting.skill.yaml").await;
        assert!(reply.starts_with(&format!("{outcome} tool:counting: ")), "{reply}");
        assert_eq!(world.ok("main", "/tool:one").await, "2");
    }
    world.fails("main", "/tool:stray", "NOT_FOUND").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_installs_nothing() {
    let world = world().await;
    world.home.write("good/a.tool.yaml", inline("a", "old"));
    world.ok("main", "/install ./good/").await;
    world.home.write("good/a.tool.yaml", inline("a", "new"));
    world
        .home
        .write("good/b.tool.yaml", inline("b", "b").replace("description: Says a word.", "colour: red"));
    let refused = world.fails("main", "/install ./good/", "INVALID_MANIFEST").await;
    assert!(refused.contains("b.tool.yaml:2: colour") && refused.contains("still there"), "{refused}");
    assert_eq!(world.ok("main", "/tool:a").await, "old");

    world.home.write("good/b.tool.yaml", inline("a", "twice"));
    assert!(world.fails("main", "/install ./good/", "INVALID_MANIFEST").await.contains("also declared"));
    tool(&world, "mine", "", "return 1;");
    world.home.write("good/b.tool.yaml", inline("mine", "theirs"));
    let taken = world.fails("main", "/install ./good/", "CONFLICTING_PACKAGE").await;
    assert!(taken.contains("mine is declared already"), "{taken}");
    world.home.write(
        "lone/x.tool.yaml",
        inline("x", "x").replace("script: 'export", "script: 'import \"./gone.ts\"; export"),
    );
    let broken = world.fails("main", "/install ./lone/x.tool.yaml", "INVALID_PACKAGE").await;
    assert!(broken.contains("there is no gone.ts"), "{broken}");
    world.fails("main", "/install --app ./good/", "INVALID_PACKAGE").await;
    world.home.write("empty/readme.txt", "x");
    assert!(world.fails("main", "/install ./empty/", "INVALID_PACKAGE").await.contains("NAME.tool.yaml"));
    std::os::unix::fs::symlink("/etc/passwd", world.home.path().join("lone/y.ts")).unwrap();
    world.fails("main", "/install ./lone/", "INVALID_PACKAGE").await;
    assert_eq!(world.ok("main", "/tool:a").await, "old");
    let left = fs::read_dir(world.home.path().join(".string/packages")).unwrap();
    let left: Vec<_> = left.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert!(left.iter().all(|name| !name.starts_with(".staged")), "{left:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_tools_of_an_agent_are_offered_with_their_schemas() {
    let world = world().await;
    tool(&world, "zeta", "input_schema: { type: object, properties: { n: { type: integer } } }", "return 1;");
    tool(&world, "alpha", "", "return 1;");
    world.home.write("tools/bad.tool.yaml", "name: bad");
    let catalogue = world.runtime.tools.of(world.home.path()).await;
    let offered: Vec<_> = catalogue.tools().collect();
    let names: Vec<&str> = offered.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["alpha", "zeta"]);
    assert_eq!(offered[1].schema.document["properties"]["n"]["type"], "integer");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_package_of_tools_is_named_as_what_it_is() {
    let world = world().await;
    let skill = "skill_id: alone\nname: Alone\ndescription: Advice.\ninstruction: Think.\n";
    world.home.write("dev/alone.skill.yaml", skill);
    assert_eq!(world.ok("main", "/install ./dev").await, "Installed tool:alone — string tool /list");
    assert_eq!(world.ok("main", "/install ./dev").await, "Updated tool:alone");
    let address = "http://127.0.0.1:9/x.tool.yaml";
    let error = world.fails("main", &format!("/install {address}"), "INVALID_PARAMS").await;
    assert!(error.contains("/install FOLDER") && error.contains("github:owner/repo"), "{error}");
    let manifest = "name: lost\ndescription: Lost.\ninput_schema: { type: object }
execution: { type: script, script_file: lost.ts }\n";
    world.home.write("lost/lost.tool.yaml", manifest);
    let error = world.fails("main", "/install ./lost", "INVALID_MANIFEST").await;
    assert!(!error.contains(".staged-"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_whose_scripts_do_not_compile_replaces_nothing() {
    let world = world().await;
    let manifest = "name: ci\ndescription: C.\ninput_schema: { type: object }
execution: { type: script, script_file: ci.ts }\n";
    world.home.write("ci/ci.tool.yaml", manifest);
    world.home.write("ci/ci.ts", "export const run = () => \"good\"");
    world.ok("main", "/install ./ci").await;
    for (script, said) in [
        ("export const run = ( => \"bad\"", "ci.ts:1"),
        ("import \"./lib/math.ts\"; export const run = () => 1", "there is no lib/math.ts"),
    ] {
        world.home.write("ci/ci.ts", script);
        let refused = world.fails("main", "/install ./ci", "INVALID_PACKAGE").await;
        assert!(refused.contains(said) && refused.contains("Nothing was installed."), "{refused}");
        assert_eq!(world.ok("main", "/tool:ci").await, "good");
    }
    let page = "---\nname: doc\ntype: tool\n---\n# D\n\n```act.go\nSCRIPT ./d.ts\n```\n";
    world.home.write("doc/string.md", page);
    world.home.write("doc/d.ts", "export const run = (");
    world.fails("main", "/install ./doc", "INVALID_PACKAGE").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_another_package_declares_names_the_ways_out() {
    let world = world().await;
    world.home.write("dev/counter.tool.yaml", inline("counter", "old"));
    world.ok("main", "/install ./dev/counter.tool.yaml").await;
    world.home.write("pk/counter.tool.yaml", inline("counter", "new"));
    world.home.write("pk/other.tool.yaml", inline("other", "more"));
    let taken = world.fails("main", "/install ./pk", "CONFLICTING_PACKAGE").await;
    assert!(taken.contains("by the package counter") && taken.contains("/uninstall counter"), "{taken}");
    assert!(taken.contains("/install --as counter --force SOURCE"), "{taken}");
    let reply = world.ok("main", "/install ./pk --force").await;
    assert!(reply.ends_with("\ntool:counter gave way."), "{reply}");
    assert_eq!(world.ok("main", "/tool:counter").await, "new");
    assert_eq!(world.ok("main", "/tool:other").await, "more");
    world.fails("main", "/uninstall counter", "NOT_FOUND").await;
    // A tool of the user's own gives way to none.
    tool(&world, "mine", "", "return 1;");
    world.home.write("pk/mine.tool.yaml", inline("mine", "theirs"));
    world.fails("main", "/install ./pk --force", "CONFLICTING_PACKAGE").await;
}
