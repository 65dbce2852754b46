//! `/log`: the versions of a file, newest first.

use super::{Arguments, Context};
use crate::blocking;
use crate::document::typed;
use crate::edit::{FileTarget, LOG_MAX, Number, Version};
use crate::error::{Code, Error, Result};
use crate::reply::with_body;

pub fn parse(arguments: Arguments<'_>) -> Result<FileTarget> {
    let (target, _) = arguments.required_target(&[])?;
    Ok(FileTarget::parse(target))
}

pub async fn run(target: FileTarget, context: Context<'_>) -> Result<String> {
    let Context { runtime, agent, state, caller, .. } = context;
    let located = target.locate(state, agent, caller)?.settled(&agent.workspace).await?.whole()?;
    let workspace = agent.workspace.clone();
    let (place, exists) = blocking::run(move || {
        let (_, place) = located.place(&workspace)?;
        let exists = place.open()?.is_some();
        Ok::<_, Error>((place, exists))
    })
    .await?;
    let shown = place.shown();
    let versions = runtime.versions.list(&agent.id, &place.path(), LOG_MAX).await?;
    let status = format!("Versions of {shown}");
    match versions.last() {
        None if exists => {
            Ok(with_body(&status, &format!("(none yet)\nKeep one: /commit {} --message \"…\"", typed(shown))))
        }
        None => Err(Error::new(Code::NotFound, format!("No such file, and no version of it: {shown}"))),
        Some(oldest) => {
            let mut lines: Vec<String> = versions.iter().map(row).collect();
            if oldest.number != Number::FIRST {
                lines.push(format!("… older ones open too, down to {}@{}", typed(shown), Number::FIRST));
            }
            Ok(with_body(&status, &lines.join("\n")))
        }
    }
}

fn row(version: &Version) -> String {
    let time = jiff::Timestamp::from_millisecond(version.time.as_millis()).unwrap_or_default();
    let time = time.strftime("%Y-%m-%d %H:%M:%SZ");
    format!("{}  {time}  {}  {}", version.number, sfmd::size_label(version.size), version.message)
}
