//! What each field of a manifest must be.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use serde_saphyr::Spanned;

use super::{Retry, VaultKey};
use crate::error::one_line;
use crate::manifest::invalid::Invalid;
use crate::manifest::raw;
use crate::state::{Binding, Bindings, Kind, check_key, check_scope_id};

/// How long a call may take, unless the manifest says otherwise, and at most.
pub(in crate::manifest) const TIMEOUT: Duration = Duration::from_secs(30);
pub(in crate::manifest) const TIMEOUT_MAX: Duration = Duration::from_secs(600);
/// The function that is called where none is named.
pub(in crate::manifest) const ENTRYPOINT: &str = "run";
const NAME_MAX: usize = 64;
const ATTEMPTS_MAX: u32 = 10;
const BACKOFF: Duration = Duration::from_millis(200);
const BACKOFF_MAX: Duration = Duration::from_secs(60);
/// Endings of files that can be a tool's script.
const ENDINGS: [&str; 4] = ["ts", "mts", "js", "mjs"];

pub(in crate::manifest) fn check_name(
    file: &Path,
    field: &str,
    name: &Spanned<String>,
) -> Result<(), Invalid> {
    let text = &name.value;
    let starts = text.starts_with(|c: char| c.is_ascii_lowercase());
    let legal = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-';
    if starts && text.len() <= NAME_MAX && text.chars().all(legal) {
        return Ok(());
    }
    let message =
        format!("{text:?} is no name: a lower-case letter, then letters, digits, _ or -, at most {NAME_MAX}");
    Err(Invalid::at(file, field, name, message))
}

pub(in crate::manifest) fn one_paragraph(file: &Path, text: &Spanned<String>) -> Result<String, Invalid> {
    let joined = one_line(&text.value.split_whitespace().collect::<Vec<_>>().join(" "));
    if joined.is_empty() { Err(Invalid::at(file, "description", text, "is empty")) } else { Ok(joined) }
}

pub(super) fn execution(
    file: &Path,
    raw: &Spanned<raw::Execution>,
) -> Result<(script::Program, String), Invalid> {
    let raw::Execution { kind, script_file, script, entrypoint } = &raw.value;
    let Some(kind) = kind else {
        return Err(Invalid::at(file, "execution.type", raw, "is missing: the type is script"));
    };
    if kind.value != "script" {
        let message = format!("{:?} is not known: the type is script", kind.value);
        return Err(Invalid::at(file, "execution.type", kind, message));
    }
    let folder = file.parent().unwrap_or(Path::new("/"));
    let program = match (script_file, script) {
        (Some(path), None) => {
            let invalid = |message: String| Invalid::at(file, "execution.script_file", path, message);
            let program = script::Program::file(folder, script_path(&path.value).map_err(invalid)?);
            program.check().map_err(invalid)?;
            program
        }
        (None, Some(source)) => {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            script::Program::inline(folder, format!("{name}#script"), source.value.clone())
        }
        _ => {
            let message = "exactly one of script_file and script is needed";
            return Err(Invalid::at(file, "execution", raw, message));
        }
    };
    let entrypoint = match entrypoint {
        None => ENTRYPOINT.to_owned(),
        Some(name) if !name.value.is_empty() && !name.value.contains(char::is_whitespace) => {
            name.value.clone()
        }
        Some(name) => {
            return Err(Invalid::at(file, "execution.entrypoint", name, "is no name of a function"));
        }
    };
    Ok((program, entrypoint))
}

/// The path of a script inside the folder of what names it, in plain form.
pub(in crate::manifest) fn script_path(path: &str) -> Result<String, String> {
    let plain = relative_file(path)?;
    match plain.rsplit_once('.') {
        Some((_, ending)) if ENDINGS.contains(&ending) => Ok(plain),
        _ => Err(format!("{path:?} is no script: it ends in .ts, .mts, .js or .mjs")),
    }
}

/// A path inside the manifest's folder, in plain form.
pub(in crate::manifest) fn relative_file(path: &str) -> Result<String, String> {
    let plain = path.strip_prefix("./").unwrap_or(path);
    let mut depth = 0_i32;
    let leaves = plain.starts_with('/')
        || plain.split('/').any(|part| {
            depth += if part == ".." { -1 } else { 1 };
            depth < 0
        });
    if leaves {
        return Err(format!("{path:?} lies outside the folder of the file that names it"));
    }
    let is_odd = |part: &str| matches!(part, "" | "." | "..") || part.chars().any(char::is_control);
    if plain.split('/').any(is_odd) {
        return Err(format!("{path:?} is no plain path, such as lib/count.ts"));
    }
    Ok(plain.to_owned())
}

pub(super) fn timeout(file: &Path, raw: Option<&Spanned<Value>>) -> Result<Duration, Invalid> {
    let Some(raw) = raw else { return Ok(TIMEOUT) };
    let time = raw.value.as_u64().map(Duration::from_millis);
    if let Some(time) = time.filter(|time| !time.is_zero() && *time <= TIMEOUT_MAX) {
        return Ok(time);
    }
    let message = format!("{} is not between 1 and {}", raw.value, TIMEOUT_MAX.as_millis());
    Err(Invalid::at(file, "timeout_ms", raw, message))
}

