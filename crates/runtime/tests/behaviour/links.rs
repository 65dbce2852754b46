//! Links: menus, shortcuts of the page and of what it includes, values, and odd names.

use testkit::{Web, World};

async fn site() -> World {
    let world = World::new().await;
    world.home.write(
        "site/index.md",
        "[!nav:main](./nav.md)\n[!nav:gone](./none.md)\n# Home {#top}\n\n[@own Own](./b.md)\n\n[!include:part](./parts/a.md)\n",
    );
    world.home.write("site/nav.md", "[@b B](./b.md)\n");
    world.home.write("site/b.md", "# B\n");
    world.home.write("site/parts/a.md", "[@deep Deep](../deep/x.md) <!-- #\n\n```act.a\nGET\n```\n");
    world.home.write("site/deep/x.md", "# X\n");
    world.ok("main", "/open site/index.md").await;
    world
}

#[tokio::test]
async fn a_page_that_is_missing_leaves_its_site_to_look_at() {
    let (world, web) = (World::new().await, Web::start().await);
    let refused = world.fails("main", &format!("/open {}", web.url("/gone.md")), "NOT_FOUND").await;
    let front = format!("The front page of the site: /open {}", web.url("/"));
    assert!(refused.ends_with(&front), "{refused}");
    assert!(
        !world
            .fails("main", &front.replace("The front page of the site: ", ""), "NOT_FOUND")
            .await
            .contains("front")
    );
}

#[tokio::test]
async fn addresses_lead_to_the_headings_that_html_names() {
    let (world, web) = (World::new().await, Web::start().await);
    let text = "Some words about it, which go on for a while so that the page has text.";
    let html = format!(
        "<main><h1>Page</h1><p id=intro>{text} <a href='#second'>Down</a></p>
         <h2 id=sec-id>First <em id=inner>part</em></h2><p>{text}</p>
         <section id=second><div><a name=old></a><h2>Other part</h2><p>{text} End.</p></div></section>
         <ul><li><h2 id=listed>In a list</h2></ul><h2>In a list</h2></main>"
    );
    web.page("/m", "text/html", html);
    let url = web.url("/m");
    for (fragment, opened, part) in [
        ("sec-id", "#first-part ·", "## First *part*"),
        ("inner", "#first-part ·", "## First *part*"),
        ("second", "#other-part ·", "## Other part"),
        ("old", "#other-part ·", "## Other part"),
        ("other-part", "#other-part ·", "## Other part"),
        ("intro", " · converted from HTML · no section \"#intro\"", "# Page"),
        ("listed", " · converted from HTML · no section \"#listed\"", "# Page"),
    ] {
        let shown = world.ok("main", &format!("/open {url}#{fragment}")).await;
        assert!(shown.starts_with(&format!("Opened {url}{opened}")), "{fragment}: {shown}");
        assert!(shown.split_once("---\n").unwrap().1.starts_with(part), "{fragment}: {shown}");
    }
    assert!(world.ok("main", "/open #second").await.contains("End."));
    let error = world.fails("main", "/open #none", "BLOCK_NOT_FOUND").await;
    assert!(error.contains("#other-part"), "{error}");
    web.page("/t.md", "text/markdown", "# T\n\n## A\n");
    world.fails("main", &format!("/open {}#none", web.url("/t.md")), "BLOCK_NOT_FOUND").await;
}

#[tokio::test]
async fn everything_says_where_it_comes_from() {
    let world = site().await;
    let page = "@own → ~/site/b.md\n@deep → ~/site/deep/x.md (from ~/site/parts/a.md)";
    assert_eq!(world.ok("main", "/nav page").await, format!("Menu: page\n---\n{page}"));
    assert_eq!(
        world.ok("main", "/nav --resolve").await,
        format!(
            "Links\n---\npage (~/site/index.md)\n{page}\n\nmain (~/site/nav.md)\n@main.b → ~/site/b.md\n\n\
             gone (~/site/none.md)\nNo such file: ~/site/none.md"
        )
    );
    let scaffold = world.ok("main", "/nav scaffold").await;
    assert_eq!(scaffold, "Menu file\n---\n[@own Own](./b.md)\n[@deep Deep](~/site/deep/x.md)");
    let info = world.ok("main", "/info").await;
    assert!(info.contains("warnings:  menu gone: No such file: ~/site/none.md, "), "{info}");
    assert!(info.contains("~/site/parts/a.md: line "), "{info}");
    assert!(world.ok("main", "/open @deep").await.starts_with("Opened ~/site/deep/x.md\n"));
}

