//! Requests, redirects, cookies, validators and failures, against servers on loopback.

mod support;

use std::sync::Arc;
use std::time::Duration;

use support::{AGENT, Names, Reply, Server, client, client_with};
use tokio::io::AsyncReadExt;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{ServerConfig, crypto};
use web::{Answer, Client, CookieJar, Cut, Error, Method, Policy, Request, Trust, Url, parse_url};

fn local() -> Policy {
    Policy::local([])
}

async fn open(client: &Client, url: Url) -> Result<Answer, Error> {
    client.fetch(Request::page(url), &local(), &CookieJar::new()).await
}

#[tokio::test]
async fn a_page_is_asked_for_honestly() {
    let server = Server::start(|_| Reply::ok("# Hi").with("Content-Type", "text/markdown")).await;
    let answer = open(&client(), server.url("/a%20b?q=%C3%BC&x=[1]#part")).await.unwrap();
    assert_eq!((answer.status.as_u16(), &answer.body[..], answer.cut), (200, &b"# Hi"[..], Cut::Whole));
    assert_eq!(answer.url, server.url("/a%20b?q=%C3%BC&x=[1]#part"));
    assert_eq!(answer.peer, server.address);
    let seen = server.last();
    assert_eq!((seen.method, seen.target.as_str()), (Method::GET, "/a%20b?q=%C3%BC&x=[1]"));
    assert_eq!(seen.headers["user-agent"], AGENT);
    assert_eq!(seen.headers["host"], server.address.to_string());
    assert_eq!(seen.headers["accept-encoding"], "gzip, br, zstd");
    assert_eq!(
        seen.headers["accept"],
        "text/markdown, text/plain;q=0.9, text/html;q=0.8, application/json;q=0.7, */*;q=0.1"
    );
    assert!(!seen.headers.contains_key("cookie") && !seen.headers.contains_key("referer"));
}

#[tokio::test]
async fn a_call_sends_its_method_headers_and_body() {
    let server = Server::start(|_| Reply::status(404, "{}")).await;
    let request = Request::call(Method::PUT, server.url("/x")).header("X-Key", "ü &#").unwrap();
    let request = request.header("Accept", "text/csv").unwrap().body("{\"a\":1}");
    let answer = client().fetch(request, &local(), &CookieJar::new()).await.unwrap();
    assert_eq!(answer.status.as_u16(), 404);
    assert!(matches!(answer.success(), Err(Error::NotFound { .. })));
    let seen = server.last();
    assert_eq!((seen.method, &seen.body[..]), (Method::PUT, &b"{\"a\":1}"[..]));
    assert_eq!(seen.headers["x-key"].as_bytes(), "ü &#".as_bytes());
    assert_eq!(seen.headers["content-type"], "application/json");
    assert_eq!(seen.headers["accept"], "text/csv");
    let form =
        Request::call(Method::POST, server.url("/x")).header("Content-Type", "text/plain").unwrap().body("x");
    client().fetch(form, &local(), &CookieJar::new()).await.unwrap();
    assert_eq!(server.last().headers["content-type"], "text/plain");
    let bytes = Request::call(Method::POST, server.url("/x")).bytes(vec![1, 2]);
    client().fetch(bytes, &local(), &CookieJar::new()).await.unwrap();
    assert_eq!((server.last().headers.get("content-type"), &server.last().body[..]), (None, &[1, 2][..]));
}

#[tokio::test]
async fn credentials_in_an_address_become_a_header_and_are_not_shown() {
    let server = Server::start(|_| Reply::status(403, "no")).await;
    let mut url = server.url("/x?key=hush");
    url.set_username("me").unwrap();
    url.set_password(Some("p%40ss")).unwrap();
    let answer = open(&client(), url).await.unwrap();
    assert_eq!(server.last().header("authorization"), Some("Basic bWU6cEBzcw=="));
    assert_eq!(answer.url, server.url("/x?key=hush"));
    let text = answer.success().unwrap_err().to_string();
    assert_eq!(text, format!("HTTP 403 from http://{}/x", server.address));
}

#[tokio::test]
async fn every_status_has_its_meaning() {
    let server = Server::start(|seen| Reply::status(seen.target[1..].parse().unwrap(), "")).await;
    for (status, expected) in [
        (200, "ok"),
        (204, "ok"),
        (304, "ok"),
        (401, "auth"),
        (403, "auth"),
        (404, "missing"),
        (410, "status"),
        (429, "status"),
        (500, "status"),
        (503, "status"),
    ] {
        let answer = open(&client(), server.url(&format!("/{status}"))).await.unwrap();
        let meaning = match answer.success() {
            Ok(_) => "ok",
            Err(Error::Auth { .. }) => "auth",
            Err(Error::NotFound { .. }) => "missing",
            Err(Error::Status { .. }) => "status",
            Err(other) => panic!("{other}"),
        };
        assert_eq!(meaning, expected, "{status}");
    }
}

