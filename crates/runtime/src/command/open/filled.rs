//! A target with its placeholders filled in: a value never changes what the rest of the target means.

use sfmd::{Dialect, Piece, Template};

use super::super::{Context, surroundings};
use crate::document::{Bases, Page, Target, unquote};
use crate::error::Result;
use crate::substitute::{self, Address, Mark};
use crate::variable::{Known, Scope};

/// What to open.
#[derive(Debug, Default)]
pub struct Aim {
    pub text: String,
    /// The block, where the text is without it.
    pub block: Option<String>,
    /// What is known of the values that decide where it leads.
    pub mark: Mark,
    /// Values of the `$NAME` files that are in an address, for the host that it names alone.
    pub confined: Vec<String>,
}

/// Fills in the placeholders of a target, unless single quotes say that it is meant as it stands. A value that is
/// all of it is a target itself; in an address values are encoded as in those of actions.
pub async fn aim(text: &str, bases: Bases<'_>, context: &Context<'_>) -> Result<Aim> {
    let is_literal = text.starts_with('\'');
    let written = if is_literal { text.into() } else { unquote(text) };
    let template = Template::parse(&written, Dialect::Definition);
    let is_plain = template.pieces.iter().all(|piece| matches!(piece, Piece::Text(_)));
    if is_plain || is_literal {
        return Ok(Aim { text: text.to_owned(), ..Aim::default() });
    }
    let page = context.state.page.as_deref();
    let persistent = surroundings::persistent(context, &Scope::of(&context.session.topic)).await?;
    let known = Known {
        variables: &context.state.variables,
        response: context.state.response.as_deref(),
        persistent: &persistent,
        surroundings: &surroundings::of(context, page),
        document: page.map(Page::content),
        bases: surroundings::bases(context, page),
    };
    let filled = substitute::fill(&template, &known)?;
    let (plain, mark) = (substitute::text(&filled), filled.lead_mark());
    let is_address = !matches!(
        Target::parse(&plain, bases),
        Ok(Target::Block(_) | Target::Path { .. } | Target::Shortcut { .. })
    );
    if is_address && template.pieces.len() > 1 {
        let is_relative = written.starts_with(['/', '.']);
        let Address { url, fragment, host_mark, .. } = match is_relative {
            true => substitute::relative_address(&filled)?,
            false => substitute::address(&filled, &[])?,
        };
        let block = fragment.filter(|block| !block.is_empty());
        let confined = filled.secret_texts().collect();
        return Ok(Aim { text: url, block, mark: host_mark, confined });
    }
    // A value names a document; it is never a shortcut, which would be looked up once more.
    let is_posing = plain.starts_with('@') && !written.starts_with('@');
    let text = if is_posing { format!("./{plain}") } else { plain };
    Ok(Aim { text, mark, ..Aim::default() })
}
