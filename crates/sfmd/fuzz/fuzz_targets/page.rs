//! Any text parses, composes and renders; what is listed can be opened.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sfmd::{Origin, Page, Position, Source, parse};

fuzz_target!(|text: &str| {
    let page = Page::compose(Source::new(Origin::new("x"), parse(text)));
    let view = page.view();
    let window = view.window(None, 64).expect("a window from the start");
    assert!(window.text.len() <= 64);
    for id in page.block_ids() {
        let section = page.section(&id).expect("a listed block");
        page.view_section(&section);
    }
    for entry in page.outline() {
        view.window(Some(Position::line(entry.line)), 64);
    }
    for found in page.actions() {
        sfmd::action_help(found.action);
    }
});
