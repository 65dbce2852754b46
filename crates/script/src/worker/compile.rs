//! From source to bytecode: TypeScript loses its types, JavaScript is checked, JSON becomes a module.

use std::path::Path;

use oxc::allocator::Allocator;
use oxc::ast::ast::{Program, Statement};
use oxc::codegen::{Codegen, CodegenOptions, CodegenReturn};
use oxc::diagnostics::{Diagnostics, OxcDiagnostic};
use oxc::parser::Parser;
use oxc::semantic::SemanticBuilder;
use oxc::span::SourceType;
use oxc::transformer::{TransformOptions, Transformer};
use rquickjs::loader::{ImportAttributes, Loader, Resolver};
use rquickjs::module::{Declared, WriteOptions};
use rquickjs::{CaughtError, Context, Ctx, Module, Runtime};

use super::position::{Map, place};
use super::refuse::refused;
use crate::error::{Error, Position, Result};
use crate::limits::{MEMORY_MAX, SCRIPT_STACK};
use crate::name::{self, Kind};

/// A module that can be run.
#[derive(Debug)]
pub(super) struct Bytecode {
    pub(super) bytes: Vec<u8>,
    /// The modules that it imports and where it does, without those that the runtime provides.
    pub(super) imports: Vec<(String, Position)>,
    /// The way back from the code that runs to the code that was written; data has none.
    pub(super) map: Option<Map>,
}

pub(super) fn compile(name: &str, text: &str) -> Result<Bytecode> {
    if Kind::of(name) == Some(Kind::Json) {
        let code = json_module(name, text)?;
        return Ok(Bytecode { bytes: bytecode(name, &code)?, imports: Vec::new(), map: None });
    }
    let Transpiled { code, map, imports } = transpile(name, text)?;
    let bytes = bytecode(name, &code)?;
    Ok(Bytecode { bytes, imports, map })
}

/// Compiles JavaScript as it stands.
pub(super) fn bytecode(name: &str, code: &str) -> Result<Vec<u8>> {
    let failed = |error: rquickjs::Error| at(name, format!("{name} cannot be compiled: {error}"), None);
    let runtime = Runtime::new().map_err(failed)?;
    runtime.set_memory_limit(MEMORY_MAX);
    runtime.set_max_stack_size(SCRIPT_STACK);
    runtime.set_loader(Placeholders, Placeholders);
    let context = Context::full(&runtime).map_err(failed)?;
    context.with(|ctx| {
        let declared = Module::declare(ctx.clone(), name, code);
        // Debug information stays: without it, errors have no positions.
        let written = declared
            .and_then(|module| module.write(WriteOptions { strip_source: true, ..WriteOptions::default() }));
        written.map_err(|error| {
            let message = match CaughtError::from_error(&ctx, error) {
                CaughtError::Exception(exception) => exception.message().unwrap_or_default(),
                other => other.to_string(),
            };
            at(name, message, None)
        })
    })
}

struct Transpiled {
    code: String,
    map: Option<Map>,
    imports: Vec<(String, Position)>,
}

