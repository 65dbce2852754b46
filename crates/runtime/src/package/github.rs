//! Packages in repositories on GitHub: how they are named, and what of a repository's list of files they hold.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use url::Url;

use super::gather::{ENTRY, Files, check_path, invalid};
use crate::error::{Code, Error, Result, quoted};
use crate::manifest::is_manifest;

/// The reference that stands for a repository's default branch.
const DEFAULT: &str = "HEAD";
/// The most packages of a repository that an error names: enough to choose from.
const NAMED_MAX: usize = 5;

/// Where repositories are listed and their files are served, without slashes at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitHubHosts {
    pub api: String,
    pub raw: String,
}

impl Default for GitHubHosts {
    fn default() -> Self {
        Self { api: "https://api.github.com".to_owned(), raw: "https://raw.githubusercontent.com".to_owned() }
    }
}

/// `github:owner/repo[/path][@ref]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitHub {
    owner: String,
    repo: String,
    /// Without slashes at its ends; empty for the whole repository.
    path: String,
    /// A branch, tag or commit.
    reference: String,
}

/// A file of a package, before it is fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// In the repository.
    pub path: String,
    /// In the package.
    pub place: PathBuf,
    pub bytes: u64,
    pub runnable: bool,
}

impl GitHub {
    pub fn parse(text: &str) -> Option<Self> {
        let (text, reference) = text.rsplit_once('@').unwrap_or((text, DEFAULT));
        let mut parts = text.splitn(3, '/');
        let (owner, repo, path) = (parts.next()?, parts.next()?, parts.next().unwrap_or_default());
        let word = |text: &str| {
            let ordinary = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
            !matches!(text, "" | "." | "..") && text.chars().all(ordinary)
        };
        let plain = |text: &str| !text.contains("..") && text.split('/').all(word);
        let path = path.trim_matches('/');
        let well_formed = word(owner) && word(repo) && (path.is_empty() || plain(path)) && plain(reference);
        well_formed.then(|| Self {
            owner: owner.to_owned(),
            repo: repo.to_owned(),
            path: path.to_owned(),
            reference: reference.to_owned(),
        })
    }

    /// `owner/repo`.
    pub fn repository(&self) -> String {
        format!("{}/{}", self.owner, self.repo)
    }

    /// The branch, tag or commit that was asked for; none is the default branch.
    pub fn reference(&self) -> Option<&str> {
        (self.reference != DEFAULT).then_some(self.reference.as_str())
    }

    /// The same place on the default branch.
    pub fn at_default(&self) -> Self {
        Self { reference: DEFAULT.to_owned(), ..self.clone() }
    }

    /// What names the package if its page does not.
    pub fn stem(&self) -> &str {
        let last = self.path.rsplit('/').next().filter(|last| !last.is_empty()).unwrap_or(&self.repo);
        last.strip_suffix(".md").unwrap_or(last)
    }

    /// The way that needs neither GitHub's list of files nor its leave.
    pub fn by_clone(&self) -> String {
        let path = if self.path.is_empty() { String::new() } else { format!("/{}", self.path) };
        format!(
            "From a clone it works too: git clone https://github.com/{}, then /install ./{}{path}",
            self.repository(),
            self.repo
        )
    }

    /// Where the id of the commit is served that the reference stands for.
    pub fn commit_url(&self, hosts: &GitHubHosts) -> Result<Url> {
        address(&format!("{}/repos/{}/commits/{}", hosts.api, self.repository(), self.reference))
    }

    /// Where the list of all files of a commit is served.
    pub fn tree_url(&self, hosts: &GitHubHosts, commit: &str) -> Result<Url> {
        address(&format!("{}/repos/{}/git/trees/{commit}?recursive=1", hosts.api, self.repository()))
    }

    /// Where a file of a commit is served as it is.
    pub fn raw_url(&self, hosts: &GitHubHosts, commit: &str, path: &str) -> Result<Url> {
        address(&format!("{}/{}/{commit}/{path}", hosts.raw, self.repository()))
    }

    /// Where the entry page is served as it is now.
    pub fn entry_url(&self, hosts: &GitHubHosts) -> Result<Url> {
        let path = match self.path.as_str() {
            "" => ENTRY.to_owned(),
            page if page.ends_with(".md") => page.to_owned(),
            folder => format!("{folder}/{ENTRY}"),
        };
        self.raw_url(hosts, &self.reference, &path)
    }

    /// The files of the package, from the repository's list. Whatever is wrong with them is wrong here, before one
    /// of them is fetched.
    pub fn files(&self, list: &str) -> Result<Vec<Listed>> {
        let tree: Tree = serde_json::from_str(list)
            .map_err(|error| invalid(format!("GitHub's list of files cannot be read: {error}")))?;
        if tree.truncated {
            let message = format!("{} has more files than GitHub lists at once.", self.repository());
            return Err(invalid(message).hint(self.by_clone()));
        }
        let files = match tree.tree.iter().find(|entry| entry.path == self.path && entry.kind != "tree") {
            Some(file) => vec![self.page(file)?],
            None => self.folder(&tree)?,
        };
        let bytes = files.iter().map(|file| file.bytes).sum();
        Files::check_size(files.len(), bytes).map_err(|error| {
            error
                .hint(format!("{self} has {} files of {} bytes; nothing was fetched.", files.len(), bytes))
                .hints(self.packages(&tree))
        })?;
        Ok(files)
    }

