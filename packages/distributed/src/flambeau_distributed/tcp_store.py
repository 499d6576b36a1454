"""A store in one process, which others reach at a port of its host."""

import contextlib
import socket
import socketserver
import struct
import threading
import time
import weakref
from datetime import timedelta
from typing import Any

from flambeau_distributed.errors import DistNetworkError
from flambeau_distributed.stores import Store, Values

__all__ = ["TCPStore"]

_WORKERS = "init/"
# The methods of `Values` that may be called, and the types of their arguments.
_METHODS: dict[str, str] = {
    "set": "sb", "get": "s", "add": "si", "append": "sb", "compare_set": "sbb", "delete": "s", "missing": "lf",
    "names": "", "push": "sb", "pop": "sf", "length": "s",
}  # fmt: skip


class TCPStore(Store):
    """A store that one process serves at a port; the others connect to it.

    Args:
        host_name: the host of the serving process.
        port: the port; 0 selects a free one, which ``port`` then contains.
        world_size: the number of processes; None: any number.
        is_master: whether this process serves.
        timeout: how long to wait for connections and values.
        wait_for_workers: whether the serving process waits for all others.
        multi_tenant: whether several stores of this process may share the port.
        master_listen_fd: a socket that is already listening.
        use_libuv: accepted; there is only one kind of server.

    Raises:
        DistNetworkError: no process serves there, or the port is in use.

    >>> store = torch.distributed.TCPStore("localhost", 0, is_master=True, wait_for_workers=False)
    >>> other = torch.distributed.TCPStore("localhost", store.port)
    >>> store.set("a", "1")
    >>> other.get("a")
    b'1'
    """

    def __init__(
        self,
        host_name: str,
        port: int,
        world_size: "int | None" = None,
        is_master: bool = False,
        timeout: timedelta = timedelta(seconds=300),
        wait_for_workers: bool = True,
        multi_tenant: bool = False,
        master_listen_fd: "int | None" = None,
        use_libuv: bool = True,
    ) -> None:
        super().__init__()
        self._timeout = timeout
        self.host, self.libuvBackend = host_name, use_libuv
        self._lock = threading.Lock()
        self._server = None
        if is_master:
            self._server = _serve(port, multi_tenant, master_listen_fd)
            port = self._server.server_address[1]
        self.port = port
        self._socket = _connect(host_name if not is_master else "localhost", port, timeout.total_seconds())
        weakref.finalize(self, _close, self._socket, self._server)
        if wait_for_workers and world_size is not None and world_size > 0:
            self._wait_for_workers(world_size, is_master)

    def _wait_for_workers(self, world_size: int, is_master: bool) -> None:
        here = self.add(_WORKERS, 1)
        end = time.monotonic() + self.timeout.total_seconds()
        while is_master and here < world_size:
            if time.monotonic() > end:
                raise DistNetworkError(
                    f"Timed out after {self.timeout.total_seconds():.0f} seconds waiting for clients. "
                    f"{here}/{world_size} clients joined."
                )
            time.sleep(0.001)
            here = self.add(_WORKERS, 0)

    def _do(self, name: str, *args: Any) -> Any:
        with self._lock:
            try:
                _write(self._socket, [name.encode(), *_packed(_METHODS[name], args)])
                kind, *rest = _read(self._socket)
            except OSError as error:
                raise DistNetworkError(f"the store at {self.host}:{self.port} cannot be reached: {error}") from None
        if kind == b"key":
            raise KeyError(rest[0].decode())
        if kind == b"error":
            raise ValueError(rest[0].decode())
        return _unpacked(kind, rest)

    def clone(self) -> "TCPStore":
        return TCPStore(self.host, self.port, timeout=self.timeout)

    def __repr__(self) -> str:
        return f"TCPStore({self.host}:{self.port}, {'serves' if self._server else 'is a client'})"


# --- the protocol: lists of byte strings ----------------------------------------------------------------------------


def _write(connection: socket.socket, fields: "list[bytes]") -> None:
    body = b"".join(struct.pack("<q", len(field)) + field for field in fields)
    connection.sendall(struct.pack("<qq", len(body), len(fields)) + body)


def _read(connection: socket.socket) -> "list[bytes]":
    size, count = struct.unpack("<qq", _exactly(connection, 16))
    body, at, fields = _exactly(connection, size), 0, []
    for _ in range(count):
        (length,) = struct.unpack_from("<q", body, at)
        fields.append(body[at + 8 : at + 8 + length])
        at += 8 + length
    return fields


