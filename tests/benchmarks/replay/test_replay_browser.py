"""The replay page in a real browser: clicks, keys, slider, boards, and replies that stay text."""

from __future__ import annotations

import base64
import io
import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from recorded_runs import model, record_game, reply, rewrite
from scripts import ROOT

from stratagym import envs
from stratagym.envs import core

webdriver = pytest.importorskip(
    "selenium.webdriver", reason="selenium is missing: pip install 'stratagym[test]'"
)
from selenium.webdriver.chrome.service import Service  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(
    CHROMIUM is None or DRIVER is None,
    reason="no chromium and chromedriver: apt-get install chromium chromium-driver",
)
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--window-size=1300,900",
)  # fmt: skip
HOSTILE = (
    "</script><script>window.owned = 1</script><img src=x onerror='window.owned = 2'>"
    "<b id=owned>bold</b> &amp; “quotes” \u2028 end"
)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    profile = tmp_path_factory.mktemp("profile")
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    yield driver
    driver.quit()


SHOWN = """
const text = (id) => document.getElementById(id).textContent;
const rows = [...document.querySelectorAll("#list button")];
return [
  Number(document.getElementById("slider").value), text("heading"), text("played"), text("text"),
  document.querySelector(".legal .chosen")?.firstChild.textContent ?? null,
  rows.findIndex((row) => row.getAttribute("aria-current") === "step"),
  document.querySelector(".seats li:has(.next) .seat")?.textContent ?? null,
];
"""
"""What the page shows of a step: its number, texts, the move in the list, whose move is next."""


class Opened:
    """A page in the browser."""

    def __init__(self, browser, folder: Path, *arguments: str):
        page = folder / "game.html"
        command = [sys.executable, "-m", "benchmarks.replay", str(folder), "--html", str(page)]
        subprocess.run([*command, *arguments], cwd=ROOT, check=True, capture_output=True)
        self.browser = browser
        # By way of another page: an address that differs only behind # is not loaded anew.
        browser.get("about:blank")
        browser.get_log("browser")  # what earlier tests' pages complained of is not this one's
        browser.get(page.as_uri())

    def find(self, name: str):
        return self.browser.find_element(By.ID, name)

    def text(self, name: str) -> str:
        return self.find(name).get_property("textContent")

    def script(self, code: str):
        return self.browser.execute_script(code)

    def keys(self, *keys: str) -> None:
        self.browser.find_element(By.TAG_NAME, "body").send_keys(*keys)

    @property
    def at(self) -> int:
        return int(self.find("slider").get_property("value"))


def last_state(record: dict):
    """(rules, states) at the end of a recorded game, by the kernel alone."""
    rules = envs.spec(record["game"]).make_rules(**record["rules"])
    states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
    core.start_at(rules, states, 0, np.uint64(record["seed"]), probs)
    for action in record["actions"]:
        core.play_at(rules, states, 0, action, legal, probs)
    return rules, states


def centre(messages):
    """Plays the first column that is not full, now and then after nonsense."""
    if not any(message["role"] == "assistant" for message in messages):
        return reply(HOSTILE, f"thinking {HOSTILE}")
    for column in range(7):
        if f"Move: {column}" not in [m["content"] for m in messages]:
            return f"Move: {column}"
    raise AssertionError(messages)


@pytest.fixture
def game(browser, tmp_path, seed):
    """A page with a game of connect four in which each reply of seat 0 begins with an attack."""
    record = record_game(tmp_path, "connect_four", [model(centre), "random"], seed, tries=9)
    return record, Opened(browser, tmp_path)


