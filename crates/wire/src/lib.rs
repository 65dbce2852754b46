//! What travels between client and daemon: JSON bodies, event names, headers, and the ChanFlow text form.

mod activity;
mod agents;
mod capabilities;
pub mod chanflow;
mod complete;
mod describe;
mod error;
mod events;
mod exec;
pub mod header;
mod limits;
mod sessions;
pub mod stdio;
mod stream;
pub mod terminal;
mod tools;

pub use activity::{Activity, Deed, Life, TaskOutcome};
pub use agents::{AgentInfo, Agents, NewAgent};
pub use capabilities::{Capabilities, CapabilityInfo, MintedCapability, NewCapability};
pub use complete::{Offer, Typed};
pub use describe::{CommandInfo, Describe, Health, Limits, Shutdown};
pub use error::{Error, ErrorBody};
pub use events::{Cleared, EventInfo, EventState, Events, Received, STREAM_EVENT, Webhook};
pub use exec::{Done, ExecReply, ExecRequest, Head, Meta, TopicType, event};
pub use limits::{REQUEST_MAX, SOCKET_PATH_MAX};
pub use sessions::{NewSession, SessionInfo, Sessions};
pub use stream::ServerSentEvent;
pub use tools::{ToolInfo, Tools};
