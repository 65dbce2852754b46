//! What this worker has compiled, and the modules of one run.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::io;
use std::rc::Rc;

use serde_json::value::{RawValue, to_raw_value};

use super::compile::{self, Bytecode};
use super::conversation::Conversation;
use crate::error::{Error, Position, Result};
use crate::frame::Run;
use crate::limits::{COMPILED_MAX, MODULES_MAX};
use crate::name;

/// The modules of one run, by name.
pub(super) type Program = HashMap<String, Rc<Bytecode>>;

/// Modules compiled so far. The same text under the same name is the same bytecode.
#[derive(Default)]
pub(super) struct Compiled {
    modules: HashMap<(String, String), Rc<Bytecode>>,
}

type ByName = HashMap<&'static str, Rc<Vec<u8>>>;

/// The runtime's own modules, compiled on first use.
#[derive(Clone, Default)]
pub(super) struct Library {
    compiled: Rc<RefCell<ByName>>,
}

/// All modules of a program, in order of their names.
pub(super) fn names(program: &Program) -> io::Result<Box<RawValue>> {
    let names: BTreeSet<&String> = program.keys().collect();
    Ok(to_raw_value(&names)?)
}

impl Library {
    pub(super) fn module(&self, name: &'static str, code: &str) -> Result<Rc<Vec<u8>>> {
        if let Some(bytes) = self.compiled.borrow().get(name) {
            return Ok(Rc::clone(bytes));
        }
        let bytes = Rc::new(compile::bytecode(name, code)?);
        self.compiled.borrow_mut().insert(name, Rc::clone(&bytes));
        Ok(bytes)
    }
}

impl Compiled {
    /// Everything that a run needs. The outer error is the conversation's.
    pub(super) fn program(&mut self, run: &Run, conversation: &Conversation) -> io::Result<Result<Program>> {
        let versions: HashMap<&str, &str> =
            run.versions.iter().map(|(name, version)| (name.as_str(), version.as_str())).collect();
        let mut program = Program::new();
        let mut wanted = vec![(run.module.clone(), None::<Position>)];
        while let Some((name, position)) = wanted.pop() {
            if program.contains_key(&name) {
                continue;
            }
            let source = name::typescript_of(&name).filter(|source| versions.contains_key(source.as_str()));
            let name = source.filter(|_| !versions.contains_key(name.as_str())).unwrap_or(name);
            let module = match self.module(&name, versions.get(name.as_str()).copied(), conversation)? {
                Ok(_) if program.len() == MODULES_MAX => {
                    Err(Error::program(format!("a script has at most {MODULES_MAX} modules")))
                }
                // What is wrong with a whole file is best shown where it is imported.
                Err(Error::Program { message, position: None }) => Err(Error::Program { message, position }),
                other => other,
            };
            match module {
                Ok((name, module)) => {
                    wanted.extend(module.imports.iter().map(|(name, at)| (name.clone(), Some(at.clone()))));
                    program.insert(name, module);
                }
                Err(error) => return Ok(Err(error)),
            }
        }
        Ok(Ok(program))
    }

    /// A module, under the name of its file.
    fn module(
        &mut self,
        name: &str,
        version: Option<&str>,
        conversation: &Conversation,
    ) -> io::Result<Result<(String, Rc<Bytecode>)>> {
        let key = |version: &str| (name.to_owned(), version.to_owned());
        if let Some(module) = version.and_then(|version| self.modules.get(&key(version))) {
            return Ok(Ok((name.to_owned(), Rc::clone(module))));
        }
        let source = match conversation.need(name)? {
            Ok(source) => source,
            Err(why) => return Ok(Err(Error::program(why))),
        };
        // The daemon may not have known the version, or which file is meant, before it read the text.
        let key = (source.name.clone(), source.version);
        if let Some(module) = self.modules.get(&key) {
            return Ok(Ok((source.name, Rc::clone(module))));
        }
        let module = match compile::compile(&source.name, &source.text) {
            Ok(module) => Rc::new(module),
            Err(error) => return Ok(Err(error)),
        };
        if self.modules.len() == COMPILED_MAX {
            self.modules.clear();
        }
        self.modules.insert(key, Rc::clone(&module));
        Ok(Ok((source.name, module)))
    }
}
