use v5.36;
use FindBin;
use lib "$FindBin::Bin/../lib";
use File::Temp;
use JSON::PP;
use List::Util qw(all any);
use Test::More;

use Arena;

# Comparing texts tells 5 from "5"; is_deeply does not.
my $canonical = JSON::PP->new->canonical->allow_nonref;

open my $file, '<:raw', "$FindBin::Bin/../lines.json" or die "lines.json: $!";
my @vectors = decode_json(do { local $/; <$file> })->@*;

# The vectors that hold a message of one of these types.
sub vectors (@types) {
    return grep {
        my $vector = $_;
        $vector->{valid} && any { $_ eq $vector->{json}{type} } @types
    } @vectors;
}

# A vector's line as the bytes that come.
sub line ($vector) {
    my $line = $vector->{line};
    return pack 'H*', $vector->{hex} unless defined $line;
    utf8::encode($line);
    return $line;
}

my @received = vectors(qw(welcome match_start request match_end error bye));
my @requests = vectors('request');
my ($bye) = vectors('bye');

subtest 'decodes every message that it may get' => sub {
    cmp_ok(@received, '>=', 15, 'enough of them');
    for my $vector (@received) {
        my ($message, $wanted) = (Arena::decode(line($vector)), $vector->{json});
        my %got = map { $_ => $message->{$_} } keys %$wanted;
        is($canonical->encode(\%got), $canonical->encode($wanted), $vector->{name});
        ok(!defined $message->{legal_actions}, 'null means absent') unless $wanted->{legal_actions};
    }
};

subtest 'encodes every message that it may send' => sub {
    my @hellos = vectors('hello');
    my @actions = vectors('action');
    cmp_ok(@hellos, '>=', 5, 'enough of hello');
    cmp_ok(@actions, '>=', 10, 'enough of action');
    for my $vector (@hellos) {
        my %about = $vector->{json}->%*;
        delete @about{qw(type protocol)};
        is_written(Arena::hello(delete $about{token}, %about), $vector);
    }
    is_written(Arena::action($_->{json}, $_->{json}{action}), $_) for @actions;
};

sub is_written ($message, $vector) {
    my $line = Arena::encode($message);
    like($line, qr/\A [^\n]+ \n \z/x, 'one line');
    is($canonical->encode(decode_json($line)), $canonical->encode($vector->{json}), $vector->{name});
}

subtest 'survives what is no message' => sub {
    my @invalid = grep { !$_->{valid} } @vectors;
    cmp_ok(@invalid, '>=', 30, 'enough of them');
    for my $vector (@invalid) {
        my $message = eval { Arena::decode(line($vector)) };
        ok(defined $message ? defined $message->{type} : $@ ne '', $vector->{name});
    }
};

# Runs the bot to its end with these lines as input; returns its exit status, the messages that it wrote, and its log.
sub run_bot ($env, @lines) {
    my ($input, $log) = (File::Temp->new, File::Temp->new);
    print $input map {"$_\n"} @lines;
    close $input;
    local %ENV = (PATH => $ENV{PATH}, %$env);
    my @written = qx("$^X" "$FindBin::Bin/../bot.pl" <"$input" 2>"$log");
    return $? >> 8, [map { decode_json($_) } @written], do { local $/; <$log> };
}

my $arena = { ARENA_ENDPOINT => 'stdio', ARENA_TOKEN => 'b64d0e9c' };

subtest 'answers every request legally, and exits at bye' => sub {
    my @heard = grep { $_->{json}{type} ne 'bye' } @received;
    my ($status, $written, $log) = run_bot($arena, map { line($_) } @heard, $bye, $requests[0]);
    is($status, 0, 'exit status');
    like($log, qr/the hand holds one 8/, 'an error is in the log');
    my ($hello, @answers) = @$written;
    is($hello->{token}, 'b64d0e9c', 'the token is in hello');
    is(scalar @answers, scalar @requests, 'an answer for each request before bye');
    for my $vector (@requests) {
        my ($request, $answer) = ($vector->{json}, shift @answers);
        my $cards = $canonical->encode(delete $answer->{action});
        is_deeply($answer, { type => 'action', map { $_ => $request->{$_} } qw(match request) }, 'the ids are echoed');
        ok((any { $canonical->encode($_) eq $cards } legal_actions($request)), "$vector->{name}: $cards is legal");
    }
};

# What may be answered; in phase "replace" every choice of cards.
sub legal_actions ($request) {
    return $request->{legal_actions}->@* if $request->{legal_actions};
    my ($hand, $most) = $request->{observation}->@{qw(hand max_replace)};
    my @choices = ([]);
    for my $card (@$hand) {
        push @choices, map { [@$_, $card] } @choices;
    }
    return grep { @$_ <= $most } @choices;
}

subtest 'exits when the arena is gone' => sub {
    is((run_bot($arena, line($requests[0])))[0], 0, 'exit status');
};

subtest 'explains itself when started by hand' => sub {
    my ($status, $written, $log) = run_bot({});
    is($status, 2, 'exit status');
    is_deeply($written, [], 'nothing on stdout');
    like($log, qr/arena match/, 'what to do');
};

done_testing;