def test_clicking_through_a_game_ends_on_the_kernels_board(game):
    record, page = game
    rows = page.browser.find_elements(By.CSS_SELECTOR, "#list button")
    assert len(rows) == record["plies"] + 1
    view = envs.spec("connect_four").module("view")
    for ply in range(record["plies"] + 1):
        at, heading, told, board, chosen, now, following = page.script(SHOWN)
        assert at == now == ply
        _, states = last_state({**record, "actions": record["actions"][:ply]})
        # The board is the one after the move that is told, and it says who is next.
        assert board == view.board_text(None, states[0])
        over = ply == record["plies"]
        assert following == (None if over else "XO"[ply % 2])
        if ply == 0:
            assert (heading, told, chosen) == ("Start", "", None)
        else:
            seat, action = (ply - 1) % 2, record["actions"][ply - 1]
            mark, policy = "XO"[seat], record["seats"][seat]
            assert heading == f"Move {ply} of {record['plies']}: {mark}, {policy}"
            assert told == f"{mark} dropped a stone into column {action}."
            assert chosen == str(action)
        if not over:
            page.find("next").click()
    assert not page.find("next").is_enabled()
    rules, states = last_state(record)
    assert page.text("text") == envs.spec("connect_four").module("view").board_text(
        rules, states[0]
    )
    source = page.script("return document.getElementById('picture').toDataURL()")
    shown = Image.open(io.BytesIO(base64.b64decode(source.partition(",")[2]))).convert("RGB")
    drawn = envs.spec("connect_four").module("render").picture(rules, states[0])
    difference = np.abs(np.asarray(shown, float) - np.asarray(drawn, float))
    assert difference.mean() < 1  # the page's pictures have few colours
    assert page.find("result").is_displayed()
    for value in record["returns"]:
        assert {1: "+1", -1: "−1", 0: "0"}[int(value)] in page.text("result")


def test_keys_slider_list_and_play_button(game):
    record, page = game
    last = record["plies"]
    page.keys(Keys.END)
    assert page.at == last
    page.keys(Keys.HOME, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_LEFT)
    assert page.at == 1
    page.find("slider").send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert page.at == 3
    assert page.text("heading").startswith("Move 3 of ")
    assert page.find("slider").get_attribute("aria-valuetext").startswith("Move 3 of ")
    page.browser.find_elements(By.CSS_SELECTOR, "#list button")[5].click()
    assert page.at == 5
    page.find("first").click()
    assert page.at == 0
    assert not page.find("back").is_enabled()
    page.script("document.getElementById('pace').options[2].value = '5'")
    page.browser.find_element(By.CSS_SELECTOR, "#pace option:nth-child(3)").click()
    page.find("play").click()
    page.browser.set_script_timeout(30)
    page.browser.execute_async_script(
        "const done = arguments[0];"
        "const next = document.getElementById('next');"
        "const look = () => next.disabled ? done() : setTimeout(look, 5);"
        "look();"
    )
    assert page.at == last
    assert page.text("play") == "Play"
    page.browser.refresh()
    assert page.at == last


def test_hostile_replies_stay_text(game):
    _, page = game
    page.find("next").click()
    assert page.script("return typeof window.owned") == "undefined"
    assert not page.browser.find_elements(By.CSS_SELECTOR, "#owned, img[src=x]")
    shown = page.browser.find_element(By.CSS_SELECTOR, ".answer.bad .reply")
    assert shown.get_property("textContent") == HOSTILE
    thoughts = page.browser.find_element(By.CSS_SELECTOR, ".answer.bad details pre")
    assert thoughts.get_property("textContent") == f"thinking {HOSTILE}"
    assert "unparseable" in page.browser.find_element(By.CSS_SELECTOR, ".answer.bad .kind").text
    assert "Your" in page.text("answers") or "You" in page.text("answers")  # the prompt
    injected = "const s = document.createElement('script'); s.textContent = 'window.owned = 3';"
    page.script(injected + "document.body.append(s)")
    assert page.script("return typeof window.owned") == "undefined"  # the policy forbids it
    assert page.script("return performance.getEntriesByType('resource').length") == 0


def test_page_fits_narrow_and_dark_screens(game):
    _, page = game
    command = page.browser.execute_cdp_cmd
    try:
        light = page.script("return getComputedStyle(document.body).backgroundColor")
        dark = [{"name": "prefers-color-scheme", "value": "dark"}]
        command("Emulation.setEmulatedMedia", {"features": dark})
        assert page.script("return getComputedStyle(document.body).backgroundColor") != light
        size = {"width": 360, "height": 740, "deviceScaleFactor": 1, "mobile": True}
        command("Emulation.setDeviceMetricsOverride", size)
        assert page.script("return document.documentElement.scrollWidth") <= 360
        for name in ("first", "back", "play", "next", "last", "slider"):
            box = page.find(name).rect
            assert box["width"] > 20
            assert box["x"] + box["width"] <= 360
            assert page.find(name).get_attribute("aria-label")
    finally:
        command("Emulation.clearDeviceMetricsOverride", {})
        command("Emulation.setEmulatedMedia", {"features": []})
    assert not [x for x in page.browser.get_log("browser") if x["level"] == "SEVERE"
                and "Content Security Policy" not in x["message"]]  # fmt: skip


