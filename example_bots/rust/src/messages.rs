//! The messages of the wire protocol. Each is one MessagePack map, in which the key `type` names
//! the message.
//!
//! Keys that are not declared here are ignored, and types, phases and events that are not are read
//! as `Unknown`: version 1 of the protocol may grow.

use std::collections::BTreeMap;

use rmp_serde::{Deserializer, decode, encode};
use serde::{Deserialize, Serialize};

/// How deep maps and lists may be nested. The protocol's limit is 16; this one is there to spare
/// the stack.
const MAX_DEPTH: usize = 64;

/// A card is its rank.
pub type Rank = u32;

/// 0 or 1.
pub type Seat = u8;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Message {
    Hello(Hello),
    Welcome(Welcome),
    MatchStart(MatchStart),
    Request(Request),
    Action(Action),
    MatchEnd(MatchEnd),
    Error(Error),
    Bye(Bye),
    #[serde(other)]
    Unknown,
}

impl Message {
    pub fn decode(frame: &[u8]) -> Result<Self, decode::Error> {
        let mut deserializer = Deserializer::from_read_ref(frame);
        deserializer.set_max_depth(MAX_DEPTH);
        Self::deserialize(&mut deserializer)
    }

    pub fn encode(&self) -> Result<Vec<u8>, encode::Error> {
        rmp_serde::to_vec_named(self)
    }
}

/// What a bot says first. `concurrency` is how many matches at once it will play.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Hello {
    pub protocol: u32,
    pub token: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    pub concurrency: u32,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Welcome {
    pub protocol: u32,
    pub arena: String,
    pub bot: String,
    pub max_message: usize,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchStart {
    pub r#match: String,
    pub game: String,
    pub seat: Seat,
    pub players: Vec<String>,
    pub rules: Rules,
    pub time: Time,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Rules {
    /// Copies of each rank. Keys of a map are strings on the wire.
    pub deck: BTreeMap<String, u32>,
    /// Cards dealt to each player, by space; the first entry is space 1.
    pub board: Vec<u32>,
    pub arrows: Vec<Arrow>,
    pub round_tie: String,
    pub max_rounds: u32,
}

/// Who replaces first on a space: a seat, or `"both"` at the same time.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Arrow {
    Seat(Seat),
    Both(String),
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Time {
    pub move_ms: Option<u64>,
    pub bank_ms: Option<u64>,
    pub increment_ms: u64,
    pub margin_ms: u64,
}

/// A decision is due. `legal_actions` is left out where any choice of cards is legal.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    pub r#match: String,
    pub request: RequestId,
    pub seat: Seat,
    pub observation: Observation,
    pub events: Vec<Event>,
    pub legal_actions: Option<Vec<Vec<Rank>>>,
    pub time_ms: u64,
}

/// Opaque: any 64-bit integer, signed or not, to be echoed exactly.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum RequestId {
    Unsigned(u64),
    Signed(i64),
}

/// All that a seat may know. A key that is not there is taken as empty, since it is for the
/// strategy to say what it needs in order to play.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Observation {
    pub phase: Phase,
    pub round: u32,
    pub space: u32,
    pub covered: Vec<u32>,
    pub wins_needed: Vec<u32>,
    /// Ascending, as all cards in an observation.
    pub hand: Vec<Rank>,
    pub opponent_cards: u32,
    pub discarded: Vec<Rank>,
    pub draw_pile: u32,
    /// Only in phase `replace`.
    pub max_replace: Option<usize>,
    /// Only in phase `defend`.
    pub attack: Option<Vec<Rank>>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    Replace,
    Duel,
    Attack,
    Defend,
    #[default]
    #[serde(other)]
    Unknown,
}

/// What both players can see. Pairs are by seat.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    Deal {
        round: u32,
        space: u32,
        cards: u32,
    },
    Replaced {
        seat: Seat,
        cards: Vec<Rank>,
    },
    Duel {
        cards: [Rank; 2],
    },
    Trick {
        attacker: Seat,
        attack: Vec<Rank>,
        answer: Vec<Rank>,
        defended: bool,
    },
    Showdown {
        cards: [Rank; 2],
        winner: Option<Seat>,
    },
    Moved {
        from: u32,
        to: u32,
    },
    #[serde(other)]
    Unknown,
}

/// The answer to one request: the cards to play, in any order.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Action {
    pub r#match: String,
    pub request: RequestId,
    pub action: Vec<Rank>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchEnd {
    pub r#match: String,
    pub winner: Option<Seat>,
    pub reason: String,
    pub detail: String,
    pub events: Vec<Event>,
}

/// What the bot did wrong, in words for people. There is nothing to answer.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Error {
    pub code: String,
    pub message: String,
    pub r#match: Option<String>,
    pub request: Option<RequestId>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Bye {
    pub reason: String,
}
