"""The pages in a real Chromium: keys, mouse and touch, phone width, dark theme, labels, hostile texts."""

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the extra 'server' is not installed")
pytest.importorskip("playwright.sync_api", reason="the extra 'browser' is not installed")

from playwright import sync_api as playwright

from shopsim.data import DataSet
from shopsim.server.settings import ServerSettings
from tests.server.pages import CHROMIUM, EVIL, make_hostile, make_results, serving, write_hostile

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"there is no {CHROMIUM} (apt-get install chromium)"),
]


@pytest.fixture(scope="module")
def browser() -> Iterator["playwright.Browser"]:
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("browser")


@pytest.fixture(scope="module")
def address(tiny_path: Path, folder: Path) -> Iterator[str]:
    results = make_results(tiny_path, folder / "run")
    study = f"sqlite:///{folder}/study.db"
    with serving(ServerSettings(data=(tiny_path,), results=(results,), plays=folder / "plays", study_url=study)) as at:
        yield at


@pytest.fixture(scope="module")
def hostile(folder: Path) -> Iterator[str]:
    data = write_hostile(folder / "hostile")
    results = make_hostile(data, folder / "hostile-run")
    study = f"sqlite:///{folder}/hostile.db"
    with serving(ServerSettings(data=(data,), results=(results,), study_url=study)) as at:
        yield at


@pytest.fixture
def page(browser: "playwright.Browser") -> Iterator["playwright.Page"]:
    """A desktop page; whatever a script complains of, a dialog too, fails the test."""
    yield from opened(browser, viewport={"width": 1280, "height": 800})


@pytest.fixture
def phone(browser: "playwright.Browser") -> Iterator["playwright.Page"]:
    """A page on a phone, dark."""
    yield from opened(
        browser, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True, color_scheme="dark"
    )


def opened(browser: "playwright.Browser", **options: object) -> Iterator["playwright.Page"]:
    context = browser.new_context(**options)
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))

    def dismiss(dialog: "playwright.Dialog") -> None:
        complaints.append(f"dialog {dialog.message}")
        dialog.dismiss()

    page.on("dialog", dismiss)
    yield page
    context.close()
    assert complaints == []


def test_steps_follow_the_keys_and_have_links_of_their_own(page: "playwright.Page", address: str) -> None:
    page.goto(f"{address}/data/tiny/sessions/s7")
    page.get_by_role("link", name="Step 3 by itself").click()
    expect = playwright.expect
    expect(page.locator(".count")).to_have_text("the person, step 3 of 8")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".count")).to_have_text("the person, step 4 of 8")
    assert page.url.endswith("/steps/3")
    page.keyboard.press("End")
    expect(page.locator(".count")).to_have_text("the person, step 8 of 8")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Home")
    expect(page.locator(".count")).to_have_text("the person, step 1 of 8")
    page.go_back()
    expect(page.locator(".count")).to_have_text("the person, step 8 of 8")
    page.reload()
    expect(page.locator(".count")).to_have_text("the person, step 8 of 8")
    page.keyboard.press("Escape")
    page.wait_for_url("**/sessions/s7")


def test_only_pictures_near_the_view_are_fetched(page: "playwright.Page", address: str) -> None:
    fetched: list[str] = []
    page.on("request", lambda request: fetched.append(request.url) if ".webp" in request.url else None)
    page.goto(f"{address}/data/tiny")
    page.wait_for_load_state("networkidle")
    assert fetched == []
    page.goto(f"{address}/data/tiny/sessions/s7")
    page.wait_for_load_state("networkidle")
    assert 0 < len(fetched) <= 8
    assert page.locator("img").first.evaluate("image => image.naturalWidth") == 320


def test_shopping_with_the_mouse_and_keys(page: "playwright.Page", address: str, folder: Path) -> None:
    expect = playwright.expect
    page.goto(f"{address}/play?session=s7")
    page.get_by_role("button", name="Enter the shop").click()
    said = page.get_by_role("status")
    expect(said).to_have_text("The feed, 5 items.")
    counts = page.locator("#counts")
    box = page.locator("#screen").bounding_box()
    assert box

    page.mouse.move(box["x"] + 100, box["y"] + 300)
    for _ in range(20):  # a turn while a page is still being fetched is none
        page.mouse.wheel(0, 200)
        page.wait_for_timeout(500)
        if "moves 1" in counts.inner_text():
            break
    expect(counts).to_contain_text("moves 1")
    page.keyboard.press("ArrowUp")
    expect(counts).to_contain_text("moves 2")
    page.mouse.click(box["x"] + box["width"] * 0.25, box["y"] + box["height"] * 0.3)
    expect(said).to_contain_text("Preview of")
    page.get_by_role("button", name="Add to cart").press("Enter")  # the one on the phone, for who sees none
    expect(counts).to_contain_text("in the cart 1")
    page.keyboard.press("b")
    expect(counts).to_contain_text("bought 1")
    page.keyboard.press("Escape")
    expect(said).to_have_text("The feed, 5 items.")
    page.mouse.move(box["x"] + box["width"] * 0.75, box["y"] + box["height"] * 0.3)
    page.mouse.down()
    expect(said).to_contain_text("Details of")  # a long press
    page.mouse.up()
    page.mouse.move(box["x"] + 10, box["y"] + 300)
    page.mouse.down()
    page.mouse.move(box["x"] + 200, box["y"] + 310, steps=3)
    page.mouse.up()
    expect(said).to_have_text("The feed, 5 items.")  # a swipe from the edge
    page.mouse.click(box["x"] + box["width"] * 0.5, box["y"] + 2)
    expect(said).to_have_text("Nothing reacts there.")
    page.keyboard.press("q")
    agree = page.get_by_role("checkbox", name="I agree")
    expect(agree).to_be_focused()
    agree.check()
    page.get_by_role("button", name="Keep it").click()
    page.get_by_role("link", name="Look at it").click()
    expect(page.locator("ol.strip li")).to_have_count(9)
    played = DataSet.open(next(path for path in (folder / "plays").iterdir() if path.is_dir()))
    did = [step.action.label for step in played.session(0).steps]
    assert did == [
        "scroll_down", "scroll_up", "click", "add_to_cart", "purchase", "back", "enter_detail", "back", "terminate",
    ]  # fmt: skip


