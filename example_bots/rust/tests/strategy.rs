//! Rules of thumb, and what is easy to get wrong about them.

use bot::messages::{Observation, Phase, Rank, Request, RequestId};
use bot::strategy::choose;

fn request(observation: Observation, legal_actions: Option<&[&[Rank]]>) -> Request {
    Request {
        r#match: "m".into(),
        request: RequestId::Unsigned(1),
        seat: 0,
        observation,
        events: vec![],
        legal_actions: legal_actions
            .map(|actions| actions.iter().map(|cards| cards.to_vec()).collect()),
        time_ms: 1000,
    }
}

fn replace(hand: &[Rank], max_replace: usize) -> Vec<Rank> {
    let observation = Observation {
        phase: Phase::Replace,
        hand: hand.to_vec(),
        max_replace: Some(max_replace),
        ..Observation::default()
    };
    choose(&request(observation, None))
}

/// The answer in another phase, which must be legal.
fn play(phase: Phase, hand: &[Rank], attack: &[Rank], legal_actions: &[&[Rank]]) -> Vec<Rank> {
    let observation = Observation {
        phase,
        hand: hand.to_vec(),
        attack: (phase == Phase::Defend).then(|| attack.to_vec()),
        ..Observation::default()
    };
    let action = choose(&request(observation, Some(legal_actions)));
    assert!(legal_actions.contains(&&action[..]), "{action:?}");
    action
}

#[test]
fn replacing_keeps_high_cards_and_two_low_ones() {
    assert_eq!(replace(&[1, 1, 2, 5, 8, 9, 12], 7), [2, 5, 8]);
    assert_eq!(replace(&[3, 5, 6], 2), [3, 5]);
    assert!(replace(&[1, 2, 9], 3).is_empty());
}

#[test]
fn a_duel_costs_the_most_middling_card_but_not_the_lowest() {
    let cards: &[&[Rank]] = &[&[5], &[7], &[12]];
    assert_eq!(play(Phase::Duel, &[5, 7, 12], &[], cards), [7]);
    let cards: &[&[Rank]] = &[&[1], &[5], &[7]];
    assert_eq!(
        play(Phase::Duel, &[1, 5, 7], &[], cards),
        [5],
        "the first of equals"
    );
}

#[test]
fn attacks_are_the_largest_group_that_costs_no_low_card() {
    let cards: &[&[Rank]] = &[&[1], &[1, 2, 3], &[2], &[3], &[8], &[8, 8], &[12]];
    assert_eq!(
        play(Phase::Attack, &[1, 2, 3, 8, 8, 12], &[], cards),
        [8, 8]
    );
    let cards: &[&[Rank]] = &[&[1], &[7], &[7, 8, 9], &[8], &[8, 8, 8], &[9]];
    assert_eq!(
        play(Phase::Attack, &[1, 7, 8, 8, 8, 9], &[], cards),
        [7, 8, 9],
        "the first of equals"
    );
}

#[test]
fn attacks_without_a_group_use_a_useless_card_and_at_the_end_the_highest() {
    let cards: &[&[Rank]] = &[&[1], &[5], &[9], &[12]];
    assert_eq!(play(Phase::Attack, &[1, 5, 9, 12], &[], cards), [5]);
    let cards: &[&[Rank]] = &[&[1], &[5], &[12]];
    assert_eq!(play(Phase::Attack, &[1, 5, 12], &[], cards), [12]);
}

#[test]
fn defences_are_cheap() {
    let answers: &[&[Rank]] = &[&[1, 5], &[1, 9], &[1, 11], &[9, 11], &[11, 11]];
    assert_eq!(
        play(Phase::Defend, &[1, 5, 7, 9, 11, 11], &[8, 8], answers),
        [9, 11]
    );
    let answers: &[&[Rank]] = &[&[1], &[10]];
    assert_eq!(
        play(Phase::Defend, &[1, 2, 5, 10], &[10], answers),
        [1],
        "a low card to spare"
    );
    assert_eq!(
        play(Phase::Defend, &[1, 2, 10], &[10], answers),
        [10],
        "at the end high cards are for beating"
    );
    let answers: &[&[Rank]] = &[&[1]];
    assert_eq!(
        play(Phase::Defend, &[1, 4, 7], &[12], answers),
        [1],
        "nothing beats it"
    );
}

#[test]
fn ranks_of_other_decks_are_played() {
    let cards: &[&[Rank]] = &[&[50], &[200], &[200, 200, 200], &[255], &[255, 255]];
    assert_eq!(
        play(Phase::Attack, &[50, 200, 200, 200, 255, 255], &[], cards),
        [200, 200, 200]
    );
}

#[test]
fn what_the_rules_of_thumb_do_not_know_gets_a_legal_answer() {
    let cards: &[&[Rank]] = &[&[4], &[5]];
    assert_eq!(play(Phase::Unknown, &[4, 5], &[], cards), [4]);
    assert_eq!(play(Phase::Defend, &[], &[], cards), [4]);
    assert_eq!(play(Phase::Duel, &[4], &[], &[&[4]]), [4]);
    assert!(choose(&request(Observation::default(), None)).is_empty());
}
