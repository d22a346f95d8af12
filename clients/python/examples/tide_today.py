"""Prints the high and low waters of the next 24 hours: python3 tide_today.py [STATION]

Set LEADLINE_BASE_URL to the address of the server. Public data needs no key.
"""

import sys

from leadline import Leadline, missing_inputs


def main() -> None:
    station = sys.argv[1] if len(sys.argv) > 1 else "8443970"
    with Leadline() as client:
        tides = client.stations.predictions(station, hours=24)
    name = tides.station.name if tides.station else station
    print(f"{name}, heights in {tides.height_unit} above {tides.datum}")
    for tide in tides.extremes or []:
        print(f"{tide.time:%a %H:%M} {tide.type:<4} {tide.height:6.2f}")
    if missing_inputs(tides):
        print("not included:", ", ".join(missing_inputs(tides)))
    print("Planning aid only. Not for navigation.")


if __name__ == "__main__":
    main()
