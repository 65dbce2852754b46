//! Pages from the web that take their time, or are too large: bounded, and said.

use std::time::Duration;

use testkit::{Web, World};
use tokio::time::{Instant, timeout};

const MARKDOWN: &str = "text/markdown";

async fn asked_for(web: &Web, paths: &[&str]) {
    let is_asked = |path: &&str| web.seen().iter().any(|seen| seen.uri.path() == *path);
    let asked = async {
        while !paths.iter().all(is_asked) {
            tokio::task::yield_now().await;
        }
    };
    timeout(Duration::from_secs(20), asked).await.unwrap();
}

#[tokio::test]
async fn a_page_has_the_time_of_one_fetch_with_all_that_it_names() {
    let (world, web) = (World::new().await, Web::start().await);
    let text = "[!nav:m](m.md)\n# Home\n\n[!include:a](a.md)\n\n[!include:b](b.md)\n\n[!include:c](c.md)\n";
    web.page("/home.md", MARKDOWN, text);
    web.page("/b.md", MARKDOWN, "B is here.\n");
    let _gates = ["/a.md", "/c.md", "/m.md"].map(|path| web.gated(path, MARKDOWN, "late"));
    let started = Instant::now();
    let opening = world.spawn(world.request("main", &format!("/open {}", web.url("/home.md"))));
    // Nothing of the first has come when the others are asked for.
    asked_for(&web, &["/a.md", "/b.md", "/c.md"]).await;
    tokio::time::pause();
    let reply = opening.await.unwrap();
    assert!(started.elapsed() < Duration::from_secs(31), "{:?}", started.elapsed());
    assert!(reply.ok() && reply.content.contains("B is here."), "{}", reply.content);
    assert_eq!(reply.content.matches("did not answer in time").count(), 2, "{}", reply.content);
    let info = world.ok("main", "/info").await;
    assert!(info.contains("a page and all that it names have 30 s together"), "{info}");
}

#[tokio::test]
async fn an_interrupt_stops_a_page_that_waits_for_its_parts() {
    let (world, web) = (World::new().await, Web::start().await);
    web.page("/home.md", MARKDOWN, "# Home\n\n[!include:a](a.md)\n\n[!include:b](b.md)\n");
    let _gates = ["/a.md", "/b.md"].map(|path| web.gated(path, MARKDOWN, "late"));
    let opening = world.spawn(world.request("main", &format!("/open {}", web.url("/home.md"))));
    asked_for(&web, &["/a.md", "/b.md"]).await;
    world.ok("main", "/interrupt").await;
    assert_eq!(opening.await.unwrap().code.map(|code| code.as_str()), Some("INTERRUPTED"));
    world.fails("main", "/refresh", "NOT_FOUND").await;
}

#[tokio::test]
async fn what_a_page_names_is_bounded_and_keeps_its_order() {
    let (world, web) = (World::new().await, Web::start().await);
    let includes: String = (0..300).map(|n| format!("[!include:i{n}](i{n}.md)\n\n")).collect();
    let menus: String = (0..100).map(|n| format!("[!nav:m{n}](m{n}.md)\n")).collect();
    web.page("/home.md", MARKDOWN, format!("{menus}# Home\n\n{includes}"));
    (0..300).for_each(|n| web.page(&format!("/i{n}.md"), MARKDOWN, format!("Part {n}.\n")));
    let shown = world.ok("main", &format!("/open {}", web.url("/home.md"))).await;
    let parts: Vec<String> = (0..256).map(|n| format!("Part {n}.")).collect();
    assert!(shown.contains(&parts.join("\n\n")) && !shown.contains("Part 256."), "{shown}");
    assert!(shown.contains("more than 256 files are included"), "{shown}");
    let asked = |start: &str| web.seen().iter().filter(|seen| seen.uri.path().starts_with(start)).count();
    assert_eq!((asked("/i"), asked("/m")), (256, 64));
    let info = world.ok("main", "/info").await;
    assert!(info.contains("more than 64 menus are named"), "{info}");
}

#[tokio::test]
async fn a_file_that_was_cut_says_so_and_claims_no_size() {
    let (world, web) = (World::new().await, Web::start().await);
    let picture = [b"\x89PNG\r\n\x1a\n".as_slice(), &vec![0; 9 << 20]].concat();
    web.page("/large.png", "image/png", picture);
    web.page("/small.png", "image/png", b"\x89PNG\r\n\x1a\n\0\0".as_slice());
    let large = world.ok("main", &format!("/open {}", web.url("/large.png"))).await;
    assert!(large.contains(" · cut at 8 MB") && large.contains("size: more than 8.0 MB"), "{large}");
    let small = world.ok("main", &format!("/open {}", web.url("/small.png"))).await;
    assert!(small.ends_with("size: 10 B"), "{small}");
}
