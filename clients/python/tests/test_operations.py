"""The methods are those of the OpenAPI document, with their parameters, and no others."""

import inspect
import json
import keyword
import re
import unittest
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Set, Tuple, get_args, get_type_hints

from leadline import Leadline, Request, Response

FILE = Path(__file__).parents[2] / "openapi.json"
DOCUMENT: Dict[str, Any] = json.loads(FILE.read_text("utf-8"))

# Methods that call another one for each page.
OVER_PAGES = {"stations.each", "events.each"}


def operations() -> Iterator[Tuple[str, str, Dict[str, Any]]]:
    """Yields method, path and operation of what the client offers."""
    for path, item in DOCUMENT["paths"].items():
        for method, operation in item.items():
            if "x-client" in operation:
                yield method.upper(), path, operation


def arguments_of(operation: Dict[str, Any]) -> List[Dict[str, Any]]:
    """Returns the parameters of an operation that are arguments: all but headers."""
    given = [resolved(one) for one in operation.get("parameters", [])]
    return [one for one in given if one["in"] != "header"]


def snake(name: str) -> str:
    return re.sub(r"([A-Z])", r"_\1", name).lower()


def method_of(client: Leadline, operation: Dict[str, Any]) -> Any:
    group, method = operation["x-client"].split(".")
    return getattr(getattr(client, snake(group)), snake(method))


def resolved(value: Dict[str, Any]) -> Dict[str, Any]:
    while "$ref" in value:
        found: Any = DOCUMENT
        for step in value["$ref"][2:].split("/"):
            found = found[step]
        value = found
    return value


def example(schema: Dict[str, Any]) -> Any:
    """Returns a value for an argument."""
    schema = resolved(schema)
    if "enum" in schema:
        return schema["enum"][0]
    return {"integer": 7, "number": 1.5, "boolean": True}.get(schema.get("type", ""), "abc")


def parameter_of(given: Dict[str, Any]) -> str:
    """Returns the name of an argument in Python, in which from is a word of the language."""
    name = str(given["name"])
    return name + "_" if keyword.iskeyword(name) else name


class Operations(unittest.TestCase):
    def setUp(self) -> None:
        self.sent: List[Request] = []

        def transport(request: Request) -> Response:
            self.sent.append(request)
            return Response(404, {}, b"")

        self.client = Leadline("https://h.example", api_key="k", transport=transport)

    def test_each_operation_has_a_method_and_each_method_an_operation(self) -> None:
        want = {
            ".".join(snake(part) for part in operation["x-client"].split("."))
            for _, _, operation in operations()
        }
        self.assertGreater(len(want), 30)
        got: Set[str] = set()
        for name, group in vars(self.client).items():
            if not name.startswith("_"):
                for method, _ in inspect.getmembers(group, inspect.ismethod):
                    if not method.startswith("_"):
                        got.add(f"{name}.{method}")
        self.assertEqual(got - OVER_PAGES, want)
        self.assertEqual(OVER_PAGES - got, set())

    def test_parameters(self) -> None:
        for method, path, operation in operations():
            with self.subTest(operation["x-client"]):
                function = method_of(self.client, operation)
                parameters = dict(inspect.signature(function).parameters)
                hints = get_type_hints(function)
                parameters.pop("options")
                for given in arguments_of(operation):
                    name = parameter_of(given)
                    parameter = parameters.pop(name)
                    required = parameter.default is inspect.Parameter.empty
                    self.assertEqual(required, given.get("required", False), given["name"])
                    enum = resolved(given["schema"]).get("enum")
                    if enum:
                        self.assertEqual(literals(hints[name]), set(enum))
                if operation["x-client"] == "keys.revoke":
                    parameters.pop("id")
                elif "requestBody" in operation:
                    parameters.pop("body")
                self.assertEqual(parameters, {})

    def test_requests(self) -> None:
        """Calls each method with every argument, and compares what is sent."""
        for method, path, operation in operations():
            with self.subTest(operation["x-client"]):
                function = method_of(self.client, operation)
                arguments: Dict[str, Any] = {}
                query: Dict[str, str] = {}
                for given in arguments_of(operation):
                    value = example(given["schema"])
                    arguments[parameter_of(given)] = value
                    if given["in"] == "path":
                        path = path.replace("{" + given["name"] + "}", str(value))
                    else:
                        text = value if isinstance(value, str) else json.dumps(value)
                        query[given["name"]] = text
                body: Optional[Any] = None
                if operation["x-client"] == "keys.revoke":
                    arguments["id"] = "7LqQBDD"
                    body = {"id": "7LqQBDD"}
                elif "requestBody" in operation:
                    arguments["body"] = body = {"a": ["b", None]}
                with self.assertRaises(Exception) as caught:
                    function(**arguments)
                self.assertEqual(type(caught.exception).__name__, "NotFoundError")
                request = self.sent.pop()
                address, _, sent_query = request.url.partition("?")
                self.assertEqual(request.method, method)
                self.assertEqual(address, "https://h.example" + path)
                pairs = dict(pair.split("=") for pair in sent_query.split("&") if pair)
                self.assertEqual(pairs, query)
                sent = None if request.body is None else json.loads(request.body)
                self.assertEqual(sent, body)
                for given in operation.get("parameters", []):
                    given = resolved(given)
                    if given["in"] == "header":
                        self.assertIn(given["name"], request.headers)
                self.assertEqual("Content-Type" in request.headers, body is not None)
                decides = path.startswith(("/api/v1/decisions/", "/api/planning/"))
                self.assertEqual(request.may_repeat, method == "GET" or decides)


def literals(hint: Any) -> Set[Any]:
    """Returns the values that a Literal in a type allows."""
    found: Set[Any] = set()
    for one in get_args(hint):
        found |= {one} if isinstance(one, str) else literals(one)
    return found


if __name__ == "__main__":
    unittest.main()
