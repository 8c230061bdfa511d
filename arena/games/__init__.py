"""Games: one module (or sub-package) each; the contract is `arena.contracts.Game`."""
