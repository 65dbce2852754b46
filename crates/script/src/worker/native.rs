//! The functions that only the prelude sees: the host, timers, addresses, encodings, randomness.

use std::rc::Rc;
use std::time::Duration;

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use encoding_rs::Encoding;
use rquickjs::{ArrayBuffer, Ctx, Exception, Function, Object, Promise, Result, Value};
use serde_json::value::RawValue;
use url::{Url, quirks};

use super::conversation::Arguments;
use super::modules::Program;
use super::position::authored;
use super::tasks::{Tasks, refusal};
use super::text;
use crate::host::{Level, TooLarge};
use crate::limits::MESSAGE_MAX;

/// Written with padding, read without asking for it.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);
/// The most random bytes at once, as in browsers.
const RANDOM_MAX: usize = 65_536;

pub(super) fn functions<'js>(
    ctx: &Ctx<'js>,
    tasks: &Rc<Tasks>,
    program: &Rc<Program>,
) -> Result<Object<'js>> {
    let native = Object::new(ctx.clone())?;
    let own = Rc::clone(program);
    native.set("authored", Function::new(ctx.clone(), move |stack: String| authored(&stack, &own))?)?;
    let own = Rc::clone(tasks);
    let call = call_fn(move |ctx, method, arguments| own.ask(&ctx, method, raw(&ctx, arguments)?));
    native.set("call", Function::new(ctx.clone(), call)?)?;
    let own = Rc::clone(tasks);
    let too_large = too_large_fn(move |ctx, method, bytes| own.ask(&ctx, method, Err(TooLarge { bytes })));
    native.set("callTooLarge", Function::new(ctx.clone(), too_large)?)?;
    native.set("messageMax", MESSAGE_MAX)?;
    let own = Rc::clone(tasks);
    let call_now = value_fn(move |ctx, method, arguments| call_now(&ctx, &own, method, arguments));
    native.set("callNow", Function::new(ctx.clone(), call_now)?)?;
    let own = Rc::clone(tasks);
    let set_timer = timer_fn(move |ctx, run, ms| {
        let after = Duration::try_from_secs_f64(ms / 1_000.0).unwrap_or(Duration::ZERO);
        let full = || Exception::throw_range(&ctx, "too many timers");
        own.set_timer(&ctx, run, after).ok_or_else(full)
    });
    native.set("setTimer", Function::new(ctx.clone(), set_timer)?)?;
    let own = Rc::clone(tasks);
    native.set("clearTimer", Function::new(ctx.clone(), move |id: u64| own.clear_timer(id))?)?;
    let own = Rc::clone(tasks);
    let log = move |level: String, text: String| own.log(level_of(&level), text);
    native.set("log", Function::new(ctx.clone(), log)?)?;
    native.set("url", Function::new(ctx.clone(), url)?)?;
    native.set("urlSet", Function::new(ctx.clone(), url_set)?)?;
    native.set("random", Function::new(ctx.clone(), random)?)?;
    native.set("encode", Function::new(ctx.clone(), encode)?)?;
    native.set("decode", Function::new(ctx.clone(), decode)?)?;
    native.set("encoding", Function::new(ctx.clone(), encoding)?)?;
    native.set("toBase64", Function::new(ctx.clone(), to_base64)?)?;
    native.set("fromBase64", Function::new(ctx.clone(), from_base64)?)?;
    Ok(native)
}

/// Tells the compiler that a closure works for every lifetime of the engine's values.
pub(super) fn module_fn<F>(function: F) -> F
where
    F: for<'js> Fn(Ctx<'js>, String) -> Result<Function<'js>>,
{
    function
}

fn call_fn<F>(function: F) -> F
where
    F: for<'js> Fn(Ctx<'js>, String, String) -> Result<Promise<'js>>,
{
    function
}

fn too_large_fn<F>(function: F) -> F
where
    F: for<'js> Fn(Ctx<'js>, String, usize) -> Result<Promise<'js>>,
{
    function
}

fn value_fn<F>(function: F) -> F
where
    F: for<'js> Fn(Ctx<'js>, String, String) -> Result<Value<'js>>,
{
    function
}

fn timer_fn<F>(function: F) -> F
where
    F: for<'js> Fn(Ctx<'js>, Function<'js>, f64) -> Result<u64>,
{
    function
}

fn call_now<'js>(ctx: &Ctx<'js>, tasks: &Tasks, method: String, arguments: String) -> Result<Value<'js>> {
    let arguments = raw(ctx, arguments)?;
    let answer = tasks.ask_now(method, arguments);
    match answer.map_err(|_| Exception::throw_internal(ctx, "the host does not answer"))? {
        Ok(value) => ctx.json_parse(value.get()),
        Err(error) => Err(ctx.throw(refusal(ctx, &error)?)),
    }
}

