//! What Tab offers while a command is typed.

use runtime::complete::{Offer, Question};
use testkit::World;

async fn offered(world: &World, topic: &str, text: &str) -> Offer {
    let question =
        Question { agent: "default".to_owned(), topic: topic.to_owned(), text: text.to_owned(), cwd: None };
    world.runtime.complete(question).await.unwrap()
}

#[tokio::test]
async fn the_document_its_actions_and_the_files_beside_it_are_offered() {
    let world = World::new().await;
    world.home.write(
        "notes/shop.md",
        "# Shop\n\n<!--#prices-->\nCheap.\n<!--/prices-->\n\n[@terms Terms](terms.md)\n\n\
         ```act.find\nGET http://127.0.0.1:1/\n  query: string (required)\n  page: integer\n```\n",
    );
    world.home.write("notes/shoes and socks.md", "x");
    world.home.write("notes/.hidden.md", "x");
    world.home.write("notes/old/x.md", "x");
    world.say("main", "/open notes/shop.md").await;
    let table: &[(&str, usize, &[&str])] = &[
        ("/ac", 1, &["act", "act.find", "action"]),
        ("/act.find --p", 10, &["--page"]),
        ("/act.nothing --p", 13, &[]),
        ("/open #p", 6, &["#prices"]),
        ("/open @t", 6, &["@terms"]),
        ("/open ./sho", 6, &["./shoes and socks.md", "./shop.md"]),
        ("/open ./shoes a", 6, &["./shoes and socks.md"]),
        ("/open ./.h", 6, &["./.hidden.md"]),
        ("/ls ~/n", 4, &["~/notes/"]),
        ("/edit ./o", 6, &["./old/"]),
        ("/open ../../", 6, &[]),
        ("/open ~/.string/", 6, &[]),
    ];
    for (text, start, words) in table {
        let offer = offered(&world, "main", text).await;
        assert_eq!(offer.start, *start, "{text}");
        assert_eq!(offer.words, *words, "{text}");
    }
}

#[tokio::test]
async fn files_are_offered_to_a_shell_as_it_reads_them() {
    let world = World::new().await;
    world.home.write("notes.md", "x");
    world.home.write("My notes/a b.md", "x");
    world.home.write("My notes/.c", "x");
    let table: &[(&str, usize, &[&str])] = &[
        ("cat not", 4, &["notes.md"]),
        ("cat ./not", 4, &["./notes.md"]),
        ("cat <M", 5, &["My\\ notes/"]),
        ("cat My\\ no", 4, &["My\\ notes/"]),
        ("cat My\\ notes/", 4, &["My\\ notes/a\\ b.md"]),
        ("cat ~/My\\ notes/.", 4, &["~/My\\ notes/.c"]),
        ("cat My\\ notes/../n", 4, &["My\\ notes/../notes.md"]),
        ("cat 'My", 7, &[]),
        ("not", 3, &[]),
        ("cat /", 4, &[]),
        ("cat ../", 4, &[]),
        ("cat ~/.string/", 4, &[]),
    ];
    for (text, start, words) in table {
        let offer = offered(&world, "bash:dev", text).await;
        assert_eq!(offer.start, *start, "{text}");
        assert_eq!(offer.words, *words, "{text}");
    }
    assert_eq!(world.runtime.sessions.count(), 0);
}

#[tokio::test]
async fn topics_are_offered_and_none_is_created() {
    let world = World::new().await;
    world.say("docs", "/info").await;
    world.say("agent", "/list").await;
    let table: &[(&str, &str, &[&str])] = &[
        ("main", ":d", &["docs"]),
        ("main", "/session close ", &["agent", "docs"]),
        ("main", "/open a", &["agent", "app"]),
        ("main", "/open d", &[]),
        ("main", "/topics t", &["tab"]),
        ("agent", "li", &["list"]),
        ("bash:dev", "//inter", &["interrupt"]),
        ("bash:dev", "ls /", &[]),
    ];
    for (topic, text, words) in table {
        assert_eq!(offered(&world, topic, text).await.words, *words, "{topic} {text}");
    }
    assert_eq!(world.runtime.sessions.count(), 2);
}
