"""Measures the CPU time of reading 1,000 stations: python3 tests/benchmark.py"""

import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from leadline import StationList  # noqa: E402  the package next to this program
from leadline._read import read  # noqa: E402
from tests.scripted import FOUND, stations  # noqa: E402

ROUNDS = 50


def least(function: "object", *arguments: object) -> float:
    """Returns the least CPU time of some rounds, in milliseconds."""
    times = []
    for _ in range(ROUNDS):
        begin = time.process_time()
        function(*arguments)  # type: ignore[operator]
        times.append(time.process_time() - begin)
    return min(times) * 1000


def main() -> None:
    row = {**FOUND, "observes": ["waterlevels", "met"], "distanceKm": 1.5}
    text = json.dumps(stations(*[row] * 1000))
    parsed = json.loads(text)
    print(f"Python {sys.version.split()[0]}, 1,000 stations, {len(text)} bytes")
    print(f"json.loads  {least(json.loads, text):6.2f} ms")
    print(f"read        {least(read, StationList, parsed):6.2f} ms")


if __name__ == "__main__":
    main()
