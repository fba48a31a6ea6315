"""Baidu AIHC 百舸 over its API v1: wire models, the twenty calls, what they mean in our vocabulary, and the adapter.

The platform also offers an action-style v2 (one path, `?action=…`, flat answers; AIHC v1 reference §15) and calls v1 on
its way out. A v2 stands beside `client.py` and `wire.py`, with its own paging; meanings and adapter stay.
"""

from bot.clouds.baidu.cloud import Baidu

__all__ = ["Baidu"]
