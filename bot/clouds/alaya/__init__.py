"""Alaya NeW Cloud (九章智算云): jobs, pods, GPU use and terminals over its OpenAPI."""

from bot.clouds.alaya.cloud import Alaya

__all__ = ["Alaya"]
