"""LudoBench's report and figures, from records of scripted models through the real pipeline."""

from __future__ import annotations

import asyncio
import io
import json
import math
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from rich.console import Console

from stratagym.agents.chat import ScriptedChat, TransportError
from stratagym.agents.kernel_policies import KernelPolicy
from stratagym.agents.llm import LanguageModel
from stratagym.benchmarks.harness import records, spots
from stratagym.benchmarks.harness.begun import begun
from stratagym.benchmarks.harness.decisions import ask_all, ask_kernel
from stratagym.benchmarks.harness.policies import make_policies, settings
from stratagym.benchmarks.ludo_spots import __main__ as ludo_spots
from stratagym.benchmarks.ludo_spots import figures, findings, metrics, report, run
from stratagym.benchmarks.reporting import page as kit
from stratagym.benchmarks.reporting import plots
from stratagym.envs import text
from stratagym.envs.text import TextOptions

BOARDS = 8
"""Boards of each category; few, so that a summary takes a second."""
KEY = "sk-not-to-be-seen"


# --- models --------------------------------------------------------------------------------------

Style = Callable[[metrics.Facts, str, random.Random], str]


def prefers(*tags: str) -> Style:
    """Plays a move with the first of ``tags`` that a legal move has; a persona's own come first."""
    asked = {"aggressive": ("capture",), "safe": ("safe",)}

    def style(fact: metrics.Facts, persona: str, rng: random.Random) -> str:
        for tag in (*asked.get(persona, ()), *tags):
            for action in fact.legal:
                if tag in fact.tags[action]:
                    return f"{action} | {tag}"
        return f"{fact.legal[-1]} | nothing better"

    return style


def any_legal(fact: metrics.Facts, persona: str, rng: random.Random) -> str:
    return f"{rng.choice(fact.legal)} | luck"


def like_reference(fact: metrics.Facts, persona: str, rng: random.Random) -> str:
    return f"{fact.reference} | search"


def careless(fact: metrics.Facts, persona: str, rng: random.Random) -> str:
    said = [
        *[f"{fact.legal[0]} | fine"] * 3,
        f"{min(fact.wrong, default=9)} | wrong",
        "piece one, I think",
    ]
    return rng.choice(said)


def unreachable(fact: metrics.Facts, persona: str, rng: random.Random) -> str:
    raise TransportError("rate_limit", "slow down", 5)


def half_reachable(fact: metrics.Facts, persona: str, rng: random.Random) -> str:
    return unreachable(fact, persona, rng) if rng.random() < 0.5 else any_legal(fact, persona, rng)


STYLES: dict[str, Style] = {
    "finisher": prefers("home_finish", "move_existing"),
    "builder": prefers("open", "capture"),
    "lucky": any_legal,
    "oracle": like_reference,
    "careless": careless,
    "half-reachable": half_reachable,
    "unreachable": unreachable,
    "org/a-model-with-a-name-that-is-longer-than-any-axis-has-room-for": prefers("capture"),
    "an|odd<b>*name*_$x_1$`": any_legal,
}


# --- summaries -----------------------------------------------------------------------------------