def test_text_boards_and_a_tampered_record(browser, tmp_path, seed):
    record = record_game(tmp_path, "tictactoe", ["random", "random"], seed)
    page = Opened(browser, tmp_path, "--boards", "text")
    assert "the outcome is the recorded one" in page.text("verdict")
    rewrite(tmp_path / "games.jsonl", lambda game: game.update(returns=[7.0, -7.0]))
    page = Opened(browser, tmp_path, "--boards", "text")
    page.find("last").click()
    rules, states = last_state(record)
    board = envs.spec("tictactoe").module("view").board_text(rules, states[0])
    assert page.find("words").is_displayed()
    assert page.text("words") == board
    assert not page.find("picture").is_displayed()
    assert "the returns are [7.0, -7.0]" in page.text("verdict")


def test_from_game_to_game(browser, tmp_path, seed):
    for k in range(3):
        record_game(tmp_path, "tictactoe", ["random", "random"], seed + k, name=f"t/{k}/0")
    page = Opened(browser, tmp_path)
    assert page.find("games").is_displayed()
    assert not page.find("before").is_enabled()
    titles = []
    for number in (1, 2, 3):
        assert page.script("return location.hash") == f"#g{number}"
        assert page.browser.title == f"Tic-Tac-Toe: random – random – {page.text('outcome')}"
        titles.append(page.text("outcome"))
        rows = page.browser.find_elements(By.CSS_SELECTOR, "#list.sheet li:has(.number):not(.head)")
        plies = int(page.find("slider").get_property("max"))
        assert len(rows) == -(-plies // 2)
        if number < 3:
            page.find("after").click()
    assert not page.find("after").is_enabled()
    page.keys("p", Keys.ARROW_RIGHT)
    assert page.script("return location.hash") == "#g2.1"
    page.browser.refresh()
    assert page.at == 1 and page.text("outcome") == titles[1]
    page.script("location.hash = '#g1.2'")
    assert page.at == 2 and page.text("outcome") == titles[0]
    assert not [x for x in page.browser.get_log("browser") if x["level"] == "SEVERE"]


FOUND = """
return [...document.querySelectorAll("#found .row")].map((row) => [
  Number(row.querySelector(".number").textContent), row.querySelector(".who").textContent,
  row.classList.contains("away"), row.getAttribute("aria-selected") === "true",
]);
"""
"""The rows of the list in sight: number, policies, whether the page lacks them, whether open."""


def test_games_are_found_by_policy_result_and_answer(browser, tmp_path, seed):
    hostile = f"rule:<b id=owned>{HOSTILE[:60]}"
    never = model(lambda messages: reply("no"))
    record_game(tmp_path, "tictactoe", ["random", never], seed, name="m/0/0", invalid="forfeit")
    for k in range(3):
        record_game(tmp_path, "tictactoe", ["random"] * 2, seed + k, name=f"r/{k}/0")
    rewrite(tmp_path / "games.jsonl", lambda game: game.update(
        seats=["random", hostile] if game["match"] == "r/2/0" else game["seats"]))  # fmt: skip
    page = Opened(browser, tmp_path)

    def chip(name: str):
        chips = page.browser.find_elements(By.CSS_SELECTOR, "#filters .chip")
        return next(c for c in chips if c.get_attribute("data-name") == name)

    def numbers() -> list[int]:
        return [row[0] for row in page.script(FOUND)]

    assert page.find("finder").get_property("open") is False or numbers() == [1, 2, 3, 4]
    page.keys("g")
    assert page.script("return document.activeElement.id") == "found"
    assert numbers() == [1, 2, 3, 4]
    chip(hostile).click()
    assert numbers() == [4] and page.script(FOUND)[0][1] == f"random – {hostile}"
    assert not page.browser.find_elements(By.CSS_SELECTOR, "#owned, img[src=x]")
    assert page.script("return typeof window.owned") == "undefined"
    assert chip(hostile).get_attribute("aria-pressed") == "true"
    page.browser.refresh()  # the address has it
    assert numbers() == [4] and page.find("clear").is_displayed()
    page.find("clear").click()
    assert numbers() == [1, 2, 3, 4]
    chip("unparseable").click()
    assert numbers() == [1]
    page.find("clear").click()
    chip("by forfeit").click()
    assert numbers() == [1]
    chip("by forfeit").click()
    page.find("match").send_keys("r/")
    assert numbers() == [2, 3, 4]
    # n goes to the next game of the list; in the list the arrows and Enter choose one.
    page.script("document.activeElement.blur()")
    page.keys("n")
    opened = page.script("return location.hash")
    assert opened.startswith("#g2&") and opened.endswith("match=r%2F")
    page.find("found").send_keys(Keys.END, Keys.ENTER)
    assert page.script("return location.hash").startswith("#g4")
    assert [row[3] for row in page.script(FOUND)] == [False, False, True]
    # A report's address: the first game that fits is opened, and the list stands open.
    page.script("location.hash = '#policy=random&result=lost&match=m%2F'")
    assert page.find("found").is_displayed()
    page.script("location.hash = '#match=r%2F1'")
    assert numbers() == [3] and page.script("return location.hash").startswith("#g3&")
    assert not [x for x in page.browser.get_log("browser") if x["level"] == "SEVERE"]


def test_thousands_of_games_are_listed_and_only_those_in_sight_are_drawn(browser, tmp_path, seed):
    record_game(tmp_path, "tictactoe", ["random"] * 2, seed, name="r/0/0")
    (line,) = (tmp_path / "games.jsonl").read_text().splitlines()
    games = [{**json.loads(line), "match": f"r/{k}/0", "pairing": "r"} for k in range(5000)]
    (tmp_path / "games.jsonl").write_text("".join(json.dumps(game) + "\n" for game in games))
    page = Opened(browser, tmp_path, "--boards", "text")
    page.keys("g")
    assert "of 5000 match" in page.text("matching")
    assert 5 < len(page.script(FOUND)) < 60
    page.find("found").send_keys(Keys.END)
    number, _, away, _ = page.script(FOUND)[-1]
    assert number == 5000 and away
    page.find("found").send_keys(Keys.ENTER)
    assert f"--match {number} --html" in page.text("absent")
    page.find("held").click()
    assert not any(row[2] for row in page.script(FOUND))
    assert page.script("return document.querySelectorAll('*').length") < 2000


def test_a_chess_board_is_turned_round_with_its_names(browser, tmp_path, seed):
    record = record_game(tmp_path, "chess", ["random", "heuristic"], seed)
    page = Opened(browser, tmp_path)

    def canvas() -> np.ndarray:
        source = page.script("return document.getElementById('picture').toDataURL()")
        data = base64.b64decode(source.partition(",")[2])
        return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"), float)

    def sides() -> tuple[str, str]:
        return page.text("above"), page.text("below")

    straight, names = canvas(), sides()
    assert "heuristic" in names[0] and "random" in names[1]
    page.find("flip").click()
    assert sides() == names[::-1]
    turned = canvas()
    size = straight.shape[0]
    assert np.abs(turned - straight).mean() > 5
    # Where a8 was stands h1 now, the right way up.
    pixel = envs.spec("chess").module("render").pixel
    (x, y), (far_x, far_y) = pixel(7, size), pixel(7 * 8, size)
    one, other = (
        image[b - 30 : b + 30, a - 30 : a + 30]
        for image, a, b in ((turned, x, y), (straight, far_x, far_y))
    )
    assert np.array_equal(one, other)
    page.keys("f")
    assert np.array_equal(canvas(), straight)
    page.find("last").click()
    told = page.text("list")
    assert "1." in told and record["plies"] > 1
    assert page.find("course").is_displayed()
