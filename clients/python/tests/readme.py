"""Runs the blocks of the documents and the examples against a real server.

    python3 tests/readme.py BASE_URL

LEADLINE_API_KEY is a key of the pro plan with all scopes. Blocks for frameworks need
Flask, FastAPI and httpx: without one of them its block is only compiled, which fails
if LEADLINE_REQUIRE is set.
"""

import asyncio
import base64
import hashlib
import hmac
import importlib.util
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, Callable, Dict, List

PYTHON = Path(__file__).resolve().parents[1]
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
LOCAL = "http://127.0.0.1:8080"


def main() -> int:
    base = sys.argv[1].rstrip("/")
    os.environ.update(
        LEADLINE_BASE_URL=base, LEADLINE_WEBHOOK_SECRET=SECRET, PYTHONPATH=str(PYTHON)
    )
    sys.path.insert(0, str(PYTHON))
    guide = PYTHON.parents[1] / "docs" / "clients.md"
    text = (PYTHON / "README.md").read_text("utf-8") + guide.read_text("utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    for number, block in enumerate(blocks, 1):
        name = f"block {number}"
        source = block.replace(LOCAL, base)
        if "import Flask" in block:
            framework(name, "flask", source, post_wsgi)
        elif "import FastAPI" in block:
            framework(name, "fastapi", source, post_asgi)
        elif "serve_forever" in block:
            with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
                file.write(source)
                file.flush()
                receiver(name, [file.name])
        else:
            print(f"ok: {name}: {run(name, ['-c', source])}")
    examples = PYTHON / "examples"
    with tempfile.TemporaryDirectory() as folder:
        for name, *arguments in (
            ("tide_today.py",),
            ("best_window.py",),
            ("watch_change.py", f"{folder}/plan.json"),
            ("watch_change.py", f"{folder}/plan.json"),
        ):
            print(f"ok: {name}: {run(name, [str(examples / name), *arguments])}")
    receiver("webhook_server.py", [str(examples / "webhook_server.py")])
    if has("httpx"):
        print("ok: httpx_transport.py:", run("httpx", [str(examples / "httpx_transport.py")]))
    print("ok: readme")
    return 0


def run(name: str, arguments: List[str]) -> str:
    """Runs a program in an empty folder. It must print something; returns its last line."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-W", "error", *arguments],
            capture_output=True,
            text=True,
            timeout=120,
            cwd=folder,
        )
    if done.returncode != 0 or not done.stdout.strip():
        sys.exit(f"{name} failed ({done.returncode}):\n{done.stdout}{done.stderr}")
    return done.stdout.strip().splitlines()[-1]


def has(module: str) -> bool:
    if importlib.util.find_spec(module) is not None:
        return True
    if os.environ.get("LEADLINE_REQUIRE"):
        sys.exit(f"{module} is missing: install python3-{module}")
    print(f"not run: {module} is missing")
    return False


def framework(
    name: str, module: str, source: str, post: Callable[[Any, bytes, Dict[str, str]], int]
) -> None:
    """Defines the app of a block, and posts a signed and a forged event to it."""
    code = compile(source, name, "exec")
    if not has(module):
        return
    space: Dict[str, Any] = {"__name__": name}
    exec(code, space)
    body, headers = event()
    printed = io.StringIO()
    with redirect_stdout(printed):
        got = post(space["app"], body, headers), post(space["app"], body + b" ", headers)
    if got != (204, 400) or "received webhook.test" not in printed.getvalue():
        sys.exit(f"{name}: got {got}, printed {printed.getvalue()!r}")
    print(f"ok: {name}: {module} responds 204 and 400")


def post_wsgi(app: Any, body: bytes, headers: Dict[str, str]) -> int:
    status: List[str] = []
    environ: Dict[str, Any] = {
        "REQUEST_METHOD": "POST",
        "PATH_INFO": "/leadline",
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "CONTENT_TYPE": "application/json",
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.input": io.BytesIO(body),
        "wsgi.errors": sys.stderr,
        "wsgi.url_scheme": "http",
    }
    for header, value in headers.items():
        environ["HTTP_" + header.upper().replace("-", "_")] = value
    list(app(environ, lambda line, _headers, _info=None: status.append(line)))
    return int(status[0].split()[0])


def post_asgi(app: Any, body: bytes, headers: Dict[str, str]) -> int:
    sent: List[Dict[str, Any]] = []

    async def receive() -> Dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Dict[str, Any]) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": "/leadline",
        "raw_path": b"/leadline",
        "query_string": b"",
        "root_path": "",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
    }
    asyncio.run(app(scope, receive, send))
    return int(sent[0]["status"])


def receiver(name: str, arguments: List[str]) -> None:
    """Starts a program that receives events, and posts a signed and a forged one to it."""
    import select
    import socket

    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    environment = {**os.environ, "PORT": str(port)}
    process = subprocess.Popen(
        [sys.executable, *arguments],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    line = ""
    assert process.stdout is not None
    try:
        body, headers = event()
        got = post_http(port, body, headers), post_http(port, body + b" ", headers)
        if select.select([process.stdout], [], [], 60)[0]:  # it prints after its response
            line = process.stdout.readline()  # in several pieces
    finally:
        process.terminate()
        output = line + process.communicate()[0]
    if got != (204, 400) or "webhook.test" not in output:
        sys.exit(f"{name}: got {got}, printed {output!r}")
    print(f"ok: {name}: responds 204 and 400")


def post_http(port: int, body: bytes, headers: Dict[str, str]) -> int:
    for _ in range(200):
        request = urllib.request.Request(f"http://127.0.0.1:{port}/", body, headers)
        try:
            return int(urllib.request.urlopen(request, timeout=10).status)
        except urllib.error.HTTPError as error:
            return error.code
        except urllib.error.URLError:
            time.sleep(0.1)
    sys.exit(f"nothing listens on port {port}")


def event() -> "tuple[bytes, Dict[str, str]]":
    """Returns a signed event."""
    id_ = "msg_019a8f3c7b1e7c3a9d5e2f4061728394"
    sent = str(int(time.time()))
    data = {
        "eventId": id_,
        "contractVersion": "2026-07-09",
        "endpoint": "we_4fT9kQ2mZx7LbN",
        "cause": "created",
        "message": "Test event.",
    }
    body = json.dumps(
        {"type": "webhook.test", "timestamp": "2026-11-27T15:02:10Z", "data": data}
    ).encode()
    mac = hmac.new(base64.b64decode(SECRET[6:]), f"{id_}.{sent}.".encode() + body, hashlib.sha256)
    signature = "v1," + base64.b64encode(mac.digest()).decode()
    return body, {
        "Content-Type": "application/json",
        "webhook-id": id_,
        "webhook-timestamp": sent,
        "webhook-signature": signature,
    }


if __name__ == "__main__":
    sys.exit(main())
