"""How results are read: `standings` from a store, `leaderboard` as rows and text, `replays` match by match."""
