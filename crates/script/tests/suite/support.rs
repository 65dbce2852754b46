//! A pool, a host that records, and short ways to run a script.

use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use script::{Call, Error, Host, HostError, Limits, Log, Pending, Pool, Program, Settings, TooLarge};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

/// Long enough for a slow machine; tests that mean to run out of time set their own.
const TIME: Duration = Duration::from_secs(60);

pub struct World {
    pub pool: Pool,
    pub host: Recorder,
    pub time: Duration,
    pub memory: usize,
}

/// Answers `echo` with its arguments and `refuse` with an error, `never` never; keeps what it hears.
#[derive(Default)]
pub struct Recorder {
    pub calls: Mutex<Vec<(String, Value)>>,
    pub logs: Mutex<Vec<Log>>,
}

impl World {
    pub fn new() -> Self {
        let program = env!("CARGO_BIN_EXE_script-fixture").into();
        let pool = Pool::new(Settings { program, depth_max: 1 });
        Self { pool, host: Recorder::default(), time: TIME, memory: script::MEMORY_MAX }
    }

    pub async fn run(&self, program: &Program, input: Value) -> Result<Value, Error> {
        let call = Call {
            program,
            entrypoint: "run",
            input: to_raw_value(&input).unwrap(),
            limits: Limits { time: self.time, memory_bytes: self.memory },
            depth: 0,
        };
        let output = self.pool.call(call, &self.host).await?;
        Ok(serde_json::from_str(output.get()).unwrap())
    }

    /// Runs a TypeScript source with no imports but the runtime.
    pub async fn eval(&self, source: &str) -> Result<Value, Error> {
        self.run(&Program::inline("/nowhere", "main.ts", source), json!({})).await
    }

    /// The value of an expression, in an async function.
    pub async fn value(&self, body: &str) -> Value {
        let source =
            format!("import * as flo from \"flo:runtime\";\nexport async function run(input) {{ {body} }}");
        self.eval(&source).await.unwrap_or_else(|error| panic!("{body}\n{error:?}"))
    }

    pub async fn files(&self, dir: &Path, files: &[(&str, &str)]) -> Result<Value, Error> {
        for (name, text) in files {
            let path = dir.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        self.run(&Program::file(dir, files[0].0), json!({})).await
    }
}

impl Host for Recorder {
    fn call<'a>(
        &'a self,
        method: &'a str,
        arguments: &'a RawValue,
    ) -> Pending<'a, Result<Box<RawValue>, HostError>> {
        let arguments: Value = serde_json::from_str(arguments.get()).unwrap();
        self.calls.lock().unwrap().push((method.to_owned(), arguments.clone()));
        Box::pin(async move {
            match method {
                "state.get" => Ok(to_raw_value(&arguments).unwrap()),
                "task.getContext" => std::future::pending().await,
                "time.format" => Ok(to_raw_value(&"formatted").unwrap()),
                "fetch" => Ok(to_raw_value(&json!({
                    "status": 201, "statusText": "Created", "url": arguments["url"], "redirected": false,
                    "headers": [["content-type", "application/json"], ["set-cookie", "a=1"], ["set-cookie", "b=2"]],
                    "body": "eyJvayI6dHJ1ZX0=",
                }))
                .unwrap()),
                "state.put" => Ok(to_raw_value(&json!({"ok": true})).unwrap()),
                _ => Err(HostError {
                    name: "FloStateError".into(),
                    code: "state_binding_denied".into(),
                    message: format!("{method} is denied"),
                    retryable: true,
                }),
            }
        })
    }

    fn refuse(&self, method: &str, arguments: TooLarge) -> HostError {
        arguments.refused(method)
    }

    fn log(&self, log: Log) {
        self.logs.lock().unwrap().push(log);
    }
}

pub fn thrown(error: Error) -> script::Thrown {
    match error {
        Error::Thrown(thrown) => thrown,
        other => panic!("not thrown: {other:?}"),
    }
}