#[tokio::test]
async fn a_missing_block_is_told_with_the_ids_that_would_work() {
    let world = site().await;
    let error = world.fails("main", "/open #nope", "BLOCK_NOT_FOUND").await;
    assert!(error.contains("Blocks: #part, #top"), "{error}");
    world.ok("main", "/open #top").await;
}

#[tokio::test]
async fn a_value_is_shown_and_only_a_text_can_be_opened() {
    let (world, web) = (World::new().await, Web::start().await);
    web.page("/list", "application/json", r#"{"id": "b2", "page": "site/b.md#part", "n": 5}"#);
    world.home.write("site/b.md", "# B\n\n## Part\n\nhere\n");
    let url = web.url("/list");
    world.home.write(
        "a.md",
        format!(
            "```act.list\nGET {url}\n```\n```act.list.response\n{{@id}} = {{Response.body.id}}\n\
             {{@pair}} = ({{Response.body.id}}, {{Response.body.n}})\n{{@doc}} = {{Response.body.page}}\n```\n"
        ),
    );
    world.ok("main", "/open a.md\n/act.list").await;
    assert_eq!(world.ok("main", "/info @id").await, "@id → b2");
    assert!(world.ok("main", "/info").await.contains("shortcuts: @doc, @id, @pair\n"));
    assert_eq!(world.ok("main", "/info @pair").await, "@pair → [\"b2\",5]");
    assert!(world.ok("main", "/nav --resolve").await.ends_with("@id → b2\n@pair → [\"b2\",5]"));
    let refused = world.fails("main", "/open @pair", "INVALID_PARAMS").await;
    assert!(refused.contains("@pair is a value, not a document"), "{refused}");
    assert_eq!(world.ok("main", "/open @doc").await, "Opened ~/site/b.md#part\n---\n## Part\n\nhere");
}

#[tokio::test]
async fn names_with_a_sharp_sign_and_files_that_are_no_documents() {
    let world = World::new().await;
    world.home.write("notes/C#.md", "# Sharp\n");
    world.home.write("notes/a#b.md", "# Both\n");
    world.home.write("notes/a", "# A\n\n## b.md\n\npart\n");
    assert_eq!(world.ok("main", "/open notes/C#.md").await, "Opened ~/notes/C#.md\n---\n# Sharp");
    let part = world.ok("main", "/open notes/a#bmd").await;
    assert_eq!(part, "Opened ~/notes/a#bmd\n---\n## b.md\n\npart");
    let error = world.fails("main", "/open notes/x#y", "NOT_FOUND").await;
    assert!(error.contains("No such file: ~/notes/x"), "{error}");
    std::fs::write(world.home.path().join("notes/raw.bin"), b"\0\x01\xff").unwrap();
    let opened = world.ok("main", "/open notes/raw.bin").await;
    assert_eq!(opened, "Opened raw.bin\n---\ntype: application/octet-stream\nsize: 3 B");
    assert!(world.ok("main", "/info").await.contains("file:      notes/a\n"));
}

#[tokio::test]
async fn a_tool_that_is_opened_says_what_it_needs_and_a_block_of_it_does_not() {
    let world = World::new().await;
    let page = "---\ntype: tool\nenv:\n  - KEY: \"A key\"\n---\n# T\n\n## Part\n\n```act.go\nGET http://127.0.0.1:1/\n```\n";
    world.home.write("t.md", page);
    let needs = "ERROR(ENV_REQUIRED): tool requires $KEY — \"A key\"\n  /set $KEY = \"…\"";
    assert!(world.ok("main", "/open t.md").await.starts_with(&format!("Opened ~/t.md\n---\n{needs}\n\n")));
    assert_eq!(world.ok("main", "/open t.md#part").await, "Opened ~/t.md#part\n---\n## Part");
    assert_eq!(world.fails("main", "/act.go", "ENV_REQUIRED").await, needs);
}

#[tokio::test]
async fn comments_of_a_page_from_the_web_are_left_out() {
    let (world, web) = (World::new().await, Web::start().await);
    let text =
        "<!-- #a -->\nshown <!-- do as I say -->\n<!-- /a -->\n\n<!--\nand more\n-->\n\n`<!-- code -->`\n";
    web.page("/p.md", "text/markdown", text);
    let url = web.url("/p.md");
    assert_eq!(
        world.ok("main", &format!("/open {url}")).await,
        format!("Opened {url}\n---\nshown \n\n`<!-- code -->`")
    );
    assert!(world.ok("main", "/source").await.contains("do as I say"));
    world.home.write("p.md", text);
    assert!(world.ok("main", "/open p.md").await.contains("do as I say"));
}

#[tokio::test]
async fn a_block_of_a_file_around_is_included_and_a_cycle_is_not() {
    let world = World::new().await;
    world.home.write(
        "index.md",
        "# Home\n\n<!-- #contact -->\nWrite to us.\n<!-- /contact -->\n\n[!include:foot](./foot.md)\n",
    );
    world.home.write("foot.md", "Foot:\n\n[!include:c](./index.md#contact)\n");
    let shown = world.ok("main", "/open index.md").await;
    assert!(shown.ends_with("# Home\n\nWrite to us.\n\nFoot:\n\nWrite to us."), "{shown}");
    world.home.write("foot.md", "Foot:\n\n[!include:c](./index.md)\n");
    let shown = world.ok("main", "/open index.md").await;
    assert!(shown.contains("includes itself"), "{shown}");
    world.home.write("self.md", "<!-- #a -->\nA\n\n[!include:x](./self.md#a)\n<!-- /a -->\n");
    let shown = world.ok("main", "/open self.md").await;
    assert!(shown.contains("includes itself") && shown.matches("A\n").count() <= 3, "{shown}");
}

#[tokio::test]
async fn going_back_asks_only_whether_the_page_has_changed() {
    let (world, web) = (World::new().await, Web::start().await);
    let headers = [("content-type", "text/markdown"), ("etag", "\"v1\"")];
    web.answer("/a.md", 200, &headers, "# A\n\n## Part\n\ntext\n");
    world.home.write("b.md", "# B\n");
    let address = web.url("/a.md");
    world.ok("main", &format!("/open {address}#part\n/open b.md")).await;
    web.answer("/a.md", 304, &headers, "");
    let back = world.ok("main", "/back").await;
    assert_eq!(back, format!("Back to {address}#part\n---\n## Part\n\ntext"));
    assert_eq!(web.seen().pop().unwrap().headers["if-none-match"], "\"v1\"");
    // A server that is in trouble may be asked again; a page that is gone is left behind.
    world.ok("main", "/open b.md").await;
    for (status, code) in [(503, "LOAD_ERROR"), (503, "LOAD_ERROR"), (404, "NOT_FOUND"), (200, "NO_HISTORY")]
    {
        web.answer("/a.md", status, &headers, "");
        world.fails("main", "/back", code).await;
    }
}

#[tokio::test]
async fn a_page_that_was_read_whole_is_read_whole_again() {
    let (world, web) = (World::new().await, Web::start().await);
    let text = "Some words about it, which go on for a while so that the page has text.";
    let html = format!("<nav>Around</nav><main><h1>Page</h1><p>{text}</p></main>");
    world.home.write("b.md", "# B\n");
    let url = web.url("/m");
    for headers in
        [&[("content-type", "text/html"), ("etag", "\"v1\"")][..], &[("content-type", "text/html")]]
    {
        web.answer("/m", 200, headers, html.clone());
        assert!(!world.ok("main", &format!("/open {url}")).await.contains("Around"));
        assert!(world.ok("main", &format!("/open --raw {url}")).await.contains("Around"));
        assert!(world.ok("main", "/refresh").await.contains("Around"));
        world.ok("main", "/open b.md").await;
        assert!(world.ok("main", "/back").await.contains("Around"));
    }
    let long: String = (0..2000).map(|n| format!("<p>{n} {text}</p>")).collect();
    web.page("/m", "text/html", format!("<nav>Around</nav><main>{long}</main>"));
    let shown = world.ok("main", &format!("/open --raw {url}")).await;
    assert!(shown.contains(&format!(" · /open {url} --raw --from L")), "{}", &shown[shown.len() - 300..]);
}

#[tokio::test]
async fn a_redirect_may_lead_to_a_part_and_to_no_file() {
    let (world, web) = (World::new().await, Web::start().await);
    web.page("/page.md", "text/markdown", "# Page\n\n## Setup\n\nRun it.\n\n## Other\n\nx\n");
    web.answer("/part", 302, &[("location", "/page.md#setup")], "");
    web.answer("/none", 302, &[("location", "/page.md#nowhere")], "");
    web.answer("/file", 302, &[("location", "file:///etc/passwd")], "");
    let page = web.url("/page.md");
    let shown = world.ok("main", &format!("/open {}", web.url("/part"))).await;
    assert_eq!(shown, format!("Opened {page}#setup\n---\n## Setup\n\nRun it."));
    let shown = world.ok("main", &format!("/open {}#other", web.url("/part"))).await;
    assert!(shown.starts_with(&format!("Opened {page}#other\n")), "{shown}");
    let shown = world.ok("main", &format!("/open {}", web.url("/none"))).await;
    assert!(shown.starts_with(&format!("Opened {page}\n---\n# Page")), "{shown}");
    let refused = world.fails("main", &format!("/open {}", web.url("/file")), "LOAD_ERROR").await;
    assert!(refused.contains("redirects to a file: address"), "{refused}");
}

#[tokio::test]
async fn fragments_may_be_percent_encoded() {
    let world = World::new().await;
    world
        .home
        .write("kr.md", "# Top\n\n[@there There](#%D1%80%D1%83%D1%81)\n\n## Рус\n\nда\n\n## हिन्दी\n\nहाँ\n");
    let part = world.ok("main", "/open kr.md#%D1%80%D1%83%D1%81").await;
    assert_eq!(part, "Opened ~/kr.md#рус\n---\n## Рус\n\nда");
    world.ok("main", "/open kr.md").await;
    assert!(world.ok("main", "/open @there").await.ends_with("---\n## Рус\n\nда"));
    assert!(world.ok("main", "/open #हिन्दी").await.ends_with("---\n## हिन्दी\n\nहाँ"));
    assert!(world.ok("main", "/nav --resolve").await.contains("@there → ~/kr.md#%D1"));
}

#[tokio::test]
async fn text_in_an_old_encoding_opens_and_is_not_edited() {
    let world = World::new().await;
    let path = world.home.path().join("old.md");
    std::fs::write(&path, b"# D\xe9j\xe0 vu\n\nNa\xefve caf\xe9.\n").unwrap();
    let shown = world.ok("main", "/open old.md").await;
    assert_eq!(shown, "Opened ~/old.md · read as windows-1252\n---\n# Déjà vu\n\nNaïve café.");
    for command in ["/edit old.md", "/append old.md\nx", "/write old.md\nx", "/replace old.md:L1\nx"] {
        let error = world.fails("main", command, "LOAD_ERROR").await;
        assert!(error.contains("not UTF-8") && error.contains("/write ~/old.md --force"), "{error}");
    }
    world.ok("main", "/write old.md --force\nnew").await;
    std::fs::write(&path, b"\x7fELF\x02\x01\x01\0\xff\xfe").unwrap();
    assert!(world.ok("main", "/open old.md").await.contains("\ntype: "));
}

#[tokio::test]
async fn a_value_in_an_address_changes_nothing_around_it() {
    let (world, web) = (World::new().await, Web::start().await);
    for path in ["/echo", "/echo/a/..%2Fb", "/echo/a/x%26y%23f", "/docs/x%26y%23f"] {
        web.page(path, "text/markdown", "# Echo\n\n## Part é\n\nhere\n");
    }
    let base = web.url("/").trim_end_matches('/').to_owned();
    let last = || web.seen().pop().unwrap().uri.to_string();
    world
        .ok("main", "/set {q} = 'x&y#f'\n{up} = '../b'\n{dots} = '..'\n{at} = '@other/x'\n{part} = 'part-é'")
        .await;
    world
        .ok(
            "main",
            &format!("/set {{base}} = '{base}'\n{{url}} = '{base}/echo?a=1&b=2#part-é'\n{{s}} = http"),
        )
        .await;
    for (target, sent) in [
        (format!("{base}/echo?q={{q}}&z=1"), "/echo?q=x%26y%23f&z=1"),
        (format!("\"{base}/echo?q={{q}}\""), "/echo?q=x%26y%23f"),
        (format!("{base}/echo/a/{{q}}#part-é"), "/echo/a/x%26y%23f"),
        (format!("{base}/echo/a/{{up}}"), "/echo/a/..%2Fb"),
        ("{base}/echo?q={q}#{part}".to_owned(), "/echo?q=x%26y%23f"),
        ("{url}".to_owned(), "/echo?a=1&b=2"),
        // Relative to the page from the web that is open.
        ("/docs/{q}".to_owned(), "/docs/x%26y%23f"),
        ("./{q}".to_owned(), "/docs/x%26y%23f"),
        ("../echo?q={q}".to_owned(), "/echo?q=x%26y%23f"),
    ] {
        world.ok("main", &format!("/open {target}")).await;
        assert_eq!(last(), sent, "{target}");
    }
    let before = web.seen().len();
    for target in [
        "{base}/echo/{dots}".to_owned(),
        "./{dots}/x".to_owned(),
        "http://user{at}".to_owned(),
        "//user{at}".to_owned(),
        format!("{{s}}{}", base.strip_prefix("http").unwrap()),
    ] {
        world.fails("main", &format!("/open {target}"), "INVALID_PARAMS").await;
    }
    assert_eq!(web.seen().len(), before);
    // Names of files are as they are.
    world.home.write("docs/x&y.md", "# File");
    world.ok("main", "/set {name} = 'x&y'").await;
    world.ok("main", "/open docs/{name}.md").await;
}

#[tokio::test]
async fn links_to_files_may_be_percent_encoded() {
    let world = World::new().await;
    world.home.write("my dir/a b.md", "# Spaced\n");
    world.home.write("my menu.md", "[@s S](my%20dir/a%20b.md)\n");
    world.home.write("a%20b.md", "# Literal\n");
    world.home.write(
        "doc.md",
        "[!nav:m](my%20menu.md)\n[!include:i](my%20dir/a%20b.md)\n\n[@x X](my%20dir/a%20b.md) [@l L](a%20b.md)\n",
    );
    let page = world.ok("main", "/open doc.md").await;
    assert!(page.contains("# Spaced") && page.contains("[nav] m: [S][@m.s]"), "{page}");
    for (id, opened) in [("x", "my dir/a b.md"), ("m.s", "my dir/a b.md"), ("l", "a%20b.md")] {
        world.ok("main", "/open doc.md").await;
        let page = world.ok("main", &format!("/open @{id}")).await;
        assert!(page.starts_with(&format!("Opened ~/{opened}\n")), "{page}");
    }
}

#[tokio::test]
async fn what_is_left_of_a_long_page_is_reached_on_that_page() {
    let world = World::new().await;
    let lines: String = (1..=4000).map(|line| format!("line {line} of the included file\n\n")).collect();
    world.home.write("big.md", &lines);
    world.home.write("whole.md", "# Top\n\n[!include:b](big.md)\n\n## After\n\nTAIL\n");
    world.home.write("one.md", format!("{}\n\nafter\n", "x".repeat(150_000)));
    for (file, end, least) in [("whole.md", "TAIL", lines.len()), ("one.md", "after", 150_000)] {
        let mut page = world.ok("main", &format!("/open {file}")).await;
        let mut read = page.len();
        while let Some((_, more)) = page.rsplit_once(" more · ") {
            let next = more.split(" · ").next().unwrap().to_owned();
            assert!(next.starts_with(&format!("/open ~/{file} --from L")), "{next}");
            page = world.ok("main", &next).await;
            read += page.len();
        }
        assert!(page.ends_with(end) && read >= least, "{file}: {read}");
        assert!(world.ok("main", "/info").await.contains(&format!("file:      {file}\n")));
    }
}

#[tokio::test]
async fn a_menu_is_made_of_every_link_of_a_page() {
    let world = World::new().await;
    world.home.write(
        "a.md",
        "[A](c.md) [here](#part) [@b B](d.md)\n\n## Part\n\n[한국, a label that is longer than most](e.md)\n\n\
         [!include:i](sub/i.md)\n",
    );
    world.home.write("sub/i.md", "[3D [x]](<f g.md>)\n");
    world.ok("main", "/open a.md").await;
    let menu = world.ok("main", "/nav scaffold").await;
    let menu = menu.strip_prefix("Menu file\n---\n").unwrap();
    let last =
        "[@entry-1 한국, a label that is longer than most](e.md)\n[@entry-2 3D \\[x\\]](<~/sub/f g.md>)";
    assert_eq!(menu, format!("[@a A](c.md)\n[@b B](d.md)\n{last}"));
    world.home.write("menu.md", menu);
    world.home.write("b.md", "[!nav:m](menu.md)\n");
    assert!(world.ok("main", "/open b.md").await.contains("[@m.a] · [B][@m.b] · "));
}

#[tokio::test]
async fn an_entry_of_several_menus_is_named_with_its_menu() {
    let world = World::new().await;
    world.home.write("a.md", "[!nav:a](m.md)\n[!nav:b](m.md)\n# Page\n\n#\n");
    world.home.write("m.md", "[@home Home](a.md)\n");
    world.ok("main", "/open a.md").await;
    let error = world.fails("main", "/open @home", "NOT_FOUND").await;
    assert!(error.ends_with("\"@home\" is in several menus.\n  Name one: @a.home, @b.home"), "{error}");
    world.ok("main", "/open @b.home").await;
    let error = world.fails("main", "/open #nope", "BLOCK_NOT_FOUND").await;
    assert!(error.ends_with("Blocks: #page"), "{error}");
}
