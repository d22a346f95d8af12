"""Renders the templates of docs/home.md with responses of a running server.

    python3 homeassistant.py URL

It reads the YAML of the document as Home Assistant does, asks the addresses in it, and renders
each template with Jinja, which Home Assistant uses. Sensors with a unit must be numbers, those of
class timestamp times with an offset. It needs Debian's python3-jinja2 and python3-yaml.
"""

import datetime
import json
import pathlib
import re
import sys
import urllib.request

import jinja2
import yaml

server = sys.argv[1]
text = (pathlib.Path(__file__).parents[2] / "docs/home.md").read_text()
blocks = [yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", text, re.S)]
environment = jinja2.Environment(undefined=jinja2.StrictUndefined)
states = {}


def check(sensor, value):
    """Checks the state of a sensor as Home Assistant does."""
    if "unit_of_measurement" in sensor:
        assert -100 < float(value) < 100, value
    elif sensor.get("device_class") == "timestamp":
        assert datetime.datetime.fromisoformat(value).tzinfo, value
    else:
        assert re.fullmatch(r"[a-z_]+", value), value


for resource in blocks[0]["rest"]:
    address = resource["resource"].replace("http://127.0.0.1:8080", server)
    with urllib.request.urlopen(address, timeout=30) as response:
        values = json.load(response)
    for sensor in resource["sensor"]:
        render = lambda name: environment.from_string(sensor[name]).render(value_json=values)
        if "availability" in sensor:
            assert render("availability") == "True", (sensor["name"], values.get("missing"))
            gone = environment.from_string(sensor["availability"]).render(value_json={})
            assert gone == "False", sensor["name"]
        value = render("value_template")
        check(sensor, value)
        states["sensor." + sensor["name"].lower().replace(" ", "_")] = value

functions = {
    "states": states.__getitem__,
    "is_state": lambda name, value: states[name] == value,
    "as_datetime": datetime.datetime.fromisoformat,
    "as_local": lambda time: time,
    "now": lambda: datetime.datetime.now(datetime.timezone.utc),
    "timedelta": datetime.timedelta,
}
automation = blocks[1]["automation"][0]
trigger = automation["triggers"][0]["value_template"]
assert environment.from_string(trigger).render(functions) in ("True", "False")
message = automation["actions"][0]["data"]["message"]
assert re.match(r"Low water at 20\d\d", environment.from_string(message).render(functions))
print(f"ok: Home Assistant, {len(states)} sensors: {states}")