    /// A page alone.
    fn page(&self, file: &TreeEntry) -> Result<Listed> {
        if !self.path.ends_with(".md") {
            let folder = self.path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
            let whole = Self { path: folder, ..self.clone() };
            return Err(invalid(format!("{self} is no page."))
                .hint("A file alone is installed if it is a .md page; other files come with their folder.")
                .hint(format!("Install the folder: /install {whole}")));
        }
        let path = self.path.clone();
        file.check_plain(&path)?;
        Ok(Listed { path, place: ENTRY.into(), bytes: file.size, runnable: false })
    }

    fn folder(&self, tree: &Tree) -> Result<Vec<Listed>> {
        let prefix = if self.path.is_empty() { String::new() } else { format!("{}/", self.path) };
        // What begins with a dot belongs to the repository, not to the package. A path that goes up is refused below.
        let hidden = |path: &str| {
            path.split('/').all(|part| part != "..") && path.split('/').any(|part| part.starts_with('.'))
        };
        let below = tree.tree.iter().filter_map(|entry| Some((entry, entry.path.strip_prefix(&prefix)?)));
        let mut files = Vec::new();
        for (entry, path) in below.filter(|(entry, path)| entry.kind != "tree" && !hidden(path)) {
            entry.check_plain(path)?;
            check_path(path)?;
            let runnable = entry.mode == "100755";
            files.push(Listed { path: entry.path.clone(), place: path.into(), bytes: entry.size, runnable });
        }
        if files.is_empty() && !self.path.is_empty() {
            let missing = format!("{} has no folder {}.", self.at_root(), quoted(&self.path));
            return Err(Error::new(Code::NotFound, missing).hints(self.packages(tree)));
        }
        if !files.iter().any(|file| file.place == Path::new(ENTRY) || is_manifest(&file.place)) {
            return Err(invalid(format!("{self} has no {ENTRY}."))
                .hint("A folder is a package by a string.md, or by manifests of tools and skills.")
                .hints(self.packages(tree)));
        }
        Ok(files)
    }

    /// The installations that would work: the folders of the repository with an entry page.
    fn packages(&self, tree: &Tree) -> Vec<String> {
        let named = |entry: &TreeEntry| {
            let folder = entry.path.strip_suffix(ENTRY)?.trim_end_matches('/');
            let package = Self::parse(&format!("{}/{folder}@{}", self.repository(), self.reference))?;
            (package != *self).then(|| format!("Install a package of it: /install {package}"))
        };
        tree.tree.iter().filter_map(named).take(NAMED_MAX).collect()
    }

    fn at_root(&self) -> Self {
        Self { path: String::new(), ..self.clone() }
    }
}

/// As it is given to `/install`.
impl fmt::Display for GitHub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "github:{}", self.repository())?;
        if !self.path.is_empty() {
            write!(f, "/{}", self.path)?;
        }
        self.reference().map_or(Ok(()), |reference| write!(f, "@{reference}"))
    }
}

fn address(text: &str) -> Result<Url> {
    text.parse().map_err(|_| Error::new(Code::InvalidParams, format!("Not an address: {}", quoted(text))))
}

/// A list of files, as GitHub serves it.
#[derive(Debug, Deserialize)]
struct Tree {
    tree: Vec<TreeEntry>,
    #[serde(default)]
    truncated: bool,
}

#[derive(Debug, Deserialize)]
struct TreeEntry {
    path: String,
    /// As git writes it: `100644`, `100755`, `120000` for links, `160000` for other repositories.
    mode: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    size: u64,
}

impl TreeEntry {
    fn check_plain(&self, path: &str) -> Result<()> {
        let what = match self.mode.as_str() {
            "100644" | "100755" | "100664" if self.kind == "blob" => return Ok(()),
            "120000" => "a link",
            "160000" => "another repository (a submodule)",
            _ => "no file",
        };
        Err(invalid(format!("{} is {what}.", quoted(path)))
            .hint("A package holds plain files only; nothing was fetched.")
            .hint("Put the files themselves there, or install a folder without it."))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repositories_are_named_by_owner_repo_path_and_reference() {
        let table = [
            ("o/r", Some("https://raw.githubusercontent.com/o/r/HEAD/string.md")),
            ("o/r/apps/x", Some("https://raw.githubusercontent.com/o/r/HEAD/apps/x/string.md")),
            ("o/r/x@v1.2", Some("https://raw.githubusercontent.com/o/r/v1.2/x/string.md")),
            ("o/r/x.md@feature/new", Some("https://raw.githubusercontent.com/o/r/feature/new/x.md")),
            ("o", None),
            ("o/", None),
            ("../r", None),
            ("o/..", None),
            ("o/r/../x", None),
            ("o/r/./x", None),
            ("o/r/x y", None),
            ("o/r@", None),
            ("o/r@../x", None),
            ("o/r?x", None),
        ];
        for (text, expected) in table {
            let found = GitHub::parse(text).map(|it| it.entry_url(&GitHubHosts::default()).unwrap());
            assert_eq!(found.as_ref().map(Url::as_str), expected, "{text}");
        }
    }

    #[test]
    fn a_repository_is_written_as_it_is_read() {
        for text in ["o/r", "o/r/apps/x", "o/r@v1", "o/r/x.md@feature/new"] {
            assert_eq!(GitHub::parse(text).unwrap().to_string(), format!("github:{text}"));
        }
        let stem = |text: &str| GitHub::parse(text).unwrap().stem().to_owned();
        assert_eq!([stem("o/r"), stem("o/r/apps/x@v1"), stem("o/r/a/b.md")], ["r", "x", "b"]);
    }
}
