"""Tournament formats: one module each; the contract is `arena.contracts.Format`."""
