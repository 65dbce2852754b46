//! The lines before a page's content: menus, actions, missing variables, the setup page.

use std::fmt;

use crate::frontmatter::Requirement;
use crate::menu::MenuEntry;

/// A menu with more entries is named, not shown.
pub const MAX_NAV_ENTRIES: usize = 20;

/// What the lines before a page say. The caller knows the loaded menus and which variables have values.
#[derive(Clone, Debug, Default)]
pub struct Banner<'a> {
    pub menus: Vec<NavMenu<'a>>,
    /// Ids of the page's actions.
    pub actions: Vec<&'a str>,
    /// Required variables without a value.
    pub missing: Vec<&'a Requirement>,
    /// What opens the setup page, to be shown.
    pub setup: Option<&'a str>,
}

#[derive(Clone, Debug)]
pub struct NavMenu<'a> {
    pub name: &'a str,
    /// Present to show them: the caller does so once per session.
    pub entries: Option<&'a [MenuEntry]>,
}

/// The lines and the blank one after them; nothing at all if there is nothing to say.
impl fmt::Display for Banner<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = self.lines();
        lines.iter().try_for_each(|line| writeln!(f, "{line}"))?;
        if lines.is_empty() { Ok(()) } else { writeln!(f) }
    }
}

impl Banner<'_> {
    fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let mut named = Vec::new();
        for menu in &self.menus {
            match menu.entries {
                Some(entries) if (1..=MAX_NAV_ENTRIES).contains(&entries.len()) => {
                    lines.push(format!("[nav] {}: {}", menu.name, entry_links(menu.name, entries)));
                }
                _ => named.push(menu.name),
            }
        }
        match named[..] {
            [] => {}
            [name] => lines.push(format!("[nav] {name} · /nav {name}")),
            _ => lines.push(format!("[nav] {} · /nav", named.join(", "))),
        }
        if !self.actions.is_empty() {
            lines.push(format!("[actions] {} · /act --help", self.actions.join(", ")));
        }
        lines.extend(
            self.missing
                .iter()
                .map(|variable| format!("[env] missing: {variable} · /set ${} = \"…\"", variable.name)),
        );
        lines.extend(self.setup.map(|target| format!("[requirements] /open {target}")));
        lines
    }
}

/// `[Home][@main.home] · [Intro][@main.intro]`
pub fn entry_links(menu: &str, entries: &[MenuEntry]) -> String {
    let links = entries.iter().map(|entry| format!("[{}][@{menu}.{}]", entry.label, entry.id));
    links.collect::<Vec<_>>().join(" · ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::parse;
    use crate::menu::menu_entries;

    #[test]
    fn each_kind_of_news_has_its_line() {
        let menu = menu_entries(&parse("[@home Home](a)\n[@intro Intro](b)\n"));
        let page = parse("---\nenv:\n  - API_KEY: \"OpenWeather API key\"\n  - BARE\n---\n");
        let banner = Banner {
            menus: vec![
                NavMenu { name: "main", entries: Some(&menu) },
                NavMenu { name: "side", entries: None },
            ],
            actions: vec!["search", "get_token"],
            missing: page.frontmatter.env.iter().collect(),
            setup: Some("~/setup.md"),
        };
        assert_eq!(
            banner.to_string(),
            "[nav] main: [Home][@main.home] · [Intro][@main.intro]\n\
             [nav] side · /nav side\n\
             [actions] search, get_token · /act --help\n\
             [env] missing: $API_KEY — \"OpenWeather API key\" · /set $API_KEY = \"…\"\n\
             [env] missing: $BARE · /set $BARE = \"…\"\n\
             [requirements] /open ~/setup.md\n\n"
        );
        assert_eq!(Banner::default().to_string(), "");
    }

    #[test]
    fn long_and_repeated_menus_are_only_named() {
        let text: String = (0..=MAX_NAV_ENTRIES).map(|at| format!("[@e{at} E](x)\n")).collect();
        let long = menu_entries(&parse(&text));
        let menus =
            vec![NavMenu { name: "main", entries: Some(&long) }, NavMenu { name: "side", entries: None }];
        let banner = Banner { menus, ..Banner::default() };
        assert_eq!(banner.to_string(), "[nav] main, side · /nav\n\n");
    }
}
