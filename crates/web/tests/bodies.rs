//! Bodies: compressed, too large, endless, broken, and what a page makes of them.

mod support;

use async_compression::tokio::write::{BrotliEncoder, GzipEncoder, ZstdEncoder};
use support::{Reply, Server, client};
use tokio::io::AsyncWriteExt;
use web::html::Extent;
use web::page::{Kind, Rendered, render};
use web::{Answer, Beyond, CookieJar, Cut, Error, Limit, Policy, Request};

const LIMIT: usize = 256 << 10;

async fn fetch(server: &Server, path: &str, beyond: Beyond) -> Result<Answer, Error> {
    let mut request = Request::page(server.url(path));
    request.limit = Limit { bytes: LIMIT, beyond };
    client().fetch(request, &Policy::local([]), &CookieJar::new()).await
}

async fn compressed(encoding: &str, data: &[u8]) -> Vec<u8> {
    macro_rules! with {
        ($encoder:expr) => {{
            let mut encoder = $encoder;
            encoder.write_all(data).await.unwrap();
            encoder.shutdown().await.unwrap();
            encoder.into_inner()
        }};
    }
    match encoding {
        "gzip" => with!(GzipEncoder::new(Vec::new())),
        "br" => with!(BrotliEncoder::with_quality(Vec::new(), async_compression::Level::Fastest)),
        "zstd" => with!(ZstdEncoder::new(Vec::new())),
        _ => data.to_vec(),
    }
}

/// Answers `/gzip`, `/br`, `/zstd` and anything else with `data` in that encoding.
async fn serving(data: Vec<u8>) -> Server {
    let mut encoded = Vec::new();
    for encoding in ["gzip", "br", "zstd"] {
        encoded.push((encoding, compressed(encoding, &data).await));
    }
    Server::start(move |seen| {
        let name = &seen.target[1..];
        match encoded.iter().find(|(encoding, _)| *encoding == name) {
            Some((encoding, bytes)) => Reply::ok(bytes.clone()).with("Content-Encoding", *encoding),
            None => Reply::ok(data.clone()),
        }
    })
    .await
}

#[tokio::test]
async fn every_encoding_gives_the_same_body() {
    let text = "Repeat after me. ".repeat(1000);
    let server = serving(text.clone().into_bytes()).await;
    for path in ["/gzip", "/br", "/zstd", "/plain"] {
        let answer = fetch(&server, path, Beyond::Fail).await.unwrap();
        assert_eq!(answer.body, text.as_bytes(), "{path}");
        assert!(
            !answer.headers.contains_key("content-encoding")
                && !answer.headers.contains_key("content-length")
        );
    }
}

#[tokio::test]
async fn an_answer_without_a_body_may_name_an_encoding() {
    let server = Server::start(|seen| {
        let status = seen.target[1..].parse().unwrap();
        Reply::status(status, "").with("Content-Encoding", "gzip")
    })
    .await;
    for status in [200, 204, 304] {
        let answer = fetch(&server, &format!("/{status}"), Beyond::Fail).await.unwrap();
        assert!(answer.body.is_empty(), "{status}");
    }
}

#[tokio::test]
async fn compressed_bombs_are_cut_or_refused() {
    let server = serving(vec![b'a'; 8 * LIMIT]).await;
    for path in ["/gzip", "/br", "/zstd", "/plain"] {
        let answer = fetch(&server, path, Beyond::Cut).await.unwrap();
        assert_eq!((answer.body.len(), answer.cut), (LIMIT, Cut::At(LIMIT)), "{path}");
        let refused = fetch(&server, path, Beyond::Fail).await;
        assert!(matches!(refused, Err(Error::TooLarge { limit: LIMIT })), "{path}: {refused:?}");
    }
    let exact = serving(vec![b'a'; LIMIT]).await;
    for path in ["/gzip", "/br", "/zstd", "/plain"] {
        assert_eq!(fetch(&exact, path, Beyond::Fail).await.unwrap().cut, Cut::Whole, "{path}");
    }
}

#[tokio::test]
async fn endless_bodies_end() {
    let server = Server::start(|_| Reply::endless().with("Content-Type", "text/plain")).await;
    let answer = fetch(&server, "/", Beyond::Cut).await.unwrap();
    assert_eq!(answer.body.len(), LIMIT);
    assert_eq!(render(&answer, Extent::Main).notes, ["cut at 256 KB"]);
    assert!(matches!(fetch(&server, "/", Beyond::Fail).await, Err(Error::TooLarge { .. })));
}

