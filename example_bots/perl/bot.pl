#!/usr/bin/env perl
use v5.36;
use FindBin;
use lib "$FindBin::Bin/lib";

use Arena;
use Strategy;

exit Arena::serve(
    \&Strategy::choose,
    name => 'Thoughtful in Perl',
    language => 'perl',
    version => '1.0.0',
);
