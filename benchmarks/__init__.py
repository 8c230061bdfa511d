"""What the arena costs, beside a floor or a peer that is measured in the same run: ``python -m benchmarks``."""