def summarise(
    folder: Path,
    models: tuple[str, ...],
    personas: tuple[str, ...] = ("none",),
    built_in: str = "",
    categories: tuple[str, ...] = spots.CATEGORIES,
    games: int = 40,
    **options: bool,
) -> dict:
    """A summary as ``ludo_spots`` makes it, of built-in policies and models by name of style."""
    args = ludo_spots.Args(head_to_head=games, price_in=1.0, **options)
    rules = spots.AS_PUBLISHED_RULES if args.as_published else {}
    chosen, invalid = spots.load_spots()
    seen: Counter[str] = Counter()
    few = []
    for spot in chosen:
        seen[spot.category] += spot.condition == spots.NEUTRAL
        if spot.category in categories and seen[spot.category] <= BOARDS:
            few.append(spot)
    (reference,) = make_policies(spots.GAME, "gt", args)
    assert isinstance(reference, KernelPolicy)
    facts = metrics.find_facts(few, reference, rules, as_published=args.as_published)
    words = TextOptions(list_legal=args.list_legal, lenient=args.lenient, renamed=args.renamed)
    questions = {
        p: spots.questions(few, rules, replace(words, persona=p), args.seed) for p in personas
    }
    asked = {
        json.dumps(text.messages(q.game, q.rules, q.states, q.text, q.history)): (q.item, persona)
        for persona, each in questions.items()
        for q in each
    }

    def reply(name: str, messages: list[dict[str, str]]) -> str:
        item, persona = asked[json.dumps(messages)]
        return STYLES[name](facts[item], persona, random.Random(f"{name}/{item}/{persona}"))

    kernels = make_policies(spots.GAME, built_in, args) if built_in else []
    chats = [LanguageModel(ScriptedChat(partial(reply, name), name=name)) for name in models]
    writer = records.JsonlWriter(folder / "decisions.jsonl")
    for kernel in kernels:
        assert isinstance(kernel, KernelPolicy)
        plain = spots.questions(few, rules, words, args.seed)
        writer.write_all(ask_kernel(kernel, plain))
    for chat in chats:
        for each in questions.values():
            asyncio.run(ask_all(chat, each, writer, concurrency=4))
    writer.close()
    policies = [*kernels, *chats]
    config = {
        **settings(policies),
        "personas": list(personas),
        "spots": {"source": "shipped", "entries": len(few), "sha256": run.digest(few)},
        "rules": spots.GAME.options_in_force(**rules),
        "as_published": args.as_published,
        "lenient": args.lenient,
        "list_legal": args.list_legal,
        "renamed": args.renamed,
        "depth": args.depth,
        "seed": args.seed,
        "begun": begun("ludo_spots", args),
    }
    path = folder / "decisions.jsonl"
    summary = run.summarise(path, few, invalid, policies, config, reference, args.head_to_head)
    # As a report of a finished run reads it.
    return json.loads(json.dumps(summary))


class Checked(HTMLParser):
    """Collects tags and texts, and fails on tags that do not match."""

    VOID = frozenset({"meta", "img", "br", "wbr", "link"})

    def __init__(self, page: str):
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self.feed(page)
        self.close()
        assert not self.open, f"never closed: {self.open}"

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag, f"</{tag}> on line {self.getpos()[0]}"

    def handle_data(self, data):
        self.text += data


def check_html(folder: Path) -> Checked:
    """The report's page, once it is known to be whole and to need nothing but itself."""
    source = (folder / "report.html").read_text(encoding="utf-8")
    page = Checked(source)
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {tag for tag, _ in page.tags}.isdisjoint({"script", "link", "iframe", "object"})
    for tag, attributes in page.tags:
        assert not [name for name in attributes if name.startswith("on")]
        if "href" in attributes:
            assert attributes["href"].removeprefix("#") in ids
        if tag == "img":
            assert attributes["src"].startswith("data:image/png;base64,")
            assert len(attributes["alt"]) > 20
    assert "url(" not in source
    assert "@import" not in source
    return page


def check_markdown(folder: Path) -> str:
    """The report's Markdown, once its tables and pictures are known to be whole."""
    source = (folder / "report.md").read_text(encoding="utf-8")
    for table in re.findall(r"(?:^\|.*\n?)+", source, re.MULTILINE):
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}
        assert len(widths) == 1, table
    for name in re.findall(r"!\[[^\]]*\]\(([^)]*)\)", source):
        assert (folder / name).is_file()
    assert source.count("<details>") == source.count("</details>")
    return source


def check_pictures(folder: Path) -> set[str]:
    """The names of the figures, all of which hold more than one colour on white."""
    names = set()
    for path in folder.glob("*.png"):
        picture = Image.open(path).convert("RGB").reduce(4)
        assert min(picture.size) > 15
        assert len(picture.getcolors(maxcolors=2**24) or ()) > 20
        names.add(path.stem)
    return names


def shown(summary: dict, width: int = 100) -> str:
    out = io.StringIO()
    report.screen(Console(file=out, width=width), summary, Path("here"))
    return out.getvalue()


