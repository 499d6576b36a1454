"""Looks at the built documentation as a reader would: with a browser, in both colour schemes, on a desk and on a phone.

    python docs/check_site.py docs/_build/html --screenshots folder

It needs the package playwright and a chromium in the PATH. It fails on broken links, errors on the console, pages that
are wider than the screen or longer than 20 screens of a desk, tables that are wider than their place on a desk, a
landing page whose bars are below the first screen, a search that finds nothing, and a copy button that copies prompts.
"""

import argparse
import re
import shutil
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

LONGEST = 20  # screens of a desk
SCREENS = {"desk": (1280, 900), "phone": (390, 844)}
CUT_TABLES = """[...document.querySelectorAll(".table-wrapper")].filter(t => t.scrollWidth > t.clientWidth + 1)
    .map(t => t.innerText.slice(0, 40))"""
LOOKED_AT = [
    "index",
    "quickstart",
    "gallery",
    "install",
    "missing",
    "architecture",
    "benchmarks",
    "conformance",
    "differences",
    "guides/from_pytorch",
    "guides/deploying",
    "tutorials/digits",
    "extending/engine",
    "extending/torch_function",
    "reference/index",
    "gallery/peaks",
    "reference/modules",
    "reference/modules/torch.nn",
    "reference/operators/pointwise",
    "reference/api/torch.add",
    "reference/api/torch.nn.Linear",
    "reference/api/torch.optim.Adam",
    "404",
]


class Page(HTMLParser):
    """The anchors of a page, and where it links to."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links = set(), set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id":
                self.anchors.add(value)
            elif name in ("href", "src") and value:
                self.links.add(value)


def broken_links(root):
    """(page, link) for each link inside of the documentation that leads nowhere."""
    pages = {path.resolve(): Page(path.read_text(encoding="utf-8")) for path in root.rglob("*.html")}
    for path, page in pages.items():
        for link in page.links:
            if re.match(r"[a-z]+:", link):
                continue
            place, _, anchor = link.partition("#")
            target = (path.parent / unquote(place.partition("?")[0])).resolve() if place else path
            there = target in pages or target.is_file()
            if not there or (anchor and target in pages and unquote(anchor) not in pages[target].anchors):
                yield str(path.relative_to(root.resolve())), link


def looked_at(browser, root, folder):
    """What is wrong with pages as they are shown, as lines: all on a desk, some in every way."""
    all_pages = sorted(str(path.relative_to(root).with_suffix("")) for path in root.rglob("*.html"))
    for scheme in ("light", "dark"):
        for screen, (width, height) in SCREENS.items():
            context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": height})
            context.set_default_timeout(300_000)  # the longest pages take long to draw on a busy machine
            page, errors = context.new_page(), []
            page.on(
                "console",
                lambda message, errors=errors: errors.append(message.text) if message.type == "error" else None,
            )
            page.on("pageerror", lambda error, errors=errors: errors.append(str(error)))
            for name in all_pages if (scheme, screen) == ("light", "desk") else LOOKED_AT:
                errors.clear()
                page.goto((root / f"{name}.html").as_uri())
                wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
                if wide > 0:
                    errors.append(f"{wide} pixels too wide")
                height_of_page = page.evaluate("document.documentElement.scrollHeight")
                if screen == "desk" and height_of_page > LONGEST * height:
                    errors.append(f"{height_of_page / height:.0f} screens long")
                if name == "index":
                    end = page.evaluate("document.querySelector('.first .bars').getBoundingClientRect().bottom")
                    if end > height:
                        errors.append(f"the bars end {end - height:.0f} pixels below the first screen")
                if screen == "desk":
                    errors += [f"a table is cut: {text!r}" for text in page.evaluate(CUT_TABLES)]
                yield from (f"{name}, {scheme}, {screen}: {error}" for error in errors)
                if folder and name in LOOKED_AT:
                    page.screenshot(path=folder / f"{name.replace('/', '-')}-{scheme}-{screen}.png", full_page=True)
            context.close()


def used(browser, root):
    """What does not work when it is used, as lines."""
    page = browser.new_context(permissions=["clipboard-read", "clipboard-write"]).new_page()
    page.goto((root / "search.html").as_uri() + "?q=hypot")
    page.wait_for_timeout(3000)
    if "hypot" not in " ".join(page.locator("#search-results li").all_inner_texts()):
        yield "the search for hypot finds nothing"
    page.goto((root / "index.html").as_uri())
    page.get_by_role("link", name="Quickstart", exact=True).first.click()
    if not page.url.endswith("quickstart.html"):
        yield f"the navigation leads to {page.url}"
    page.goto((root / "guides/from_pytorch.html").as_uri())
    page.locator(".highlight", has_text=">>>").first.locator("button.copy").click(force=True)
    copied = page.evaluate("navigator.clipboard.readText()")
    if ">>>" in copied or "import flambeau" not in copied or "False" in copied.splitlines():
        yield f"the button copies {copied!r}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("--screenshots", type=Path)
    options = parser.parse_args()
    root = options.root.resolve()
    if options.screenshots:
        options.screenshots.mkdir(parents=True, exist_ok=True)
    wrong = [f"{page}: {link} leads nowhere" for page, link in sorted(broken_links(root))]
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        wrong += [*looked_at(browser, root, options.screenshots), *used(browser, root)]
        browser.close()
    print("\n".join(wrong) or "nothing is wrong")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
