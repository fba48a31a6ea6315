"""A Slack chat-ops bot and alert relay for rented GPU clusters."""

__version__ = "0.1.0"
