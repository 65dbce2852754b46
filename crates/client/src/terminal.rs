//! The terminal of a shell, over an upgraded connection.

use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt, AsyncWriteExt, ReadHalf, WriteHalf};
use wire::terminal::{Decoder, Frame};

use crate::Error;

/// What comes from the shell.
#[derive(Debug)]
pub struct Screen {
    connection: ReadHalf<TokioIo<Upgraded>>,
    decoder: Decoder,
}

/// What goes to it.
#[derive(Debug)]
pub struct Keyboard {
    connection: WriteHalf<TokioIo<Upgraded>>,
}

/// One thing that a shell shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shown {
    Bytes(Vec<u8>),
    /// The end, and why.
    End(String),
}

pub(crate) fn split(upgraded: Upgraded) -> (Screen, Keyboard) {
    let (read, write) = tokio::io::split(TokioIo::new(upgraded));
    (Screen { connection: read, decoder: Decoder::default() }, Keyboard { connection: write })
}

impl Screen {
    pub async fn next(&mut self) -> Result<Shown, Error> {
        let mut buffer = vec![0; 16 * 1024];
        loop {
            match self.decoder.take() {
                Ok(Some(Frame::Bytes(bytes))) => return Ok(Shown::Bytes(bytes)),
                Ok(Some(Frame::End(why))) => return Ok(Shown::End(why)),
                Ok(Some(Frame::Size { .. })) => {}
                Ok(None) => {
                    let count = self.connection.read(&mut buffer).await.map_err(Error::Upgraded)?;
                    if count == 0 {
                        return Err(Error::Incomplete);
                    }
                    self.decoder.feed(&buffer[..count]);
                }
                Err(_) => return Err(Error::Incomplete),
            }
        }
    }
}

impl Keyboard {
    pub async fn keys(&mut self, bytes: Vec<u8>) -> Result<(), Error> {
        self.send(&Frame::Bytes(bytes)).await
    }

    pub async fn resize(&mut self, columns: u16, rows: u16) -> Result<(), Error> {
        self.send(&Frame::Size { columns, rows }).await
    }

    async fn send(&mut self, frame: &Frame) -> Result<(), Error> {
        self.connection.write_all(&frame.encode()).await.map_err(Error::Upgraded)?;
        self.connection.flush().await.map_err(Error::Upgraded)
    }
}
