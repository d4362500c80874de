"""The JSON Schema of `skillbuild.toml`, with which editors complete and check it."""

from __future__ import annotations

import json

from skillbuild import assets
from skillbuild.config import ACCEPTABLE, FORMATS, LEVELS, LISTINGS
from skillbuild.rules.registry import RULES


def config_schema() -> str:
    """The schema as text; what the program knows (formats, rules, levels) is put into it."""
    schema = json.loads(assets.schema("config"))
    settings = schema["properties"]
    settings["formats"]["items"]["enum"] = list(FORMATS)
    settings["listing"]["enum"] = list(LISTINGS)
    settings["rules"]["properties"] = {
        code: {
            "enum": ["error"] if rule.severity == "error" else list(LEVELS),
            "description": f"{rule.severity}: {rule.summary}",
        }
        for code, rule in RULES.items()
    }
    settings["ignore"]["items"]["properties"]["rule"]["enum"] = [
        code for code, rule in RULES.items() if rule.severity != "error" or code == ACCEPTABLE
    ]
    return json.dumps(schema, indent=2) + "\n"
