# frozen_string_literal: true

require "minitest/autorun"
require "open3"
require "rbconfig"
require_relative "../lib/arena"

class ArenaTest < Minitest::Test
  VECTORS = JSON.parse(File.read(File.join(__dir__, "../lines.json"), encoding: "UTF-8"), symbolize_names: true)
  RECEIVED = %w[welcome match_start request match_end error bye].freeze
  BOT = File.join(__dir__, "../bot.rb")

  def test_decodes_every_message_that_it_may_get
    received = vectors(*RECEIVED)
    assert_operator received.size, :>=, 15
    received.each do |vector|
      message = Arena.decode(vector[:line])
      assert_equal vector[:json], message.slice(*vector[:json].keys), vector[:name]
      assert_nil message[:legal_actions], vector[:name] unless vector[:json][:legal_actions]
    end
  end

  def test_encodes_hello
    assert_operator vectors("hello").size, :>=, 5
    vectors("hello").each do |vector|
      about = vector[:json].except(:type, :protocol, :token)
      assert_written vector, Arena.hello(vector[:json][:token], **about)
    end
  end

  def test_encodes_actions
    assert_operator vectors("action").size, :>=, 10
    vectors("action").each { |vector| assert_written vector, Arena.action(vector[:json], vector[:json][:action]) }
  end

  def test_survives_what_is_no_message
    invalid = VECTORS.reject { |vector| vector[:valid] }
    assert_operator invalid.size, :>=, 30
    invalid.each do |vector|
      line = vector.fetch(:line) { [vector[:hex]].pack("H*").force_encoding(Encoding::UTF_8) }
      assert_kind_of String, Arena.decode(line)[:type], vector[:name]
    rescue JSON::JSONError
      pass
    end
  end

  def test_answers_every_request_legally_and_exits_at_bye
    heard = vectors(*RECEIVED - ["bye"]) + vectors("bye").take(1) + vectors("request").take(1)
    (hello, *answers), log, status = run_bot(heard)
    assert_predicate status, :success?
    assert_includes log, "the hand holds one 8"
    assert_equal %w[hello b64d0e9c], hello.values_at(:type, :token)
    assert_equal vectors("request").size, answers.size
    vectors("request").zip(answers) do |vector, answer|
      assert_equal vector[:json].slice(:match, :request), answer.slice(:match, :request)
      assert_includes legal_actions(vector[:json]), answer[:action], vector[:name]
    end
  end

  def test_exits_when_the_arena_is_gone
    _, _, status = run_bot(vectors("request").take(1))
    assert_predicate status, :success?
  end

  def test_explains_itself_when_started_by_hand
    written, log, status = run_bot([], "ARENA_ENDPOINT" => nil, "ARENA_TOKEN" => nil)
    assert_equal 2, status.exitstatus
    assert_empty written
    assert_includes log, "arena match"
  end

  private

  # The vectors that hold a message of one of these types.
  def vectors(*types) = VECTORS.select { |vector| vector[:valid] && types.include?(vector[:json][:type]) }

  def assert_written(vector, message)
    line = Arena.encode(message)
    assert_match(/\A[^\n]+\n\z/, line)
    assert_equal vector[:json], JSON.parse(line, symbolize_names: true), vector[:name]
  end

  # Runs the bot to its end with these messages as input; returns what it wrote, its log, and its exit status.
  def run_bot(heard, env = { "ARENA_ENDPOINT" => "stdio", "ARENA_TOKEN" => "b64d0e9c" })
    input = heard.map { |vector| "#{vector[:line]}\n" }.join
    output, log, status = Open3.capture3(env, RbConfig.ruby, BOT, stdin_data: input)
    [output.lines.map { |line| JSON.parse(line, symbolize_names: true) }, log, status]
  end

  # What may be answered; in phase "replace" every choice of cards.
  def legal_actions(request)
    request[:legal_actions] || begin
      hand, most = request[:observation].values_at(:hand, :max_replace)
      (0..most).flat_map { |size| hand.combination(size).to_a }
    end
  end
end
