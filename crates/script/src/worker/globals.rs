//! What a script finds when it starts: `flo`, `string`, the web's globals, and the modules of the same names.

use std::rc::Rc;

use rquickjs::{Ctx, Exception, Function, Object};

use super::engine::evaluate;
use super::modules::{Library, Program};
use super::native;
use super::tasks::{Stop, Tasks};
use crate::error::Error;
use crate::name;

/// The runtime's own modules. `internal:` names cannot be imported by a script: no specifier resolves to them.
const PRELUDE: &[(&str, &str)] = &[
    ("internal:start", include_str!("../prelude/start.js")),
    ("internal:flo", include_str!("../prelude/flo.js")),
    ("internal:console", include_str!("../prelude/console.js")),
    ("internal:timers", include_str!("../prelude/timers.js")),
    ("internal:text", include_str!("../prelude/text.js")),
    ("internal:url", include_str!("../prelude/url.js")),
    ("internal:clone", include_str!("../prelude/clone.js")),
    ("internal:crypto", include_str!("../prelude/crypto.js")),
    ("internal:abort", include_str!("../prelude/abort.js")),
    ("internal:body", include_str!("../prelude/body.js")),
    ("internal:fetch", include_str!("../prelude/fetch.js")),
];
/// What `import … from "flo:runtime"` gives.
const RUNTIME: &str = include_str!("../prelude/runtime.js");

/// Prepares the global object. The rest of the prelude is loaded when a script first uses it.
pub(super) fn install(
    ctx: &Ctx<'_>,
    tasks: &Rc<Tasks>,
    program: &Rc<Program>,
    library: &Library,
) -> Result<(), Stop> {
    let native = native::functions(ctx, tasks, program)?;
    let library = library.clone();
    let module = native::module_fn(move |ctx, name| prelude(&ctx, &name, &library));
    native.set("module", Function::new(ctx.clone(), module)?)?;
    let start: Function<'_> = native.get::<_, Function<'_>>("module")?.call(("internal:start",))?;
    Ok(start.call::<_, ()>((native,))?)
}

/// The bytecode of a module that the runtime provides to scripts.
pub(super) fn runtime_module(name: &str, library: &Library) -> Option<Rc<Vec<u8>>> {
    let name = name::RUNTIME.into_iter().find(|known| *known == name)?;
    library.module(name, RUNTIME).ok()
}

/// The function that a module of the prelude exports.
fn prelude<'js>(ctx: &Ctx<'js>, name: &str, library: &Library) -> rquickjs::Result<Function<'js>> {
    let unknown = || Exception::throw_type(ctx, "no such module");
    let (name, code) = PRELUDE.iter().find(|(known, _)| *known == name).ok_or_else(unknown)?;
    let bytes = library
        .module(name, code)
        .map_err(|error: Error| Exception::throw_message(ctx, &error.to_string()))?;
    let exports: Object<'js> = evaluate(ctx, &bytes)?.namespace()?;
    exports.get("default")
}
