//! ChanFlow from standard input to standard output.

use crate::daemon::Link;
use crate::failure::{Failure, Status};
use crate::output;
use crate::stdin;

/// Answers every block of the text. A block whose command failed is an answer too: the status says only whether
/// the text was answered, since one number cannot speak for many blocks.
pub(crate) async fn run(link: &Link, cwd: Option<&str>) -> Result<Status, Failure> {
    let text = stdin::read()?;
    let answer = link.attempt(async || link.client().chanflow(text.as_str(), cwd).await).await?;
    if !answer.is_empty() {
        output::print(&answer)?;
    }
    Ok(Status::Done)
}
