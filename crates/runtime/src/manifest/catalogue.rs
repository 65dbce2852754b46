//! The tools of each home, as its manifests declare them now.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::blocking;

use super::find::{Scan, Seen};
use super::invalid::Invalid;
use super::raw::BYTES_MAX;
use super::skill::Skill;
use super::tool::Tool;

/// The catalogues of all homes. An edit of a manifest counts from the next look.
#[derive(Debug, Default)]
pub struct Catalogues(Mutex<HashMap<PathBuf, Arc<Known>>>);

/// So many file times are looked at on the spot: that takes less than the way to another thread.
const AT_ONCE_MAX: usize = 32;
/// How many names a text that is no manifest may seem to give.
const NAMES_MAX: usize = 20;

/// What one home has.
#[derive(Debug, Default)]
pub struct Catalogue {
    tools: BTreeMap<String, Listed>,
    pub skills: Vec<Arc<Skill>>,
    /// Every manifest that is wrong.
    pub invalid: Vec<Invalid>,
}

/// What a name stands for.
#[derive(Debug, Clone)]
pub enum Listed {
    Tool(Arc<Tool>),
    /// There is a manifest, but it is wrong.
    Invalid(Invalid),
}

#[derive(Debug, Default)]
struct Known {
    scan: Scan,
    manifests: Vec<Manifest>,
    catalogue: Arc<Catalogue>,
}

#[derive(Debug, Clone)]
struct Manifest {
    seen: Seen,
    content: Content,
}

#[derive(Debug, Clone)]
enum Content {
    Tool(Arc<Tool>),
    Skill(Arc<Skill>, Vec<Arc<Tool>>),
    /// With the names that it seems to give to tools.
    Invalid(Invalid, Vec<String>),
}

