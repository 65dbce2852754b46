//! What a page includes: loaded level by level, the files of one level side by side, and then joined to one text.

use std::collections::HashMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use futures::StreamExt;
use futures::stream;
use sfmd::{DirectiveKind, Document, Inclusion, MAX_INCLUDE_DEPTH, MAX_INCLUDES, Target};

use super::compose::AT_ONCE;
use super::load::{Content, Loaded, Text};
use super::setup::Setup;
use super::{Library, Reading, Source};

/// The documents of a page, each behind the one that includes it; the first is the page's own.
pub struct Parts<'a> {
    library: &'a Library<'a>,
    parts: Vec<Part>,
    /// Files included so far, over the whole page.
    included: usize,
    /// The files that were reached through links, with those resolved.
    pub linked: Vec<PathBuf>,
}

/// A menu, by the document that names it.
pub struct NamedMenu {
    pub name: String,
    pub path: String,
    pub base: Source,
}

/// A document, or a block of it.
struct Part {
    source: Source,
    document: Arc<Document>,
    block: Option<String>,
    lines: Option<Range<usize>>,
    /// The part that includes it, and the line there.
    around: Option<(usize, usize)>,
    /// The parts that it includes, in the order of its text.
    within: Vec<usize>,
    /// By line. What was loaded is put in when the parts are joined.
    inclusions: HashMap<usize, Inclusion>,
}

/// A file to include.
struct Wanted {
    around: (usize, usize),
    path: String,
    block: Option<String>,
    /// Where it is, or why it is not even looked for.
    source: Result<Source, String>,
}

/// A file that was loaded.
struct Found {
    source: Source,
    real: Option<PathBuf>,
    document: Arc<Document>,
    lines: Option<Range<usize>>,
}

impl<'a> Parts<'a> {
    pub fn of(library: &'a Library<'a>, source: Source, document: Arc<Document>) -> Self {
        let root = Part {
            source,
            document,
            block: None,
            lines: None,
            around: None,
            within: Vec::new(),
            inclusions: HashMap::new(),
        };
        Self { library, parts: vec![root], included: 0, linked: Vec::new() }
    }

    /// Loads all that is included, level by level.
    pub async fn gather(&mut self) {
        let mut level = 0..self.parts.len();
        while !level.is_empty() {
            let next = self.parts.len();
            let wanted: Vec<Wanted> = level.flat_map(|at| self.wanted(at)).collect();
            let library = self.library;
            let loading: Vec<_> = wanted.into_iter().map(|wanted| load(wanted, library)).collect();
            let mut loading = stream::iter(loading).buffered(AT_ONCE);
            while let Some((wanted, found)) = loading.next().await {
                self.add(wanted, found);
            }
            level = next..self.parts.len();
        }
    }

    /// The menus that its documents name, each name once, and the setup page; those of the text above come first.
    pub fn named(&self) -> (Vec<NamedMenu>, Option<Setup>) {
        let (mut menus, mut setup) = (Vec::<NamedMenu>::new(), None);
        let mut rest = vec![0];
        while let Some(Part { source, document, within, .. }) = rest.pop().map(|at| &self.parts[at]) {
            for directive in &document.directives {
                if let DirectiveKind::Nav { name, path } = &directive.kind
                    && menus.iter().all(|known| known.name != name.as_str())
                {
                    let (name, path) = (name.to_string(), path.clone());
                    menus.push(NamedMenu { name, path, base: source.clone() });
                }
            }
            setup = setup.or_else(|| Setup::named(source, document, self.library));
            rest.extend(within.iter().rev());
        }
        (menus, setup)
    }

    /// One text of all of them. What is included stands behind what includes it, so the last is whole first.
    pub fn joined(mut self) -> sfmd::Source {
        loop {
            let part = self.parts.pop().expect("the first part is given back");
            let Part { source, document, lines, inclusions, around, .. } = part;
            let joined = sfmd::Source { origin: source.origin(), document, lines, inclusions };
            match around {
                Some((around, line)) => {
                    self.parts[around].inclusions.insert(line, Inclusion::Loaded(Box::new(joined)));
                }
                None => return joined,
            }
        }
    }

