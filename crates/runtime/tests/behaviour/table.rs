//! The table of commands: each row can be told from every other, and explains itself.

use std::collections::HashSet;

use runtime::command::table::{Place, commands, find};
use runtime::topic::Topic;

#[test]
fn every_command_has_its_own_name_and_place_and_explains_itself() {
    let mut seen = HashSet::new();
    for spec in commands() {
        let place = spec.place.names().join(", ");
        assert!(seen.insert((spec.name, place.clone())), "/{} in {place} stands twice", spec.name);
        assert_eq!(spec.name, spec.name.to_lowercase());
        // `/act.NAME` and `/tool:NAME` say in one word what they are about.
        let mut usage = spec.usage.split([' ', '.', ':']);
        assert_eq!(usage.next(), Some(format!("/{}", spec.name).as_str()), "{}", spec.usage);
        assert!(!spec.summary.is_empty() && !spec.summary.ends_with('.'), "/{}: {}", spec.name, spec.summary);
    }
}

#[test]
fn every_command_is_found_where_it_is_valid() {
    let topics = ["main", "app:x", "bash:x", "app", "bash", "tool", "event", "system", "agent"];
    for spec in commands() {
        let places: Vec<Topic> = topics.iter().map(|topic| Topic::parse(topic).unwrap()).collect();
        let mut valid = places.iter().filter(|topic| spec.place.allows(topic)).peekable();
        assert!(valid.peek().is_some(), "/{} is valid nowhere", spec.name);
        for topic in valid {
            let found = find(&spec.name.to_uppercase(), topic).unwrap();
            assert_eq!(found.name, spec.name, "in {topic}");
            // A hub's own word stands before a general one of the same name.
            let own = matches!((found.place, topic), (Place::Hub(place), Topic::Hub(hub)) if place == *hub);
            assert!(own || found.usage == spec.usage, "in {topic}: {} for {}", found.usage, spec.usage);
        }
    }
}