#[tokio::test]
async fn redirects_are_followed_to_the_final_address() {
    let server = Server::start(|seen| match seen.target.as_str() {
        "/start" => Reply::redirect(302, "/next?x=1"),
        "/next?x=1" => Reply::redirect(308, "end"),
        _ => Reply::ok("there"),
    })
    .await;
    let answer = open(&client(), server.url("/start#part")).await.unwrap();
    assert_eq!((answer.url, &answer.body[..]), (server.url("/end#part"), &b"there"[..]));
}

#[tokio::test]
async fn ten_redirects_are_enough() {
    let server = Server::start(|seen| {
        let left: usize = seen.target[1..].parse().unwrap();
        if left == 0 { Reply::ok("end") } else { Reply::redirect(302, format!("/{}", left - 1)) }
    })
    .await;
    assert!(open(&client(), server.url("/10")).await.is_ok());
    assert!(matches!(
        open(&client(), server.url("/11")).await,
        Err(Error::TooManyRedirects { limit: 10, .. })
    ));
    let circle = Server::start(|_| Reply::redirect(301, "/")).await;
    assert!(matches!(open(&client(), circle.url("/")).await, Err(Error::TooManyRedirects { .. })));
    assert_eq!(circle.seen().len(), 11);
}

#[tokio::test]
async fn nothing_private_goes_to_another_host() {
    let names = Names::new(&[("a.test", &["127.0.0.1"]), ("b.test", &["127.0.0.1"])]);
    let target = Server::start(|_| Reply::ok("b")).await;
    let to = target.url_at("b.test", "/x").to_string();
    let server = Server::start(move |_| Reply::redirect(302, to.clone()).with("Set-Cookie", "id=1")).await;
    let jar = CookieJar::new();
    let request = Request::call(Method::GET, server.url_at("a.test", "/"));
    let request = request.header("Authorization", "Bearer hush").unwrap().header("Cookie", "own=1").unwrap();
    let request = request.header("Accept", "text/csv").unwrap();
    client_with(names).fetch(request, &local(), &jar).await.unwrap();
    assert_eq!(server.last().header("authorization"), Some("Bearer hush"));
    let seen = target.last();
    assert_eq!((seen.header("authorization"), seen.header("cookie")), (None, None));
    assert_ne!(seen.header("accept"), Some("text/csv"));
}

#[tokio::test]
async fn a_body_is_not_sent_on_to_another_host() {
    let target = Server::start(|_| Reply::ok("")).await;
    let to = target.url("/").to_string();
    let server = Server::start(move |_| Reply::redirect(307, to.clone())).await;
    let request = Request::call(Method::POST, server.url("/")).body("secret");
    let result = client().fetch(request, &local(), &CookieJar::new()).await;
    assert!(matches!(result, Err(Error::BodyToOtherHost { .. })));
    assert!(target.seen().is_empty());
}

#[tokio::test]
async fn redirects_to_other_schemes_are_refused() {
    let server = Server::start(|seen| Reply::redirect(302, &seen.target[1..])).await;
    for location in ["file:///etc/passwd", "data:text/html,hi", "javascript:alert(1)", "ftp://a.test/"] {
        let result = open(&client(), server.url(&format!("/{location}"))).await;
        assert!(matches!(result, Err(Error::RedirectScheme { .. })), "{location}: {result:?}");
    }
}

#[tokio::test]
async fn cookies_last_for_the_jar_they_are_in() {
    let server = Server::start(|seen| match seen.target.as_str() {
        "/login" => {
            Reply::redirect(303, "/home").with("Set-Cookie", "user=ada; Path=/").with("Set-Cookie", "b=2")
        }
        _ => Reply::ok(""),
    })
    .await;
    let (client, jar) = (client(), CookieJar::new());
    client.fetch(Request::page(server.url("/login")), &local(), &jar).await.unwrap();
    let cookies = |seen: support::Seen| {
        let mut pairs: Vec<String> =
            seen.header("cookie").unwrap_or("").split("; ").map(str::to_owned).collect();
        pairs.sort();
        pairs.join("; ")
    };
    assert_eq!(cookies(server.last()), "b=2; user=ada");
    client.fetch(Request::page(server.url("/again")), &local(), &CookieJar::new()).await.unwrap();
    assert_eq!(cookies(server.last()), "");
    client.fetch(Request::page(server.url("/again")), &local(), &jar).await.unwrap();
    assert_eq!(cookies(server.last()), "b=2; user=ada");
}

