//! Names of modules: paths below the program's folder, and the few that the runtime provides.

/// What a script imports the runtime as.
pub(crate) const RUNTIME: [&str; 2] = ["flo:runtime", "string:runtime"];

/// The kinds of files that can be imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    TypeScript,
    JavaScript,
    Json,
}

impl Kind {
    /// By the name's ending. A name without a known one is a source given in place, which is TypeScript.
    pub(crate) fn of(name: &str) -> Option<Self> {
        match name.rsplit_once('.')?.1 {
            "ts" | "mts" => Some(Self::TypeScript),
            "js" | "mjs" => Some(Self::JavaScript),
            "json" => Some(Self::Json),
            _ => None,
        }
    }
}

/// The source that a compiler would have made a module of: authors may import `x.ts` as `x.js`.
pub(crate) fn typescript_of(name: &str) -> Option<String> {
    let (stem, ending) = name.rsplit_once('.')?;
    match ending {
        "js" => Some(format!("{stem}.ts")),
        "mjs" => Some(format!("{stem}.mts")),
        _ => None,
    }
}

/// The module that `specifier` means in `importer`, or why it means none.
pub(crate) fn resolve(importer: &str, specifier: &str) -> Result<String, String> {
    if RUNTIME.contains(&specifier) {
        return Ok(specifier.to_owned());
    }
    let shown = specifier.escape_debug();
    if !specifier.starts_with("./") && !specifier.starts_with("../") {
        return Err(format!(
            "cannot import \"{shown}\": only \"flo:runtime\" and relative paths such as \"./math.ts\" can be imported"
        ));
    }
    let mut parts: Vec<&str> = importer.split('/').collect();
    parts.pop();
    for part in specifier.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.pop().is_none() => {
                return Err(format!("cannot import \"{shown}\": it leads out of the tool's folder"));
            }
            ".." => {}
            part if part.starts_with('.') => {
                return Err(format!(
                    "cannot import \"{shown}\": names that begin with a dot are not modules"
                ));
            }
            part => parts.push(part),
        }
    }
    let name = parts.join("/");
    if name.chars().any(char::is_control) || Kind::of(&name).is_none() {
        return Err(format!("cannot import \"{shown}\": a module ends in .ts, .mts, .js, .mjs or .json"));
    }
    Ok(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_stay_inside_the_folder() {
        let table = [
            ("main.ts", "./math.ts", Ok("math.ts")),
            ("scripts/main.ts", "./math.mts", Ok("scripts/math.mts")),
            ("scripts/main.ts", "../lib/x.mjs", Ok("lib/x.mjs")),
            ("scripts/main.ts", "././a//b/../c.json", Ok("scripts/a/c.json")),
            ("main.ts", "flo:runtime", Ok("flo:runtime")),
            ("main.ts", "string:runtime", Ok("string:runtime")),
            ("main.ts", "../math.ts", Err("out of the tool's folder")),
            ("a/main.ts", "../../../etc/passwd.ts", Err("out of the tool's folder")),
            ("main.ts", "./a/../../x.ts", Err("out of the tool's folder")),
            ("main.ts", "/etc/x.ts", Err("only \"flo:runtime\"")),
            ("main.ts", "lodash", Err("only \"flo:runtime\"")),
            ("main.ts", "node:fs", Err("only \"flo:runtime\"")),
            ("main.ts", "https://x/y.ts", Err("only \"flo:runtime\"")),
            ("main.ts", "flo:core", Err("only \"flo:runtime\"")),
            ("main.ts", "./math", Err("ends in .ts")),
            ("main.ts", "./x.node", Err("ends in .ts")),
            ("main.ts", "./a\0.ts", Err("ends in .ts")),
            ("main.ts", "./.string/config.json", Err("begin with a dot")),
            ("main.ts", "./a/.env.json", Err("begin with a dot")),
            ("main.ts", "", Err("only \"flo:runtime\"")),
        ];
        for (importer, specifier, expected) in table {
            match (resolve(importer, specifier), expected) {
                (Ok(name), Ok(expected)) => assert_eq!(name, expected, "{specifier}"),
                (Err(why), Err(expected)) => assert!(why.contains(expected), "{specifier}: {why}"),
                (got, _) => panic!("{importer} {specifier}: {got:?}"),
            }
        }
    }
}
