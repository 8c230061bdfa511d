"""Executors: one module each; the contract is `arena.contracts.Executor`."""
