"""`gpubot check`: every part of a configuration tried for real, a line each. Nothing is posted, stopped or changed."""

from bot.app.check.check import check_all

__all__ = ["check_all"]
