"""Pictures for the documentation: `python tests/browser/screenshots.py [FOLDER]`.

Builds the example catalog and writes `list.png` and `skill.png`, each below 200 kB.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from playwright.sync_api import sync_playwright  # noqa: E402

from helpers import repos  # noqa: E402
from helpers.browsing import chromium, example_files  # noqa: E402

ADDRESS = b'base_url = "https://skills.example.org/"\n'
VIEWS = {"list": "index.html", "skill": "skills/contrast-check/index.html"}


def main(target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as play:
        out = Path(folder) / "out"
        files = example_files()
        files["skillbuild.toml"] = ADDRESS + (ROOT / "tests/example/skillbuild.toml").read_bytes()
        repos.build(repos.repository(Path(folder) / "repo", files), out)
        browser = play.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 860}, color_scheme="light")
        for name, where in VIEWS.items():
            page.goto((out / where).as_uri())
            picture = target / f"{name}.png"
            picture.write_bytes(page.screenshot())
            print(picture, picture.stat().st_size)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / ".github/images")
