"""The HTML report in a browser."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.report.reports import large, report

webdriver: Any = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
pytestmark = [
    pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="chromium and chromedriver are not installed"),
    pytest.mark.xdist_group("browser"),
]
FLAGS = """
    --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
    --disable-component-update --disable-sync
    """


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """One headless Chromium for all tests."""
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in FLAGS.split():
        options.add_argument(flag)
    options.add_argument(f"--user-data-dir={tmp_path_factory.mktemp('profile')}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    driver.implicitly_wait(60)
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The report, opened from disk."""
    path: Path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(report(), encoding="utf-8")
    return path.as_uri()


class Page:
    """The report as it is open."""

    def __init__(self, browser: Any, address: str) -> None:
        self.browser, self.address = browser, address

    def open(self, place: str = "", *, width: int = 1280, dark: bool = False) -> None:
        """Load the page again, at a place in it."""
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        self.browser.get("about:blank")
        self.browser.get(f"{self.address}{place}")

    def all(self, selector: str) -> list[Any]:
        """The elements that are shown."""
        return [each for each in self.browser.find_elements("css selector", selector) if each.is_displayed()]

    def one(self, selector: str) -> Any:
        """The one element, waited for."""
        return self.browser.find_element("css selector", selector)

    def run(self, script: str) -> Any:
        """What a script returns."""
        return self.browser.execute_script(script)

    def keys(self, *keys: str) -> None:
        """Keys pressed on the page."""
        for key in keys:
            webdriver.ActionChains(self.browser).send_keys(key).perform()

    def until(self, script: str) -> None:
        """Wait for what a script asks."""
        webdriver.support.ui.WebDriverWait(self.browser, 60).until(lambda _: self.run(f"return {script}"))


@pytest.fixture
def page(browser: Any, address: str) -> Iterator[Page]:
    """The report; a message on the browser's console fails any test."""
    import selenium.webdriver.support.ui  # noqa: F401

    yield Page(browser, address)
    assert browser.get_log("browser") == []


def ids(page: Page) -> list[str]:
    """The scenarios that the list shows."""
    return [each.text for each in page.all(".list tbody th a")]


def test_one_page_at_a_time(page: Page) -> None:
    """The overview first; links lead to the others."""
    page.open()
    assert [each.get_attribute("id") for each in page.all("main > section")] == ["overview"]
    for link, section in (("Claims", "claims"), ("Unsupported", "unsupported"), ("Refuted", "refuted")):
        page.browser.find_element("link text", link).click()
        page.until(f"document.querySelector('section.current').id === '{section}'")
        assert page.one("nav a[aria-current]").text == link


def test_the_matrix_leads_to_the_scenarios_of_its_cell(page: Page) -> None:
    """Area and engine are chosen in the filter."""
    page.open()
    page.one("[aria-label=Areas] .matrix tbody td:nth-of-type(2) a").click()
    page.until("document.querySelector('section.current .filter output').textContent !== ''")
    assert len(ids(page)) == 5
    assert page.run("return [...new FormData(document.querySelector('.filter'))].join(' ')") == (
        "text, engine,broken verdict, tier, area,few document,"
    )
    page.open()
    page.one("[aria-label=Areas] .lacking").click()
    page.until("document.querySelector('section.current .filter output').textContent === '2 of 5'")
    assert ids(page) == ["layer-is-linear[1]", "layer-is-linear[2]"]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("verdict=unsupported", ["layer-is-linear[1]", "layer-is-linear[2]"]),
        ("verdict=not+agrees&engine=same", []),
        ("tier=core", ["grad-adds-up"]),
        ("document=notes", ["grad-adds-up", "retain-grad-on-a-constant"]),
        ("text=constant+raises", ["retain-grad-on-a-constant"]),
        ("text=notes/adds", ["grad-adds-up"]),
        ("verdict=failing", []),
        ("text=nn.Linear(2", ["layer-is-linear[2]"]),
        ("text=has+no+torch.nn", ["layer-is-linear[1]", "layer-is-linear[2]"]),
        ("text=can't+retain_grad", ["retain-grad-on-a-constant"]),
    ],
)
def test_filters(page: Page, query: str, found: list[str]) -> None:
    """By outcome, document, engine and words; the address keeps them."""
    page.open(f"#scenarios?{query}")
    page.until("document.querySelector('section.current .filter output').textContent !== ''")
    assert ids(page) == found
    assert page.one("#scenarios .filter output").text == f"{len(found)} of 5"


def test_typing_filters_and_clearing_shows_all(page: Page) -> None:
    """What is typed stands in the address, so that it can be passed on."""
    page.open("#scenarios")
    page.keys("/")
    page.until("document.activeElement.name === 'text'")
    page.keys("linear[2]")
    page.until("location.hash.includes('linear')")
    assert ids(page) == ["layer-is-linear[2]"]
    page.one("#scenarios .filter button").click()
    page.until("document.querySelector('section.current .filter output').textContent === ''")
    page.until("document.querySelectorAll('#scenarios details').length === 1")