def test_shopping_with_a_finger(phone: "playwright.Page", address: str) -> None:
    expect = playwright.expect
    phone.goto(f"{address}/play?session=s7")
    phone.get_by_role("button", name="Enter the shop").tap()
    box = phone.locator("#screen").bounding_box()
    assert box
    assert box["width"] > 250
    phone.touchscreen.tap(box["x"] + box["width"] * 0.25, box["y"] + box["height"] * 0.3)
    expect(phone.get_by_role("status")).to_contain_text("Preview of")
    session = phone.context.new_cdp_session(phone)
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    phone.get_by_role("button", name="Esc Back").tap()
    expect(phone.get_by_role("status")).to_contain_text("The feed")
    session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for step in range(1, 6):
        point = {"x": x, "y": y - 40 * step}
        session.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [point]})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    expect(phone.locator("#counts")).to_contain_text("moves 3")
    expect(phone.get_by_role("button", name="Up")).to_be_enabled()


def test_judging_by_keys(page: "playwright.Page", phone: "playwright.Page", address: str) -> None:
    page.goto(f"{address}/judge")
    for source in ("people of tiny", "random of run"):
        page.get_by_role("checkbox", name=source).check()
    page.get_by_label("Attention checks").fill("0")
    page.get_by_label("Steps of the longest").fill("150")
    page.get_by_role("button", name="Make the study").click()
    invitation = page.locator("code").first.text_content()
    assert invitation
    phone.goto(invitation)
    phone.get_by_role("button", name="Begin").tap()
    expect = playwright.expect
    expect(phone.locator(".count")).to_have_text("1 of 2")
    assert phone.evaluate("document.documentElement.scrollWidth") == 390
    phone.keyboard.press("2")
    expect(phone.locator(".count")).to_have_text("2 of 2")
    phone.get_by_role("button", name="B", exact=False).last.tap()
    expect(phone.get_by_role("heading", level=1)).to_have_text("Thank you")
    page.reload()
    expect(page.locator("progress")).to_have_attribute("value", "2")


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/data/tiny",
        "/data/tiny/sessions/s7",
        "/data/tiny/sessions/s7/steps/2",
        "/results",
        "/results/run",
        "/recordings",
        "/play",
        "/judge",
        "/docs",
    ],
)
def test_pages_fit_a_phone_in_the_dark_and_name_what_is_on_them(
    phone: "playwright.Page", address: str, path: str
) -> None:
    phone.goto(address + path)
    assert phone.evaluate("document.documentElement.scrollWidth") == 390, "nothing sticks out"
    red, *_ = (int(part) for part in phone.evaluate("getComputedStyle(document.body).backgroundColor")[4:-1].split(","))
    assert red < 60
    nameless = phone.evaluate(
        """[...document.querySelectorAll("a, button, input, select, img, [role=region], [tabindex]")].filter(e =>
        !(e.getAttribute("aria-label") || e.textContent.trim() || e.getAttribute("alt") || e.labels?.length
          || e.type === "hidden")).map(e => e.outerHTML)"""
    )
    assert nameless == []
    assert phone.locator("h1").count() >= 1


def test_hostile_texts_do_nothing(page: "playwright.Page", hostile: str) -> None:
    page.goto(f"{hostile}/recordings")
    recording = page.locator("tbody th a").first.get_attribute("href")
    paths = ["/", "/data/hostile", "/data/hostile/sessions/s7", "/data/hostile/sessions/s7/steps/0", f"{recording}",
             f"{recording}/steps/0", "/judge"]  # fmt: skip
    for path in paths:
        page.goto(hostile + path)
        assert page.locator("img[src=x], img[onerror], script:not([src])").count() == 0, path
    page.goto(f"{hostile}{recording}/steps/0")
    assert page.locator("pre", has_text="alert(1)").first.text_content() == EVIL
    page.keyboard.press("ArrowRight")  # the part put in by a script
    page.wait_for_url("**/steps/1")
    assert page.locator("img[src=x], img[onerror]").count() == 0
    page.goto(f"{hostile}/play?session=s7")
    page.get_by_role("button", name="Enter the shop").click()
    page.locator("#targets button").first.wait_for(state="attached")
    page.keyboard.press("1")
    playwright.expect(page.get_by_role("status")).to_contain_text("<script>alert(1)</script>")
    assert page.locator("img[src=x], img[onerror]").count() == 0
