"""The package: generated files, versions, syntax of Python 3.9, no dependency."""

import ast
import re
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Iterator, Set

import leadline

PYTHON = Path(__file__).parents[1]
STANDARD = {
    "__future__", "asyncio", "base64", "collections", "concurrent", "contextvars",
    "dataclasses", "datetime", "email", "hashlib", "hmac", "http", "io", "json", "os",
    "platform", "random", "re", "select", "socket", "ssl", "sys", "threading", "time",
    "types", "typing", "urllib", "warnings",
}


def sources(*folders: str) -> Iterator[Path]:
    for folder in folders:
        yield from sorted((PYTHON / folder).glob("*.py"))


class Package(unittest.TestCase):
    def test_generated_files_are_those_of_the_document(self) -> None:
        run = subprocess.run(
            [sys.executable, str(PYTHON / "generate.py"), "--check"],
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual((run.returncode, run.stderr), (0, ""))

    def test_versions_agree(self) -> None:
        project = (PYTHON / "pyproject.toml").read_text("utf-8")
        changes = (PYTHON / "CHANGELOG.md").read_text("utf-8")
        named = re.search(r'^version = "(.+)"$', project, re.MULTILINE)
        assert named is not None
        self.assertEqual(named[1], leadline.VERSION)
        self.assertEqual(leadline.__version__, leadline.VERSION)
        self.assertIn(f"## {leadline.VERSION}", changes)
        shared = PYTHON.parent / "VERSION"
        if shared.exists():
            self.assertEqual(shared.read_text("utf-8").strip(), leadline.VERSION)
        major = leadline.VERSION.split(".")[0]
        self.assertEqual(major, leadline.CONTRACT.replace("-", ""))

    def test_the_syntax_is_that_of_python_3_9(self) -> None:
        for file in sources(".", "leadline", "examples", "tests"):
            ast.parse(file.read_text("utf-8"), str(file), feature_version=(3, 9))

    def test_nothing_but_the_standard_library_is_imported(self) -> None:
        found: Set[str] = set()
        for file in sources("leadline"):
            for node in ast.walk(ast.parse(file.read_text("utf-8"))):
                if isinstance(node, ast.Import):
                    found |= {name.name.split(".")[0] for name in node.names}
                elif isinstance(node, ast.ImportFrom) and node.level == 0:
                    found.add(str(node.module).split(".")[0])
        self.assertEqual(found - STANDARD, set())

    def test_all_names_exist(self) -> None:
        self.assertEqual(len(set(leadline.__all__)), len(leadline.__all__))
        for name in leadline.__all__:
            self.assertTrue(hasattr(leadline, name), name)

    def test_the_package_is_typed(self) -> None:
        self.assertTrue((PYTHON / "leadline/py.typed").exists())


if __name__ == "__main__":
    unittest.main()
