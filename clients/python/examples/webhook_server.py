"""Receives events and prints them: PORT=8000 python3 webhook_server.py

Set LEADLINE_WEBHOOK_SECRET to the secret of the endpoint; during a rotation to both
secrets with a space between them.
"""

import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Set

from leadline import DecisionMaterialChangeEvent, WebhookVerificationError, verify_webhook

LARGEST = 64 << 10
SECRETS = os.environ["LEADLINE_WEBHOOK_SECRET"].split()

handled: Set[str] = set()  # keep the ids for a day, for example in your database


class Receiver(BaseHTTPRequestHandler):
    """Verifies a request, responds at once, and handles each event once."""

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", "0"))
        try:
            if length > LARGEST:
                raise WebhookVerificationError("the body is too large")
            event = verify_webhook(self.rfile.read(length), self.headers, SECRETS)
        except WebhookVerificationError as error:
            self.send_error(400, str(error))
            return
        self.send_response(204)
        self.end_headers()
        id_ = self.headers["webhook-id"]
        if id_ in handled:
            return
        handled.add(id_)
        if isinstance(event, DecisionMaterialChangeEvent):
            print(f"{event.data.direction}: {event.data.decision.headline}", flush=True)
        else:
            print(f"{event.type} {event.timestamp:%H:%M}", flush=True)


if __name__ == "__main__":
    port = int(os.environ.get("PORT", "8000"))
    ThreadingHTTPServer(("127.0.0.1", port), Receiver).serve_forever()
