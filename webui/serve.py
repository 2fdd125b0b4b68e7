"""The server of the page: waitress, in a thread of its own, with a clean stop.

Why held questions and not a stream: waitress gives a thread to each open answer, so a stream to each of twenty
phones would hold twenty threads for the whole evening, and a phone that walked away would keep its own. A
question held for at most two seconds costs the same thread only while it waits, frees it by itself, and its
answer is also the heartbeat by which the phone knows that the line is alive.
"""

from __future__ import annotations

import errno
import socket
import threading
from dataclasses import dataclass
from typing import Any

from flask import Flask
from waitress.server import create_server
from waitress.wasyncore import close_all

from webui.errors import PortTaken
from webui.web import PICTURE_PART

SPARE_THREADS = 8
"""Threads beyond the held questions, for everything that is answered at once."""


@dataclass(frozen=True, slots=True)
class Serving:
    """A running server. `port` is the real one, also when 0 was asked for."""

    host: str
    port: int
    _server: Any
    _thread: threading.Thread
    _closing: threading.Event

    def stop(self, timeout_s: float = 5.0) -> None:
        """Stop listening, let go of held questions, end all threads; returns when done. Twice is once."""
        if self._closing.is_set():
            return
        self._closing.set()
        server_map = self._server._map
        self._server.trigger.pull_trigger(lambda: close_all(server_map))
        self._thread.join(timeout_s)
        self._server.task_dispatcher.shutdown(cancel_pending=True, timeout=timeout_s)

    def __enter__(self) -> Serving:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def serve(app: Flask, host: str = "0.0.0.0", port: int = 8080, threads: int | None = None) -> Serving:
    """Serve `app` (of `create_app`) at `host`:`port` from now on; port 0 takes any free one.

    `threads` defaults to the number of held questions and a few more. Raises `PortTaken`.
    """
    pages = app.extensions["overboard"]
    count = threads if threads is not None else pages.settings.holds + SPARE_THREADS
    try:
        listener = _listener(host, port)
    except OSError as fault:
        raise PortTaken(_sentence(fault, host, port)) from fault
    try:
        server: Any = create_server(
            app,
            sockets=[listener],
            threads=count,
            ident="Overboard",
            connection_limit=256,
            channel_timeout=30,
            cleanup_interval=10,
            max_request_header_size=16_384,
            max_request_body_size=PICTURE_PART + 1,  # it refuses what is as large
            clear_untrusted_proxy_headers=True,
        )
    except OSError as fault:
        listener.close()
        raise PortTaken(_sentence(fault, host, port)) from fault
    thread = threading.Thread(target=server.run, name="web", daemon=True)
    thread.start()
    return Serving(host, int(server.effective_port), server, thread, pages.closing)


def _listener(host: str, port: int) -> socket.socket:
    """A bound socket. One alone, since "localhost" may mean two addresses and the server then is another class."""
    family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    listener = socket.socket(family, kind)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except OSError:
        listener.close()
        raise
    return listener


def _sentence(fault: OSError, host: str, port: int) -> str:
    match fault.errno:
        case errno.EADDRINUSE:
            found, act = "something else listens there", "stop it, or choose another port with --port"
        case errno.EACCES:
            found, act = "this user may not", "choose a port above 1023 with --port"
        case _:
            found, act = fault.strerror or str(fault), "give an address of this machine, or 0.0.0.0 for all of them"
    return f"wanted to serve the page at {host} port {port}, but {found}: {act}"
