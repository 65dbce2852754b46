//! The example apps, from start to end: the real binary, against the demo API that comes with them.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod support;

use std::fs;

use support::examples::Examples;

#[test]
fn the_library_has_pages_and_a_menu() {
    let examples = Examples::new();
    let says = |payload: &str| examples.says("app:library", payload);
    let installed = examples.says("main", "/install ./examples/library");
    assert_eq!(installed, "Installed app:library — string app:library /open");
    let home = says("/open");
    assert!(home.contains("[nav] library: [Home][@library.home] · [Search][@library.search]"), "{home}");
    assert!(home.ends_with("---\n\n6 books:\n- The Time Machine, H. G. Wells\n- Frankenstein, Mary Shelley\n- Flatland, Edwin A. Abbott\n- The War of the Worlds, H. G. Wells\n- Walden, Henry David Thoreau\n- 소나기, 황순원"), "{home}");
    assert!(says("/open @search").starts_with("Opened search\n---\n"));
    assert_eq!(says("/act.find wells"), "1. The Time Machine [@book-1]\n2. The War of the Worlds [@book-2]");
    assert_eq!(says("/act.book @book-2"), "# The War of the Worlds\nby H. G. Wells, 1898");
    assert_eq!(says("/act.find 황순원"), "1. 소나기 [@book-1]");
    assert_eq!(says("/act.find nothing"), "Nothing found for \"nothing\".");
    assert_eq!(says("/act.book b9"), "There is no book b9.");
    assert_eq!(
        says("/set"),
        "Variables\n---\n{count} = \"6\"\n{title} = \"The War of the Worlds\"\n$DEMO_API = \"".to_owned()
            + &examples.address
            + "\""
    );
    assert!(says("/open @library.help").starts_with("Opened help\n"));
    assert!(says("/back").starts_with("Back to search\n"));
}

#[test]
fn the_shop_keeps_state_from_one_action_to_the_next() {
    let examples = Examples::new();
    let says = |payload: &str| examples.says("app:shop", payload);
    examples.says("main", "/install ./examples/shop");
    assert!(says("/open").starts_with("Opened home\n---\nERROR(ENV_REQUIRED): app requires $SHOP_PASSWORD"));
    assert_eq!(examples.reply("app:shop", "/act.login --user ada").0, Some(1));
    says("/set $SHOP_PASSWORD = \"demo\"");
    let early = examples.reply("app:shop", "/act.add p1");
    assert!(early.0 == Some(1) && early.1.starts_with("ERROR(UNDEFINED_VARIABLE): {token}"), "{early:?}");
    assert_eq!(says("/act.login --user ada"), "Welcome, ada.");
    let products = "Tea, 100 g: 450 ct [@product-1]\nMug: 1200 ct [@product-2]\nHoney: 690 ct [@product-3]";
    assert_eq!(says("/act.products"), products);
    assert_eq!(says("/act.add @product-1 --count 2"), "2 × Tea, 100 g\n900 ct in all");
    assert_eq!(says("/act.add @product-3"), "2 × Tea, 100 g\n1 × Honey\n1590 ct in all");
    assert_eq!(says("/act.remove"), "Took it out: 900 ct in all");
    assert_eq!(says("/act.order"), "Order 1 for 900 ct is on its way to ada.");
    assert_eq!(says("/act.order"), "Not ordered: the basket is empty.");
    // Another configuration has the same pages and password, and a state of its own.
    let other = examples.reply("app:shop:work", "/act.order");
    assert!(other.1.starts_with("ERROR(UNDEFINED_VARIABLE): {token}"), "{other:?}");
    assert_eq!(examples.says("app:shop:work", "/act.login bob"), "Welcome, bob.");
    assert_eq!(examples.says("app:shop:work", "/act.order"), "Not ordered: the basket is empty.");
}

#[test]
fn the_tool_works_on_the_callers_files() {
    let examples = Examples::new();
    let says = |payload: &str| examples.says("main", payload);
    fs::create_dir(examples.world.home().join("sub")).unwrap();
    fs::write(examples.world.home().join("my notes.md"), "The cat and the dog.\nThe end\n").unwrap();
    fs::write(examples.world.home().join("sub/here.md"), "# one two\n").unwrap();
    let installed = says("/install ./examples/textstat.md");
    assert_eq!(installed, "Installed tool:textstat — /tool:textstat --help");
    let count = says("/tool:textstat \"my notes.md\"");
    assert_eq!(count.split_whitespace().collect::<Vec<_>>().join(" "), "lines, words, characters: 2 7 29");
    let words = says("/tool:textstat.words \"~/my notes.md\" --top 2");
    assert_eq!(words.split_whitespace().collect::<Vec<_>>(), ["3", "the", "1", "and"]);
    // A relative path starts at the caller's document, and the caller's session keeps what the tool stored.
    says("/open sub/here.md");
    let count = says("/tool:textstat ./here.md");
    assert_eq!(count.split_whitespace().collect::<Vec<_>>().join(" "), "lines, words, characters: 1 3 10");
    assert!(says("/set").contains("{figures} = "));
    assert!(says("/info").contains("file:      sub/here.md"));
}
