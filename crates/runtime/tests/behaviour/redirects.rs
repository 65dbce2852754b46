//! Where an answer sends a request next, and what goes along.

use testkit::Web;

use crate::actions::{JSON, with_page};

#[tokio::test]
async fn a_redirect_that_leads_out_of_the_web_is_refused() {
    let (world, web) =
        with_page("```act.go\nGET WEB/away\n```\n```act.own\nGET ftp://x.example/\n```\n").await;
    web.answer("/away", 302, &[("location", "file:///etc/passwd")], "");
    world.fails("main", "/act.go", "NOT_ALLOWED").await;
    world.fails("main", "/act.own", "INVALID_PARAMS").await;
}

#[tokio::test]
async fn a_redirect_takes_no_variable_to_another_host() {
    let (world, web) = with_page(
        "```act.key\nGET WEB/away?k=$KEY\n```\n```act.field\nGET WEB/away\n  k: string\n```\n\
         ```act.head\nGET WEB/away -H \"X-Key: Bearer {k}\"\n  k: string\n```\n",
    )
    .await;
    let other = Web::start().await;
    other.page("/ok", JSON, "{}");
    world.ok("main", "/set $KEY = \"sk/secret\"").await;
    web.answer("/away", 302, &[("location", &other.url("/ok?k=sk%2Fsecret"))], "");
    for call in ["/act.key", "/act.field $KEY", "/act.field \"a $KEY\"", "/act.head $KEY"] {
        let refused = world.fails("main", call, "NOT_ALLOWED").await;
        assert!(refused.contains("redirects to another host") && refused.contains("an action of its own"));
        assert!(!refused.contains("secret"), "{refused}");
    }
    assert!(other.seen().is_empty());
    world.ok("main", "/act.field plain").await;
    web.answer("/away", 302, &[("location", &other.url("/ok"))], "");
    world.ok("main", "/act.key").await;
    web.answer("/away", 302, &[("location", "/ok?k=sk%2Fsecret")], "");
    world.ok("main", "/act.key").await;
    // A value that happens to be a part of the one that was sent was not sent.
    world.ok("main", "/set $STAGE = \"secret\"").await;
    web.answer("/away", 302, &[("location", &other.url("/ok?of=secret"))], "");
    world.ok("main", "/act.key").await;
}

#[tokio::test]
async fn a_page_that_is_opened_takes_none_either() {
    let (world, web) = with_page("# Page\n").await;
    let other = Web::start().await;
    other.page("/ok", "text/plain", "here");
    world.ok("main", "/set $KEY = \"sk/secret\"").await;
    web.answer("/away", 302, &[("location", &other.url("/ok?k=sk%2Fsecret"))], "");
    let refused = world.fails("main", &format!("/open {}?k=$KEY", web.url("/away")), "NOT_ALLOWED").await;
    assert!(refused.contains("redirects to another host") && !refused.contains("secret"), "{refused}");
    assert!(other.seen().is_empty());
    world.ok("main", &format!("/open {}?k=plain", web.url("/away"))).await;
}
