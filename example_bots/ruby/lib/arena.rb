# frozen_string_literal: true

require "json"

# Talks with the arena: a message is one line of JSON, from it on stdin, to it on stdout. stderr is the bot's log.
# Another strategy needs no change here.
module Arena
  USAGE = <<~TEXT
    This is a bot: it plays when the arena starts it, with ARENA_ENDPOINT=stdio and ARENA_TOKEN.
    Name its command in a config, with `protocol: stdio`, and use `arena run CONFIG`; or try `arena match`.
  TEXT

  module_function

  # What the bot says first. about: name, author, language, version and concurrency, all of them optional.
  def hello(token, **about) = { type: "hello", protocol: 1, token:, **about }

  # The answer to a request; its id means nothing, it goes back as it came.
  def action(request, cards) = { type: "action", **request.slice(:match, :request), action: cards }

  # A message as a line.
  def encode(message) = "#{JSON.generate(message)}\n"

  # The message that a line holds, with symbols as keys. Raises JSON::ParserError if it holds none.
  def decode(line)
    message = JSON.parse(line, symbolize_names: true)
    raise JSON::ParserError, "a message is an object with a type" unless message in { type: String }

    message
  end

  # Plays every match that the arena brings, until its bye or the end of stdin. about: what the bot says of itself in
  # hello. The block makes of a request the list of the cards to play.
  def serve(**about, &choose)
    endpoint, token = ENV.values_at("ARENA_ENDPOINT", "ARENA_TOKEN")
    unless endpoint == "stdio" && token
      warn USAGE
      exit 2
    end
    $stdin.set_encoding(Encoding::UTF_8) # whatever the locale is
    $stdout.sync = true
    $stdout.write(encode(hello(token, **about)))
    $stdin.each_line do |line|
      case decode(line)
      in { type: "request" } => request then $stdout.write(encode(action(request, choose.call(request))))
      in { type: "error", message:, code: } then warn "the arena objects: #{message} (#{code})"
      in { type: "bye" } then break
      else next # a message that wants no answer
      end
    end
  rescue Errno::EPIPE
    # nobody reads any more: the arena is gone
  end
end