fn transpile(name: &str, text: &str) -> Result<Transpiled> {
    let kind = match Kind::of(name) {
        Some(Kind::JavaScript) => SourceType::mjs(),
        _ => SourceType::ts(),
    };
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, text, kind).parse();
    if let Some(error) = first(&parsed.diagnostics) {
        let jsx = Parser::new(&allocator, text, kind.with_jsx(true)).parse();
        let is_jsx = first(&jsx.diagnostics).is_none();
        return Err(diagnosed(name, text, error, is_jsx.then_some("JSX is not supported")));
    }
    let mut program = parsed.program;
    if let Some(refusal) = refused(&program) {
        return Err(at(name, refusal.what, Some((text, refusal.at.start))));
    }
    // Also what is imported and never used: it is gone once types are.
    imports(name, text, &program)?;
    let analysed = SemanticBuilder::new().with_enum_eval(true).with_check_syntax_error(true).build(&program);
    if let Some(error) = first(&analysed.diagnostics) {
        return Err(diagnosed(name, text, error, None));
    }
    let scoping = analysed.semantic.into_scoping();
    let options = TransformOptions::default();
    let transformed =
        Transformer::new(&allocator, Path::new(name), &options).build_with_scoping(scoping, &mut program);
    if let Some(error) = first(&transformed.diagnostics) {
        return Err(diagnosed(name, text, error, None));
    }
    let imports = imports(name, text, &program)?;
    let options = CodegenOptions { source_map_path: Some(name.into()), ..CodegenOptions::default() };
    let CodegenReturn { code, map, .. } = Codegen::new().with_options(options).build(&program);
    let map = map.map(|map| Map::new(name, &code, map.into_owned()));
    Ok(Transpiled { code, map, imports })
}

/// What is imported, without what is only a type.
fn imports(name: &str, text: &str, program: &Program<'_>) -> Result<Vec<(String, Position)>> {
    let mut imports = Vec::new();
    for statement in &program.body {
        let source = match statement {
            Statement::ImportDeclaration(import) if import.import_kind.is_value() => Some(&import.source),
            Statement::ExportAllDeclaration(export) if export.export_kind.is_value() => Some(&export.source),
            Statement::ExportFromDeclaration(export) if export.export_kind.is_value() => Some(&export.source),
            _ => None,
        };
        let Some(source) = source else { continue };
        let position = place(name, text, source.span.start as usize);
        match name::resolve(name, &source.value) {
            Ok(resolved) if name::RUNTIME.contains(&resolved.as_str()) => {}
            Ok(resolved) => imports.push((resolved, position)),
            Err(message) => return Err(Error::Program { message, position: Some(position) }),
        }
    }
    Ok(imports)
}

/// JSON in a string: as an object literal, a key `__proto__` would mean something else.
fn json_module(name: &str, text: &str) -> Result<String> {
    let text = text.trim_start_matches('\u{feff}');
    serde_json::from_str::<serde::de::IgnoredAny>(text).map_err(|error| Error::Program {
        message: format!("not JSON: {error}"),
        position: Some(Position {
            file: name.to_owned(),
            line: u32::try_from(error.line()).unwrap_or(u32::MAX),
            column: u32::try_from(error.column()).unwrap_or(u32::MAX),
        }),
    })?;
    Ok(format!("export default JSON.parse({});", serde_json::Value::from(text)))
}

fn first(diagnostics: &Diagnostics) -> Option<&OxcDiagnostic> {
    diagnostics.errors().next()
}

fn diagnosed(name: &str, text: &str, error: &OxcDiagnostic, instead: Option<&str>) -> Error {
    // The last one is where it went wrong; those before it are what it has to do with.
    let offset = error.labels.last().map(|label| label.offset());
    at(name, instead.unwrap_or(&error.message), offset.map(|offset| (text, offset)))
}

fn at(name: &str, message: impl Into<String>, place_in: Option<(&str, u32)>) -> Error {
    let position = place_in.map(|(text, offset)| place(name, text, offset as usize));
    Error::Program { message: message.into(), position }
}

/// Compiling asks for every import; what they are is decided when the module runs.
#[derive(Clone, Copy)]
struct Placeholders;

impl Resolver for Placeholders {
    fn resolve<'js>(
        &mut self,
        _ctx: &Ctx<'js>,
        _base: &str,
        name: &str,
        _attributes: Option<ImportAttributes<'js>>,
    ) -> rquickjs::Result<String> {
        Ok(name.to_owned())
    }
}

impl Loader for Placeholders {
    fn load<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        name: &str,
        _attributes: Option<ImportAttributes<'js>>,
    ) -> rquickjs::Result<Module<'js, Declared>> {
        Module::declare(ctx.clone(), name, "")
    }
}
