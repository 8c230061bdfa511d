"""`python -m arena`: the program `arena`, also where its script is not on the PATH."""

from arena.cli import main

main()
