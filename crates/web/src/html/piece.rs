//! What a page becomes before it is written: only what Markdown can say.

use super::weigh::{Weight, characters};

#[derive(Debug)]
pub(super) enum Piece {
    /// With the marks of [`super::write`] for what could start HTML or a fence.
    Text(String),
    /// An end of a line within a paragraph.
    Break,
    Image {
        source: String,
        alt: String,
    },
    Link {
        href: String,
        label: Vec<Piece>,
    },
    /// On one line.
    Code(String),
    Marked(Mark, Vec<Piece>),
    Rule,
    Heading {
        level: u8,
        line: Vec<Piece>,
        /// What addresses call it.
        ids: Vec<String>,
    },
    Paragraph(Vec<Piece>),
    /// A box without a meaning of its own.
    Section(Vec<Piece>),
    Quote(Vec<Piece>),
    List {
        numbers: Numbers,
        items: Vec<Vec<Piece>>,
    },
    /// Code in lines of its own.
    Listing {
        language: Option<String>,
        code: String,
    },
    /// Rows of cells; the first is the header.
    Table(Vec<Row>),
}

/// The cells beside each other, each with what is on its line.
pub(super) type Row = Vec<Vec<Piece>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Strong,
    Emphasis,
    Deleted,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Numbers {
    None,
    /// One for each item.
    Each(Vec<u32>),
}

impl Piece {
    /// Whether it stands on lines of its own.
    pub(super) fn is_block(&self) -> bool {
        match self {
            Piece::Text(_)
            | Piece::Break
            | Piece::Image { .. }
            | Piece::Link { .. }
            | Piece::Code(_)
            | Piece::Marked(..) => false,
            Piece::Rule
            | Piece::Heading { .. }
            | Piece::Paragraph(_)
            | Piece::Section(_)
            | Piece::Quote(_)
            | Piece::List { .. }
            | Piece::Listing { .. }
            | Piece::Table(_) => true,
        }
    }

    pub(super) fn is_blank_text(&self) -> bool {
        matches!(self, Piece::Text(text) if is_space(text))
    }

    /// Whether it would show as nothing.
    pub(super) fn is_blank(&self) -> bool {
        match self {
            Piece::Text(text) | Piece::Code(text) => is_space(text),
            Piece::Image { .. } | Piece::Rule | Piece::Listing { .. } => false,
            _ => self.parts().all(is_blank),
        }
    }

    /// The pieces it is made of, in rows.
    pub(super) fn parts(&self) -> impl Iterator<Item = &[Piece]> {
        let (one, rows, cells): (&[Piece], &[Vec<Piece>], &[Row]) = match self {
            Piece::Text(_)
            | Piece::Break
            | Piece::Image { .. }
            | Piece::Code(_)
            | Piece::Rule
            | Piece::Listing { .. } => (&[], &[], &[]),
            Piece::Link { label: inside, .. }
            | Piece::Marked(_, inside)
            | Piece::Heading { line: inside, .. }
            | Piece::Paragraph(inside)
            | Piece::Section(inside)
            | Piece::Quote(inside) => (inside, &[], &[]),
            Piece::List { items, .. } => (&[], items, &[]),
            Piece::Table(rows) => (&[], &[], rows),
        };
        std::iter::once(one).chain(rows.iter().chain(cells.iter().flatten()).map(Vec::as_slice))
    }
}

pub(super) fn is_blank(pieces: &[Piece]) -> bool {
    pieces.iter().all(Piece::is_blank)
}

fn is_space(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_whitespace())
}

/// Calls `see` for `pieces` and everything in them.
pub(super) fn visit(pieces: &[Piece], see: &mut impl FnMut(&Piece)) {
    for piece in pieces {
        see(piece);
        for part in piece.parts() {
            visit(part, see);
        }
    }
}

/// The ids of each heading that stands in no list and no quote.
pub(super) fn heading_ids(pieces: &[Piece]) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Heading { ids, .. } => all.push(ids.clone()),
            Piece::Section(inside) | Piece::Paragraph(inside) => all.append(&mut heading_ids(inside)),
            _ => {}
        }
    }
    all
}

/// The text in `pieces`.
pub(super) fn words(pieces: &[Piece]) -> String {
    let mut words = String::new();
    visit(pieces, &mut |piece| {
        if let Piece::Text(text) | Piece::Code(text) | Piece::Listing { code: text, .. } = piece {
            words.push_str(text);
        }
    });
    words
}

/// How much text `pieces` hold, and how much of it is links.
pub(super) fn weigh(pieces: &[Piece]) -> Weight {
    let mut weight = Weight::default();
    for piece in pieces {
        match piece {
            Piece::Text(text) | Piece::Code(text) | Piece::Listing { code: text, .. } => {
                weight.text += characters(text);
            }
            Piece::Link { label, .. } => {
                let text = weigh(label).text;
                weight += Weight { text, links: text };
            }
            _ => piece.parts().for_each(|part| weight += weigh(part)),
        }
    }
    weight
}