#[tokio::test]
async fn an_unchanged_page_is_not_sent_again() {
    let server = Server::start(|seen| {
        let is_known = seen.header("if-none-match") == Some("\"v1\"")
            && seen.header("if-modified-since") == Some("Mon, 01 Jan 2024 00:00:00 GMT");
        let reply = if is_known { Reply::status(304, "") } else { Reply::ok("body") };
        reply.with("ETag", "\"v1\"").with("Last-Modified", "Mon, 01 Jan 2024 00:00:00 GMT")
    })
    .await;
    let client = client();
    let first = open(&client, server.url("/")).await.unwrap();
    assert!(!first.not_modified() && !first.validators().is_empty());
    let again = Request::page(server.url("/")).if_changed(&first.validators());
    let second = client.fetch(again, &local(), &CookieJar::new()).await.unwrap();
    assert!(second.not_modified() && second.body.is_empty());
    assert!(second.success().is_ok());
}

#[tokio::test]
async fn connections_are_reused() {
    let server = Server::start(|seen| Reply::ok(seen.target.clone())).await;
    let client = client();
    for path in ["/1", "/2", "/3"] {
        assert_eq!(open(&client, server.url(path)).await.unwrap().body, path);
    }
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn a_connection_that_the_server_closed_is_not_used() {
    let server = Server::start(|_| Reply::ok("x").with("Connection", "close")).await;
    let client = client();
    for _ in 0..3 {
        assert!(open(&client, server.url("/")).await.is_ok());
    }
    assert_eq!(server.connections(), 3);
}

#[tokio::test]
async fn slow_servers_run_out_of_time() {
    let server = Server::start(|_| Reply::stalls("begin")).await;
    let mut request = Request::page(server.url("/x?key=hush"));
    request.timeout = Duration::from_millis(50);
    let error = client().fetch(request, &local(), &CookieJar::new()).await.unwrap_err();
    assert_eq!(error.to_string(), format!("no answer from {} within 0.05 s", server.address));
}

#[tokio::test]
async fn dropping_a_request_closes_its_connection() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = parse_url(&format!("http://{}/", listener.local_addr().unwrap())).unwrap();
    let fetch = tokio::spawn(async move { open(&client(), url).await.map(|_| ()) });
    let (mut stream, _) = listener.accept().await.unwrap();
    let mut buffer = [0; 4096];
    assert!(stream.read(&mut buffer).await.unwrap() > 0);
    fetch.abort();
    assert_eq!(stream.read(&mut buffer).await.unwrap(), 0);
}

#[tokio::test]
async fn failures_say_what_failed() {
    let names = Names::new(&[("a.test", &["127.0.0.1"])]);
    let failed = |url: String| {
        let client = client_with(names.clone());
        async move { open(&client, parse_url(&url).unwrap()).await.unwrap_err() }
    };
    let unknown = failed("http://nowhere.test/".to_owned()).await;
    assert!(matches!(&unknown, Error::Dns { host } if host == "nowhere.test"), "{unknown:?}");
    let closed = failed("http://127.0.0.1:1/".to_owned()).await;
    assert_eq!(closed.to_string(), "cannot connect to 127.0.0.1:1: connection refused");
    for (name, bytes) in [
        ("cut off", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc".to_owned()),
        ("not HTTP", "SSH-2.0-OpenSSH\r\n\r\n".to_owned()),
        ("huge head", format!("HTTP/1.1 200 OK\r\nX: {}\r\n\r\n", "x".repeat(1 << 20))),
        ("many headers", format!("HTTP/1.1 200 OK\r\n{}\r\n", "X: y\r\n".repeat(1000))),
        ("two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab".to_owned()),
    ] {
        let address = Server::raw(bytes).await;
        let error = failed(format!("http://{address}/")).await;
        assert!(matches!(error, Error::Broken { .. }), "{name}: {error:?}");
    }
}

#[tokio::test]
async fn certificates_are_checked() {
    let made = rcgen::generate_simple_self_signed(vec!["secure.test".to_owned()]).unwrap();
    let certificate: CertificateDer<'static> = made.cert.der().clone();
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.clone()], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let server = Server::over(
        "127.0.0.1:0",
        |_| Reply::ok("secure"),
        move |stream| {
            let acceptor = acceptor.clone();
            async move { acceptor.accept(stream).await }
        },
    )
    .await;
    let names = Names::new(&[("secure.test", &["127.0.0.1"]), ("other.test", &["127.0.0.1"])]);
    let url = |host: &str| parse_url(&format!("https://{host}:{}/", server.address.port())).unwrap();
    let trusting = Client::with(AGENT, names.clone(), Trust::Only(vec![certificate])).unwrap();
    assert_eq!(open(&trusting, url("secure.test")).await.unwrap().body, "secure");
    let wrong_name = open(&trusting, url("other.test")).await;
    assert!(matches!(wrong_name, Err(Error::Tls { .. })), "{wrong_name:?}");
    let distrusting = open(&client_with(names), url("secure.test")).await;
    assert!(matches!(distrusting, Err(Error::Tls { .. })), "{distrusting:?}");
}