impl Catalogues {
    /// The tools of a home. When nothing has changed, this looks at a few file times and nothing else.
    pub async fn of(&self, home: &Path) -> Arc<Catalogue> {
        let known = self.lock().get(home).cloned().unwrap_or_default();
        if known.scan.len() <= AT_ONCE_MAX && known.is_current() {
            return Arc::clone(&known.catalogue);
        }
        let place = home.to_owned();
        let known = blocking::run(move || match known.is_current() {
            true => known,
            false => Arc::new(Known::load(&place, &known.manifests)),
        })
        .await;
        let catalogue = Arc::clone(&known.catalogue);
        self.lock().insert(home.to_owned(), known);
        catalogue
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<PathBuf, Arc<Known>>> {
        // Each critical section is one lookup or one insertion.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    /// What is wrong with a manifest may lie in another file, which is not watched.
    fn is_current(&self) -> bool {
        self.scan.len() > 0 && self.catalogue.invalid.is_empty() && self.scan.is_current()
    }

    /// Reads what is new or has changed; the rest is kept, compiled as it is.
    fn load(home: &Path, before: &[Manifest]) -> Self {
        let own = home.join(".string");
        let scan = Scan::of(&[home.join("tools"), own.join("tools"), own.join("packages")]);
        let manifests: Vec<Manifest> = scan.files.iter().map(|seen| Manifest::load(seen, before)).collect();
        let catalogue = Arc::new(Catalogue::new(&manifests));
        Self { scan, manifests, catalogue }
    }
}

impl Manifest {
    fn load(seen: &Seen, before: &[Self]) -> Self {
        let same = |known: &&Self| {
            known.seen.path == seen.path
                && seen.stamp.is_some()
                && known.seen.stamp == seen.stamp
                && !matches!(known.content, Content::Invalid(..))
        };
        let known = before.iter().find(same).cloned();
        known.unwrap_or_else(|| Self { seen: seen.clone(), content: content(&seen.path) })
    }
}

/// What one manifest declares.
#[derive(Debug)]
pub struct Declared {
    pub tools: Vec<Arc<Tool>>,
    pub skill: Option<Arc<Skill>>,
}

/// Reads one manifest.
pub fn read(file: &Path) -> Result<Declared, Invalid> {
    match content(file) {
        Content::Tool(tool) => Ok(Declared { tools: vec![tool], skill: None }),
        Content::Skill(skill, tools) => Ok(Declared { tools, skill: Some(skill) }),
        Content::Invalid(invalid, _) => Err(invalid),
    }
}

fn content(file: &Path) -> Content {
    let (folder, name) = (file.parent().unwrap_or(Path::new("/")), file.file_name().unwrap_or_default());
    let name = name.to_string_lossy();
    // A manifest that cannot be read has no name but its file's.
    let stem = name.strip_suffix(".tool.yaml").unwrap_or(&name).to_owned();
    let text = match script::read_beneath(folder, &name, BYTES_MAX as u64) {
        Ok(text) => text,
        Err(why) => return Content::Invalid(Invalid::whole(file, why), vec![stem]),
    };
    let text = text.trim_start_matches('\u{feff}');
    let parsed = match name.ends_with(".skill.yaml") {
        true => Skill::parse(file, text)
            .map(|(skill, tools)| Content::Skill(Arc::new(skill), tools.into_iter().map(Arc::new).collect())),
        false => Tool::parse(file, text).map(|tool| Content::Tool(Arc::new(tool))),
    };
    parsed.unwrap_or_else(|invalid| {
        Content::Invalid(invalid, std::iter::once(stem).chain(names_in(text)).collect())
    })
}

/// What stands behind `name:` in a text that is no manifest, so that a call by that name is told what is wrong.
fn names_in(text: &str) -> impl Iterator<Item = String> {
    let named = text.lines().filter_map(|line| {
        let line = line.trim_start_matches(|c: char| c.is_whitespace() || c == '-' || c == '{');
        let value = line.strip_prefix("name:")?.trim_start().trim_start_matches(['"', '\'']);
        let end =
            value.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-').unwrap_or(value.len());
        Some(value[..end].to_owned())
    });
    named.filter(|name| !name.is_empty()).take(NAMES_MAX)
}

impl Catalogue {
    /// Everything that is declared below a folder.
    pub fn below(folder: &Path) -> Self {
        let scan = Scan::of(&[folder.to_owned()]);
        let manifests: Vec<Manifest> = scan.files.iter().map(|seen| Manifest::load(seen, &[])).collect();
        Self::new(&manifests)
    }

    fn new(manifests: &[Manifest]) -> Self {
        let mut all = Self::default();
        for manifest in manifests {
            match &manifest.content {
                Content::Tool(tool) => all.add(tool),
                Content::Skill(skill, tools) => {
                    all.add_skill(skill);
                    tools.iter().for_each(|tool| all.add(tool));
                }
                Content::Invalid(invalid, _) => all.invalid.push(invalid.clone()),
            }
        }
        // What is right goes first: a name that only seems to be given takes nothing away.
        for manifest in manifests {
            let Content::Invalid(invalid, names) = &manifest.content else { continue };
            for name in names {
                all.tools.entry(name.clone()).or_insert(Listed::Invalid(invalid.clone()));
            }
        }
        all
    }

    fn add_skill(&mut self, skill: &Arc<Skill>) {
        match self.skills.iter().find(|other| other.id == skill.id) {
            None => self.skills.push(Arc::clone(skill)),
            Some(other) => {
                let message = format!("{} is also declared in {}", skill.id, other.file.display());
                self.invalid
                    .push(Invalid { field: "skill_id".into(), ..Invalid::whole(&skill.file, message) });
            }
        }
    }

    fn add(&mut self, tool: &Arc<Tool>) {
        let listed = match self.tools.get(&tool.name) {
            None => Listed::Tool(Arc::clone(tool)),
            Some(Listed::Tool(other)) => {
                let message = format!("{} is also declared in {}", tool.name, other.file.display());
                let invalid = Invalid { field: "name".into(), ..Invalid::whole(&tool.file, message) };
                self.invalid.push(invalid.clone());
                Listed::Invalid(invalid)
            }
            Some(Listed::Invalid(invalid)) => Listed::Invalid(invalid.clone()),
        };
        self.tools.insert(tool.name.clone(), listed);
    }

    pub fn get(&self, name: &str) -> Option<&Listed> {
        self.tools.get(name)
    }

    /// The tools that can be called, by name.
    pub fn tools(&self) -> impl Iterator<Item = &Arc<Tool>> {
        self.tools.values().filter_map(|listed| match listed {
            Listed::Tool(tool) => Some(tool),
            Listed::Invalid(_) => None,
        })
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.keys().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INLINE: &str = "description: x
input_schema: { type: object }
execution: { type: script, script: 'export const run = () => 1' }
";

    fn write(home: &Path, path: &str, text: &str) {
        let path = home.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    #[tokio::test]
    async fn tools_are_found_in_their_folders_and_edits_are_seen() {
        let dir = tempfile::tempdir().unwrap();
        let (home, catalogues) = (dir.path(), Catalogues::default());
        assert_eq!(catalogues.of(home).await.names().count(), 0);
        write(home, "tools/deep/er/a.tool.yaml", &format!("name: alpha\n{INLINE}"));
        write(home, ".string/tools/b.tool.yaml", &format!("name: beta\n{INLINE}"));
        write(home, "elsewhere/c.tool.yaml", &format!("name: gamma\n{INLINE}"));
        write(home, "tools/node_modules/d.tool.yaml", &format!("name: delta\n{INLINE}"));
        std::os::unix::fs::symlink(home.join("elsewhere"), home.join("tools/link")).unwrap();
        assert_eq!(catalogues.of(home).await.names().collect::<Vec<_>>(), ["alpha", "beta"]);
        write(home, "tools/deep/er/a.tool.yaml", &format!("name: omega\n{INLINE}"));
        assert_eq!(catalogues.of(home).await.names().collect::<Vec<_>>(), ["beta", "omega"]);
        std::fs::remove_dir_all(home.join("tools")).unwrap();
        assert_eq!(catalogues.of(home).await.names().collect::<Vec<_>>(), ["beta"]);
    }

    #[tokio::test]
    async fn what_is_wrong_is_known_by_its_file_and_repaired_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let (home, catalogues) = (dir.path(), Catalogues::default());
        let manifest = "name: bad\ndescription: x\ninput_schema: { type: object }
execution: { type: script, script_file: s.ts }\n";
        write(home, "tools/bad.tool.yaml", manifest);
        let catalogue = catalogues.of(home).await;
        let names_file = |invalid: &Invalid| invalid.message.contains("s.ts");
        assert!(matches!(catalogue.get("bad"), Some(Listed::Invalid(invalid)) if names_file(invalid)));
        write(home, "tools/other.tool.yaml", &manifest.replace("name: bad", "name: \"worse\"  # x"));
        let catalogue = catalogues.of(home).await;
        assert!(matches!(catalogue.get("worse"), Some(Listed::Invalid(invalid)) if names_file(invalid)));
        // The manifest stays as it is; what it names appears.
        write(home, "tools/s.ts", "export const run = () => 1");
        assert!(matches!(catalogues.of(home).await.get("bad"), Some(Listed::Tool(_))));
        for file in ["tools/a.skill.yaml", "tools/b.skill.yaml"] {
            write(home, file, "skill_id: same\nname: n\ndescription: d\ninstruction: i\n");
        }
        let catalogue = catalogues.of(home).await;
        assert_eq!((catalogue.skills.len(), catalogue.invalid[0].field.as_str()), (1, "skill_id"));
    }

    #[tokio::test]
    async fn a_name_that_is_there_twice_is_nobodys() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path();
        for file in ["tools/a.tool.yaml", "tools/b.tool.yaml", "tools/c.tool.yaml"] {
            write(home, file, &format!("name: same\n{INLINE}"));
        }
        let catalogue = Catalogues::default().of(home).await;
        let names_other = |invalid: &Invalid| invalid.message.contains("a.tool.yaml");
        assert!(matches!(catalogue.get("same"), Some(Listed::Invalid(invalid)) if names_other(invalid)));
        assert_eq!(catalogue.tools().count(), 0);
    }
}
