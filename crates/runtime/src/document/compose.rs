//! From a text to a page: what it includes, and the menus it names.

use std::collections::HashMap;
use std::future::Future;
use std::ops::Range;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use sfmd::{DirectiveKind, Document, Inclusion, MAX_INCLUDE_DEPTH, MAX_INCLUDES, Target, menu_entries};

use super::load::{Content, Loaded, Text};
use super::setup::Setup;
use super::{Library, Menu, Reading, Source};
use crate::error::Result;

/// A composed text, and what any part of it names besides: menus, a setup page.
#[derive(Debug)]
pub struct Composed {
    pub page: Arc<sfmd::Page>,
    pub menus: Vec<Menu>,
    pub setup: Option<Setup>,
    /// The files among them that were reached through links, with those resolved.
    pub linked: Vec<PathBuf>,
}

impl Composed {
    /// A page that names nothing.
    pub fn alone(page: Arc<sfmd::Page>) -> Self {
        Self { page, menus: Vec::new(), setup: None, linked: Vec::new() }
    }
}

/// Composes a page from its loaded text. What cannot be loaded becomes a note in the text, never an error.
pub async fn compose(library: &Library<'_>, source: &Source, document: Arc<Document>) -> Composed {
    let mut work = Work { library, included: 0, menus: Vec::new(), setup: None, linked: Vec::new() };
    let mut chain = vec![(source.clone(), None)];
    let root = work.part(source, document, None, &mut chain).await;
    let page = sfmd::Page::compose(root);
    let mut menus = Vec::new();
    let mut linked = work.linked;
    for (name, path, base) in work.menus {
        menus.extend(load_menu(library, &name, &path, &base, &mut linked).await);
    }
    let setup = match work.setup {
        None if !page.requirements().is_empty() => Setup::beside(source, library).await,
        named => named,
    };
    Composed { page: Arc::new(page), menus, setup, linked }
}

/// The page of a text that names no other file: whoever opens it, and whenever, it is this one until the text changes.
pub fn alone(source: &Source, document: &Arc<Document>) -> Option<Arc<sfmd::Page>> {
    let stands_alone = document.directives.is_empty() && document.frontmatter.env.is_empty();
    let page = || sfmd::Page::compose(sfmd::Source::new(source.origin(), Arc::clone(document)));
    stands_alone.then(|| Arc::new(page().with_view()))
}

/// Documents around one another, each with the block that is meant.
type Chain = Vec<(Source, Option<String>)>;

struct Work<'a> {
    library: &'a Library<'a>,
    /// Files included so far, over the whole page.
    included: usize,
    /// Name, path and the document that names it.
    menus: Vec<(String, String, Source)>,
    setup: Option<Setup>,
    linked: Vec<PathBuf>,
}

impl Work<'_> {
    /// A document, or a block of it, with everything it includes. `chain` holds what is around it, itself last.
    fn part<'b>(
        &'b mut self,
        source: &'b Source,
        document: Arc<Document>,
        block: Option<&'b str>,
        chain: &'b mut Chain,
    ) -> Pin<Box<dyn Future<Output = sfmd::Source> + Send + 'b>> {
        Box::pin(async move {
            self.note_menus(source, &document);
            if self.setup.is_none() {
                self.setup = Setup::named(source, &document, self.library);
            }
            let mut inclusions = HashMap::new();
            let lines = block.and_then(|id| section_lines(&document, id));
            let is_shown = |line: &usize| lines.as_ref().is_none_or(|lines| lines.contains(line));
            for (line, include) in document.includes().filter(|(line, _)| is_shown(line)) {
                let inclusion = match self.include(source, include, chain).await {
                    Ok(part) => Inclusion::Loaded(Box::new(part)),
                    Err(reason) => Inclusion::Failed(reason),
                };
                inclusions.insert(line, inclusion);
            }
            let origin = source.origin();
            sfmd::Source { origin, document, lines, inclusions }
        })
    }

    async fn include(
        &mut self,
        base: &Source,
        include: &sfmd::Include,
        chain: &mut Chain,
    ) -> Result<sfmd::Source, String> {
        self.included += 1;
        if self.included > MAX_INCLUDES {
            return Err(format!("more than {MAX_INCLUDES} files are included"));
        }
        if chain.len() > MAX_INCLUDE_DEPTH {
            return Err(format!("files include each other more than {MAX_INCLUDE_DEPTH} deep"));
        }
        let path = include.path_beside(base.stem());
        let source = base.join(&path, self.library.workspace).map_err(|error| error.to_string())?;
        if !matches!(base, Source::Web(_)) && matches!(source, Source::Web(_)) {
            return Err("only files can be included here".to_owned());
        }
        let block = include.block.as_deref();
        // A block of a file that is around this one is no cycle, unless that very block is.
        if chain.iter().any(|(around, part)| *around == source && part.as_deref() == block) {
            return Err(format!("{path} includes itself"));
        }
        let loaded = self.library.load(&source, Reading::Main).await.map_err(|error| error.message)?;
        let Loaded { source, real, content: Content::Text(Text::Document(text) | Text::Plain(text)), .. } =
            loaded
        else {
            return Err(format!("{path} is not text"));
        };
        self.linked.extend(real);
        let document = Arc::new(sfmd::parse(&text));
        if let Some(id) = block.filter(|id| section_lines(&document, id).is_none()) {
            return Err(format!("{path} has no block #{id}"));
        }
        chain.push((source.clone(), include.block.clone()));
        let part = self.part(&source, document, block, chain).await;
        chain.pop();
        Ok(part)
    }

    fn note_menus(&mut self, source: &Source, document: &Document) {
        for directive in &document.directives {
            if let DirectiveKind::Nav { name, path } = &directive.kind
                && self.menus.iter().all(|(known, ..)| known != name.as_str())
            {
                self.menus.push((name.to_string(), path.clone(), source.clone()));
            }
        }
    }
}

fn section_lines(document: &Document, id: &str) -> Option<Range<usize>> {
    Some(match document.resolve(id)? {
        Target::Block(block) => block.lines.clone(),
        Target::Include { line, .. } => line..line + 1,
        Target::Heading(heading) => heading.lines.clone(),
    })
}

/// A menu that cannot be loaded is empty: `/info` says why, and the page is shown all the same.
async fn load_menu(
    library: &Library<'_>,
    name: &str,
    path: &str,
    base: &Source,
    linked: &mut Vec<PathBuf>,
) -> Option<Menu> {
    let source = base.join(path, library.workspace).ok()?;
    let (entries, problem) = match library.load(&source, Reading::Main).await {
        Ok(Loaded { real, content: Content::Text(Text::Document(text)), .. }) => {
            linked.extend(real);
            (menu_entries(&sfmd::parse(&text)), None)
        }
        Ok(_) => (Vec::new(), Some(format!("{path} is no Markdown"))),
        Err(error) => (Vec::new(), Some(error.message)),
    };
    Some(Menu { name: name.to_owned(), source, entries, problem })
}
