# frozen_string_literal: true

require "minitest/autorun"
require_relative "../lib/strategy"

class StrategyTest < Minitest::Test
  def test_replaces_all_but_two_low_cards_and_the_high_ones
    assert_equal [2, 5], replace([1, 2, 2, 5, 9, 12], 6)
    assert_equal [3, 4], replace([3, 4, 10], 3)
    assert_empty replace([1, 2, 9], 3)
  end

  def test_replaces_no_more_than_it_may
    assert_equal [3, 4], replace([1, 2, 3, 4, 5], 2)
    assert_empty replace([3, 4, 5], 0)
  end

  def test_parts_with_the_most_middling_card_in_a_duel
    assert_equal [6], duel([1, 2, 6, 12])
    assert_equal [5], duel([1, 5, 7, 12]), "the first of equals"
    assert_equal [12], duel([6, 12]), "never the lowest"
  end

  def test_attacks_with_the_longest_group_then_the_highest_then_the_first
    assert_equal [4, 4, 4], attack([1, 4, 4, 4, 11, 11], [[1], [4], [4, 4], [4, 4, 4], [11], [11, 11]])
    assert_equal [8, 8], attack([1, 7, 7, 8, 8], [[1], [7], [7, 7], [8], [8, 8]])
    assert_equal [4, 5, 6], attack([1, 4, 5, 5, 5, 6], [[1], [4], [4, 5, 6], [5], [5, 5], [5, 5, 5], [6]])
  end

  def test_spends_no_low_cards_on_a_group
    assert_equal [7], attack([1, 2, 2, 7, 11], [[1], [2], [2, 2], [7], [11]])
    assert_equal [7], attack([4, 4, 7, 11], [[4], [4, 4], [7], [11]])
  end

  def test_attacks_with_its_highest_card_in_the_end
    assert_equal [12], attack([1, 5, 12], [[1], [5], [12]])
  end

  def test_beats_an_attack_as_cheaply_as_possible
    assert_equal [9, 11], defend([1, 5, 7, 9, 11, 11], [8, 8], [[1, 5], [1, 9], [1, 11], [9, 11], [11, 11]])
    assert_equal [8], defend([1, 2, 2, 8, 12], [8], [[1], [8], [12]])
  end

  def test_gives_up_a_spare_low_card_rather_than_a_high_one_except_in_the_end
    assert_equal [1], defend([1, 2, 9, 12], [8], [[1], [9], [12]])
    assert_equal [12], defend([1, 2, 12], [8], [[1], [12]])
  end

  def test_gives_up_its_lowest_cards_to_what_it_cannot_beat
    assert_equal [1, 3], defend([1, 3, 5, 8], [9, 9], [[1, 3]])
  end

  private

  def replace(hand, max_replace) = Strategy.choose({ observation: { phase: "replace", hand:, max_replace: } })

  def duel(hand) = Strategy.choose({ observation: { phase: "duel", hand: }, legal_actions: hand.zip })

  def attack(hand, legal_actions) = Strategy.choose({ observation: { phase: "attack", hand: }, legal_actions: })

  def defend(hand, attack, legal_actions)
    Strategy.choose({ observation: { phase: "defend", hand:, attack: }, legal_actions: })
  end
end
