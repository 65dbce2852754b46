//! The pages on commands and errors: complete, and true to the letter where they show an example.

use runtime::command::table::commands;
use runtime::error::Code;
use testkit::pages::{fences, page};
use testkit::{Web, World};

/// The web that the examples are written for.
const WEB: &str = "https://api.example.com";

/// The home that the examples of a page are written for.
async fn library(name: &str, web: &Web) -> World {
    let world = World::new().await;
    for fence in [page("commands.md"), page(name)].iter().flat_map(|page| fences(page)) {
        if let Some(name) = fence.file() {
            world.home.write(name, fence.text.replace(&format!("{WEB}/"), &web.url("/")));
        }
    }
    world
}

async fn example_web() -> Web {
    let web = Web::start().await;
    let json = "application/json";
    web.page("/weather", json, r#"{"city": "Seoul", "temperature": 24}"#);
    web.page("/report", json, r#"{"title": "Bug", "count": 3, "draft": true}"#);
    let items =
        r#"[{"id": "a1", "name": "first", "tags": ["new"]}, {"id": "b2", "name": "second", "tags": []}]"#;
    web.page("/list", json, format!("{{\"items\": {items}}}"));
    web.page("/show/a1", json, r#"{"title": "The first"}"#);
    web
}

async fn check_examples(name: &str) {
    let mut checked = 0;
    let web = example_web().await;
    for fence in fences(&page(name)).iter().filter(|fence| fence.info == "session") {
        let world = library(name, &web).await;
        for turn in fence.turns() {
            let shown = shown(&world, &world.say(turn.topic, turn.payload).await.content);
            let place = format!("docs/{name}:{} {} {}", fence.line, turn.topic, turn.payload);
            assert!(turn.matches(&shown), "{place}\n{shown}\n");
            checked += 1;
        }
    }
    assert!(checked > 0, "docs/{name} has no examples");
}

fn shown(world: &World, content: &str) -> String {
    let home = world.home.path();
    let content = content.replace(&home.display().to_string(), "[home]");
    content.replace(&format!("{}/other", home.parent().unwrap().display()), "[parent]/other")
}

#[tokio::test]
async fn the_examples_of_the_commands_are_true() {
    check_examples("commands.md").await;
}

#[tokio::test]
async fn the_examples_of_the_errors_are_true() {
    check_examples("errors.md").await;
}

#[tokio::test]
async fn the_examples_of_variables_actions_and_templates_are_true() {
    for page in ["variables.md", "actions.md", "templates.md"] {
        check_examples(page).await;
    }
}

#[test]
fn every_command_has_a_section_and_no_section_is_left_over() {
    let page = page("commands.md");
    let section = |heading: &str, place: &str| format!("### `{heading}`\n\nWorks in: {place}. ");
    let missing: Vec<_> = commands()
        .map(|spec| section(spec.usage, &spec.place.names().join(", ")))
        .filter(|section| !page.contains(section.as_str()))
        .collect();
    assert!(missing.is_empty(), "docs/commands.md lacks:\n{}", missing.join("\n"));
    assert_eq!(page.matches("\n### `/").count(), commands().count(), "a section of a command that is gone");
}

#[test]
fn every_error_has_a_section_and_no_section_is_left_over() {
    let page = page("errors.md");
    let sections: Vec<&str> =
        page.lines().filter_map(|line| line.strip_prefix("## `")?.strip_suffix('`')).collect();
    for code in Code::ALL {
        assert!(
            sections.contains(&code.as_str()),
            "docs/errors.md lacks: {} ({})",
            code.as_str(),
            code.when()
        );
        let mut letters = code.when().chars();
        let sentence: String =
            letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
        assert!(
            page.contains(&format!("## `{}`\n\n{sentence}", code.as_str())),
            "{}: {sentence}",
            code.as_str()
        );
    }
    let known = |name: &str| name == "EXIT_n" || Code::ALL.iter().any(|code| code.as_str() == name);
    assert!(sections.iter().all(|name| known(name)), "a section of a code that is gone: {sections:?}");
}
