"""Ranks three times of tomorrow for fishing: python3 best_window.py [STATION]

Set LEADLINE_BASE_URL, and LEADLINE_API_KEY to a key with the scope decision:read.
"""

import sys
from datetime import date, timedelta

from leadline import Leadline


def main() -> None:
    station = sys.argv[1] if len(sys.argv) > 1 else "8443970"
    tomorrow = date.today() + timedelta(days=1)
    with Leadline() as client:
        ranked = client.decisions.best_window(
            {
                "stationId": station,
                "activity": "fishing",
                "candidates": [
                    {"localDate": tomorrow, "localTime": time}
                    for time in ("06:30", "12:00", "17:30")
                ],
            }
        )
    for candidate in ranked.candidates:
        decision = candidate.decision
        print(f"{candidate.rank}. {candidate.local_time} {decision.state}: {decision.headline}")
        for reason in decision.reasons:
            print(f"   {reason.severity}: {reason.message}")
    print(ranked.disclaimer)


if __name__ == "__main__":
    main()
