# Talks with the arena: a message is one line of JSON, from it on stdin, to it on stdout. stderr is the bot's log.
# Another strategy needs no change here.
package Arena;
use v5.36;

use JSON::PP;

my $json = JSON::PP->new->utf8;

# What the bot says first. %about: name, author, language, version and concurrency, all of them optional.
sub hello ($token, %about) {
    return { type => 'hello', protocol => 1, token => $token, %about };
}

# The answer to a request; its id means nothing, it goes back as it came.
sub action ($request, $cards) {
    return { type => 'action', match => $request->{match}, request => $request->{request}, action => $cards };
}

# A message as a line.
sub encode ($message) {
    return $json->encode($message) . "\n";
}

# The message that a line holds. Dies if it holds none.
sub decode ($line) {
    my $message = $json->decode($line);
    die "a message is an object with a type\n" unless ref $message eq 'HASH' && defined $message->{type};
    return $message;
}

# Plays every match that the arena brings, until its bye or the end of stdin; returns the status to exit with.
# $choose: from a request to the list of the cards to play. %about: what the bot says of itself in hello.
sub serve ($choose, %about) {
    my ($endpoint, $token) = @ENV{qw(ARENA_ENDPOINT ARENA_TOKEN)};
    unless ($token && $endpoint && $endpoint eq 'stdio') {
        print STDERR
          "This is a bot: it plays when the arena starts it, with ARENA_ENDPOINT=stdio and ARENA_TOKEN.\n",
          "Name its command in a config, with `protocol: stdio`, and use `arena run CONFIG`; or try `arena match`.\n";
        return 2;
    }
    binmode STDERR, ':encoding(UTF-8)';
    STDOUT->autoflush;
    print encode(hello($token, %about));
    while (my $line = <STDIN>) {
        my $message = decode($line);
        my $type = $message->{type};
        if ($type eq 'request') {
            print encode(action($message, $choose->($message)));
        } elsif ($type eq 'error') {
            say STDERR "the arena objects: $message->{message} ($message->{code})";
        } elsif ($type eq 'bye') {
            last;
        }
    }
    return 0;
}

1;
