"""The least that any referee must do: the same messages as in real matches, with the same bots, and nothing else."""
