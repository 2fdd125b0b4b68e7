"""A headless Chromium, driven over a pipe with the DevTools protocol: no driver, no web socket, no port."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

BINARY = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--remote-debugging-pipe",
)  # fmt: skip


class Chrome:
    """One browser with one page. Use as a context manager."""

    def __init__(self, profile: Path) -> None:
        assert BINARY is not None
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()
        # The browser wants the pipe at 3 and 4: moved aside first, in case our ends already lie there.
        move = (
            f"import os, sys; a, b = (os.dup2(n, n + 100) for n in ({to_browser}, {from_browser}));"
            "os.dup2(a, 3); os.dup2(b, 4); os.closerange(5, 200); os.execv(sys.argv[1], sys.argv[1:])"
        )
        self._process = subprocess.Popen(
            [sys.executable, "-c", move, BINARY, *FLAGS, f"--user-data-dir={profile}", "about:blank"],
            pass_fds=(to_browser, from_browser),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._rest, self._next, self.events = b"", 0, list[dict[str, Any]]()
        self._session: str | None = None
        self.faults: list[str] = []

    def __enter__(self) -> Chrome:
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(target for target in targets if target["type"] == "page")
        self._session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        return self

    def __exit__(self, *_: object) -> None:
        self._session = None
        try:
            self.call("Browser.close", timeout_s=5)
        except (RuntimeError, TimeoutError, OSError):
            self._process.kill()
        self._process.wait(10)
        os.close(self._in)
        os.close(self._out)

    def call(self, method: str, timeout_s: float = 30.0, **params: Any) -> dict[str, Any]:
        self._next += 1
        message: dict[str, Any] = {"id": self._next, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + timeout_s
        while True:
            answer = self._read(until)
            if answer.get("id") == self._next:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                result: dict[str, Any] = answer["result"]
                return result
            self._note(answer)

    def _read(self, until: float) -> dict[str, Any]:
        while b"\0" not in self._rest:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self._in], [], [], left)[0]:
                raise TimeoutError("wanted an answer of the browser, found none")
            chunk = os.read(self._in, 1 << 20)
            if not chunk:
                raise RuntimeError("the browser has gone")
            self._rest += chunk
        text, _, self._rest = self._rest.partition(b"\0")
        answer: dict[str, Any] = json.loads(text)
        return answer

    def _note(self, event: dict[str, Any]) -> None:
        if event.get("method") == "Runtime.exceptionThrown":
            self.faults.append(str(event["params"]["exceptionDetails"]))
        if event.get("method") == "Log.entryAdded" and event["params"]["entry"]["level"] == "error":
            self.faults.append(event["params"]["entry"]["text"])

    def size(self, width: int, height: int, dark: bool = False, scale: float = 1.0) -> None:
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=scale,
            mobile=width < 700,
        )
        scheme = "dark" if dark else "light"
        still = {"name": "prefers-reduced-motion", "value": "reduce"}
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}, still])

    def open(self, address: str) -> None:
        self.call("Page.navigate", url=address)
        self.until("document.readyState === 'complete' && !!document.querySelector('svg.board')")

    def run(self, script: str) -> Any:
        result = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{script}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def until(self, script: str, within_s: float = 10.0) -> float:
        """Waits, in the browser, until the expression is true; the seconds it took."""
        began = time.monotonic()
        poll = (
            f"new Promise((done) => {{ const end = performance.now() + {within_s * 1000}; const look = () => {{"
            f" let yes = false; try {{ yes = !!({script}); }} catch (fault) {{}}"
            " if (yes || performance.now() > end) done(yes); else setTimeout(look, 10); }; look(); })"
        )
        try:
            found = self.run(poll)
        except RuntimeError:  # the page was replaced meanwhile
            found = self.run(poll)
        if not found:
            raise AssertionError(f"not true within {within_s} s: {script}")
        return time.monotonic() - began

    def tap(self, choice: str) -> None:
        """A finger on the middle of the first element of that choice; fails where something lies over it."""
        spot = self.run(
            f"(() => {{ const e = document.querySelector({json.dumps(choice)}); e.scrollIntoView({{block: 'center'}});"
            " const r = e.getBoundingClientRect(), x = r.x + r.width / 2, y = r.y + r.height / 2;"
            " const top = document.elementFromPoint(x, y);"
            " return {x, y, clear: e === top || e.contains(top)}; })()"
        )
        assert spot["clear"], f"something lies over {choice}"
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=spot["x"], y=spot["y"], button="left", clickCount=1)

    def shot(self, path: Path, full: bool = False) -> None:
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=full)["data"]
        path.write_bytes(base64.b64decode(data))