def test_a_scenario_is_shown_statement_by_statement(page: Page) -> None:
    """Torch next to the engine, with the document's sentence and its place."""
    page.open("#scenario/grad-adds-up")
    page.one(".listing pre")
    assert page.one("#scenario h2").text == "grad-adds-up"
    assert "specs/few/few.yaml:4" in page.one("#scenario .links").text
    assert page.all("#scenario .steps button")[1].text.startswith("next")
    assert "Each pass adds." in page.one("#scenario blockquote").text
    table = page.one(".listing").text
    assert "[2.0, 2.0]" in table and "turn 2" in table and "step 2" in table
    page.open("#scenario/retain-grad-on-a-constant")
    assert "raises nothing" in page.one("#scenario table").text


def test_engines_are_chosen_by_a_button(page: Page) -> None:
    """The first that does not agree is shown; what differs is marked."""
    page.open("#scenario/layer-is-linear%5B1%5D")
    page.one(".listing .differs")
    assert page.one(".engines-of [aria-pressed=true]").text.startswith("broken")
    assert page.one(".why").text == "broken has no torch.nn"
    page.all(".engines-of button")[0].click()
    page.until("document.querySelector('.engines-of [aria-pressed=true]').textContent.startsWith('same')")
    page.until("!document.querySelector('.listing .differs')")


def test_the_graph_is_drawn(page: Page) -> None:
    """With the leaves by name."""
    page.open("#scenario/grad-adds-up")
    page.open("#scenario/layer-is-linear%5B1%5D?engine=same")
    drawing = page.one(".picture svg")
    assert "layer.weight [1, 1]" in drawing.text
    assert drawing.size["width"] > 200


