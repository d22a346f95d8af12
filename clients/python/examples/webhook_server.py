"""Receives events and prints them: PORT=8000 python3 webhook_server.py

Set LEADLINE_WEBHOOK_SECRET to the secret of the endpoint; during a rotation to both
secrets with a space between them.
"""

import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Set

from leadline import (
    DecisionMaterialChangeEvent,
    LeadlineError,
    WebhookVerificationError,
    verify_webhook,
)

MOST_BYTES = 64 * 1024  # an event has at most 16 KiB
SECRETS = os.environ["LEADLINE_WEBHOOK_SECRET"].split()

handled: Set[str] = set()  # keep the ids for a day, for example in your database


class Receiver(BaseHTTPRequestHandler):
    """Verifies a request, responds at once, and handles each event once."""

    timeout = 10  # seconds without a byte, after which the connection is closed

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > MOST_BYTES:
            self.send_error(413)
            return
        try:
            event = verify_webhook(self.rfile.read(int(length)), self.headers, SECRETS)
        except WebhookVerificationError as error:
            self.send_error(400, str(error))
            return
        except LeadlineError as error:  # such as a malformed secret
            self.log_error("%s", error)
            self.send_error(500)
            return
        self.send_response(204)
        self.end_headers()
        id_ = self.headers["webhook-id"]
        if id_ in handled:
            return
        if isinstance(event, DecisionMaterialChangeEvent):
            print(f"{event.data.direction}: {event.data.decision.headline}", flush=True)
        else:
            print(f"{event.type} {event.timestamp:%H:%M}", flush=True)
        handled.add(id_)  # not if the work fails: a replay sends the event again


if __name__ == "__main__":
    port = int(os.environ.get("PORT", "8000"))
    ThreadingHTTPServer(("127.0.0.1", port), Receiver).serve_forever()
