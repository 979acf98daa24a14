"""A headless Chromium, driven through the DevTools protocol over two pipes.

Nothing but the browser is needed: messages are JSON, each ended by a null byte, on file
descriptors 3 and 4 (``--remote-debugging-pipe``). See https://chromedevtools.github.io/.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
_PATIENCE = 120.0  # seconds without any word from the browser


class Browser:
    """One page in one browser; what it logs and loads is kept in `events`."""

    def __init__(self, profile: Path) -> None:
        assert CHROMIUM is not None
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()
        # The descriptors have to be 3 and 4, which this process may use for something else.
        command = 'exec 3<&"$1" 4>&"$2"; shift 2; exec "$@"'
        arguments = [
            *(CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe"),
            *("--no-first-run", "--disable-background-networking", "--disable-component-update"),
            *("--disable-dev-shm-usage", f"--user-data-dir={profile}", "about:blank"),
        ]
        self._process = subprocess.Popen(
            ["bash", "-c", command, "bash", str(to_browser), str(from_browser), *arguments],
            pass_fds=(to_browser, from_browser),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._buffer = b""
        self._number = 0
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(target["targetId"] for target in targets if target["type"] == "page")
        attached = self.call("Target.attachToTarget", targetId=page, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._read)
        os.close(self._write)

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command and return its result."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while (answer := self._receive()).get("id") != self._number:
            self.events.append(answer)
        assert "error" not in answer, answer
        return dict(answer["result"])

    def open(self, file: Path, width: int, height: int, scheme: str = "light") -> None:
        """Load a file in a window of this size, and wait until it is complete."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            **{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600},
        )
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", features=features)
        self.events.clear()
        self.call("Page.navigate", url=file.resolve().as_uri())
        deadline = time.monotonic() + _PATIENCE
        while not self.seen("Page.loadEventFired"):
            assert time.monotonic() < deadline
            self.evaluate("0")

    def evaluate(self, expression: str) -> Any:
        """Return the JSON value of a JavaScript expression on the page."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def seen(self, method: str) -> list[dict[str, Any]]:
        """Return the parameters of the events of a kind since the page was opened."""
        return [event["params"] for event in self.events if event.get("method") == method]

    def screenshot(self, file: Path) -> None:
        """Write the whole page, beyond the window's height, as a PNG."""
        picture = self.call("Page.captureScreenshot", captureBeyondViewport=True)
        file.write_bytes(base64.b64decode(picture["data"]))

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._read], [], [], _PATIENCE)
            assert ready, "the browser says nothing"
            received = os.read(self._read, 1 << 20)
            assert received, "the browser is gone"
            self._buffer += received
        message, _, self._buffer = self._buffer.partition(b"\0")
        return dict(json.loads(message))
