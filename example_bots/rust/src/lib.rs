//! What the bot thinks, and the messages that it thinks about. How it talks to the arena is in
//! `main.rs`.

pub mod messages;
pub mod strategy;
