//! The pieces beside each other while they are being made.

use super::Flow;
use crate::html::invisible::without_invisible;
use crate::html::piece::{Piece, is_blank};
use crate::html::write::marked;

#[derive(Default)]
pub(super) struct Siblings {
    pieces: Vec<Piece>,
    /// A line break that waits to see whether another follows.
    has_break: bool,
}

impl Siblings {
    pub(super) fn finish(self) -> Vec<Piece> {
        self.pieces
    }

    /// Text outside code.
    pub(super) fn text(&mut self, contents: &str) {
        let clean = without_invisible(contents);
        if self.has_break && clean.bytes().all(|byte| byte.is_ascii_whitespace()) {
            return;
        }
        self.join(&marked(&clean));
    }

    /// Neighbouring texts are one: what has to be escaped is seen in a text as a whole.
    fn join(&mut self, contents: &str) {
        if contents.is_empty() {
            return;
        }
        self.settle_break();
        match self.pieces.last_mut() {
            Some(Piece::Text(last)) => last.push_str(contents),
            _ => self.pieces.push(Piece::Text(contents.to_owned())),
        }
    }

    pub(super) fn space(&mut self) {
        let is_apart = match self.pieces.last() {
            Some(Piece::Text(last)) => last.ends_with([' ', '\n', '\t']),
            last => last.is_none(),
        };
        if !is_apart {
            self.join(" ");
        }
    }

    /// Between the parts of what would be lines of their own.
    pub(super) fn semicolon(&mut self) {
        if let Some(Piece::Text(last)) = self.pieces.last_mut() {
            last.truncate(last.trim_end().len());
        }
        self.join("; ");
    }

    /// One break is a break; two end the paragraph.
    pub(super) fn line_break(&mut self, flow: Flow) {
        match flow {
            Flow::Line => self.space(),
            Flow::Blocks if self.has_break => {
                self.has_break = false;
                self.pieces.push(Piece::Paragraph(Vec::new()));
            }
            Flow::Blocks => self.has_break = !self.pieces.is_empty(),
        }
    }

    fn settle_break(&mut self) {
        if std::mem::take(&mut self.has_break) {
            self.pieces.push(Piece::Break);
        }
    }

    pub(super) fn push(&mut self, piece: Piece) {
        if piece.is_block() {
            // A break before a block breaks nothing.
            self.has_break = false;
        }
        self.settle_break();
        if let Some(piece) = self.merge(piece) {
            self.pieces.push(piece);
        }
    }

    /// `<b>a</b><b>b</b>` is one phrase. Gives back what is no part of the one before it.
    fn merge(&mut self, piece: Piece) -> Option<Piece> {
        match (self.pieces.last_mut(), piece) {
            (Some(Piece::Code(last)), Piece::Code(more)) => {
                last.push_str(&more);
                None
            }
            (Some(Piece::Marked(mark, last)), Piece::Marked(same, mut more)) if *mark == same => {
                match (last.as_mut_slice(), more.as_mut_slice()) {
                    ([Piece::Text(last)], [Piece::Text(more)]) => {
                        last.push_str(more);
                        None
                    }
                    _ => Some(Piece::Marked(same, more)),
                }
            }
            (_, piece) => Some(piece),
        }
    }

    /// A piece made of `parts`, unless nothing is in them.
    pub(super) fn block(&mut self, parts: Vec<Piece>, make: impl FnOnce(Vec<Piece>) -> Piece) {
        if !is_blank(&parts) {
            self.push(make(parts));
        }
    }

    /// A box without a meaning of its own. Boxes in boxes become one.
    pub(super) fn section(&mut self, mut parts: Vec<Piece>) {
        if is_blank(&parts) {
            self.space();
            return;
        }
        if parts.iter().all(|part| part.is_block() || part.is_blank_text()) {
            parts.retain(|part| !part.is_blank_text());
            if parts.len() == 1 {
                self.has_break = false;
                self.pieces.append(&mut parts);
                return;
            }
        }
        self.push(Piece::Section(parts));
    }

    pub(super) fn extend(&mut self, pieces: Vec<Piece>) {
        for piece in pieces {
            match piece {
                Piece::Text(text) => self.join(&text),
                piece => self.push(piece),
            }
        }
    }
}
