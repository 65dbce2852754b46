//! One run: a fresh engine, the script's modules, its entry point, its result.

use std::io;
use std::rc::Rc;
use std::time::Instant;

use rquickjs::context::intrinsic;
use rquickjs::loader::{ImportAttributes, Loader, Resolver};
use rquickjs::module::Declared;
use rquickjs::{Context, Ctx, Exception, Function, Module, Promise, Runtime, Value};
use serde_json::value::RawValue;

use super::conversation::Conversation;
use super::globals;
use super::jail;
use super::modules::{Library, Program};
use super::tasks::{Stop, Tasks};
use super::text;
use super::thrown::Describe;
use crate::error::{Error, Result};
use crate::frame::Run;
use crate::host::TooLarge;
use crate::limits::SCRIPT_STACK;
use crate::name;

/// Everything that a full context has but the compiler: without it `eval` and its kin cannot work.
type WithoutEval = (
    intrinsic::Date,
    intrinsic::RegExpCompiler,
    intrinsic::RegExp,
    intrinsic::Json,
    intrinsic::Proxy,
    intrinsic::MapSet,
    intrinsic::TypedArrays,
    intrinsic::Promise,
    intrinsic::Performance,
    intrinsic::WeakRef,
    intrinsic::DOMException,
);

/// Runs a program. The outer error is the conversation's, and the end of this worker.
pub(super) fn run(
    run: &Run,
    program: Rc<Program>,
    library: &Library,
    conversation: &Conversation,
    deadline: Instant,
) -> io::Result<Result<Box<RawValue>>> {
    let peak_before = jail::peak_memory();
    let engine = match Engine::new(run, Rc::clone(&program), library.clone(), deadline) {
        Ok(engine) => engine,
        Err(_) => return Ok(Err(Error::OutOfMemory { limit_bytes: run.memory_bytes })),
    };
    let tasks = Rc::new(Tasks::new(conversation.clone(), deadline));
    engine.watch_rejections(&tasks);
    let stop = engine.context.with(|ctx| {
        let ran = attempt(&ctx, run, &program, library, &tasks);
        ran.map_err(|stop| match stop {
            Stop::Broken(error) => Err(error),
            Stop::Failed(error) => Ok(error),
            Stop::Thrown => {
                let describe = Describe { program: &program, deadline, run, peak_before };
                Ok(describe.caught(&ctx))
            }
        })
    });
    // Whatever still refers to the engine must go before it does.
    tasks.clear();
    drop(engine);
    match stop {
        Ok(output) => Ok(Ok(output)),
        Err(Ok(error)) => Ok(Err(error)),
        Err(Err(broken)) => Err(broken),
    }
}

struct Engine {
    context: Context,
}

impl Engine {
    fn new(run: &Run, program: Rc<Program>, library: Library, deadline: Instant) -> rquickjs::Result<Self> {
        let runtime = Runtime::new()?;
        runtime.set_memory_limit(run.memory_bytes);
        runtime.set_max_stack_size(SCRIPT_STACK);
        runtime.set_interrupt_handler(Some(Box::new(move || Instant::now() >= deadline)));
        let modules = Modules { program, library };
        runtime.set_loader(modules.clone(), modules);
        Ok(Self { context: Context::custom::<WithoutEval>(&runtime)? })
    }

    fn watch_rejections(&self, tasks: &Rc<Tasks>) {
        let tasks = Rc::clone(tasks);
        let tracker = rejection_fn(move |ctx, promise, reason, handled| {
            tasks.rejected(&ctx, promise, reason, handled);
        });
        self.context.runtime().set_host_promise_rejection_tracker(Some(Box::new(tracker)));
    }
}

/// Tells the compiler that a closure works for every lifetime of the engine's values.
fn rejection_fn<F>(function: F) -> F
where
    F: for<'js> Fn(Ctx<'js>, Value<'js>, Value<'js>, bool),
{
    function
}