def test_snippets_are_copied(page: Page) -> None:
    """What is copied is the text that is shown, and runs."""
    page.open("#scenario/layer-is-linear%5B1%5D?engine=same")
    page.run("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
    button = page.one("figure button")
    button.click()
    page.until("window.copied !== undefined")
    assert page.run("return window.copied") == page.one("figure pre").get_attribute("textContent")
    assert page.run("return window.copied").startswith("import torch\n")
    assert button.text == "Copied"


def test_keys(page: Page) -> None:
    """j and k go through what the list shows, as the buttons do, Escape goes back to it."""
    page.open("#scenarios?text=layer")
    page.until("document.querySelector('section.current .filter output').textContent !== ''")
    page.keys("j")
    page.until("location.hash === '#scenario/layer-is-linear%5B1%5D?text=layer'")
    page.until("document.querySelector('.next')")
    page.keys("j")
    page.until("location.hash === '#scenario/layer-is-linear%5B2%5D?text=layer'")
    page.until("document.querySelector('.steps').textContent.includes('2 of 2')")
    page.keys("k")
    page.until("location.hash === '#scenario/layer-is-linear%5B1%5D?text=layer'")
    page.keys(webdriver.Keys.ESCAPE)
    page.until("location.hash === '#scenarios?text=layer'")
    assert ids(page) == ["layer-is-linear[1]", "layer-is-linear[2]"]


def test_next_and_previous_keep_the_filter_and_the_engine(page: Page) -> None:
    """There are buttons; at an end one is disabled."""
    page.open("#scenario/layer-is-linear%5B1%5D?verdict=unsupported&engine=broken")
    page.one(".next")
    assert not page.one(".previous").is_enabled()
    assert page.one(".steps .count").text == "1 of 2"
    page.one(".next").click()
    page.until("document.querySelector('#scenario h2').textContent === 'layer-is-linear[2]'")
    assert (
        page.run("return location.hash")
        == "#scenario/layer-is-linear%5B2%5D?verdict=unsupported&engine=broken"
    )
    assert not page.one(".next").is_enabled()
    page.one(".steps a").click()
    page.until("location.hash === '#scenarios?verdict=unsupported&engine=broken'")


def test_an_id_without_its_case_lists_the_cases(page: Page) -> None:
    """With their verdicts."""
    page.open("#scenario/layer-is-linear")
    page.until("document.querySelectorAll('#scenario tbody tr').length === 2")
    page.one("#scenario tbody a").click()
    page.until("document.querySelector('#scenario h2').textContent === 'layer-is-linear[1]'")


def test_claims_and_causes_are_filtered_by_engine(page: Page) -> None:
    """Each engine has a column of its own."""
    page.open("#claims?engine=broken&does=agrees")
    page.until("document.querySelector('#claims output').textContent === '2 of 2'")
    assert [each.text for each in page.all("#claims .list > thead th")] == [
        "claim, and what torch does",
        "same",
        "broken",
    ]
    page.open("#unsupported?engine=same")
    page.until("document.querySelector('#unsupported output').textContent === '0 of 1'")
    page.open("#unsupported?engine=broken")
    page.one("#unsupported summary").click()
    page.until("document.querySelectorAll('#unsupported .cause li a').length === 2")


def test_one_scenario_prints_alone(page: Page) -> None:
    """Without lists, filters and buttons."""
    page.open("#scenario/grad-adds-up")
    page.one(".listing pre")
    page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    shown = [each.get_attribute("id") for each in page.all("main > section")]
    height = page.run("return document.documentElement.scrollHeight")
    buttons = page.all("#scenario .steps button, nav a")
    page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert (shown, buttons) == (["scenario"], [])
    assert height < 2200  # two pages


def test_what_is_drawn_and_tabulated_says_what_it_is(page: Page) -> None:
    """A drawing has a title, a table has headers."""
    page.open("#scenario/layer-is-linear%5B1%5D?engine=same")
    page.one(".picture svg")
    assert page.run("return document.querySelector('.picture title').textContent").startswith(
        "The graph on torch"
    )
    for place in ("#overview", "#refuted", "#claims?document=notes", "#scenarios?tier=core"):
        page.open(place)
        page.until("document.documentElement.classList.contains('ready')")
        assert (
            page.run(
                "return [...document.querySelectorAll('thead th')].filter((th) => !th.textContent.trim()).length"
            )
            == 0
        )


def test_everything_is_reached_by_the_tab_key(page: Page) -> None:
    """In the order of the page, with a way past the links at its top."""
    page.open("#scenarios?verdict=unsupported")
    page.until("document.querySelector('section.current .filter output').textContent !== ''")
    reached = []
    for _ in range(20):
        page.keys(webdriver.Keys.TAB)
        reached.append(page.run("const e = document.activeElement; return e.name || e.textContent.trim()"))
    assert reached[:3] == ["Skip to the content", "Autograd conformance", "Overview"]
    assert {"text", "engine", "verdict", "area", "document", "layer-is-linear[1]"} <= set(reached)


@pytest.mark.parametrize("width", [1280, 768, 360])
@pytest.mark.parametrize(
    "place", ["#overview", "#scenarios?engine=broken", "#scenario/layer-is-linear%5B1%5D", "#refuted"]
)
def test_no_page_is_wider_than_the_screen(page: Page, width: int, place: str) -> None:
    """What is wide scrolls by itself."""
    page.open(place, width=width)
    page.one("section.current h2")
    page.until("!document.querySelector('[aria-busy]')")
    assert page.run("return document.documentElement.scrollWidth") <= width


def test_dark_and_light(page: Page) -> None:
    """As the system is set, and as the button says."""
    background = "return getComputedStyle(document.body).backgroundColor"
    page.open(dark=False)
    light = page.run(background)
    page.open(dark=True)
    dark = page.run(background)
    assert light != dark
    page.one("#theme").click()
    assert page.run(background) == light
    page.run("localStorage.clear()")


def test_what_looks_like_markup_is_text(page: Page) -> None:
    """A program cannot take the page over."""
    page.open("#scenario/text-is-markup")
    assert "</script>" in page.one(".listing").text
    assert page.run("return document.title").startswith("text-is-markup")
    page.open("#scenarios?text=layer")
    page.until("document.querySelector('.list tbody') !== null")
    assert "<b>and</b>" in page.one(".list tbody tr span").text


def test_a_large_report_is_quick(page: Page, tmp_path: Path) -> None:
    """2000 scenarios on six engines: what a person waits for takes well below a second on an idle machine.

    What it may take here, on a busy one, is far more than that, and far less than what grows with the square.
    """
    path = tmp_path / "large.html"
    path.write_text(large(), encoding="utf-8")
    page.address = path.as_uri()
    page.open("#scenarios")
    loaded = "performance.getEntriesByType('navigation')[0].domComplete"
    page.until(f"{loaded} > 0")
    assert page.run(f"return {loaded}") < 30_000
    page.run("location.hash = '#scenarios?engine=engine-1&verdict=unsupported&text=99'")
    page.until("document.querySelector('section.current .filter output').textContent.startsWith('38 of')")
    filtering = """
        const field = document.querySelector('#scenarios [name=text]');
        const begin = performance.now();
        document.querySelector('#scenarios [name=text]').value = '199';
        window.dispatchEvent(new HashChangeEvent('hashchange'));
        document.body.offsetHeight;
        return performance.now() - begin;
        """
    assert page.run(filtering) < 10_000
    page.run("location.hash = '#scenario/scenario-1999?engine=engine-2'")
    page.until("document.querySelector('.listing .differs') !== null")


def test_a_scenario_that_is_not_there_is_reported(page: Page) -> None:
    """As by an old link."""
    page.open("#scenario/gone")
    page.until("document.querySelector('#scenario').textContent.includes('There is no scenario gone')")
