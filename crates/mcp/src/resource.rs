//! Resources: the open topics and the inbox.

use rmcp::model::{ListResourcesResult, ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use wire::{Events, SessionInfo};

use crate::{Change, Error, Host};

const EVENTS: &str = "string://events";
const EVENTS_AFTER: &str = "string://events?after=";
const TOPIC: &str = "string://topic/";
const EVENT: &str = "string://event/";
const JSON: &str = "application/json";

/// What an address means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Address {
    Topic(String),
    Events,
    /// Those behind one of them.
    EventsAfter(String),
    Event(String),
}

impl Address {
    pub(crate) fn parse(uri: &str) -> Option<Self> {
        if uri == EVENTS {
            return Some(Self::Events);
        }
        let named = |prefix| uri.strip_prefix(prefix).filter(|name| !name.is_empty()).map(str::to_owned);
        let of_events =
            || named(EVENTS_AFTER).map(Self::EventsAfter).or_else(|| named(EVENT).map(Self::Event));
        named(TOPIC).map(Self::Topic).or_else(of_events)
    }

    /// Whether a change concerns what this address shows.
    pub(crate) fn shows(&self, change: &Change) -> bool {
        match (self, change) {
            (_, Change::Anything) => true,
            (Self::Topic(topic), Change::Topic(changed)) => topic == changed,
            (Self::Events | Self::EventsAfter(_), Change::Event(_) | Change::Events)
            | (Self::Event(_), Change::Events) => true,
            (Self::Event(id), Change::Event(changed)) => id == changed,
            (Self::Topic(_), _) | (_, Change::Topic(_)) => false,
        }
    }
}

/// Everything there is to read: the topics and the inbox, then its events page by page, each behind the last event of the
/// one before. None if there is no such page.
pub(crate) async fn list(
    host: &impl Host,
    agent: &str,
    cursor: Option<&str>,
) -> Result<Option<ListResourcesResult>, Error> {
    let Some(page) = host.events(agent, cursor).await? else { return Ok(None) };
    let mut resources = Vec::new();
    if cursor.is_none() {
        let topics = host.topics(agent).await?;
        resources.extend(topics.iter().map(|topic| {
            Resource::new(format!("{TOPIC}{}", topic.topic), &topic.topic).with_description(&topic.detail)
        }));
        resources.push(inbox(&page));
    }
    resources.extend(page.events.iter().map(|event| {
        Resource::new(format!("{EVENT}{}", event.id), &event.id)
            .with_description(format!("from {} at {}", event.source, event.received))
    }));
    let mut listed = ListResourcesResult::with_all_items(resources);
    listed.next_cursor = page.events.last().filter(|_| page.has_more).map(|event| event.id.clone());
    Ok(Some(listed))
}

fn inbox(page: &Events) -> Resource {
    let more = if page.has_more { "more than " } else { "" };
    Resource::new(EVENTS, "events")
        .with_title("Inbox")
        .with_description(format!("{more}{} events wait", page.events.len()))
        .with_mime_type(JSON)
}

/// The forms of what may not be there yet.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let topic = ResourceTemplate::new(format!("{TOPIC}{{topic}}"), "topic");
    let event = ResourceTemplate::new(format!("{EVENT}{{id}}"), "event");
    let behind = ResourceTemplate::new(format!("{EVENTS}{{?after}}"), "events").with_mime_type(JSON);
    vec![
        topic.with_description("where an open topic is"),
        event.with_description("the text of an event"),
        behind.with_description("the events that wait behind one of them"),
    ]
}

/// What an address shows now; none if there is nothing there.
pub(crate) async fn read(
    host: &impl Host,
    agent: &str,
    uri: &str,
) -> Result<Option<ReadResourceResult>, Error> {
    let contents = match Address::parse(uri) {
        None => None,
        Some(Address::Topic(name)) => {
            let topics = host.topics(agent).await?;
            let topic = topics.iter().find(|topic| topic.topic == name);
            topic.map(|topic| ResourceContents::text(describe(topic), uri))
        }
        Some(Address::Events) => inbox_contents(host, agent, None, uri).await?,
        Some(Address::EventsAfter(id)) => inbox_contents(host, agent, Some(&id), uri).await?,
        Some(Address::Event(id)) => {
            let event = host.event(agent, &id).await?;
            event.map(|event| ResourceContents::text(event.text, uri))
        }
    };
    Ok(contents.map(|contents| ReadResourceResult::new(vec![contents])))
}

fn describe(topic: &SessionInfo) -> String {
    let running = topic.running.as_ref().map(|command| format!("\nrunning: {command}"));
    format!("{}\n{}{}", topic.topic, topic.detail, running.unwrap_or_default())
}

async fn inbox_contents(
    host: &impl Host,
    agent: &str,
    after: Option<&str>,
    uri: &str,
) -> Result<Option<ResourceContents>, Error> {
    let Some(page) = host.events(agent, after).await? else { return Ok(None) };
    let text = serde_json::to_string_pretty(&page).map_err(|error| Error::Host(error.to_string()))?;
    Ok(Some(ResourceContents::text(text, uri).with_mime_type(JSON)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_name_topics_and_events_and_nothing_else() {
        let table = [
            ("string://events", Some(Address::Events)),
            ("string://topic/main", Some(Address::Topic("main".into()))),
            ("string://topic/app:gmail:work", Some(Address::Topic("app:gmail:work".into()))),
            ("string://event/evt_1", Some(Address::Event("evt_1".into()))),
            ("string://topic/", None),
            ("string://events/", None),
            ("string://events?after=evt_1", Some(Address::EventsAfter("evt_1".into()))),
            ("string://events?after=", None),
            ("file:///etc/passwd", None),
            ("", None),
        ];
        for (uri, expected) in table {
            assert_eq!(Address::parse(uri), expected, "{uri}");
        }
    }

    #[test]
    fn a_change_concerns_what_it_names() {
        let [main, event] = ["string://topic/main", "string://event/evt_1"];
        let table = [
            (Change::Anything, vec![main, EVENTS, event]),
            (Change::Topic("main".into()), vec![main]),
            (Change::Topic("docs".into()), vec![]),
            (Change::Event("evt_1".into()), vec![EVENTS, event]),
            (Change::Event("evt_2".into()), vec![EVENTS]),
            (Change::Events, vec![EVENTS, event]),
        ];
        for (change, expected) in table {
            let mut shown = vec![main, EVENTS, event];
            shown.retain(|uri| Address::parse(uri).unwrap().shows(&change));
            assert_eq!(shown, expected, "{change:?}");
        }
    }
}
