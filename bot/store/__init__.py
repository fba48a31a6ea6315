"""Outside world 2: what the bot remembers, in SQLite through sqlite-utils."""
