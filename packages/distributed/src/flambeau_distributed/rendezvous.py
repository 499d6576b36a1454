"""Rendezvous of processes: from an address to a store, a rank and the number of processes."""

import os
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qsl, urlparse

from flambeau_distributed.file_store import FileStore
from flambeau_distributed.reduce_op import default_pg_timeout
from flambeau_distributed.stores import PrefixStore, Store
from flambeau_distributed.tcp_store import TCPStore

__all__ = ["register_rendezvous_handler", "rendezvous"]

Found = Iterator[tuple[Store, int, int]]
_handlers: dict[str, Callable[..., Found]] = {}


def register_rendezvous_handler(scheme: str, handler: Callable[..., Found]) -> None:
    """Register how processes find each other by addresses with a custom scheme.

    Args:
        scheme: the part before ``://``.
        handler: called with the address and ``timeout=``; yields store, rank and size.

    Raises:
        RuntimeError: the word is taken.
    """
    if scheme in _handlers:
        raise RuntimeError(f"Rendezvous handler for {scheme}:// already registered")
    _handlers[scheme] = handler


def rendezvous(url: str, rank: int = -1, world_size: int = -1, **options: Any) -> Found:
    """Find the other processes by an address.

    Args:
        url: ``env://``, ``file:///path`` or ``tcp://host:port``, where ``?rank=`` and ``&world_size=`` may follow.
        rank, world_size: defaults for an address without them.
        options: ``timeout``.

    Returns:
        An iterator over store, rank and size.

    Raises:
        RuntimeError: the scheme of the address is unknown.
        ValueError: rank or size is unknown.
    """
    if not isinstance(url, str | bytes):
        raise RuntimeError(f"`url` must be a string. {type(url)}: {url}")
    parts = urlparse(url)
    handler = _handlers.get(parts.scheme)
    if handler is None:
        raise RuntimeError(f"No rendezvous handler for {parts.scheme}://")
    query = dict(parse_qsl(parts.query))
    for name, value in (("rank", rank), ("world_size", world_size)):
        if value != -1:
            if name in query:
                raise AssertionError(f"The url: {url} has node-specific arguments(rank, world_size) already.")
            query[name] = str(value)
    text = "&".join(f"{name}={value}" for name, value in query.items())
    address = parts._replace(query=text).geturl()
    return handler(address if "://" in address else address.replace(":", "://", 1), **options)


def _parts(kind: str, url: str) -> "tuple[Any, dict[str, str]]":
    parts = urlparse(url)
    return parts, dict(parse_qsl(parts.query))


def _missing(kind: str, what: str) -> ValueError:
    return ValueError(f"Error initializing torch.distributed using {kind}:// rendezvous: {what}")


def _numbers(kind: str, query: "dict[str, str]") -> "tuple[int, int]":
    if "rank" not in query:
        raise _missing(kind, "rank parameter missing")
    if "world_size" not in query:
        raise _missing(kind, "world size parameter missing")
    return int(query["rank"]), int(query["world_size"])


def _by_file(url: str, timeout: timedelta = default_pg_timeout, **options: Any) -> Found:
    parts, query = _parts("file", url)
    if not parts.path:
        raise _missing("file", "path missing")
    rank, size = _numbers("file", query)
    store = FileStore(parts.path, size)
    store.set_timeout(timeout)
    yield store, rank, size
    raise RuntimeError("Unable to perform rerendezvous using file:// method")


def _by_tcp(url: str, timeout: timedelta = default_pg_timeout, **options: Any) -> Found:
    parts, query = _parts("tcp", url)
    if parts.port is None:
        raise _missing("tcp", "port number missing")
    rank, size = _numbers("tcp", query)
    yield _served(parts.hostname or "localhost", parts.port, rank, size, timeout), rank, size
    raise RuntimeError("Unable to perform re-rendezvous using tcp:// method")


def _by_environment(url: str, timeout: timedelta = default_pg_timeout, **options: Any) -> Found:
    _, query = _parts("env", url)

    def of(name: str) -> str:
        if name not in os.environ:
            raise _missing("env", f"environment variable {name} expected, but not set")
        return os.environ[name]

    rank = int(query["rank"] if "rank" in query else of("RANK"))
    size = int(query["world_size"] if "world_size" in query else of("WORLD_SIZE"))
    host, port = of("MASTER_ADDR"), int(of("MASTER_PORT"))
    yield _served(host, port, rank, size, timeout), rank, size
    raise RuntimeError("Unable to perform re-rendezvous using env:// method")


def _served(host: str, port: int, rank: int, size: int, timeout: timedelta) -> Store:
    if not 0 <= port < 1 << 16:
        raise ValueError(f"port must have value from 0 to 65535 but was {port}.")
    if os.environ.get("TORCHELASTIC_USE_AGENT_STORE") == "True":  # `torchrun` serves it
        attempt = os.environ.get("TORCHELASTIC_RESTART_COUNT", "0")
        return PrefixStore(f"/worker/attempt_{attempt}", TCPStore(host, port, size, False, timeout, False))
    return TCPStore(host, port, size, rank == 0, timeout, multi_tenant=True)


for _scheme, _handler in (("file", _by_file), ("tcp", _by_tcp), ("env", _by_environment)):
    register_rendezvous_handler(_scheme, _handler)
