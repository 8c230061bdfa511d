//! The protocol's golden vectors, through the bot's own message types.

use bot::messages::Message;
use bot::strategy::choose;
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct Vector {
    name: String,
    valid: bool,
    #[serde(default)]
    canonical: bool,
    hex: String,
    #[serde(default)]
    json: Value,
}

impl Vector {
    fn frame(&self) -> Vec<u8> {
        (0..self.hex.len())
            .step_by(2)
            .map(|start| u8::from_str_radix(&self.hex[start..start + 2], 16).unwrap())
            .collect()
    }
}

fn vectors() -> Vec<Vector> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/vectors.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// The valid vectors of the given types.
fn messages(types: &[&str]) -> Vec<Vector> {
    let is_wanted =
        |vector: &Vector| vector.valid && types.iter().any(|&name| vector.json["type"] == name);
    vectors().into_iter().filter(is_wanted).collect()
}

/// Whether everything in `expected` is in `found`, which may have more keys: those that were absent
/// on the wire.
fn holds(found: &Value, expected: &Value) -> bool {
    match (found, expected) {
        (Value::Object(found), Value::Object(expected)) => expected
            .iter()
            .all(|(key, value)| found.get(key).is_some_and(|found| holds(found, value))),
        (Value::Array(found), Value::Array(expected)) => {
            found.len() == expected.len()
                && found
                    .iter()
                    .zip(expected)
                    .all(|(found, value)| holds(found, value))
        }
        _ => found == expected,
    }
}

#[test]
fn what_the_referee_sends_is_read_exactly() {
    let types = [
        "welcome",
        "match_start",
        "request",
        "match_end",
        "error",
        "bye",
    ];
    let vectors = messages(&types);
    assert!(vectors.len() >= 13, "only {} vectors", vectors.len());
    for vector in vectors {
        let message = Message::decode(&vector.frame()).expect(&vector.name);
        let found = serde_json::to_value(&message).unwrap();
        assert!(holds(&found, &vector.json), "{}: {found}", vector.name);
    }
}

#[test]
fn what_the_bot_sends_is_written_exactly() {
    let mut checked = 0;
    for vector in messages(&["hello", "action"]) {
        // the protocol lets an action be anything; this bot's are lists of ranks
        let action = vector.json.get("action");
        let is_ranks = |cards: &Value| {
            cards
                .as_array()
                .is_some_and(|cards| cards.iter().all(Value::is_u64))
        };
        if !action.is_none_or(is_ranks) {
            continue;
        }
        let message: Message = serde_json::from_value(vector.json.clone()).expect(&vector.name);
        let frame = message.encode().unwrap();
        let found: Value = rmp_serde::from_slice(&frame).unwrap();
        assert_eq!(found, vector.json, "{}", vector.name);
        if vector.canonical {
            assert_eq!(frame, vector.frame(), "{}", vector.name);
        }
        checked += 1;
    }
    assert!(checked >= 40, "only {checked} vectors");
}

#[test]
fn nothing_invalid_crashes() {
    let mut invalid = vectors();
    invalid.retain(|vector| !vector.valid);
    assert!(invalid.len() >= 60, "only {} vectors", invalid.len());
    for vector in invalid {
        if let Ok(Message::Request(request)) = Message::decode(&vector.frame()) {
            choose(&request);
        }
    }
}
