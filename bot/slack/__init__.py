"""Outside world 3: Slack. Connection, delivery of messages, listeners and Block Kit views."""