@pytest.fixture(scope="module", autouse=True)
def small_pictures() -> Iterator[None]:
    """Figures that are drawn fast, and sharp enough for a test."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kit, "DPI", 60)
        yield


@pytest.fixture(scope="module")
def rich_run(tmp_path_factory) -> tuple[Path, dict]:
    """Many models, asked plainly and with a persona, all built-in policies, and their report."""
    folder = tmp_path_factory.mktemp("rich")
    models = tuple(name for name in STYLES if name != "unreachable")
    personas = ("none", "safe")
    summary = summarise(folder, models, personas, built_in="random,heuristic,gt")
    summary["invalid_entries"] = ["spots_x.json, entry <7>: dice 9 is not 1 to 6"]
    summary["config"]["policies"][3]["api_key"] = KEY
    report.write(folder, summary)
    return folder, summary


# --- the whole report ----------------------------------------------------------------------------


def test_report_holds_every_policy_and_category(rich_run):
    folder, summary = rich_run
    page, source = check_html(folder), check_markdown(folder)
    for name in summary["policies"]:
        assert name.replace("`", "'") in page.text
        assert name.replace("`", "'").replace("|", "\\|") in source
    for category in spots.CATEGORIES:
        assert f"**{category}** – " in source
        assert category in page.text
    for metric in {name for each in metrics.KEY_METRICS.values() for name in each}:
        assert metric in page.text
    assert "entry <7>: dice 9" in page.text
    assert "half-reachable" in page.text


def test_every_figure_is_drawn_and_embedded(rich_run):
    folder, _ = rich_run
    assert check_pictures(folder) == set(figures.FIGURES)
    assert sum(tag == "img" for tag, _ in check_html(folder).tags) == len(figures.FIGURES)
    assert "is left out: " not in (folder / "report.md").read_text()


def test_rates_stand_beside_chance(rich_run):
    folder, summary = rich_run
    rate = summary["policies"]["random"]["none"]["extra_turn"]["bring_out_rate"]
    source = (folder / "report.md").read_text()
    start = source.index("**extra_turn**")
    block = source[start : source.index("**capture_vs_home**")]
    assert kit.rate_text(rate) in block
    assert re.search(rf"uniform chance \|  \| {re.escape(kit.number(rate['chance']))} ", block)


def test_no_key_is_shown(rich_run):
    folder, summary = rich_run
    files = [path.read_text() for path in folder.glob("report.*")]
    assert not any(KEY in text for text in [*files, shown(summary)])


def test_screen_fits(rich_run):
    _, summary = rich_run
    for width in (100, 80):
        lines = shown(summary, width).splitlines()
        assert max(map(len, lines)) <= width
    said = shown(summary)
    for part in ("careless", "gt:2 (reference)", "capture_vs_home_finish", "Persona alignment"):
        assert part in said
    assert "here/report.html" in said
    assert summary["config"]["spots"]["sha256"][:12] in said
    assert "…" not in said.replace("…", "", said.count("a-model-with"))


def test_screen_needs_no_personas(tmp_path):
    summary = summarise(tmp_path, ("lucky",), built_in="gt", categories=("safe",), games=0)
    said = shown(summary)
    assert "Persona" not in said
    assert "Two-player games" not in said


# --- what the report finds -----------------------------------------------------------------------


def test_findings_compare_with_chance(rich_run):
    _, summary = rich_run
    found = {
        finding.policy.strip("`"): finding
        for finding in findings.findings(summary)["Agreement with the reference"]
    }
    assert found["llm:oracle"].verdict == "more than chance"
    assert "1.00 [" in found["llm:oracle"].sentence
    assert found["llm:careless"].verdict == "less than chance"
    assert "Invalid answers count against it" in found["llm:careless"].sentence
    assert "gt:2" not in found
    for name in {*found} & {*summary["policies"]}:
        finding = found[name]
        rate = summary["policies"][name]["none"]["overall"]["gt_position_rate"]
        inside = rate["low"] <= rate["chance"] <= rate["high"]
        assert (finding.verdict == "no more than chance") == inside
        assert f"chance {kit.number(rate['chance'])}" in finding.sentence


def test_findings_name_styles(rich_run):
    _, summary = rich_run
    verdicts = {f.policy: f.verdict for f in findings.findings(summary)["Style"]}
    assert verdicts["`llm:finisher`"] == "finisher"
    assert verdicts["`llm:builder`"] == "builder"
    assert verdicts["`llm:oracle`"] == "both builds and finishes"
    brief = findings.in_brief(findings.findings(summary))
    assert any("finisher: `llm:finisher`" in line for line in brief)


def test_precision_is_computed():
    assert findings.half_width(40) == pytest.approx(14.8, abs=0.1)
    assert findings.half_width(520) == pytest.approx(4.3, abs=0.1)


def test_shift_has_newcombes_interval():
    """The example in Newcombe (1998): 56/70 against 48/80, method 10."""
    before, after = (metrics.wilson(*x).record() for x in ((48, 80), (56, 70)))
    change = figures.shift(before, after)
    assert change["value"] == pytest.approx(0.2)
    assert (change["low"], change["high"]) == pytest.approx((0.0524, 0.3339), abs=1e-4)


def test_persona_alignment_is_a_rate_whose_interval_is_wide_enough(seed):
    """It covers the alignment of the true rates, also where the formula bends most."""
    rng = np.random.default_rng(seed)
    covered = {0.0: 0, 0.15: 0, 0.3: 0}
    for shift in covered:
        true = 0.5 + 0.5 * math.tanh(shift / 0.1)
        for _ in range(100):
            asked: dict = {"none": {}, "safe": {}}
            for category, metric, way in metrics.PERSONA_METRICS["safe"]:
                for persona, p in (("none", 0.5), ("safe", 0.5 + way * shift)):
                    found = metrics.wilson(rng.binomial(40, p), 40)
                    asked[persona].setdefault(category, {})[metric] = found
            score = metrics.persona_alignment(asked)["safe"]
            assert 0 <= score["low"] <= score["value"] <= score["high"] <= 1
            assert (score["n"], score["chance"]) == (5 * 40, 0.5)
            covered[shift] += score["low"] <= true <= score["high"]
    assert min(covered.values()) >= 85


def test_persona_alignment_of_some_metrics():
    half, most = metrics.wilson(10, 20), metrics.wilson(15, 20)
    grudges = ({"change_rate": half}, {"change_rate": most})
    asked = {p: {"grudge_paired": g} for p, g in zip(("none", "unforgiving"), grudges, strict=True)}
    (score,) = metrics.persona_alignment(asked).values()
    assert score["value"] == pytest.approx(0.5 + 0.5 * math.tanh(2.5))
    assert (score["n"], score["metrics"], score["of"]) == (20, 1, 2)
    assert figures.alignment_text(score).startswith(".99 (1/2)\n[")


def test_persona_alignment_is_shown_with_its_interval(rich_run):
    folder, summary = rich_run
    said = shown(summary)
    for name, own in summary["persona_alignment"].items():
        for score in own.values():
            assert kit.rate_text(score) in (folder / "report.md").read_text(), name
            assert kit.rate_text(score) in said


def test_preference_is_signed_towards_the_alternative():
    rates = {"capture_rate": metrics.wilson(10, 40, 0.5), "safe_rate": metrics.wilson(30, 40, 0.5)}
    table = {"capture_vs_safe": {name: rate.record() for name, rate in rates.items()}}
    lean = figures.preference(table, "capture_vs_safe", "safe_rate")
    assert lean["value"] == pytest.approx(0.5)
    assert lean["low"] < 0.5 < lean["high"]
    assert lean["chance"] == 0
    assert figures.preference(table, "capture_vs_home", "home_entry_rate") is None


def test_what_makes_the_run_again_stands_at_the_foot(rich_run):
    folder, summary = rich_run
    foot = (folder / "report.md").read_text().partition("## The run")[2]
    begun = summary["config"]["begun"]
    assert begun["command"] in foot and begun["date"] in foot and begun["version"] in foot
    assert summary["config"]["spots"]["sha256"] in foot and "reference" in foot
    for said in foot, (folder / "report.html").read_text():
        assert KEY not in said


# --- runs that lack something --------------------------------------------------------------------

EVERY = set(figures.FIGURES)
PERSONAS = {"personas", "persona_shifts"}


@pytest.mark.parametrize(
    ("case", "drawn"),
    [
        (
            {"models": ("builder",)},
            EVERY - PERSONAS - {"head_to_head"},
        ),
        (
            {"models": (), "built_in": "random,heuristic,gt"},
            EVERY - PERSONAS - {"compliance"},
        ),
        ({"models": (), "built_in": "gt"}, {"archetypes", "radar", "trade_offs", "grudges"}),
        (
            {
                "models": ("finisher", "careless"),
                "built_in": "random",
                "personas": ("safe",),
                "categories": ("capture", "grudge_paired"),
                "games": 0,
            },
            {"compliance", "gt_agreement", "gt_kappa", "grudges"},
        ),
        (
            {
                "models": ("unreachable",),
                "categories": ("safe", "extra_turn"),
                "personas": ("none", "safe"),
            },
            {"compliance", "gt_agreement", "gt_kappa"},
        ),
        (
            {"models": ("lucky",), "built_in": "gt,gt:1", "as_published": True, "lenient": True},
            EVERY - PERSONAS,
        ),
    ],
    ids=["one model", "no model", "reference only", "few categories", "no answer", "as published"],
)
def test_what_cannot_be_drawn_is_left_out(tmp_path, case, drawn):
    summary = summarise(tmp_path, **case)
    (tmp_path / "head_to_head.png").write_bytes(b"of an earlier report")
    report.write(tmp_path, summary)
    assert check_pictures(tmp_path) == drawn
    page, source = check_html(tmp_path), check_markdown(tmp_path)
    for name in figures.FIGURES:
        assert (f"Figure `{name}` is left out: " in source) == (name not in drawn)
    for name in summary["policies"]:
        assert name in page.text
    assert max(map(len, shown(summary).splitlines())) <= 100


def test_a_run_that_was_cut_short_says_so(tmp_path):
    summary = summarise(tmp_path, ("half-reachable", "lucky"), categories=("safe", "capture"))
    summary["policies"]["llm:lucky"]["none"]["overall"]["kinds"]["ok"] -= 3
    report.write(tmp_path, summary)
    source = check_markdown(tmp_path)
    assert f"`llm:lucky` was asked only {2 * BOARDS - 3} of {2 * BOARDS} questions" in source
    lost = summary["policies"]["llm:half-reachable"]["none"]["overall"]["kinds"]["transport"]
    assert f"To {lost} questions no answer came" in source
    assert "--retry-transport" in shown(summary)


# --- the kit -------------------------------------------------------------------------------------


def test_numbers_and_rates():
    assert [kit.number(x) for x in (0.876, 1.0, 0.0, -0.104, -0.001, -1.33, None)] == [
        ".88", "1.00", ".00", "-.10", ".00", "-1.33", "–",
    ]  # fmt: skip
    rate = metrics.wilson(35, 40, 0.4375).record()
    assert kit.rate_text(rate) == ".88 [.74, .95]"
    assert kit.rate_text(metrics.wilson(0, 0).record()) == "–"
    assert kit.rate_text(None) == "–"
    assert [kit.against(rate, x) for x in (0.5, 0.9, 0.97)] == [1, 0, -1]
    cell = kit.RateCell(rate).html()
    assert 'title="n = 40, chance .44"' in cell
    assert kit.RateCell(None).html() == "–"


def test_markup_is_the_same_in_all_three_forms():
    page = kit.Page("A & B", "lead <i>")
    page.text("**bold** *soft* `a*b|<c>` 1 < 2")
    table = kit.Table(["x", "y"], [["`a|b`", "**1**"]], aside=[0])
    page.table(table, "caption")
    with page.details("more"):
        page.bullets(["one", "two"])
    html, source = page.html(), page.markdown()
    assert "<strong>bold</strong> <em>soft</em> <code>a*b|&lt;c&gt;</code> 1 &lt; 2" in html
    assert "**bold** *soft* `a*b|<c>` 1 &lt; 2" in source
    assert "| `a\\|b` | **1** |" in source
    assert '<tr class="aside"><th scope="row"><code>a|b</code></th>' in html
    assert "A &amp; B" in html
    assert "lead &lt;i&gt;" in html
    Checked(html)
    out = io.StringIO()
    Console(file=out, width=40).print(table.rich("title"))
    assert "a|b  1" in out.getvalue()


@pytest.mark.parametrize("width", [30, 40, 60, 100])
def test_a_table_keeps_headings_and_numbers_whole_on_any_screen(width):
    heading, number = "a long heading of a row", "12.94 [6.46, 21.66]"
    table = kit.Table(["against", "won", "lost"], [[heading, number, number]])
    out = io.StringIO()
    Console(file=out, width=width).print(table.rich("title"))
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    shown = " ".join(lines)
    for part in (*heading.split(), *number.split()):
        assert part in shown
    assert shown.count(number) == 2
    # Between a record for each row and one line for each there are headings that fold.
    assert (heading in shown) == (width != 60)


def test_labels_are_short_and_all_different():
    names = ["llm:org/model-a", "llm:other/model-a", "random"]
    assert list(plots.short_labels(names).values()) == ["org/model-a", "other/model-a", "random"]
    long = [f"llm:{'x' * 40}{k}{'y' * 40}" for k in range(3)]
    assert len(set(plots.short_labels(long).values())) == 3
    assert plots.short_labels(["llm:org/m"]) == {"llm:org/m": "m"}
    looks = plots.looks([*names, "gt:2"], names[:2], "gt:2")
    assert len({(look.colour, look.marker) for look in looks.values()}) == 4


def test_twelve_models_look_different():
    names = [f"llm:{k}" for k in range(12)]
    looks = plots.looks(names, names)
    assert len({look.colour for look in looks.values()}) == 12
    assert len({look.marker for look in looks.values()}) == 12


def test_importing_the_report_does_not_import_matplotlib():
    check = "import sys, stratagym.benchmarks.ludo_spots.report; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
