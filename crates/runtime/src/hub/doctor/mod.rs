//! `string system doctor`: looks at everything that commonly goes wrong, and says how to repair it.

mod boundary;
mod files;
mod listeners;
mod processes;

use serde_json::json;

use crate::command::{Context, Format};
use crate::reply::with_body;

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Finding {
    what: &'static str,
    state: State,
    said: String,
    /// What to do about it.
    repair: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    Good,
    /// It works, but less well than it could.
    Warning,
    Problem,
}

impl State {
    fn as_str(self) -> &'static str {
        match self {
            Self::Good => "ok",
            Self::Warning => "warning",
            Self::Problem => "problem",
        }
    }
}

impl Finding {
    fn good(what: &'static str, said: impl Into<String>) -> Self {
        Self { what, state: State::Good, said: said.into(), repair: None }
    }

    fn warning(what: &'static str, said: impl Into<String>, repair: impl Into<String>) -> Self {
        Self { what, state: State::Warning, said: said.into(), repair: Some(repair.into()) }
    }

    fn problem(what: &'static str, said: impl Into<String>, repair: impl Into<String>) -> Self {
        Self { what, state: State::Problem, said: said.into(), repair: Some(repair.into()) }
    }
}

pub async fn run(format: Format, context: &Context<'_>) -> String {
    let findings = examine(context).await;
    match format {
        Format::Text => text(&findings),
        Format::Json => json_text(&findings),
    }
}

async fn examine(context: &Context<'_>) -> Vec<Finding> {
    let runtime = context.runtime;
    let mut findings = listeners::check(&runtime.root, runtime.port);
    findings.extend(files::check(&runtime.root));
    findings.push(files::check_store(runtime).await);
    findings.extend(boundary::check(runtime).await);
    findings.push(processes::check());
    findings
}

fn text(findings: &[Finding]) -> String {
    let count = |state| findings.iter().filter(|finding| finding.state == state).count();
    let status = match (count(State::Problem), count(State::Warning)) {
        (0, 0) => "Doctor: all is well".to_owned(),
        (problems, warnings) => format!("Doctor: problems: {problems}, warnings: {warnings}"),
    };
    let width = findings.iter().map(|finding| finding.what.len()).max().unwrap_or(0);
    let lines = findings.iter().map(|finding| {
        let Finding { what, state, said, repair } = finding;
        let repair = repair.iter().map(|repair| format!("\n{:9}{:width$}  Repair: {repair}", "", ""));
        format!("{:9}{what:width$}  {said}{}", state.as_str(), repair.collect::<String>())
    });
    with_body(&status, &lines.collect::<Vec<_>>().join("\n"))
}

fn json_text(findings: &[Finding]) -> String {
    let worst = findings.iter().map(|finding| finding.state).max().unwrap_or(State::Good);
    let findings = findings.iter().map(|finding| {
        json!({
            "what": finding.what,
            "state": finding.state.as_str(),
            "said": finding.said,
            "repair": finding.repair,
        })
    });
    let report = json!({ "state": worst.as_str(), "findings": findings.collect::<Vec<_>>() });
    format!("{report:#}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_trouble_comes_with_its_repair() {
        let findings = [
            Finding::good("socket", "served"),
            Finding::problem("port", "taken by another program", "set STRING_PORT"),
        ];
        assert_eq!(
            text(&findings),
            "Doctor: problems: 1, warnings: 0\n---\n\
             ok       socket  served\n\
             problem  port    taken by another program\n\
             \x20                Repair: set STRING_PORT"
        );
        let report: serde_json::Value = serde_json::from_str(&json_text(&findings)).unwrap();
        assert_eq!(
            (&report["state"], &report["findings"][1]["repair"]),
            (&json!("problem"), &json!("set STRING_PORT"))
        );
        assert!(text(&findings[..1]).starts_with("Doctor: all is well\n"));
    }
}
