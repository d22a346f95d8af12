"""Prints what has changed in a plan since the last run: python3 watch_change.py FILE

FILE keeps the baseline; the first run writes it. Set LEADLINE_BASE_URL, and
LEADLINE_API_KEY to a key with the scope decision:read.
"""

import json
import sys
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Dict

from leadline import Leadline, to_wire


def main() -> None:
    file = Path(sys.argv[1])
    plan: Dict[str, Any] = {"localDate": (date.today() + timedelta(days=1)).isoformat()}
    if file.exists():
        plan = json.loads(file.read_text("utf-8"))
    with Leadline() as client:
        if "baseline" not in plan:
            first = client.decisions.trip_health(
                {
                    "stationId": "8443970",
                    "activity": "boating",
                    "localDate": plan["localDate"],
                    "localTime": "09:00",
                }
            )
            print(f"{first.decision.state}: {first.decision.headline}")
            plan["baseline"] = to_wire(first.decision)
        else:
            later = client.decisions.material_change(
                {
                    "stationId": "8443970",
                    "activity": "boating",
                    "localDate": plan["localDate"],
                    "localTime": "09:00",
                    "baseline": plan["baseline"],
                }
            )
            print("material" if later.change.material else "no material change")
            for change in later.change.changes:
                print(f"- {change.message}")
            plan["baseline"] = to_wire(later.summary)
    file.write_text(json.dumps(plan), "utf-8")


if __name__ == "__main__":
    main()
