package main

import (
	"fmt"

	"github.com/vmihailenco/msgpack/v5"
)

// The messages of the wire protocol. Each is one MessagePack map, in which the key "type" names the message. Keys that
// are not declared here are ignored: version 1 of the protocol may grow.

// Hello is what a bot says first. Concurrency is how many matches at once it will play.
type Hello struct {
	Type        string `msgpack:"type"`
	Protocol    int    `msgpack:"protocol"`
	Token       string `msgpack:"token"`
	Name        string `msgpack:"name,omitempty"`
	Author      string `msgpack:"author,omitempty"`
	Language    string `msgpack:"language,omitempty"`
	Version     string `msgpack:"version,omitempty"`
	Concurrency int    `msgpack:"concurrency"`
}

// Welcome is the answer to hello.
type Welcome struct {
	Type       string `msgpack:"type"`
	Protocol   int    `msgpack:"protocol"`
	Arena      string `msgpack:"arena"`
	Bot        string `msgpack:"bot"`
	MaxMessage int    `msgpack:"max_message"`
}

// MatchStart comes before the first request of a match.
type MatchStart struct {
	Type    string   `msgpack:"type"`
	Match   string   `msgpack:"match"`
	Game    string   `msgpack:"game"`
	Seat    int      `msgpack:"seat"`
	Players []string `msgpack:"players"`
	Rules   Rules    `msgpack:"rules"`
	Time    Time     `msgpack:"time"`
}

// Rules are those in force in one match.
type Rules struct {
	Deck      map[string]int `msgpack:"deck"`   // copies of each rank; keys of a map are strings on the wire
	Board     []int          `msgpack:"board"`  // cards dealt to each player, by space; the first one is space 1
	Arrows    []any          `msgpack:"arrows"` // who replaces first, by space: 0, 1 or "both"
	RoundTie  string         `msgpack:"round_tie"`
	MaxRounds int            `msgpack:"max_rounds"`
}

// Time is the clocks of a match. A limit that does not apply is nil.
type Time struct {
	MoveMS      *int `msgpack:"move_ms"`
	BankMS      *int `msgpack:"bank_ms"`
	IncrementMS int  `msgpack:"increment_ms"`
	MarginMS    int  `msgpack:"margin_ms"`
}

// Request asks for a decision. LegalActions is nil where any choice of cards is legal.
type Request struct {
	Type         string      `msgpack:"type"`
	Match        string      `msgpack:"match"`
	Request      RequestID   `msgpack:"request"`
	Seat         int         `msgpack:"seat"`
	Observation  Observation `msgpack:"observation"`
	Events       []Event     `msgpack:"events"`
	LegalActions [][]int     `msgpack:"legal_actions"`
	TimeMS       int         `msgpack:"time_ms"`
}

// RequestID is opaque: any 64-bit integer, signed or not. Kept as the bytes that came, it is echoed exactly.
type RequestID = msgpack.RawMessage

// Observation is all that a seat may know. Cards are ranks, ascending.
type Observation struct {
	Phase         string `msgpack:"phase"`
	Round         int    `msgpack:"round"`
	Space         int    `msgpack:"space"`
	Covered       []int  `msgpack:"covered"`
	WinsNeeded    []int  `msgpack:"wins_needed"` // by seat
	Hand          []int  `msgpack:"hand"`
	OpponentCards int    `msgpack:"opponent_cards"`
	Discarded     []int  `msgpack:"discarded"`
	DrawPile      int    `msgpack:"draw_pile"`
	MaxReplace    int    `msgpack:"max_replace"` // only in phase "replace"
	Attack        []int  `msgpack:"attack"`      // only in phase "defend"
}

// Event is something that both players can see. Its key "event" says what, and thereby which other keys it has.
type Event map[string]any

// Action answers one request: the cards to play, in any order.
type Action struct {
	Type    string    `msgpack:"type"`
	Match   string    `msgpack:"match"`
	Request RequestID `msgpack:"request"`
	Action  []int     `msgpack:"action"`
}

// MatchEnd says how a match ended. Winner is nil for a draw, or when there is no result.
type MatchEnd struct {
	Type   string  `msgpack:"type"`
	Match  string  `msgpack:"match"`
	Winner *int    `msgpack:"winner"`
	Reason string  `msgpack:"reason"`
	Detail string  `msgpack:"detail"`
	Events []Event `msgpack:"events"`
}

// Error says what the bot did wrong, in words for people. There is nothing to answer.
type Error struct {
	Type    string    `msgpack:"type"`
	Code    string    `msgpack:"code"`
	Message string    `msgpack:"message"`
	Match   string    `msgpack:"match,omitempty"`
	Request RequestID `msgpack:"request,omitempty"`
}

// Bye asks the process to exit.
type Bye struct {
	Type   string `msgpack:"type"`
	Reason string `msgpack:"reason"`
}

// decode returns a pointer to the message that a frame holds, or nil if it is of a type that a bot does not know.
func decode(frame []byte) (any, error) {
	var header struct {
		Type string `msgpack:"type"`
	}
	if err := msgpack.Unmarshal(frame, &header); err != nil {
		return nil, err
	}
	var message any
	switch header.Type {
	case "welcome":
		message = new(Welcome)
	case "match_start":
		message = new(MatchStart)
	case "request":
		message = new(Request)
	case "match_end":
		message = new(MatchEnd)
	case "error":
		message = new(Error)
	case "bye":
		message = new(Bye)
	default:
		return nil, nil
	}
	if err := msgpack.Unmarshal(frame, message); err != nil {
		return nil, fmt.Errorf("%s: %w", header.Type, err)
	}
	return message, nil
}
