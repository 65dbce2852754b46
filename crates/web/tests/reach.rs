//! Who may reach what: checked on the address that is connected to, at every hop.

mod support;

use support::{Names, Reply, Server, client, client_with};
use web::{Allow, CookieJar, Error, Policy, Refusal, Request, Url, parse_url};

async fn fetch(client: &web::Client, url: Url, policy: &Policy) -> Result<web::Answer, Error> {
    client.fetch(Request::page(url), policy, &CookieJar::new()).await
}

fn allowing(entries: &[&str]) -> Policy {
    let entries: Vec<Allow> = entries.iter().map(|entry| entry.parse().expect("an entry")).collect();
    Policy::web([]).allowing(entries)
}

/// Spellings of places that are not on the internet.
const INWARD: [&str; 26] = [
    "127.0.0.1",
    "127.1",
    "127.0.1",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "017700000001",
    "127.0.0.1.",
    "127.255.255.254",
    "0",
    "0.0.0.0",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
    "169.254.169.254",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "100.64.0.1",
    "[fe80::1]",
    "[fd00::1]",
    "224.0.0.1",
];

#[tokio::test]
async fn web_documents_reach_no_inward_address_however_it_is_spelled() {
    for host in INWARD {
        let url = parse_url(&format!("http://{host}:9/")).unwrap();
        let result = fetch(&client(), url, &Policy::web([])).await;
        assert!(
            matches!(result, Err(Error::Refused { reason: Refusal::NotPublic(_), .. })),
            "{host}: {result:?}"
        );
    }
}

#[tokio::test]
async fn no_redirect_leads_inward() {
    let server = Server::start(|seen| Reply::redirect(302, &seen.target[1..])).await;
    let policy = allowing(&[&server.address.to_string()]);
    for host in INWARD {
        let url = server.url(&format!("/http://{host}:9/"));
        let result = fetch(&client(), url, &policy).await;
        assert!(matches!(result, Err(Error::Refused { .. })), "{host}: {result:?}");
    }
}

#[tokio::test]
async fn names_count_as_the_addresses_they_have() {
    let server = Server::start(|_| Reply::ok("inside")).await;
    let names = Names::new(&[("inside.test", &["127.0.0.1"]), ("inside.test.", &["127.0.0.1"])]);
    let client = client_with(names);
    for host in ["inside.test", "INSIDE.test", "inside.test."] {
        let url = server.url_at(host, "/?key=hush");
        let error = fetch(&client, url, &Policy::web([])).await.unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("(127.0.0.1:") && text.contains("loopback") && !text.contains("hush"),
            "{text}"
        );
    }
    assert!(fetch(&client, server.url_at("inside.test", "/"), &Policy::local([])).await.is_ok());
    assert!(fetch(&client, server.url_at("inside.test", "/"), &allowing(&["inside.test"])).await.is_ok());
}

#[tokio::test]
async fn a_name_cannot_change_between_check_and_connection() {
    let allowed = Server::on("127.0.0.1:0", |_| Reply::ok("allowed")).await;
    let port = allowed.address.port();
    let forbidden = Server::on(&format!("127.0.0.2:{port}"), |_| Reply::ok("forbidden")).await;
    let names = Names::new(&[("flip.test", &["127.0.0.1", "127.0.0.2"])]);
    let client = client_with(names.clone());
    let policy = allowing(&["127.0.0.1"]);
    let first = fetch(&client, allowed.url_at("flip.test", "/"), &policy).await.unwrap();
    assert_eq!((first.body.as_ref(), names.calls()), (&b"allowed"[..], 1));
    // The name now points elsewhere: neither that place nor the open connection to the old one is used.
    let second = fetch(&client, allowed.url_at("flip.test", "/"), &policy).await;
    assert!(matches!(second, Err(Error::Refused { .. })), "{second:?}");
    assert_eq!((allowed.seen().len(), forbidden.connections()), (1, 0));
}

#[tokio::test]
async fn only_the_permitted_of_several_addresses_is_used() {
    let allowed = Server::on("127.0.0.1:0", |_| Reply::ok("allowed")).await;
    let forbidden = Server::on(&format!("127.0.0.2:{}", allowed.address.port()), |_| Reply::ok("")).await;
    let names = Names::new(&[("both.test", &["127.0.0.2 127.0.0.1"])]);
    let answer = fetch(&client_with(names), allowed.url_at("both.test", "/"), &allowing(&["127.0.0.1"]))
        .await
        .unwrap();
    assert_eq!(answer.body, "allowed");
    assert_eq!(forbidden.connections(), 0);
}

#[tokio::test]
async fn a_connection_opened_by_a_command_serves_no_web_document() {
    let server = Server::start(|_| Reply::ok("inside")).await;
    let client = client();
    assert!(fetch(&client, server.url("/"), &Policy::local([])).await.is_ok());
    let result = fetch(&client, server.url("/"), &Policy::web([])).await;
    assert!(matches!(result, Err(Error::Refused { .. })), "{result:?}");
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn a_page_on_loopback_may_use_its_own_origin_and_not_the_daemon() {
    let daemon = Server::start(|_| Reply::ok("daemon")).await;
    let to_daemon = daemon.url("/").to_string();
    let site = Server::start(move |seen| match seen.target.as_str() {
        "/sly" => Reply::redirect(302, to_daemon.clone()),
        _ => Reply::ok("site"),
    })
    .await;
    let own = [daemon.address.port()];
    let client = client();
    let page = fetch(&client, site.url("/page.md"), &Policy::local(own)).await.unwrap();
    let policy = Policy::web(own).for_page(page.url, page.peer);
    assert!(fetch(&client, site.url("/api"), &policy).await.is_ok());
    for url in [site.url("/sly"), daemon.url("/")] {
        let result = fetch(&client, url, &policy).await;
        assert!(matches!(result, Err(Error::Refused { reason: Refusal::OwnPort, .. })), "{result:?}");
    }
    let sent_on = fetch(&client, site.url("/sly"), &Policy::local(own)).await;
    assert!(matches!(sent_on, Err(Error::Refused { reason: Refusal::OwnPort, .. })), "{sent_on:?}");
    assert!(daemon.seen().is_empty());
    assert!(fetch(&client, daemon.url("/"), &Policy::local(own)).await.is_ok());
}
