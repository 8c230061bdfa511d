use v5.36;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;

use Strategy;

sub replace ($hand, $most) {
    return choose(undef, phase => 'replace', hand => $hand, max_replace => $most);
}

sub duel ($hand) {
    return choose([map { [$_] } @$hand], phase => 'duel', hand => $hand);
}

sub attack ($hand, $legal) {
    return choose($legal, phase => 'attack', hand => $hand);
}

sub defend ($hand, $attack, $legal) {
    return choose($legal, phase => 'defend', hand => $hand, attack => $attack);
}

sub choose ($legal, %seen) {
    return Strategy::choose({ observation => \%seen, legal_actions => $legal });
}

subtest 'replaces all but two low cards and the high ones' => sub {
    is_deeply(replace([1, 2, 2, 5, 9, 12], 6), [2, 5], 'a third low card goes');
    is_deeply(replace([3, 4, 10], 3), [3, 4], 'no card is low');
    is_deeply(replace([1, 2, 9], 3), [], 'a good hand');
};

subtest 'replaces no more than it may' => sub {
    is_deeply(replace([1, 2, 3, 4, 5], 2), [3, 4], 'two');
    is_deeply(replace([3, 4, 5], 0), [], 'none');
};

subtest 'parts with the most middling card in a duel' => sub {
    is_deeply(duel([1, 2, 6, 12]), [6], 'in the middle');
    is_deeply(duel([1, 5, 7, 12]), [5], 'the first of equals');
    is_deeply(duel([6, 12]), [12], 'never the lowest');
};

subtest 'attacks with the best group' => sub {
    is_deeply(attack([1, 4, 4, 4, 11, 11], [[1], [4], [4, 4], [4, 4, 4], [11], [11, 11]]), [4, 4, 4], 'the longest');
    is_deeply(attack([1, 7, 7, 8, 8], [[1], [7], [7, 7], [8], [8, 8]]), [8, 8], 'then the highest');
    my @legal = ([1], [4], [4, 5, 6], [5], [5, 5], [5, 5, 5], [6]);
    is_deeply(attack([1, 4, 5, 5, 5, 6], \@legal), [4, 5, 6], 'then the first');
};

subtest 'spends no low cards on a group' => sub {
    is_deeply(attack([1, 2, 2, 7, 11], [[1], [2], [2, 2], [7], [11]]), [7], 'of low rank');
    is_deeply(attack([4, 4, 7, 11], [[4], [4, 4], [7], [11]]), [7], 'with the lowest card');
};

subtest 'attacks with its highest card in the end' => sub {
    is_deeply(attack([1, 5, 12], [[1], [5], [12]]), [12], 'three cards');
};

subtest 'beats an attack as cheaply as possible' => sub {
    my @legal = ([1, 5], [1, 9], [1, 11], [9, 11], [11, 11]);
    is_deeply(defend([1, 5, 7, 9, 11, 11], [8, 8], \@legal), [9, 11], 'two cards');
    is_deeply(defend([1, 2, 2, 8, 12], [8], [[1], [8], [12]]), [8], 'a card that is not high');
};

subtest 'gives up a spare low card rather than a high one' => sub {
    is_deeply(defend([1, 2, 9, 12], [8], [[1], [9], [12]]), [1], 'four cards');
    is_deeply(defend([1, 2, 12], [8], [[1], [12]]), [12], 'not in the end');
};

subtest 'gives up its lowest cards to what it cannot beat' => sub {
    is_deeply(defend([1, 3, 5, 8], [9, 9], [[1, 3]]), [1, 3], 'both');
};

done_testing;
