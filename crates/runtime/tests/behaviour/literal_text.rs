//! Text that looks like a placeholder or a quote, and lists that are cut, on their way through an action.

use serde_json::Value;

use super::actions::{JSON, with_page};

#[tokio::test]
async fn braces_can_be_text() {
    let (world, web) = with_page(
        "```act.gql\nPOST WEB/ok?q=\\{x} -H \"X-A: \\{y}\"\n  id: string\n  body:\n    {\"query\": \"{ user(id: {id}) \\{name} }\"}\n```\n\
         ```act.gql.response\n\\{Response.body.a} is {Response.body.a}\n```\n\
         ```act.plain\nGET WEB/ok?q={print}\n```\n",
    )
    .await;
    assert_eq!(world.ok("main", "/act.gql --id 7").await, "{Response.body.a} is x");
    let seen = web.seen().pop().unwrap();
    assert_eq!((seen.uri.query(), &seen.headers["x-a"]), (Some("q={x}"), &"{y}".parse().unwrap()));
    let body: Value = serde_json::from_slice(&seen.body).unwrap();
    assert_eq!(body["query"], "{ user(id: 7) {name} }");
    assert_eq!(
        world.fails("main", "/act.plain", "UNDEFINED_VARIABLE").await,
        "ERROR(UNDEFINED_VARIABLE): {print} has no value.\n  /set {print} = \"…\"\n  \
         To keep it as text: \\{print}\n  Nothing was sent."
    );
}

#[tokio::test]
async fn a_name_written_as_in_a_shell_is_told_apart() {
    let (world, web) =
        with_page("```act.a\nGET WEB/ok?k=${KEY}\n```\n```act.b\nGET WEB/ok -H \"X-K: ${KEY}\"\n```\n").await;
    let expected = "ERROR(UNDEFINED_VARIABLE): ${KEY} has no value.\n  \
                    Write $KEY: {…} is a variable of the session.\n  Nothing was sent.";
    assert_eq!(world.fails("main", "/act.a", "UNDEFINED_VARIABLE").await, expected);
    world.ok("main", "/set $KEY = \"k\"").await;
    assert_eq!(world.fails("main", "/act.b", "UNDEFINED_VARIABLE").await, expected);
    assert!(web.seen().is_empty());
}

#[tokio::test]
async fn a_list_that_was_cut_says_so_at_the_end() {
    let (world, web) = with_page(
        "```act.list\nGET WEB/list\n```\n\
         ```act.list.response\nfor: {x} in {Response.body}\n{last} = {x}\nend:\nlast is {last}\n```\n\
         ```act.keep\nGET WEB/list\n```\n\
         ```act.keep.response\nfor: x in Response.body\n{last} = {x}\nend:\n```\n",
    )
    .await;
    let note = "\n\n… cut after 20000 turns of loops: the other items are neither shown nor stored";
    let list = |count: usize| serde_json::to_string(&(0..count).collect::<Vec<_>>()).unwrap();
    web.page("/list", JSON, list(20_005));
    assert_eq!(world.ok("main", "/act.list").await, format!("last is 19999{note}"));
    assert_eq!(world.ok("main", "/act.keep").await, format!("OK {{last}}{note}"));
    web.page("/list", JSON, list(20_000));
    assert_eq!(world.ok("main", "/act.list").await, "last is 19999");
}

#[tokio::test]
async fn words_are_quoted_and_joined_as_in_a_shell() {
    let (world, web) = with_page("```act.ask\nGET WEB/ok\n  a: string\n  b: string\n```\n").await;
    world.ok("main", "/act.ask 'it'\\''s' \\\n  --b x").await;
    assert_eq!(web.seen().pop().unwrap().uri.query(), Some("a=it%27s&b=x"));
    assert_eq!(
        world.fails("main", "/act.ask 'it's'", "INVALID_PARAMS").await,
        "ERROR(INVALID_PARAMS): A quote is not closed: \"'it's'\"\n  \
         A quote that is text: \"it's\", 'it'\\''s', \"say \\\"hi\\\"\""
    );
}
