//! `/session close`: removes a topic and everything it holds.

use super::{Arguments, Context};
use crate::error::{Result, quoted};
use crate::topic::Topic;

pub fn parse(arguments: Arguments<'_>) -> Result<Topic> {
    let mut words = arguments.words()?;
    let word = words.required("close")?;
    if word != "close" {
        return Err(words.wrong(format!("Unknown word {}.", quoted(&word))));
    }
    let name = words.required("NAME")?;
    words.done()?;
    Topic::parse(&name)
}

pub async fn close(topic: &Topic, context: &Context<'_>) -> Result<String> {
    context.runtime.close_topic(&context.agent.id, topic, Some(&context.session.topic)).await?;
    Ok(format!("Closed topic: {topic}"))
}
