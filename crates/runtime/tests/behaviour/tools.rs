//! SFMD tools: called from anywhere, at home in the caller's session.

use serde_json::{Value, json};
use testkit::{Web, World};

async fn world() -> (World, Web) {
    let (world, web) = (World::new().await, Web::start().await);
    web.page("/ok", "application/json", "{\"loud\": \"HI\"}");
    let shout = format!(
        "---\ndefault: up\nenv:\n  - SUFFIX: \"Suffix\"\n    default: \"!\"\n---\n\
         ```act.up\nGET {0}?t={{text}}&s=$SUFFIX\n  text: string (required)\n```\n\
         ```act.up.response\n{{loud}} = {{Response.body.loud}}\n{{loud}} {{text}}\n```\n\
         ```act.where\nGET {0}?file=$CURRENT_FILE&dir=$STRING_APP_DIR&args=$ARGS\n```\n",
        web.url("/ok")
    );
    world.home.write("tools/shout.md", shout);
    let quiet = format!("```act.a\nGET {0}\n```\n```act.b\nGET {0}\n```\n", web.url("/ok"));
    world.home.write(".string/tools/quiet.md", quiet);
    world.home.write("page.md", "# Page\n");
    world.ok("main", "/open page.md").await;
    (world, web)
}

#[tokio::test]
async fn a_tool_works_in_the_callers_session() {
    let (world, web) = world().await;
    world.ok("main", "/set {what} = \"hi there\"").await;
    assert_eq!(world.ok("main", "/tool:shout {what}").await, "HI hi there");
    assert_eq!(web.seen().pop().unwrap().uri.query(), Some("t=hi%20there&s=%21"));
    world.ok("main", "/tool:shout.where --x 'a b'").await;
    let home = world.home.path().display().to_string().replace('/', "%2F");
    let expected = format!("file={home}%2Fpage.md&dir={home}%2Ftools&args=--x%20a%20b");
    assert_eq!(web.seen().pop().unwrap().uri.query(), Some(expected.as_str()));
    let info = world.ok("main", "/info").await;
    assert!(info.contains("file:      page.md") && info.contains("{loud}=\"HI\""), "{info}");
    assert_eq!(world.ok("main", "/set {r} = {Response.status}").await, "{r} = \"200\"");
}

/// An object below the command is the input as it is; a text that begins with a placeholder is none.
#[tokio::test]
async fn a_tool_takes_its_fields_as_an_object_too() {
    let (world, web) = world().await;
    world.home.write("secret.txt", "of a file");
    world.ok("main", "/set {what} = \"hi\"").await;
    assert_eq!(world.ok("main", "/tool:shout\n{\"text\": \"{what} --x @a\"}").await, "HI {what} --x @a");
    assert_eq!(world.ok("main", "/tool:shout\n{what}").await, "HI hi");
    let calls = web.seen().len();
    for input in [r#"{"text-file": "secret.txt"}"#, r#"{"": "x"}"#, r#"{"text": "a", "other": 1}"#, "{}"] {
        world.fails("main", &format!("/tool:shout\n{input}"), "INVALID_PARAMS").await;
    }
    assert_eq!(web.seen().len(), calls);
}

#[tokio::test]
async fn tools_are_found_and_explained() {
    let (world, _web) = world().await;
    world.ok("main", "/tool:quiet.b").await;
    world.ok("empty", "/tool quiet.a").await;
    let error = world.fails("main", "/tool:quiet", "INVALID_PARAMS").await;
    assert!(error.contains("/tool:quiet.a, /tool:quiet.b"), "{error}");
    assert!(world.fails("main", "/tool:quiet.c", "ACTION_NOT_FOUND").await.contains("Actions: a, b"));
    assert!(world.fails("main", "/tool:shuot", "NOT_FOUND").await.contains("Did you mean shout?"));
    assert!(world.fails("main", "/tool:../page", "NOT_FOUND").await.contains("Tools: shout, quiet"));
    let missing = world.fails("main", "/tool:shout", "INVALID_PARAMS").await;
    assert!(missing.contains("Usage: /tool:shout.up --text \"…\""), "{missing}");
    let help = world.ok("main", "/tool:shout.up --help").await;
    assert_eq!(help, "Action: up\n---\n--text: string (required)\n\nUsage: /tool:shout.up --text \"…\"");
    assert!(world.ok("main", "/tool:shout --help").await.starts_with("Actions\n---\nup\n"));
    world.fails("main", "/tool:", "INVALID_PARAMS").await;
}

#[tokio::test]
async fn a_document_says_in_the_list_what_it_is_for() {
    let (world, _web) = world().await;
    world.home.write("sum.md", "---\ntype: tool\ndescription: |\n  Adds\n  things.\n---\n# Sum\n");
    world.ok("main", "/install sum.md").await;
    let listed = world.ok("tool", "/list").await;
    assert!(
        listed.contains("\nsum    Adds things.") && listed.contains("\nquiet  actions of a document"),
        "{listed}"
    );
}

#[tokio::test]
async fn one_tool_is_shown_to_programs_too() {
    let (world, _web) = world().await;
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    world.home.write(
        "tools/count.tool.yaml",
        format!(
            "name: count\ndescription: Counts.\ninput_schema: {schema}\n\
             execution: {{ type: script, script: \"export default () => 1\" }}\n"
        ),
    );
    let read = async |command: &str| -> Value {
        serde_json::from_str(&world.ok("tool", command).await).expect("it is JSON")
    };
    let listed = read("/list --json").await;
    for name in ["count", "shout"] {
        let mut one = read(&format!("/info {name} --json")).await;
        let own = one.as_object_mut().unwrap().remove("input_schema");
        assert_eq!(own, (name == "count").then(|| schema.clone()));
        assert!(listed.as_array().unwrap().contains(&one), "{one}");
    }
    let refused = world.fails("tool", "/purge x --json", "INVALID_PARAMS").await;
    assert!(refused.contains("Unknown flag \"--json\"."), "{refused}");
}