fn attempt(
    ctx: &Ctx<'_>,
    run: &Run,
    program: &Rc<Program>,
    library: &Library,
    tasks: &Rc<Tasks>,
) -> std::result::Result<Box<RawValue>, Stop> {
    globals::install(ctx, tasks, program, library)?;
    let main = program.get(&run.module).ok_or_else(|| Stop::Failed(Error::program("no module to run")))?;
    let (module, evaluated) = load(ctx, &main.bytes)?.eval()?;
    tasks.drive::<()>(ctx, &evaluated)?;
    let name = run.entrypoint.as_deref().unwrap_or_default();
    let exports = module.namespace()?;
    let Some(entry) = exports.get::<_, Value<'_>>(name)?.into_function() else {
        let default: Option<Function<'_>> = exports.get("default").ok();
        let hint = default.map_or("", |_| "; its default export has the entrypoint default");
        let message = format!("{} exports no function {name}{hint}", run.module);
        return Err(Stop::Failed(Error::program(message)));
    };
    let output = call(ctx, &entry, run.input.get(), tasks)?;
    let text = ctx.json_stringify(output)?.map(|text| text.to_string()).transpose()?;
    let text = text.map_or_else(|| "null".to_owned(), text::whole);
    TooLarge::check(&text).map_err(|large| Stop::Failed(Error::OutputTooLarge(large)))?;
    let output = RawValue::from_string(text);
    let output = output.map_err(|error| Stop::Failed(Error::program(error.to_string())))?;
    tasks.finish_writes(ctx)?;
    Ok(output)
}

fn call<'js>(
    ctx: &Ctx<'js>,
    entry: &Function<'js>,
    input: &str,
    tasks: &Tasks,
) -> std::result::Result<Value<'js>, Stop> {
    let output: Value<'js> = entry.call((ctx.json_parse(input)?,))?;
    match output.clone().into_promise() {
        Some(promise) => tasks.drive(ctx, &promise),
        None => Ok(output),
    }
}

/// Loads bytecode that this process has compiled.
#[allow(unsafe_code, reason = "the engine trusts its bytecode")]
pub(super) fn load<'js>(ctx: &Ctx<'js>, bytes: &[u8]) -> rquickjs::Result<Module<'js, Declared>> {
    // SAFETY: only what `compile::bytecode` wrote gets here, from the memory of this process, by the same engine.
    unsafe { Module::load(ctx.clone(), bytes) }
}

/// Evaluates a module that awaits nothing.
pub(super) fn evaluate<'js>(
    ctx: &Ctx<'js>,
    bytes: &[u8],
) -> rquickjs::Result<Module<'js, rquickjs::module::Evaluated>> {
    let (module, promise): (_, Promise<'js>) = load(ctx, bytes)?.eval()?;
    promise.finish::<()>()?;
    Ok(module)
}

#[derive(Clone)]
struct Modules {
    program: Rc<Program>,
    library: Library,
}

impl Resolver for Modules {
    fn resolve<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        base: &str,
        name: &str,
        _attributes: Option<ImportAttributes<'js>>,
    ) -> rquickjs::Result<String> {
        let name = name::resolve(base, name).map_err(|why| Exception::throw_type(ctx, &why))?;
        let source = name::typescript_of(&name).filter(|source| self.program.contains_key(source));
        Ok(source.filter(|_| !self.program.contains_key(&name)).unwrap_or(name))
    }
}

impl Loader for Modules {
    fn load<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        name: &str,
        _attributes: Option<ImportAttributes<'js>>,
    ) -> rquickjs::Result<Module<'js, Declared>> {
        if let Some(bytes) = globals::runtime_module(name, &self.library) {
            return load(ctx, &bytes);
        }
        match self.program.get(name) {
            Some(module) => load(ctx, &module.bytes),
            None => Err(Exception::throw_type(ctx, &format!("{name} is not part of this script"))),
        }
    }
}
