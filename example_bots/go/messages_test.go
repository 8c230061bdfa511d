package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/vmihailenco/msgpack/v5"
)

// vector is one of the protocol's golden vectors: a frame, and the message that it holds.
type vector struct {
	Name      string
	Valid     bool
	Canonical bool
	Hex       string
	JSON      map[string]any
}

// vectors returns the golden vectors, those that are valid or those that are not.
func vectors(t *testing.T, valid bool) []vector {
	t.Helper()
	text, err := os.ReadFile("vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber() // a float64 does not hold every request id
	var all []vector
	if err := decoder.Decode(&all); err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(v vector) bool { return v.Valid != valid })
}

func (v vector) frame(t *testing.T) []byte {
	t.Helper()
	frame, err := hex.DecodeString(v.Hex)
	if err != nil {
		t.Fatal(err)
	}
	return frame
}

// generic is a message as plain maps, lists and strings, with numbers as JSON writes them.
func generic(t *testing.T, frame []byte) any {
	t.Helper()
	var value any
	if err := msgpack.Unmarshal(frame, &value); err != nil {
		t.Fatal(err)
	}
	return plain(value)
}

func plain(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for key := range value {
			value[key] = plain(value[key])
		}
	case []any:
		for i := range value {
			value[i] = plain(value[i])
		}
	case int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64:
		return json.Number(fmt.Sprint(value))
	}
	return value
}

// holds says whether all of expected is in found, which may have more keys: those that were absent on the wire.
func holds(found, expected any) bool {
	switch expected := expected.(type) {
	case map[string]any:
		found, ok := found.(map[string]any)
		for key := range expected {
			value, present := found[key]
			ok = ok && present && holds(value, expected[key])
		}
		return ok
	case []any:
		found, ok := found.([]any)
		return ok && slices.EqualFunc(found, expected, holds)
	}
	return reflect.DeepEqual(found, expected)
}

func TestWhatTheRefereeSendsIsReadExactly(t *testing.T) {
	types := []any{"welcome", "match_start", "request", "match_end", "error", "bye"}
	checked := 0
	for _, v := range vectors(t, true) {
		if !slices.Contains(types, v.JSON["type"]) {
			continue
		}
		message, err := decode(v.frame(t))
		if err != nil {
			t.Errorf("%s: %v", v.Name, err)
			continue
		}
		frame, err := msgpack.Marshal(message)
		if err != nil {
			t.Fatal(err)
		}
		if found := generic(t, frame); !holds(found, v.JSON) {
			t.Errorf("%s: %v", v.Name, found)
		}
		checked++
	}
	if checked < 13 {
		t.Errorf("only %d vectors", checked)
	}
}

func TestWhatTheBotSendsIsWrittenExactly(t *testing.T) {
	checked := 0
	for _, v := range vectors(t, true) {
		var message any
		switch v.JSON["type"] {
		case "hello":
			message = new(Hello)
		case "action":
			// the protocol lets an action be anything; this bot's are lists of ranks
			if !isRanks(v.JSON["action"]) {
				continue
			}
			message = new(Action)
		default:
			continue
		}
		if err := msgpack.Unmarshal(v.frame(t), message); err != nil {
			t.Errorf("%s: %v", v.Name, err)
			continue
		}
		if hello, ok := message.(*Hello); ok && hello.Concurrency == 0 {
			hello.Concurrency = 1 // what leaving it out means
		}
		frame, err := msgpack.Marshal(message)
		if err != nil {
			t.Fatal(err)
		}
		if found := generic(t, frame); !reflect.DeepEqual(found, any(v.JSON)) {
			t.Errorf("%s: %v", v.Name, found)
		}
		if v.Canonical && hex.EncodeToString(frame) != v.Hex {
			t.Errorf("%s: %x", v.Name, frame)
		}
		checked++
	}
	if checked < 40 {
		t.Errorf("only %d vectors", checked)
	}
}

func isRanks(action any) bool {
	cards, ok := action.([]any)
	return ok && !slices.ContainsFunc(cards, func(card any) bool {
		number, ok := card.(json.Number)
		if !ok {
			return true
		}
		_, err := number.Int64()
		return err != nil
	})
}

func TestWhatIsNewerThanTheBotIsIgnored(t *testing.T) {
	frame, err := msgpack.Marshal(map[string]any{"type": "news", "match": []int{1}})
	if err != nil {
		t.Fatal(err)
	}
	if message, err := decode(frame); message != nil || err != nil {
		t.Errorf("%v, %v", message, err)
	}
}

func TestNothingInvalidCrashes(t *testing.T) {
	invalid := vectors(t, false)
	if len(invalid) < 60 {
		t.Errorf("only %d vectors", len(invalid))
	}
	for _, v := range invalid {
		message, err := decode(v.frame(t))
		if request, ok := message.(*Request); ok && err == nil {
			choose(request)
		}
	}
}
