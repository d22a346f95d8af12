"""The recorded responses of docs/examples are read without a loss."""

import json
import unittest
from pathlib import Path
from typing import Any, Dict

from leadline import Leadline, Request, Response, raw_of, to_wire

from .test_operations import arguments_of, example, method_of, operations

EXAMPLES = Path(__file__).parents[3] / "docs/examples"


class Examples(unittest.TestCase):
    def test_each_is_read(self) -> None:
        for _, _, operation in operations():
            with self.subTest(operation["operationId"]):
                file = EXAMPLES / f"{operation['operationId']}.json"
                response = json.loads(file.read_text("utf-8"))["response"]

                def transport(_: Request, body: Any = response) -> Response:
                    return Response(200, {}, json.dumps(body).encode())

                client = Leadline("https://h.example", transport=transport)
                arguments: Dict[str, Any] = {}
                for given in arguments_of(operation):
                    if given.get("required"):
                        arguments[given["name"]] = example(given["schema"])
                if operation["x-client"] == "keys.revoke":
                    arguments["id"] = "7LqQBDD"
                elif "requestBody" in operation:
                    arguments["body"] = {}
                result = method_of(client, operation)(**arguments)
                self.assertEqual(raw_of(result), response)
                self.assertEqual(to_wire(result), response)


if __name__ == "__main__":
    unittest.main()