fn raw(ctx: &Ctx<'_>, json: String) -> Result<Arguments> {
    if let Err(large) = TooLarge::check(&json) {
        return Ok(Err(large));
    }
    let json = RawValue::from_string(text::whole(json));
    json.map(Ok).map_err(|error| Exception::throw_type(ctx, &error.to_string()))
}

fn level_of(name: &str) -> Level {
    match name {
        "debug" => Level::Debug,
        "warn" => Level::Warn,
        "error" => Level::Error,
        _ => Level::Info,
    }
}

/// The parts of an address in the order that the prelude expects; nothing if it is none.
fn url(href: String, base: Option<String>) -> Option<Vec<String>> {
    let base = base.map(|base| Url::parse(&base)).transpose().ok()?;
    Url::options().base_url(base.as_ref()).parse(&href).ok().map(|url| parts(&url))
}

/// The parts after one of them was set.
fn url_set(href: String, part: String, value: String) -> Option<Vec<String>> {
    let mut url = Url::parse(&href).ok()?;
    // A value that does not fit leaves the address as it was: so browsers do.
    match part.as_str() {
        "href" => quirks::set_href(&mut url, &value).ok()?,
        "protocol" => quirks::set_protocol(&mut url, &value).unwrap_or(()),
        "username" => quirks::set_username(&mut url, &value).unwrap_or(()),
        "password" => quirks::set_password(&mut url, &value).unwrap_or(()),
        "host" => quirks::set_host(&mut url, &value).unwrap_or(()),
        "hostname" => quirks::set_hostname(&mut url, &value).unwrap_or(()),
        "port" => quirks::set_port(&mut url, &value).unwrap_or(()),
        "pathname" => quirks::set_pathname(&mut url, &value),
        "search" => quirks::set_search(&mut url, &value),
        "hash" => quirks::set_hash(&mut url, &value),
        _ => {}
    }
    Some(parts(&url))
}

fn parts(url: &Url) -> Vec<String> {
    let parts = [
        quirks::href(url),
        quirks::protocol(url),
        quirks::username(url),
        quirks::password(url),
        quirks::host(url),
        quirks::hostname(url),
        quirks::port(url),
        quirks::pathname(url),
        quirks::search(url),
        quirks::hash(url),
        &quirks::origin(url),
    ];
    parts.map(str::to_owned).to_vec()
}

fn random<'js>(ctx: Ctx<'js>, length: usize) -> Result<ArrayBuffer<'js>> {
    if length > RANDOM_MAX {
        return Err(Exception::throw_range(&ctx, "at most 65536 random bytes at once"));
    }
    let mut bytes = vec![0; length];
    getrandom::fill(&mut bytes).map_err(|_| Exception::throw_internal(&ctx, "no random bytes"))?;
    ArrayBuffer::new_copy(ctx, bytes)
}

fn encode<'js>(ctx: Ctx<'js>, text: rquickjs::Coerced<String>) -> Result<ArrayBuffer<'js>> {
    ArrayBuffer::new_copy(ctx, text.0)
}

/// The name of the encoding that a label means.
fn encoding(label: String) -> Option<&'static str> {
    Encoding::for_label(label.as_bytes()).map(Encoding::name)
}

fn decode(
    ctx: Ctx<'_>,
    bytes: ArrayBuffer<'_>,
    label: String,
    fatal: bool,
    keep_bom: bool,
) -> Result<String> {
    let encoding = Encoding::for_label(label.as_bytes()).unwrap_or(encoding_rs::UTF_8);
    let bytes = copied(&bytes);
    let (text, broken) = match keep_bom {
        true => encoding.decode_without_bom_handling(&bytes),
        false => encoding.decode_with_bom_removal(&bytes),
    };
    if fatal && broken {
        return Err(Exception::throw_type(&ctx, "the bytes are not valid in this encoding"));
    }
    Ok(text.into_owned())
}

fn to_base64(bytes: ArrayBuffer<'_>) -> String {
    BASE64.encode(copied(&bytes))
}

/// What a buffer holds; nothing if it was given away.
#[allow(unsafe_code, reason = "the engine's memory can only be borrowed")]
fn copied(buffer: &ArrayBuffer<'_>) -> Vec<u8> {
    // SAFETY: the borrow ends with this function, and no script runs meanwhile that could change or free the bytes.
    unsafe { buffer.as_bytes() }.unwrap_or_default().to_vec()
}

fn from_base64<'js>(ctx: Ctx<'js>, text: String) -> Result<ArrayBuffer<'js>> {
    let bytes = BASE64.decode(text).map_err(|_| Exception::throw_type(&ctx, "not base64"))?;
    ArrayBuffer::new_copy(ctx, bytes)
}
