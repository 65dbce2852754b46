//! What a reader of the page would not see.

use std::collections::HashSet;

use super::tree::{Descend, Node};

/// Classes and ids that the page's own style sheet hides.
#[derive(Default)]
pub(super) struct Sheet {
    classes: HashSet<String>,
    ids: HashSet<String>,
}

impl Sheet {
    pub(super) fn of(document: Node<'_>) -> Sheet {
        let mut sheet = Sheet::default();
        document.walk(|node| {
            if node.tag() != "style" {
                return Descend::Yes;
            }
            for css in node.children().filter_map(Node::text) {
                sheet.read(css);
            }
            Descend::No
        });
        sheet
    }

    /// Takes rules with a single class or id as selector; others depend on what is around.
    fn read(&mut self, css: &str) {
        let css = without_comments(css);
        let mut rest = css.as_str();
        while let Some(open) = rest.find('{') {
            let selector = rest[..open].rsplit([';', '}']).next().unwrap_or_default().trim();
            let (body, after) = block(&rest[open + 1..]);
            rest = after;
            if selector.starts_with('@') {
                continue;
            }
            let style = compact(body);
            let hides = style_hides(&style);
            for one in selector.split(',').map(str::trim) {
                let (set, name) = match one.split_at_checked(1) {
                    Some((".", name)) => (&mut self.classes, name),
                    Some(("#", name)) => (&mut self.ids, name),
                    _ => continue,
                };
                if !name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_')) {
                    continue;
                }
                if hides {
                    set.insert(name.to_owned());
                } else if style.contains("display:") || style.contains("visibility:") {
                    set.remove(name);
                }
            }
        }
    }

    /// Whether `node` itself is hidden, by attribute, style or class.
    pub(super) fn hides(&self, node: Node<'_>) -> bool {
        node.attributes().any(|(name, value)| match name {
            "hidden" => !value.eq_ignore_ascii_case("until-found"),
            "aria-hidden" => value.eq_ignore_ascii_case("true"),
            "style" => !value.is_empty() && style_hides(&compact(value)),
            "class" => {
                class_hides(value) || value.split_ascii_whitespace().any(|class| self.classes.contains(class))
            }
            "id" => self.ids.contains(value),
            _ => false,
        })
    }
}

/// Whether `node` is there for ears: its text is not seen, but it keeps apart what is beside it.
pub(super) fn is_for_screen_readers(node: Node<'_>) -> bool {
    node.classes().any(is_screen_reader_class)
}

fn is_screen_reader_class(class: &str) -> bool {
    matches!(
        class,
        "sr-only"
            | "visually-hidden"
            | "visuallyhidden"
            | "screen-reader-text"
            | "screen-reader-only"
            | "screenreader-only"
            | "a11y-hidden"
            | "u-visually-hidden"
    )
}

/// Lower case, without white space, so that declarations can be compared.
fn compact(style: &str) -> String {
    style.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect()
}

fn style_hides(compact: &str) -> bool {
    let mut has_zero_size = false;
    let mut has_hidden_overflow = false;
    for declaration in compact.split(';') {
        let Some((property, value)) = declaration.split_once(':') else { continue };
        let value = value.trim_end_matches("!important");
        let is_zero = value.trim_start_matches(['0', '.']).trim_end_matches(char::is_alphabetic).is_empty()
            && value.starts_with('0')
            || value == "0%";
        let is_far_off = value.strip_prefix('-').is_some_and(|away| {
            away.chars().take_while(char::is_ascii_digit).count() >= 3 || away.starts_with("100%")
        });
        match property {
            "display" if value == "none" => return true,
            "visibility" if matches!(value, "hidden" | "collapse") => return true,
            "content-visibility" if value == "hidden" => return true,
            "opacity" | "font-size" | "font" if is_zero => return true,
            "color" if matches!(value, "transparent" | "rgba(0,0,0,0)") => return true,
            "left" | "right" | "top" | "bottom" | "text-indent" | "margin-left" | "margin-top"
                if is_far_off =>
            {
                return true;
            }
            "clip" if value.starts_with("rect(0") || value.starts_with("rect(1px") => return true,
            "clip-path" if value.starts_with("inset(50%") || value.starts_with("inset(100%") => return true,
            "transform" if matches!(value, "scale(0)" | "scale(0,0)") => return true,
            "width" | "height" | "max-height" | "max-width" if is_zero || value == "1px" => {
                has_zero_size = true;
            }
            "overflow" if matches!(value, "hidden" | "clip") => has_hidden_overflow = true,
            _ => {}
        }
    }
    has_zero_size && has_hidden_overflow
}

/// Class names that mean "not on screen" in the common frameworks.
fn class_hides(classes: &str) -> bool {
    let shown_elsewhere = |class: &str| {
        class.contains([':', '-'])
            && ["block", "flex", "grid", "inline", "table"].iter().any(|word| class.ends_with(word))
    };
    classes.split_ascii_whitespace().any(|class| match class {
        "is-hidden" => true,
        // These give way to a class that shows the element on larger screens.
        "hidden" | "d-none" | "hide" => !classes.split_ascii_whitespace().any(shown_elsewhere),
        class => is_screen_reader_class(class),
    })
}

fn without_comments(css: &str) -> String {
    let mut clean = String::with_capacity(css.len());
    let mut rest = css;
    while let Some((before, after)) = rest.split_once("/*") {
        clean.push_str(before);
        rest = after.split_once("*/").map_or("", |(_, after)| after);
    }
    clean + rest
}

/// The inside of the block that was just opened, and what follows it.
fn block(text: &str) -> (&str, &str) {
    let mut depth = 1;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return (&text[..at], &text[at + 1..]);
        }
    }
    (text, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_that_hide() {
        let cases = [
            ("display:none", true),
            ("color: red; DISPLAY : None !important", true),
            ("visibility:hidden", true),
            ("opacity:0", true),
            ("opacity: 0.0", true),
            ("opacity:0.5", false),
            ("font-size:0px", true),
            ("font-size:0.9em", false),
            ("position:absolute;left:-9999px", true),
            ("margin-left:-10px", false),
            ("text-indent:-10000px", true),
            ("width:1px;height:1px;overflow:hidden", true),
            ("width:0", false),
            ("clip:rect(0 0 0 0)", true),
            ("clip-path: inset(50%)", true),
            ("color:transparent", true),
            ("display:block", false),
            ("", false),
        ];
        for (style, expected) in cases {
            assert_eq!(style_hides(&compact(style)), expected, "{style}");
        }
    }

    #[test]
    fn sheets_are_read_for_single_classes_and_ids() {
        let mut sheet = Sheet::default();
        sheet.read(
            "/* .not{display:none} */ body{margin:0} .a , .b{display:none} #c{visibility:hidden}\
             .d .e{display:none} .f:hover{display:none} @media print{.g{display:none}} .b{display:block}\
             @import 'x'; .h{display:none}",
        );
        let mut classes: Vec<_> = sheet.classes.iter().map(String::as_str).collect();
        classes.sort_unstable();
        assert_eq!(classes, ["a", "h"]);
        assert!(sheet.ids.contains("c"));
    }

    #[test]
    fn framework_classes_hide_unless_a_wider_screen_shows() {
        for (classes, expected) in [
            ("sr-only", true),
            ("card visually-hidden", true),
            ("hidden", true),
            ("hidden md:block", false),
            ("d-none d-lg-flex", false),
            ("hidden-gem", false),
            ("", false),
        ] {
            assert_eq!(class_hides(classes), expected, "{classes}");
        }
    }
}
