"""Alibaba SysOM (操作系统控制台): alarm records of GPU clusters with their topology, over OpenAPI 2023-12-30."""

from bot.clouds.sysom.cloud import Sysom

__all__ = ["Sysom"]
