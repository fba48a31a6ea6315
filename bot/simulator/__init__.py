"""Peers for the demo and the tests: simulated clouds, a simulated Slack with its page, a scripted world. It shares no
code with the adapters, so that it can judge them."""
