//! Values in an address: percent-encoded, so that none can reach the next segment, parameter or host.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use super::{Filled, Inserted, Mark, Part};
use crate::error::{Code, Error, Result, quoted};

/// All but `A-Z a-z 0-9 - . _ ~`.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// An address, ready to call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    pub url: String,
    /// What follows the `#`, which is for readers and not sent.
    pub fragment: Option<String>,
    /// As it may be shown: without its query, values of the `$NAME` files by their name.
    pub shown: String,
    /// What is known of the values that say which host it is.
    pub host_mark: Mark,
}

/// The address with its values, and with what the fields left over append to its query.
///
/// A value at the very start is an address itself (`$BASE_URL/items`) and stays as it is; one in the host must
/// be made of the letters of a host; anywhere else it is encoded.
pub fn address(filled: &Filled<'_>, leftover: &[(&str, String)]) -> Result<Address> {
    let builder = Builder::default().filled(filled)?;
    if !is_web(&builder.url) {
        return Err(refused("Actions call addresses that begin with http:// or https://."));
    }
    builder.finish(leftover)
}

/// The same for an address that is relative to a page: a path, or `//` with a host.
pub fn relative_address(filled: &Filled<'_>) -> Result<Address> {
    Builder { is_relative: true, ..Builder::default() }.filled(filled)?.finish(&[])
}

/// The text with everything encoded that could mean something in an address.
pub fn encoded(text: &str) -> String {
    utf8_percent_encode(text, RESERVED).to_string()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Default)]
enum Stage {
    #[default]
    Start,
    Scheme,
    Host,
    Path,
    Query,
    Fragment,
}

#[derive(Default)]
struct Builder {
    url: String,
    shown: String,
    stage: Stage,
    /// Where the current segment of the path begins, and whether a value is part of it.
    segment: usize,
    segment_has_value: bool,
    fragment: Option<String>,
    host_mark: Mark,
    is_relative: bool,
}

impl Builder {
    fn filled(mut self, filled: &Filled<'_>) -> Result<Self> {
        for part in &filled.parts {
            match part {
                Part::Text(text) => self.text(text, None)?,
                Part::Dollar => self.text("$", None)?,
                Part::Value(inserted) => self.value(inserted)?,
            }
        }
        if self.stage == Stage::Path {
            self.end_segment()?;
        }
        Ok(self)
    }

    /// The author's text, or a value that stands for it.
    fn text(&mut self, text: &str, hidden_as: Option<&str>) -> Result<()> {
        if let Some(name) = hidden_as {
            self.shown.push_str(name);
        }
        for c in text.chars() {
            let next = self.next_stage(c);
            if self.stage == Stage::Path && (c == '/' || next != Stage::Path) {
                self.end_segment()?;
            }
            self.stage = next;
            if next == Stage::Fragment {
                match &mut self.fragment {
                    Some(fragment) => fragment.push(c),
                    None => self.fragment = Some(String::new()),
                }
                continue;
            }
            self.url.push(c);
            if c == '/' && next == Stage::Path {
                self.segment = self.url.len();
            }
            if hidden_as.is_none() {
                self.show(c);
            }
        }
        Ok(())
    }

    fn value(&mut self, inserted: &Inserted) -> Result<()> {
        let text = inserted.text();
        let hidden_as = inserted.hidden_as.as_deref();
        if self.stage <= Stage::Host {
            self.host_mark = self.host_mark.with(inserted.mark);
        }
        match self.stage {
            Stage::Start => {
                let is_one_word = !text.contains(|c: char| c.is_control() || c.is_whitespace());
                if !is_web(&text) || !is_one_word {
                    return Err(refused("The address does not begin with http:// or https://.")
                        .hint("A value at its start must be a whole address."));
                }
                return self.text(&text, hidden_as);
            }
            Stage::Scheme | Stage::Host => {
                let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_' | '~');
                if !text.chars().all(fits) {
                    let shown = hidden_as.map_or_else(|| quoted(&text), str::to_owned);
                    return Err(refused(format!("{shown} cannot be part of a host name.")));
                }
            }
            Stage::Path => self.segment_has_value = true,
            Stage::Query => {}
            Stage::Fragment => {
                self.fragment.get_or_insert_default().push_str(&text);
                return Ok(());
            }
        }
        let encoded = encoded(&text);
        match hidden_as {
            Some(name) if self.stage <= Stage::Path => self.shown.push_str(name),
            Some(_) => {}
            None => encoded.chars().for_each(|c| self.show(c)),
        }
        self.url.push_str(&encoded);
        Ok(())
    }

    fn finish(mut self, leftover: &[(&str, String)]) -> Result<Address> {
        for (name, value) in leftover {
            let join = match self.url.split_once('?') {
                None => "?",
                Some((_, "")) => "",
                Some((_, query)) if query.ends_with('&') => "",
                Some(_) => "&",
            };
            self.url.push_str(&format!("{join}{}={}", encoded(name), encoded(value)));
        }
        let Self { url, fragment, shown, host_mark, .. } = self;
        Ok(Address { url, fragment, shown, host_mark })
    }

    fn next_stage(&self, c: char) -> Stage {
        match (self.stage, c) {
            (Stage::Start, _) if !self.is_relative => Stage::Scheme,
            (Stage::Start, _) => Stage::Path,
            (Stage::Path, '/') if self.is_relative && self.url == "/" => Stage::Host,
            (Stage::Scheme, '/') if self.url.ends_with(":/") => Stage::Host,
            (Stage::Scheme, _) => Stage::Scheme,
            (Stage::Fragment, _) | (_, '#') => Stage::Fragment,
            (Stage::Query, _) | (_, '?') => Stage::Query,
            (Stage::Path, _) | (Stage::Host, '/') => Stage::Path,
            (Stage::Host, _) => Stage::Host,
        }
    }

    /// `.` and `..` mean another place; a value must not.
    fn end_segment(&mut self) -> Result<()> {
        let segment = percent_decode_str(&self.url[self.segment..]).decode_utf8_lossy();
        if std::mem::take(&mut self.segment_has_value) && matches!(&*segment, "." | "..") {
            return Err(refused("A value in the path would lead to another place."));
        }
        Ok(())
    }

    fn show(&mut self, c: char) {
        if self.stage <= Stage::Path {
            self.shown.push(c);
        }
    }
}

fn is_web(text: &str) -> bool {
    let starts =
        |scheme: &str| text.get(..scheme.len()).is_some_and(|head| head.eq_ignore_ascii_case(scheme));
    starts("http://") || starts("https://")
}

fn refused(message: impl Into<String>) -> Error {
    Error::new(Code::InvalidParams, message).hint("Nothing was sent.")
}
