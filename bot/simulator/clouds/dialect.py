"""How a platform says no: the one thing that the shared parts of the servers must ask a platform."""

from typing import Protocol

from aiohttp import web


class Complaint(Exception):
    """A request that the platform refuses; the server turns it into its own words."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message


class Dialect(Protocol):
    def failure(self, status: int, code: str, message: str) -> web.Response:
        """An error with an HTTP status of its own; empty code or message: what is usual."""

    def business(self, code: str, message: str) -> web.Response:
        """HTTP 200 whose body says that the call failed."""

    def throttled(self, status: int | None, retry_after: float | None) -> web.Response:
        """Flow control; `retry_after` in seconds becomes the platform's own header."""

    def no_route(self, path: str) -> web.Response: ...

    async def verify(self, request: web.Request) -> None:
        """Raises Complaint when the request is not signed as it must be."""
