"""Each class of error, with all that it says."""

import pickle
import unittest
from typing import Any

from leadline import (
    APIError,
    AuthenticationError,
    InvalidRequestError,
    Leadline,
    LeadlineError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
    UnavailableError,
)

from .scripted import Scripted, answer, failure

CLASSES = (
    (400, InvalidRequestError),
    (401, AuthenticationError),
    (403, PermissionDeniedError),
    (404, NotFoundError),
    (405, APIError),
    (413, APIError),
    (429, RateLimitError),
    (500, APIError),
    (502, APIError),
    (503, UnavailableError),
)
NO_RETRY = {"max_retries": 0}


def error_of(*steps: object) -> APIError:
    """Returns the error that a search raises."""
    with Scripted(*steps) as server:  # type: ignore[arg-type]
        with Leadline(server.url, max_retries=0) as client:
            try:
                client.stations.search()
            except APIError as error:
                return error
    raise AssertionError("no error")


class Errors(unittest.TestCase):
    def test_each_status_has_its_class(self) -> None:
        for status, kind in CLASSES:
            with self.subTest(status):
                error = error_of(
                    failure(status, "a_code", "It failed.", X_Request_Id="0190-4")
                )
                self.assertIs(type(error), kind)
                self.assertIsInstance(error, LeadlineError)
                self.assertEqual((error.status, error.code), (status, "a_code"))
                self.assertEqual(error.message, "It failed.")
                self.assertEqual(str(error), "It failed. (request 0190-4)")
                self.assertEqual(error.meta.request_id, "0190-4")
                self.assertEqual(error.issues, ())
                self.assertIsNone(error.retry_after)

    def test_issues(self) -> None:
        issue = {"path": "days", "code": "maximum", "message": "days must be at most 31."}
        body = {
            "error": {
                "code": "invalid_request",
                "message": "No.",
                "issues": [issue, {"path": 7}, "x"],
            }
        }
        error = error_of(answer(body, 400))
        self.assertEqual(len(error.issues), 1)
        self.assertEqual(error.issues[0].path, "days")

    def test_retry_after(self) -> None:
        body = {"error": {"code": "rate_limited", "message": "No.", "retryAfterSeconds": 9}}
        self.assertEqual(error_of(answer(body, 429)).retry_after, 9)
        self.assertEqual(error_of(answer(body, 429, Retry_After="7")).retry_after, 7)
        self.assertEqual(error_of(answer(body, 429, Retry_After="soon")).retry_after, 9)

    def test_bodies_of_others(self) -> None:
        page = b"<html>\r\n\x1b[31m" + b"x" * 5000
        error = error_of(answer(page, 502))
        self.assertEqual(error.code, "unexpected_answer")
        self.assertIn("HTTP 502", str(error))
        self.assertTrue(str(error).isprintable())
        self.assertLess(len(str(error)), 260)
        bodies: Any = (
            {"error": "no"},
            {"error": None},
            {"error": {}},
            {"error": {"code": 7, "message": "no"}},
            {"error": {"code": "a", "message": {}}},
            ["x"],
            {},
        )
        for body in bodies:
            error = error_of(answer(body, 400))
            self.assertEqual(error.code, "unexpected_answer")
            self.assertIn("HTTP 400", error.message)

    def test_messages_are_printable(self) -> None:
        error = error_of(failure(400, "a\nb", "one\ntwo\x1b[2J"))
        self.assertEqual((error.code, error.message), ("a b", "one two [2J"))

    def test_they_can_be_pickled(self) -> None:
        error = error_of(failure(404, "station_not_found", "No station.", X_Request_Id="0190-5"))
        copy = pickle.loads(pickle.dumps(error))
        self.assertIs(type(copy), NotFoundError)
        self.assertEqual(str(copy), str(error))
        self.assertEqual((copy.code, copy.meta), (error.code, error.meta))


if __name__ == "__main__":
    unittest.main()