#[tokio::test]
async fn what_cannot_be_decoded_says_so() {
    // A frame that asks for a window of 128 MiB.
    let wide_window = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x88, 0x03, 0x00, 0x00, b'x'];
    let cases = [
        ("gzip", b"not gzip at all".to_vec()),
        ("br", vec![0xff; 32]),
        ("zstd", b"not zstd at all".to_vec()),
        ("zstd", wide_window),
        ("compress", b"x".to_vec()),
        ("gzip, gzip", b"x".to_vec()),
    ];
    for (encoding, bytes) in cases {
        let server =
            Server::start(move |_| Reply::ok(bytes.clone()).with("Content-Encoding", encoding)).await;
        let result = fetch(&server, "/", Beyond::Cut).await;
        assert!(matches!(result, Err(Error::Decode { .. })), "{encoding}: {result:?}");
    }
    let whole = compressed("gzip", &vec![b'a'; 5000]).await;
    let half = whole[..whole.len() / 2].to_vec();
    let server = Server::start(move |_| Reply::ok(half.clone()).with("Content-Encoding", "gzip")).await;
    let result = fetch(&server, "/", Beyond::Cut).await;
    assert!(matches!(result, Err(Error::Decode { .. })), "{result:?}");
}

async fn page(content_type: &'static str, path: &str, body: &[u8]) -> Rendered {
    let body = body.to_vec();
    let server = Server::start(move |_| {
        let reply = Reply::ok(body.clone());
        if content_type.is_empty() { reply } else { reply.with("Content-Type", content_type) }
    })
    .await;
    render(&fetch(&server, path, Beyond::Cut).await.expect("an answer"), Extent::Main)
}

#[tokio::test]
async fn answers_are_sorted_by_name_and_by_look() {
    let html = b"<!doctype html><title>T</title><p>Hi there";
    let rss = b"<?xml version='1.0'?><rss version='2.0'><channel><title>F</title></channel></rss>";
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\x01\xe0\x08\x02\0\0\0";
    let binary = |media_type: &str, size, dimensions| Kind::Binary {
        media_type: media_type.to_owned(),
        size,
        dimensions,
    };
    let cases: Vec<(&'static str, &str, &[u8], Kind)> = vec![
        ("text/markdown", "/", b"# Hi", Kind::Markdown),
        ("text/plain", "/README.md", b"# Hi", Kind::Markdown),
        ("text/plain", "/readme", b"# Hi", Kind::Text),
        ("text/html; charset=utf-8", "/", html, Kind::Html { heading_ids: vec![vec![]] }),
        ("", "/", html, Kind::Html { heading_ids: vec![vec![]] }),
        ("application/octet-stream", "/", b"{\"a\":1}", Kind::Json),
        ("application/json", "/", b"[1]", Kind::Json),
        ("application/ld+json", "/", b"{}", Kind::Json),
        ("application/json", "/", b"{broken", Kind::Text),
        ("application/rss+xml", "/", rss, Kind::Feed),
        ("text/xml", "/", rss, Kind::Feed),
        ("text/html", "/", rss, Kind::Feed),
        ("application/xml", "/", b"<a><b/></a>", Kind::Text),
        ("application/rss+xml", "/", b"<not-a-feed/>", Kind::Text),
        ("application/yaml", "/", b"a: 1", Kind::Text),
        ("image/png", "/", png, binary("image/png", png.len(), Some((640, 480)))),
        ("", "/", png, binary("image/png", png.len(), Some((640, 480)))),
        ("text/plain", "/", png, binary("image/png", png.len(), Some((640, 480)))),
        ("application/pdf", "/", b"%PDF-1.7", binary("application/pdf", 8, None)),
        ("", "/", b"\0\x01\x02", binary("application/octet-stream", 3, None)),
        ("bad type", "/", b"hello", Kind::Text),
    ];
    for (content_type, path, body, expected) in cases {
        assert_eq!(page(content_type, path, body).await.kind, expected, "{content_type} {path}");
    }
}

