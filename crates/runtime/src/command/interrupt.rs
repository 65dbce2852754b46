//! `/interrupt`: stops the command that runs in a topic. It does not wait for its turn.

use crate::error::{Code, Error, Result};
use crate::session::Topics;
use crate::topic::Topic;

pub fn interrupt(topic: &Topic, topics: &Topics) -> Result<String> {
    match topics.get(topic).and_then(|session| session.interrupt()) {
        Some(command) => Ok(format!("Interrupted: {command}")),
        None => Err(Error::new(Code::NotFound, format!("Nothing is running in {topic}."))),
    }
}
