//! Tables of data as rows of cells; tables that only place things as what they hold.

use std::rc::Rc;

use markup5ever_rcdom::Node;

use super::code::{block, code_text, language};
use super::siblings::Siblings;
use super::{Flow, Place, Rebuild};
use crate::html::element::{Descend, attribute, attributes, element, find, tag, walk};

/// Spans beyond these are mistakes or attacks.
const MAX_SPAN: usize = 50;
const MAX_COLUMNS: usize = 200;
/// A cell with more text than this is an area of the page.
const LONG_CELL: usize = 1200;

struct Cell {
    node: Rc<Node>,
    columns: usize,
    rows: usize,
}

impl Rebuild<'_> {
    pub(super) fn table(&mut self, node: &Rc<Node>, place: Place, out: &mut Siblings) {
        let rows = self.rows(node);
        if let Some(code) = code_listing(node, &rows) {
            out.push(code);
            return;
        }
        if place.flow == Flow::Line || self.is_layout(node, &rows) {
            for cell in rows.iter().flatten() {
                let inside = self.children(&cell.node, place);
                match place.flow {
                    Flow::Blocks => out.section(inside),
                    Flow::Line => {
                        out.space();
                        out.extend(inside);
                    }
                }
            }
            return;
        }
        if let Some(caption) = find(node, &["caption"]).filter(|caption| !self.is_left_out(caption)) {
            let line = element("em", self.children(&caption, place.line()));
            out.block("p", vec![line]);
        }
        let grid = self.grid(&rows, place.line());
        if !grid.is_empty() {
            out.push(element("table", grid));
        }
    }

    fn rows(&self, table: &Rc<Node>) -> Vec<Vec<Cell>> {
        let mut rows = Vec::new();
        walk(table, &mut |node| match tag(node) {
            "table" if !Rc::ptr_eq(node, table) => Descend::No,
            "tr" if !self.is_left_out(node) => {
                rows.push(self.cells(node));
                Descend::No
            }
            "table" | "thead" | "tbody" | "tfoot" if Rc::ptr_eq(node, table) || !self.is_left_out(node) => {
                Descend::Yes
            }
            _ => Descend::No,
        });
        rows.retain(|row| !row.is_empty());
        rows
    }

    fn cells(&self, row: &Rc<Node>) -> Vec<Cell> {
        let children = row.children.borrow();
        let cells =
            children.iter().filter(|cell| matches!(tag(cell), "td" | "th") && !self.is_left_out(cell));
        let span = |cell: &Node, name| {
            let span = attribute(cell, name).and_then(|span| span.trim().parse().ok()).unwrap_or(1);
            span.clamp(1, MAX_SPAN)
        };
        cells
            .map(|cell| Cell {
                node: cell.clone(),
                columns: span(cell, "colspan"),
                rows: span(cell, "rowspan"),
            })
            .collect()
    }

    fn is_layout(&self, table: &Rc<Node>, rows: &[Vec<Cell>]) -> bool {
        let is_named = matches!(attribute(table, "role").as_deref(), Some("presentation" | "none"));
        let is_narrow = rows.len() < 2 || rows.iter().all(|row| row.len() <= 1);
        let mut has_areas = false;
        for cell in rows.iter().flatten() {
            let is_area = find(&cell.node, &["table", "h1", "h2", "h3", "article"]).is_some()
                || self.weights.get(&cell.node).text > LONG_CELL;
            has_areas |= is_area;
        }
        is_named || is_narrow || (has_areas && find(table, &["th"]).is_none())
    }

    /// The rows with a cell for every column; the first row is the header.
    fn grid(&mut self, rows: &[Vec<Cell>], place: Place) -> Vec<Rc<Node>> {
        let mut grid: Vec<Vec<Rc<Node>>> = Vec::new();
        // For each column, how many more rows a cell from above reaches into.
        let mut covered: Vec<usize> = Vec::new();
        for row in rows {
            let mut line: Vec<Rc<Node>> = Vec::new();
            let mut cells = row.iter();
            loop {
                let column = line.len();
                if covered.get(column).is_some_and(|rows| *rows > 0) {
                    covered[column] -= 1;
                    line.push(element("td", Vec::new()));
                    continue;
                }
                let Some(cell) = cells.next().filter(|_| column < MAX_COLUMNS) else { break };
                covered.resize(covered.len().max(column + cell.columns), 0);
                line.push(element("td", self.children(&cell.node, place)));
                line.extend((1..cell.columns).map(|_| element("td", Vec::new())));
                covered[column..column + cell.columns].fill(cell.rows - 1);
            }
            grid.push(line);
        }
        if has_row_headers(rows) {
            let empty = vec![element("td", Vec::new()), element("td", Vec::new())];
            grid.insert(0, empty);
        }
        grid.into_iter().map(|line| element("tr", line)).collect()
    }
}

/// Names on the left and values on the right: no row is a header.
fn has_row_headers(rows: &[Vec<Cell>]) -> bool {
    rows.iter().all(
        |row| matches!(row.as_slice(), [name, value] if tag(&name.node) == "th" && tag(&value.node) == "td"),
    )
}

/// Code set as a table, with its line numbers in a column.
fn code_listing(table: &Rc<Node>, rows: &[Vec<Cell>]) -> Option<Rc<Node>> {
    let is_number = |cell: &Cell| {
        let text = code_text(&cell.node);
        let marked = attribute(&cell.node, "data-line-number").is_some()
            || has_class(&cell.node, &["blob-num", "gutter", "linenos"]);
        marked
            || (!text.trim().is_empty()
                && text.split_whitespace().all(|word| word.bytes().all(|b| b.is_ascii_digit())))
    };
    let is_code = |cell: &Cell| {
        find(&cell.node, &["pre"]).is_some()
            || has_class(&cell.node, &["blob-code", "code", "hljs-ln-code", "code-line", "rouge-code"])
    };
    let is_listing = !rows.is_empty()
        && rows
            .iter()
            .all(|row| matches!(row.as_slice(), [number, code] if is_number(number) && is_code(code)));
    if !is_listing {
        return None;
    }
    let lines: Vec<String> =
        rows.iter().map(|row| code_text(&row[1].node).trim_end_matches('\n').to_owned()).collect();
    let named = find(&rows[0][1].node, &["pre"]).unwrap_or_else(|| table.clone());
    Some(block(&lines.join("\n"), language(&named).as_deref()))
}

fn has_class(node: &Node, names: &[&str]) -> bool {
    attributes(node).is_some_and(|attributes| {
        attributes.iter().any(|attribute| {
            &*attribute.name.local == "class"
                && attribute.value.split_ascii_whitespace().any(|class| names.contains(&class))
        })
    })
}
