package main

import (
	"slices"
	"testing"
)

func TestChoose(t *testing.T) {
	tests := []struct {
		name   string
		seen   Observation
		legal  [][]int // nil in phase replace
		expect []int
	}{
		{
			"replace all but high cards and two low ones",
			Observation{Phase: "replace", Hand: []int{1, 1, 2, 5, 8, 9, 12}, MaxReplace: 7},
			nil, []int{2, 5, 8},
		},
		{
			"replace no more than allowed",
			Observation{Phase: "replace", Hand: []int{3, 5, 6}, MaxReplace: 2},
			nil, []int{3, 5},
		},
		{
			"replace nothing of a good hand",
			Observation{Phase: "replace", Hand: []int{1, 2, 9}, MaxReplace: 3},
			nil, []int{},
		},
		{
			"a duel never costs the lowest card",
			Observation{Phase: "duel", Hand: []int{5, 7, 12}},
			[][]int{{5}, {7}, {12}}, []int{7},
		},
		{
			"of equally useless cards the first",
			Observation{Phase: "duel", Hand: []int{1, 5, 7}},
			[][]int{{1}, {5}, {7}}, []int{5},
		},
		{
			"attack with a group that costs no low card",
			Observation{Phase: "attack", Hand: []int{1, 2, 3, 8, 8, 12}},
			[][]int{{1}, {1, 2, 3}, {2}, {3}, {8}, {8, 8}, {12}}, []int{8, 8},
		},
		{
			"of equal groups the first",
			Observation{Phase: "attack", Hand: []int{1, 7, 8, 8, 8, 9}},
			[][]int{{1}, {7}, {7, 8, 9}, {8}, {8, 8, 8}, {9}}, []int{7, 8, 9},
		},
		{
			"without a group, get rid of a useless card",
			Observation{Phase: "attack", Hand: []int{1, 5, 9, 12}},
			[][]int{{1}, {5}, {9}, {12}}, []int{5},
		},
		{
			"at the end, attack with the highest",
			Observation{Phase: "attack", Hand: []int{1, 5, 12}},
			[][]int{{1}, {5}, {12}}, []int{12},
		},
		{
			"defend cheaply",
			Observation{Phase: "defend", Hand: []int{1, 5, 7, 9, 11, 11}, Attack: []int{8, 8}},
			[][]int{{1, 5}, {1, 9}, {1, 11}, {9, 11}, {11, 11}}, []int{9, 11},
		},
		{
			"give up a spare low card",
			Observation{Phase: "defend", Hand: []int{1, 2, 5, 10}, Attack: []int{10}},
			[][]int{{1}, {10}}, []int{1},
		},
		{
			"at the end, high cards are for beating",
			Observation{Phase: "defend", Hand: []int{1, 2, 10}, Attack: []int{10}},
			[][]int{{1}, {10}}, []int{10},
		},
		{
			"what cannot be beaten takes the lowest",
			Observation{Phase: "defend", Hand: []int{1, 4, 7}, Attack: []int{12}},
			[][]int{{1}}, []int{1},
		},
		{
			"ranks of another deck",
			Observation{Phase: "attack", Hand: []int{50, 200, 200, 200, 255, 255}},
			[][]int{{50}, {200}, {200, 200, 200}, {255}, {255, 255}}, []int{200, 200, 200},
		},
		{
			"an unknown phase",
			Observation{Phase: "bid", Hand: []int{4, 5}},
			[][]int{{4}, {5}}, []int{4},
		},
		{
			"a defence against nothing",
			Observation{Phase: "defend"},
			[][]int{{4}, {5}}, []int{4},
		},
		{
			"an empty observation",
			Observation{},
			nil, []int{},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			action := choose(&Request{Observation: test.seen, LegalActions: test.legal})
			if action == nil || !slices.Equal(action, test.expect) {
				t.Errorf("%v, expected %v", action, test.expect)
			}
			isAction := func(legal []int) bool { return slices.Equal(legal, action) }
			if test.legal != nil && !slices.ContainsFunc(test.legal, isAction) {
				t.Errorf("%v is not legal", action)
			}
		})
	}
}