pub(super) fn retry(file: &Path, raw: &Spanned<raw::Retry>) -> Result<Retry, Invalid> {
    let raw::Retry { max_attempts, initial_backoff_ms, multiplier, max_backoff_ms } = &raw.value;
    let retry = Retry {
        attempts: max_attempts.unwrap_or(1),
        initial: initial_backoff_ms.map_or(BACKOFF, Duration::from_millis),
        multiplier: multiplier.unwrap_or(2.0),
        longest: max_backoff_ms.map_or(BACKOFF_MAX, Duration::from_millis),
    };
    let wrong =
        |field: &str, message: String| Err(Invalid::at(file, format!("retry_policy.{field}"), raw, message));
    if !(1..=ATTEMPTS_MAX).contains(&retry.attempts) {
        return wrong("max_attempts", format!("{} is not between 1 and {ATTEMPTS_MAX}", retry.attempts));
    }
    if !(1.0..=10.0).contains(&retry.multiplier) {
        return wrong("multiplier", format!("{} is not between 1 and 10", retry.multiplier));
    }
    if retry.longest > BACKOFF_MAX {
        return wrong("max_backoff_ms", format!("more than {}", BACKOFF_MAX.as_millis()));
    }
    Ok(retry)
}

pub(super) fn bindings(file: &Path, raw: &[Spanned<raw::Binding>]) -> Result<Bindings, Invalid> {
    let mut all: Vec<Binding> = Vec::new();
    for (n, spanned) in raw.iter().enumerate() {
        let binding = binding(file, n, spanned)?;
        if all.iter().any(|known| known.name == binding.name) {
            let message = format!("{} is there twice", binding.name);
            return Err(Invalid::at(file, format!("state[{n}].name"), spanned, message));
        }
        all.push(binding);
    }
    let bindings = Bindings(all);
    match bindings.ambiguous() {
        Some((one, other)) => {
            let n = bindings.0.iter().position(|known| known == other).unwrap_or(0);
            let message = format!("its keys overlap those of {}, but lead to another scope", one.name);
            Err(Invalid::at(file, format!("state[{n}].key_prefix"), &raw[n], message))
        }
        None => Ok(bindings),
    }
}

fn binding(file: &Path, n: usize, spanned: &Spanned<raw::Binding>) -> Result<Binding, Invalid> {
    let raw = &spanned.value;
    let field = |name: &str| format!("state[{n}].{name}");
    let needed = |name: &str, value: &'_ Option<Spanned<String>>| {
        value.clone().ok_or_else(|| Invalid::at(file, field(name), spanned, "is missing"))
    };
    let (name, key_prefix) = (needed("name", &raw.name)?, needed("key_prefix", &raw.key_prefix)?);
    if check_key(&key_prefix.value).is_err() {
        let message = "is empty, too long or holds control characters";
        return Err(Invalid::at(file, field("key_prefix"), &key_prefix, message));
    }
    let kind = scope_kind(file, field("scope_kind"), &needed("scope_kind", &raw.scope_kind)?)?;
    let scope_id = match (kind, &raw.scope_id) {
        (Kind::Shared, None) => {
            let message = "is missing: a shared binding needs one";
            return Err(Invalid::at(file, field("scope_id"), spanned, message));
        }
        (Kind::Shared, Some(id)) if !check_scope_id(&id.value) => {
            return Err(Invalid::at(file, field("scope_id"), id, "is no id: letters, digits and . _ - : @"));
        }
        (Kind::Shared, Some(id)) => Some(id.value.clone()),
        (_, None) => None,
        (_, Some(id)) => {
            return Err(Invalid::at(file, field("scope_id"), id, "belongs to shared bindings alone"));
        }
    };
    Ok(Binding { name: name.value, key_prefix: key_prefix.value, kind, scope_id })
}

fn scope_kind(file: &Path, field: String, name: &Spanned<String>) -> Result<Kind, Invalid> {
    Kind::parse(&name.value).ok_or_else(|| {
        let message = format!("{:?} is no scope: it is profile, session, task or shared", name.value);
        Invalid::at(file, field, name, message)
    })
}

pub(super) fn vault(file: &Path, raw: &[Spanned<raw::Vault>]) -> Result<Vec<VaultKey>, Invalid> {
    let mut all: Vec<VaultKey> = Vec::new();
    for (n, spanned) in raw.iter().enumerate() {
        let raw::Vault { key, scope_kinds } = &spanned.value;
        let field = |name: &str| format!("vault[{n}].{name}");
        if !sfmd::is_variable_name(&key.value) || all.iter().any(|known| known.key == key.value) {
            let message = format!("{:?} is no name, or there twice", key.value);
            return Err(Invalid::at(file, field("key"), key, message));
        }
        if scope_kinds.is_empty() {
            return Err(Invalid::at(file, field("scope_kinds"), spanned, "is empty"));
        }
        let kind = |name: &Spanned<String>| match scope_kind(file, field("scope_kinds"), name)? {
            kind @ (Kind::Profile | Kind::Shared) => Ok(kind),
            _ => {
                Err(Invalid::at(file, field("scope_kinds"), name, "secrets are kept for profile and shared"))
            }
        };
        let kinds = scope_kinds.iter().map(kind).collect::<Result<_, _>>()?;
        all.push(VaultKey { key: key.value.clone(), kinds });
    }
    Ok(all)
}
