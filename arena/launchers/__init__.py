"""Launchers, the levels of confinement: one module each; the contract is `arena.contracts.Launcher`."""
