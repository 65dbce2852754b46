//! Tables of data as rows of cells; tables that only place things as what they hold.

use super::code::{code_text, language};
use super::siblings::Siblings;
use super::{Flow, Place, Rebuild};
use crate::html::piece::{Mark, Piece, Row};
use crate::html::tree::{Descend, Node};

/// Spans beyond these are mistakes or attacks.
const MAX_SPAN: usize = 50;
const MAX_COLUMNS: usize = 200;
/// A cell with more text than this is an area of the page.
const LONG_CELL: usize = 1200;

struct Cell<'a> {
    node: Node<'a>,
    columns: usize,
    rows: usize,
}

impl Rebuild<'_> {
    pub(super) fn table(&mut self, node: Node<'_>, place: Place, out: &mut Siblings) {
        let rows = self.rows(node);
        if let Some(code) = code_listing(node, &rows) {
            out.push(code);
            return;
        }
        if place.flow == Flow::Line || self.is_layout(node, &rows) {
            for (at, row) in rows.iter().enumerate() {
                if at > 0 && place.flow == Flow::Line {
                    out.semicolon();
                }
                for cell in row {
                    let inside = self.children(cell.node, place);
                    match place.flow {
                        Flow::Blocks => out.section(inside),
                        Flow::Line => {
                            out.space();
                            out.extend(inside);
                        }
                    }
                }
            }
            return;
        }
        if let Some(caption) = node.find(&["caption"]).filter(|caption| !self.is_left_out(*caption)) {
            let line = Piece::Marked(Mark::Emphasis, self.children(caption, place.line()));
            out.block(vec![line], Piece::Paragraph);
        }
        let grid = self.grid(&rows, place.line());
        if !grid.is_empty() {
            out.push(Piece::Table(grid));
        }
    }

    fn rows<'t>(&self, table: Node<'t>) -> Vec<Vec<Cell<'t>>> {
        let mut rows = Vec::new();
        table.walk(|node| match node.tag() {
            "table" if node == table => Descend::Yes,
            "tr" if !self.is_left_out(node) => {
                rows.push(self.cells(node));
                Descend::No
            }
            "thead" | "tbody" | "tfoot" if !self.is_left_out(node) => Descend::Yes,
            _ => Descend::No,
        });
        rows.retain(|row| !row.is_empty());
        rows
    }

    fn cells<'t>(&self, row: Node<'t>) -> Vec<Cell<'t>> {
        let span = |cell: Node<'_>, name| {
            let span = cell.attribute(name).and_then(|span| span.trim().parse().ok()).unwrap_or(1);
            span.clamp(1, MAX_SPAN)
        };
        row.children()
            .filter(|cell| matches!(cell.tag(), "td" | "th") && !self.is_left_out(*cell))
            .map(|node| Cell { node, columns: span(node, "colspan"), rows: span(node, "rowspan") })
            .collect()
    }

    fn is_layout(&self, table: Node<'_>, rows: &[Vec<Cell<'_>>]) -> bool {
        let is_named = matches!(table.attribute("role"), Some("presentation" | "none"));
        let is_headed = table.find(&["th", "caption"]).is_some();
        let is_narrow = rows.len() < 2 || rows.iter().all(|row| row.len() <= 1) && !is_headed;
        let is_area = |cell: &Cell<'_>| {
            self.weights.get(cell.node).text > LONG_CELL
                || cell.node.find(&["table", "h1", "h2", "h3", "article"]).is_some()
        };
        is_named || is_narrow || (rows.iter().flatten().any(is_area) && table.find(&["th"]).is_none())
    }

    /// The rows with a cell for every column; the first row is the header.
    fn grid(&mut self, rows: &[Vec<Cell<'_>>], place: Place) -> Vec<Row> {
        let mut grid: Vec<Row> = Vec::new();
        // For each column, how many more rows a cell from above reaches into.
        let mut covered: Vec<usize> = Vec::new();
        for row in rows {
            let mut line: Row = Vec::new();
            let mut cells = row.iter();
            loop {
                let column = line.len();
                if covered.get(column).is_some_and(|rows| *rows > 0) {
                    covered[column] -= 1;
                    line.push(Vec::new());
                    continue;
                }
                let Some(cell) = cells.next().filter(|_| column < MAX_COLUMNS) else { break };
                covered.resize(covered.len().max(column + cell.columns), 0);
                line.push(self.children(cell.node, place));
                line.resize_with(line.len() + cell.columns - 1, Vec::new);
                covered[column..column + cell.columns].fill(cell.rows - 1);
            }
            grid.push(line);
        }
        if has_row_headers(rows) {
            grid.insert(0, vec![Vec::new(), Vec::new()]);
        }
        grid
    }
}

/// Names on the left and values on the right: no row is a header.
fn has_row_headers(rows: &[Vec<Cell<'_>>]) -> bool {
    rows.iter().all(
        |row| matches!(row.as_slice(), [name, value] if name.node.tag() == "th" && value.node.tag() == "td"),
    )
}

/// Code set as a table, with its line numbers in a column.
fn code_listing(table: Node<'_>, rows: &[Vec<Cell<'_>>]) -> Option<Piece> {
    let is_listing = !rows.is_empty()
        && rows
            .iter()
            .all(|row| matches!(row.as_slice(), [number, code] if is_code(code) && is_number(number)));
    if !is_listing {
        return None;
    }
    let lines: Vec<String> =
        rows.iter().map(|row| code_text(row[1].node).trim_end_matches('\n').to_owned()).collect();
    let named = rows[0][1].node.find(&["pre"]).unwrap_or(table);
    Some(Piece::Listing { language: language(named), code: lines.join("\n") })
}

fn is_code(cell: &Cell<'_>) -> bool {
    let is_named =
        |class| matches!(class, "blob-code" | "code" | "hljs-ln-code" | "code-line" | "rouge-code");
    cell.node.classes().any(is_named) || cell.node.find(&["pre"]).is_some()
}

fn is_number(cell: &Cell<'_>) -> bool {
    let is_named = |class| matches!(class, "blob-num" | "gutter" | "linenos");
    if cell.node.attribute("data-line-number").is_some() || cell.node.classes().any(is_named) {
        return true;
    }
    let text = code_text(cell.node);
    !text.trim().is_empty()
        && text.split_whitespace().all(|word| word.bytes().all(|byte| byte.is_ascii_digit()))
}
