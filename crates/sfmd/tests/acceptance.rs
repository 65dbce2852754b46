//! Whole documents as agents open them, with the lines before their content.

use sfmd::{Banner, Inclusion, NavMenu, Origin, Page, Source, menu_entries, parse};

fn open(page: &Page, banner: &Banner<'_>) -> String {
    format!("{banner}{}", page.view().text())
}

const WEATHER: &str = r#"---
title: Weather
---
# Weather

Search: `/act.search --name "{City}"`

```act.search
GET http://127.0.0.1/weather
  name, -n: string (required) "City name"
  unit: string (celsius|fahrenheit) "Unit"
```

```act.search.response
{city} = {Response.body.city}
{temp} = {Response.body.temperature}
## Weather in {city}
- Temperature: {temp}°C
- Condition: {Response.body.condition}
```

```act.create
POST http://127.0.0.1/echo
  title: string (required)
  count: number
  draft: boolean
```

```act.list
GET http://127.0.0.1/weather?name=List
```

```act.list.response
for: item in Response.body.items
{@item} = {item.id}
- {item.name} [{@item}]
end:
```

```act.greet
CLI echo "hello {name}" and '{name}' and {name}
  name: string (required)
```
"#;

#[test]
fn a_page_hides_its_machinery() {
    let page = Page::compose(Source::new(Origin::new("~/weather.md"), parse(WEATHER)));
    assert_eq!(page.warnings().count(), 0);
    let actions: Vec<_> = page.actions().map(|found| found.action.id.as_str()).collect();
    let banner = Banner { actions, ..Banner::default() };
    assert_eq!(
        open(&page, &banner),
        "[actions] search, create, list, greet · /act --help\n\n# Weather\n\nSearch: `/act.search --name \"{City}\"`"
    );
    let info: Vec<_> =
        page.actions().map(|found| format!("{}({})", found.action.id, found.action.call.word())).collect();
    assert_eq!(info.join(", "), "search(GET), create(POST), list(GET), greet(CLI)");
}

#[test]
fn menus_and_includes_make_one_page() {
    let root = parse("[!nav:main](./nav/main.md)\n# Home\n\n[!include:footer](./parts/footer.md)\n");
    let menu =
        menu_entries(&parse("[@home Home](../index.md)\n[@blocks Blocks Guide](../guide/blocks.md)\n"));
    let mut source = Source::new(Origin::new("~/site/index.md"), root);
    let footer = Source::new(Origin::new("~/site/parts/footer.md"), parse("Made with care.\n"));
    source.inclusions.insert(4, Inclusion::Loaded(Box::new(footer)));
    let banner = Banner { menus: vec![NavMenu { name: "main", entries: Some(&menu) }], ..Banner::default() };
    assert_eq!(
        open(&Page::compose(source), &banner),
        "[nav] main: [Home][@main.home] · [Blocks Guide][@main.blocks]\n\n# Home\n\nMade with care."
    );
}

#[test]
fn a_page_about_conventions_has_none() {
    let guide = "---\ntitle: State\n---\n\n# State\n\n## Requirements — `env:` in frontmatter\n\n```yaml\n---\nenv:\n  - API_KEY: \"OpenWeather API key\"\n---\n```\n\n````markdown\n```act.login.response\n{token} = {Response.body.access_token}\n```\n````\n\n---\n\n| **`env:` requires** | Declares `$var` |\n|---|---|\n| `[!nav:x](y)` | z |\n";
    let page = Page::compose(Source::new(Origin::new("guide.md"), parse(guide)));
    assert_eq!(page.document().title(), Some("State"));
    assert_eq!(
        (page.actions().count(), page.warnings().count(), page.document().frontmatter.env.len()),
        (0, 0, 0)
    );
    assert_eq!(page.view().text(), guide["---\ntitle: State\n---\n\n".len()..].trim_end());
    assert!(page.section("requirements-env-in-frontmatter").is_some());
}
