"""Rating methods: one module each; the contract is `arena.contracts.RatingMethod`."""