def _exactly(connection: socket.socket, count: int) -> bytes:
    data = bytearray()
    while len(data) < count:
        part = connection.recv(min(count - len(data), 1 << 20))
        if not part:
            raise OSError("Connection was likely closed. Did the remote server shutdown or crash?")
        data += part
    return bytes(data)


def _packed(kinds: str, args: "tuple[Any, ...]") -> "list[bytes]":
    fields: list[bytes] = []
    for kind, arg in zip(kinds, args, strict=False):
        fields.append("\0".join(arg).encode() if kind == "l" else arg if kind == "b" else str(arg).encode())
    return fields


def _arguments(kinds: str, fields: "list[bytes]") -> "list[Any]":
    read: dict[str, Any] = {
        "s": bytes.decode,
        "b": bytes,
        "i": int,
        "f": float,
        "l": lambda text: text.decode().split("\0") if text else [],
    }
    return [read[kind](field) for kind, field in zip(kinds, fields, strict=False)]


def _answer(result: Any) -> "list[bytes]":
    if isinstance(result, bool):
        return [b"bool", b"1" if result else b""]
    if isinstance(result, int):
        return [b"int", str(result).encode()]
    if isinstance(result, bytes):
        return [b"bytes", result]
    if isinstance(result, list):
        if result and isinstance(result[0], bytes):
            return [b"values", *result]
        return [b"names", *(name.encode() for name in result)]
    return [b"none"]


def _unpacked(kind: bytes, rest: "list[bytes]") -> Any:
    if kind == b"values":
        return rest
    if kind == b"names":
        return [name.decode() for name in rest]
    if kind == b"none":
        return None
    return {b"bool": bool, b"int": int, b"bytes": bytes}[kind](rest[0])


# --- the process that serves -----------------------------------------------------------------------------------------


class _Handler(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        self.request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with contextlib.suppress(OSError):
            while True:
                name, *fields = _read(self.request)
                _write(self.request, self.do(name.decode(), fields))

    def do(self, name: str, fields: "list[bytes]") -> "list[bytes]":
        server: Any = self.server
        try:
            return _answer(getattr(server.values, name)(*_arguments(_METHODS[name], fields)))
        except KeyError as error:
            return [b"key", str(error).encode()]
        except ValueError as error:
            return [b"error", str(error).encode()]


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False
    request_queue_size = 1024
    users = 0

    def __init__(self, port: int, descriptor: "int | None") -> None:
        self.values = Values()
        self.values.set(_WORKERS, b"0")
        super().__init__(("", port), _Handler, bind_and_activate=descriptor is None)
        if descriptor is not None:
            self.socket.close()
            self.socket = socket.socket(fileno=descriptor)
            self.server_address = self.socket.getsockname()
            self.server_activate()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Do nothing: processes that wait for a disconnected client notice it."""


_servers: dict[int, _Server] = {}


def _serve(port: int, shared: bool, descriptor: "int | None") -> _Server:
    server = _servers.get(port) if shared else None
    if server is None:
        try:
            server = _Server(port, descriptor)
        except OSError as error:
            raise DistNetworkError(
                f"The server socket has failed to listen on any local network address: port {port}: {error.strerror}"
            ) from None
        threading.Thread(target=server.serve_forever, args=(0.05,), name="flambeau-store", daemon=True).start()
        if shared:
            _servers[server.server_address[1]] = server
    server.users += 1
    return server


def _connect(host: str, port: int, seconds: float) -> socket.socket:
    end, pause = time.monotonic() + seconds, 0.001
    while True:
        try:
            connection = socket.create_connection((host, port), timeout=max(end - time.monotonic(), 0.001))
        except OSError as error:
            if time.monotonic() + pause > end:
                raise DistNetworkError(
                    f"The client socket has timed out after {seconds * 1000:.0f}ms while trying to connect to "
                    f"({host}, {port}): {error}"
                ) from None
            time.sleep(pause)
            pause = min(2 * pause, 0.05)
        else:
            connection.settimeout(None)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return connection


def _close(connection: socket.socket, server: "_Server | None") -> None:
    connection.close()
    if server is None:
        return
    server.users -= 1
    if not server.users:
        _servers.pop(server.server_address[1], None)
        threading.Thread(target=_stop, args=(server,), daemon=True).start()


def _stop(server: _Server) -> None:
    server.shutdown()
    server.server_close()
