//! Who is at the other end of a connection.

use runtime::Origin;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Peer {
    /// Over the Unix socket, by a process of our own user.
    Local { pid: u32 },
    /// Over the Unix socket, by a program that says it speaks for an agent.
    Agent,
    /// Over TCP.
    Network,
}

impl Peer {
    pub fn origin(self) -> Origin {
        match self {
            Self::Local { pid } => Origin::Process { pid },
            Self::Agent => Origin::Agent,
            Self::Network => Origin::Network,
        }
    }
}
