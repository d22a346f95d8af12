"""Builds the package as pip does, and uses it from an empty folder: python3 tests/wheel.py

It needs setuptools and wheel.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PYTHON = Path(__file__).resolve().parents[1]
SOURCES = ("leadline", "pyproject.toml", "README.md", "LICENSE")
BUILD = "import setuptools.build_meta as backend; print(backend.build_wheel('.'))"
USE = """
import leadline
from leadline.webhooks import verify_webhook

print(leadline.VERSION, leadline.__file__)
leadline.Leadline("https://leadline.example.org").close()
"""


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        for name in SOURCES:  # a copy, because setuptools writes next to its sources
            copy = shutil.copytree if (PYTHON / name).is_dir() else shutil.copy
            copy(PYTHON / name, Path(folder) / name)
        wheel = run(folder, BUILD).splitlines()[-1]
        unpacked = Path(folder) / "unpacked"
        with zipfile.ZipFile(Path(folder) / wheel) as archive:
            archive.extractall(unpacked)
        metadata = next(unpacked.glob("*.dist-info/METADATA")).read_text("utf-8")
        head = metadata.split("\n\n")[0].splitlines()
        if any(line.startswith("Requires-Dist") for line in head):
            sys.exit(f"{wheel} needs other packages")
        if "License-File: LICENSE" not in head:
            sys.exit(f"{wheel} has no license")
        got, want = (
            {one.name for one in (place / "leadline").iterdir() if one.is_file()}
            for place in (unpacked, PYTHON)
        )
        if got != want:
            sys.exit(f"{wheel} differs from the sources by {sorted(got ^ want)}")
        version, file = run(str(unpacked), USE).split()
        if not file.startswith(str(unpacked)) or not wheel.startswith(f"leadline-{version}-"):
            sys.exit(f"{wheel}: imported version {version} from {file}")
    print(f"ok: {wheel}")
    return 0


def run(folder: str, program: str) -> str:
    """Runs a program in a folder and returns what it prints."""
    environment = {**os.environ, "PYTHONPATH": folder}
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        sys.exit(f"{program!r} failed:\n{done.stdout}{done.stderr}")
    return done.stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
