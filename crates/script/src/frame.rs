//! What daemon and worker say to each other: JSON behind its length, over one socket.

use std::io::{self, Read, Write};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::io::AsyncReadExt;

use crate::error::Error;
use crate::host::{HostError, Log, TooLarge};
use crate::limits::FRAME_MAX;

/// Daemon to worker.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Order {
    Run(Run),
    /// The answer to [`Report::Need`].
    Module(Result<Source, String>),
    /// The answer to [`Report::Ask`].
    Answer {
        id: u64,
        answer: Result<Box<RawValue>, HostError>,
    },
}

/// Worker to daemon.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Report {
    /// The source of a module that the worker has not compiled yet.
    Need {
        module: String,
    },
    /// A call of the host.
    Ask {
        id: u64,
        method: String,
        arguments: Result<Box<RawValue>, TooLarge>,
    },
    Log(Log),
    /// The run has ended; nothing follows.
    Done(Result<Box<RawValue>, Error>),
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Run {
    /// The name of the first module.
    pub(crate) module: String,
    /// What is known of the program's modules, so that the worker can use what it has compiled.
    pub(crate) versions: Vec<(String, String)>,
    /// The exported function to call; without one, the output is the names of all modules.
    pub(crate) entrypoint: Option<String>,
    pub(crate) input: Box<RawValue>,
    pub(crate) time_ms: u64,
    pub(crate) memory_bytes: usize,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Source {
    /// The file that it was read from.
    pub(crate) name: String,
    /// Differs whenever the text does.
    pub(crate) version: String,
    pub(crate) text: String,
}

const LENGTH: usize = size_of::<u32>();

pub(crate) fn encode(message: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut frame = vec![0; LENGTH];
    serde_json::to_writer(&mut frame, message)?;
    let length = frame.len() - LENGTH;
    if length > FRAME_MAX {
        return Err(io::Error::other("a frame is too long"));
    }
    let header = u32::try_from(length).map_err(io::Error::other)?;
    frame[..LENGTH].copy_from_slice(&header.to_le_bytes());
    Ok(frame)
}

pub(crate) fn write(stream: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    stream.write_all(&encode(message)?)
}

/// Blocks for the next frame. An end between frames is `None`.
pub(crate) fn read<T: DeserializeOwned>(stream: &mut impl Read) -> io::Result<Option<T>> {
    let mut header = [0; LENGTH];
    match stream.read_exact(&mut header) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let mut body = vec![0; length(header)?];
    stream.read_exact(&mut body)?;
    Ok(Some(serde_json::from_slice(&body)?))
}

fn length(header: [u8; LENGTH]) -> io::Result<usize> {
    let length = u32::from_le_bytes(header) as usize;
    if length > FRAME_MAX { Err(io::Error::other("a frame is too long")) } else { Ok(length) }
}

/// Takes frames out of a stream. Waiting for one may be given up at any time without losing a byte.
#[derive(Default)]
pub(crate) struct Frames {
    buffer: Vec<u8>,
}

impl Frames {
    /// The next frame; `None` when the other end is gone.
    pub(crate) async fn next<T: DeserializeOwned>(
        &mut self,
        stream: &mut (impl AsyncReadExt + Unpin),
    ) -> io::Result<Option<T>> {
        loop {
            if let Some(header) = self.buffer.first_chunk::<LENGTH>() {
                let end = LENGTH + length(*header)?;
                if self.buffer.len() >= end {
                    let message = serde_json::from_slice(&self.buffer[LENGTH..end])?;
                    self.buffer.drain(..end);
                    return Ok(Some(message));
                }
            }
            if stream.read_buf(&mut self.buffer).await? == 0 {
                return Ok(None);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn frames_come_out_one_by_one_however_they_arrive() {
        let reports = [Report::Need { module: "a.ts".into() }, Report::Need { module: "é".repeat(9_000) }];
        let bytes = reports.iter().flat_map(|report| encode(report).unwrap()).collect::<Vec<_>>();
        for piece in [1, 3, 4_096, bytes.len()] {
            let mut stream = pieces(&bytes, piece);
            let mut frames = Frames::default();
            for report in &reports {
                let got: Report = frames.next(&mut stream).await.unwrap().unwrap();
                assert_eq!(encode(&got).unwrap(), encode(report).unwrap());
            }
            assert!(frames.next::<Report>(&mut stream).await.unwrap().is_none());
        }
    }

    #[tokio::test]
    async fn a_frame_that_claims_too_much_is_refused() {
        let mut bytes = &u32::MAX.to_le_bytes()[..];
        assert!(read::<Report>(&mut { bytes }).is_err());
        assert!(Frames::default().next::<Report>(&mut bytes).await.is_err());
    }

    /// A reader that gives so many bytes at a time.
    fn pieces(bytes: &[u8], piece: usize) -> impl AsyncReadExt + Unpin {
        struct Pieces(Vec<u8>, usize, usize);
        impl tokio::io::AsyncRead for Pieces {
            fn poll_read(
                mut self: std::pin::Pin<&mut Self>,
                _context: &mut std::task::Context<'_>,
                into: &mut tokio::io::ReadBuf<'_>,
            ) -> std::task::Poll<io::Result<()>> {
                let (at, piece) = (self.1, self.2.min(into.remaining()));
                let end = (at + piece).min(self.0.len());
                into.put_slice(&self.0[at..end]);
                self.1 = end;
                std::task::Poll::Ready(Ok(()))
            }
        }
        Pieces(bytes.to_vec(), 0, piece)
    }
}
