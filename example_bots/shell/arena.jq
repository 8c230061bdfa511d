# Talks with the arena: a message is one line of JSON, from it on stdin, to it on stdout. stderr is the bot's log.
# Another strategy needs no change here.

# What the bot says first. $about: name, author, language, version and concurrency, all of them optional.
def hello($token; $about):
  {type: "hello", protocol: 1, token: $token} + $about;

# The answer to a request; its id means nothing, it goes back as it came.
def action($cards):
  {type: "action", match, request, action: $cards};

# What a message makes the bot write: an answer to a request; to all else, nothing.
def reply(choose):
  if .type == "request" then action(choose)
  elif .type == "error" then "the arena objects: \(.message) (\(.code))" | debug | empty # debug writes to stderr
  elif .type == "bye" then halt
  else empty
  end;

# Plays every match that the arena brings, until its bye or the end of stdin. choose: from a request to the array of the
# cards to play. $about: what the bot says of itself in hello.
def serve(choose; $about):
  hello(env.ARENA_TOKEN; $about), (inputs | reply(choose));
