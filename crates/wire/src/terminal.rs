//! What travels after a connection was upgraded to a terminal: frames of a kind, a length and that many bytes.

/// The protocol's name in the `Upgrade` header.
pub const PROTOCOL: &str = "string-terminal";
/// A frame larger than this is not one of ours.
pub const FRAME_MAX: usize = 64 * 1024;

/// The kind and the length.
const HEAD: usize = 5;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Frame {
    /// Bytes for the other side's terminal: output one way, keys the other.
    Bytes(Vec<u8>),
    /// The window has this size now.
    Size { columns: u16, rows: u16 },
    /// The last frame of the daemon: why it ends.
    End(String),
}

/// What comes in is no frame: the connection is of no use any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed;

/// Frames out of bytes, however these are cut.
#[derive(Debug, Default)]
pub struct Decoder {
    bytes: Vec<u8>,
}

impl Frame {
    /// The frame as bytes; one that is too large for the other side becomes several.
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Self::Bytes(bytes) => bytes.chunks(FRAME_MAX).flat_map(|piece| framed(b'b', piece)).collect(),
            Self::Size { columns, rows } => {
                let (columns, rows) = (columns.to_be_bytes(), rows.to_be_bytes());
                framed(b's', &[columns[0], columns[1], rows[0], rows[1]])
            }
            Self::End(why) => framed(b'e', &why.as_bytes()[..why.len().min(FRAME_MAX)]),
        }
    }

    fn decode(kind: u8, content: &[u8]) -> Result<Self, Malformed> {
        match (kind, content) {
            (b'b', bytes) => Ok(Self::Bytes(bytes.to_vec())),
            (b's', &[a, b, c, d]) => {
                Ok(Self::Size { columns: u16::from_be_bytes([a, b]), rows: u16::from_be_bytes([c, d]) })
            }
            (b'e', text) => Ok(Self::End(String::from_utf8_lossy(text).into_owned())),
            _ => Err(Malformed),
        }
    }
}

impl Decoder {
    pub fn feed(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// The next whole frame, if there is one.
    pub fn take(&mut self) -> Result<Option<Frame>, Malformed> {
        let Some((&[kind, a, b, c, d], rest)) = self.bytes.split_first_chunk::<HEAD>() else {
            return Ok(None);
        };
        let length = u32::from_be_bytes([a, b, c, d]) as usize;
        if length > FRAME_MAX {
            return Err(Malformed);
        }
        let Some(content) = rest.get(..length) else { return Ok(None) };
        let frame = Frame::decode(kind, content)?;
        self.bytes.drain(..HEAD + length);
        Ok(Some(frame))
    }
}

fn framed(kind: u8, content: &[u8]) -> Vec<u8> {
    let length = u32::try_from(content.len()).unwrap_or(u32::MAX);
    let mut bytes = vec![kind];
    bytes.extend(length.to_be_bytes());
    bytes.extend(content);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_arrive_whole_however_they_are_cut() {
        let frames = [
            Frame::Bytes(b"ls\r".to_vec()),
            Frame::Size { columns: 80, rows: 24 },
            Frame::Bytes(vec![0, 255]),
            Frame::End("gone".into()),
        ];
        let bytes: Vec<u8> = frames.iter().flat_map(Frame::encode).collect();
        for size in [1, 3, 7, bytes.len()] {
            let mut decoder = Decoder::default();
            let mut seen = Vec::new();
            for piece in bytes.chunks(size) {
                decoder.feed(piece);
                while let Some(frame) = decoder.take().unwrap() {
                    seen.push(frame);
                }
            }
            assert_eq!(seen, frames, "in pieces of {size}");
        }
    }

    #[test]
    fn much_output_becomes_several_frames() {
        let mut decoder = Decoder::default();
        decoder.feed(&Frame::Bytes(vec![7; FRAME_MAX + 1]).encode());
        let lengths: Vec<_> = std::iter::from_fn(|| decoder.take().unwrap())
            .map(|frame| if let Frame::Bytes(bytes) = frame { bytes.len() } else { 0 })
            .collect();
        assert_eq!(lengths, [FRAME_MAX, 1]);
    }

    #[test]
    fn what_is_no_frame_is_refused() {
        for bytes in [&b"x\0\0\0\0"[..], b"s\0\0\0\x01a", b"b\xff\xff\xff\xff", b"GET / HTTP/1.1"] {
            let mut decoder = Decoder::default();
            decoder.feed(bytes);
            assert_eq!(decoder.take(), Err(Malformed), "{bytes:?}");
        }
    }
}