    /// What a part includes.
    fn wanted(&mut self, at: usize) -> Vec<Wanted> {
        let Part { source: base, document, lines, .. } = &self.parts[at];
        let is_shown = |line: &usize| lines.as_ref().is_none_or(|lines| lines.contains(line));
        let mut wanted = Vec::new();
        for (line, include) in document.includes().filter(|(line, _)| is_shown(line)) {
            let (path, block) = (include.path_beside(base.stem()), include.block.clone());
            self.included += 1;
            let source = match self.included > MAX_INCLUDES {
                true => Err(format!("more than {MAX_INCLUDES} files are included")),
                false => self.source(at, &path, block.as_deref()),
            };
            wanted.push(Wanted { around: (at, line), path, block, source });
        }
        wanted
    }

    /// Where a file is that a part includes, if it may.
    fn source(&self, at: usize, path: &str, block: Option<&str>) -> Result<Source, String> {
        if self.around(at).count() > MAX_INCLUDE_DEPTH {
            return Err(format!("files include each other more than {MAX_INCLUDE_DEPTH} deep"));
        }
        let base = &self.parts[at].source;
        let source = base.join(path, self.library.workspace).map_err(|error| error.to_string())?;
        if !matches!(base, Source::Web(_)) && matches!(source, Source::Web(_)) {
            return Err("only files can be included here".to_owned());
        }
        // A block of a file that is around this one is no cycle, unless that very block is.
        if self.around(at).any(|around| around.source == source && around.block.as_deref() == block) {
            return Err(format!("{path} includes itself"));
        }
        Ok(source)
    }

    /// A part and what is around it, up to the page.
    fn around(&self, at: usize) -> impl Iterator<Item = &Part> {
        let above = |part: &&Part| part.around.map(|(around, _)| &self.parts[around]);
        std::iter::successors(Some(&self.parts[at]), above)
    }

    fn add(&mut self, Wanted { around, block, .. }: Wanted, found: Result<Found, String>) {
        let at = self.parts.len();
        let outer = &mut self.parts[around.0];
        match found {
            Ok(Found { source, real, document, lines }) => {
                outer.within.push(at);
                self.linked.extend(real);
                let (within, inclusions) = (Vec::new(), HashMap::new());
                let around = Some(around);
                self.parts.push(Part { source, document, block, lines, around, within, inclusions });
            }
            Err(reason) => {
                outer.inclusions.insert(around.1, Inclusion::Failed(reason));
            }
        }
    }
}

async fn load(wanted: Wanted, library: &Library<'_>) -> (Wanted, Result<Found, String>) {
    let found = found(&wanted, library).await;
    (wanted, found)
}

async fn found(wanted: &Wanted, library: &Library<'_>) -> Result<Found, String> {
    let path = &wanted.path;
    let source = wanted.source.as_ref().map_err(Clone::clone)?;
    let loaded = library.load(source, Reading::Main).await.map_err(|error| error.message)?;
    let Loaded { source, real, content: Content::Text(Text::Document(text) | Text::Plain(text)), .. } =
        loaded
    else {
        return Err(format!("{path} is not text"));
    };
    let document = Arc::new(sfmd::parse(&text));
    let lines = match &wanted.block {
        Some(id) => Some(section_lines(&document, id).ok_or_else(|| format!("{path} has no block #{id}"))?),
        None => None,
    };
    Ok(Found { source, real, document, lines })
}

fn section_lines(document: &Document, id: &str) -> Option<Range<usize>> {
    Some(match document.resolve(id)? {
        Target::Block(block) => block.lines.clone(),
        Target::Include { line, .. } => line..line + 1,
        Target::Heading(heading) => heading.lines.clone(),
    })
}
