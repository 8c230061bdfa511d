"""How a tournament is written down: a YAML file to values that can run, every problem with its line.

`document` is YAML that knows its lines, `settings` fills settings classes from it, `entrants` and `roster` are who
plays, `tournament` is the whole file, `builds` makes the bots' programs, `examples` copies example bots.
"""
