//! A daemon that does only what a test tells it to.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::mpsc::{Receiver, channel};

use super::World;

/// A request whose answer is still due.
pub(crate) struct Asked {
    pub(crate) line: String,
    pub(crate) body: String,
    stream: UnixStream,
}

/// Listens where the daemon of this home would, until the process ends.
pub(crate) fn listen(world: &World) -> Receiver<Asked> {
    let run = world.root().join("run");
    fs::create_dir_all(&run).unwrap();
    let listener = UnixListener::bind(run.join("string.sock")).unwrap();
    let (sender, requests) = channel();
    std::thread::spawn(move || {
        // Ends when the test no longer listens.
        while let Ok((stream, _)) = listener.accept() {
            if sender.send(Asked::read(stream)).is_err() {
                return;
            }
        }
    });
    requests
}

impl Asked {
    fn read(stream: UnixStream) -> Self {
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let mut length = 0;
        loop {
            let mut header = String::new();
            reader.read_line(&mut header).unwrap();
            match header.trim().split_once(": ") {
                None => break,
                Some(("content-length", value)) => length = value.parse().unwrap(),
                Some(_) => {}
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        let line = line.trim_end().trim_end_matches(" HTTP/1.1").to_owned();
        Self { line, body: String::from_utf8(body).unwrap(), stream: reader.into_inner() }
    }

    pub(crate) fn answer(mut self, status: &str, headers: &str, body: &str) {
        let length = body.len();
        let answer = format!("HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\n\r\n{body}");
        // At once: a caller that has seen the status may leave.
        self.stream.write_all(answer.as_bytes()).unwrap();
    }

    pub(crate) fn reply(self, headers: &str, content: &str) {
        let ok = !content.starts_with("ERROR");
        self.answer("200 OK", headers, &format!(r#"{{"ok":{ok},"topic":"main","content":"{content}"}}"#));
    }
}