#[tokio::test]
async fn pages_are_shown_with_what_matters_about_them() {
    let html = page("text/html", "/", "<title>T</title><p>Caf\u{e9}".as_bytes()).await;
    assert_eq!(html.markdown, "# T\n\nCafé");
    assert_eq!((html.title.as_deref(), html.notes), (Some("T"), vec!["converted from HTML".to_owned()]));
    assert_eq!(html.source, "<title>T</title><p>Café");
    let json = page("application/json", "/", b"{\"b\":1,\"a\":[true]}").await;
    assert_eq!(json.markdown, "{\n  \"b\": 1,\n  \"a\": [\n    true\n  ]\n}");
    let image = page("image/gif", "/", b"GIF89a\x10\0\x20\0\0\0\0").await;
    assert_eq!(image.markdown, "image/gif, 13 B, 16 × 32");
    let text = page("text/plain", "/", "a\u{202e}b\r\nc [x](y)".as_bytes()).await;
    assert_eq!((text.markdown.as_str(), text.kind.is_document()), ("ab\nc [x](y)", false));
    let latin = page("text/html; charset=iso-8859-1", "/", b"<p>na\xefve").await;
    assert_eq!(latin.markdown, "naïve");
    assert_eq!(page("text/html", "/", b"").await.notes, ["converted from HTML", "empty page"]);
    assert_eq!(page("text/plain", "/", b" \n").await.notes, ["empty page"]);
}

#[tokio::test]
async fn feeds_become_lists() {
    let rss = r#"<?xml version="1.0"?><rss version="2.0"><channel><title>News &amp; more</title><link>http://x/</link>
        <description>All <![CDATA[<b>of</b>]]> it</description>
        <item><title>First [@a b](c)</title><link>/one</link><pubDate>Tue, 03 Mar 2026 10:00:00 GMT</pubDate>
        <description><![CDATA[<p>Some <i>words</i>.</p><!-- #x -->]]></description></item>
        <item><title>@pay</title><link>javascript:alert(1)</link></item></channel></rss>"#;
    let atom = r#"<feed xmlns="http://www.w3.org/2005/Atom"><title>Atom</title><entry><id>1</id><title>One</title>
        <link rel="self" href="http://a.example/self"/><link rel="alternate" href="http://a.example/1"/>
        <updated>2026-01-02T03:04:05Z</updated><content type="html">&lt;p&gt;Body&lt;/p&gt;</content></entry></feed>"#;
    let json = r#"{"version":"https://jsonfeed.org/version/1.1","title":"J","items":[{"id":"1","url":"http://j.example/1",
        "title":"Item","content_text":"Text"}]}"#;
    let rss = page("application/rss+xml", "/feed", rss.as_bytes()).await;
    assert_eq!((rss.title.as_deref(), &rss.kind), (Some("News & more"), &Kind::Feed));
    let lines: Vec<&str> = rss.markdown.lines().collect();
    assert_eq!(lines[..3], ["# News & more", "", "All of it"]);
    assert!(
        lines[4].starts_with("- [First \\[@a b\\](c)](http://127.0.0.1:")
            && lines[4].ends_with("/one) — 2026-03-03")
    );
    assert_eq!(lines[5..], ["  Some words.", "- \\@pay"]);
    let atom = page("application/atom+xml", "/", atom.as_bytes()).await.markdown;
    assert_eq!(atom, "# Atom\n\n- [One](http://a.example/1) — 2026-01-02\n  Body");
    let json = page("application/feed+json", "/", json.as_bytes()).await.markdown;
    assert_eq!(json, "# J\n\n- [Item](http://j.example/1)\n  Text");
}

#[tokio::test]
async fn hostile_feeds_and_json_end() {
    let nested = "<a>".repeat(60_000);
    let entities = "<!DOCTYPE x [<!ENTITY a 'aaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'>]>";
    let cases: Vec<(&'static str, String)> = vec![
        ("application/rss+xml", format!("<rss><channel><item><description>{nested}")),
        (
            "application/atom+xml",
            format!("<feed xmlns='http://www.w3.org/2005/Atom'><entry><content type='xhtml'>{nested}"),
        ),
        (
            "application/rss+xml",
            format!("{entities}<rss version='2.0'><channel><title>&b;</title></channel></rss>"),
        ),
        ("application/json", "[".repeat(200_000)),
        (
            "application/feed+json",
            format!("{{\"version\":\"https://jsonfeed.org/version/1\",\"x\":{}", "[".repeat(100_000)),
        ),
        ("application/json", "{\"a\":".repeat(40_000) + "1" + &"}".repeat(40_000)),
    ];
    for (content_type, body) in cases {
        let page = page(content_type, "/", body.as_bytes()).await;
        assert!(page.markdown.len() <= 4 * LIMIT, "{content_type}: {}", page.markdown.len());
        assert!(!page.markdown.contains("aaaaaaaaaaaaaaaa"));
    }
}
