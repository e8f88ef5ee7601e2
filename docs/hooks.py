"""What mkdocs builds besides the files in this folder.

A page for every registered game, from its docstring and its facts, with a picture and a board in
text; a list of the games with a gallery; the notebook of the tutorials with the outputs that it
holds; and CONTRIBUTING.md from the root of the repository.
"""

from __future__ import annotations

import base64
import importlib
import inspect
import io
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from PIL import Image

from stratagym import envs
from stratagym.envs import core

ROOT = Path(__file__).resolve().parent.parent
SEED = 20
GALLERY, THUMBNAIL = 3, 240
"""Games in a row of the gallery, and pixels of the longer side of a picture."""
FACTS = ("dynamics", "chance", "information", "utility")
NOTEBOOK = "tutorials/notebook"
KINDS: dict[str, Callable[[core.GameSpec], bool]] = {
    "Problems for one": lambda spec: spec.max_players == 1,
    "Real time": lambda spec: spec.decision_seconds is not None,
    "Sealed plans": lambda spec: spec.dynamics == "simultaneous",
    "Cooperative games": lambda spec: spec.utility == "identical",
    "Cards and tiles": lambda spec: spec.information == "imperfect",
    "Dice": lambda spec: spec.chance != "deterministic",
    "Board games": lambda spec: True,
}
"""The kinds of games: a game is of the first kind that its facts fit."""
ORDER = (
    "Board games",
    "Dice",
    "Cards and tiles",
    "Cooperative games",
    "Sealed plans",
    "Real time",
    "Problems for one",
)
"""In which the site lists the kinds."""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the games into the navigation, by their kinds."""
    pages: list[Any] = [{"All games": "games/index.md"}]
    for kind, specs in by_kind():
        pages.append({kind: [{spec.title: f"games/{spec.name}.md"} for spec in specs]})
    for section in config.nav or []:
        if "Games" in section:
            section["Games"] = pages
    return config


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the pages that are not in this folder."""
    for path, content in pages().items():
        files.append(File.generated(config, path, content=content))
    return files


def by_kind() -> Iterator[tuple[str, list[core.GameSpec]]]:
    """The kinds that there are games of, and their games."""
    specs = [envs.spec(name) for name in envs.games()]
    kind_of = {spec.name: next(kind for kind, is_one in KINDS.items() if is_one(spec))
               for spec in specs}  # fmt: skip
    for kind in ORDER:
        if found := [spec for spec in specs if kind_of[spec.name] == kind]:
            yield kind, found


def pages() -> dict[str, str | bytes]:
    """Content by path, below the documentation's folder."""
    found: dict[str, str | bytes] = {
        "games/index.md": index_page(),
        "contributing.md": contributing_page(),
        **notebook_pages(ROOT / "docs" / f"{NOTEBOOK}.ipynb"),
    }
    for name in envs.games():
        rules, states = middle_of_a_game(envs.spec(name))
        found[f"games/{name}.md"] = game_page(name, rules, states)
        found[f"games/{name}.png"] = drawn = picture(envs.spec(name), rules, states)
        found[f"games/{name}-small.png"] = thumbnail(drawn)
    return found


def contributing_page() -> str:
    """CONTRIBUTING.md, with its links into this folder made relative to it."""
    return re.sub(r"\]\(docs/", "](", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))


def notebook_pages(path: Path) -> dict[str, str | bytes]:
    """A notebook as a page, with the outputs that it holds and their pictures; nothing is run."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    found: dict[str, str | bytes] = {}
    parts: list[str] = []
    for cell in cells:
        source = "".join(cell["source"])
        parts.append(source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```")
        for output in cell.get("outputs", []):
            data = output.get("data", {"text/plain": output.get("text", "")})
            if "image/png" in data:
                name = f"{NOTEBOOK}-{len(found) + 1}.png"
                found[name] = base64.b64decode("".join(data["image/png"]))
                parts.append(f"![What the cell shows]({Path(name).name})")
            else:
                parts.append(f"```text\n{''.join(data['text/plain']).rstrip()}\n```")
    title, *rest = parts
    download = f"[Download the notebook]({path.name})"
    found[f"{NOTEBOOK}.md"] = "\n\n".join([title, download, *rest]) + "\n"
    return found


def index_page() -> str:
    """A table of the games of each kind."""
    head = ["Game", "Players", *(fact.capitalize() for fact in FACTS)]
    tables = []
    for kind, specs in by_kind():
        tables += [f"## {kind}", "", _row(head), _row(["---"] * len(head))]
        for spec in specs:
            title = f"[{spec.title}]({spec.name}.md)"
            tables.append(_row([title, _players(spec), *(_fact(spec, fact) for fact in FACTS)]))
        tables.append("")
    return "\n".join(
        [
            "# Games",
            "",
            "`stratagym.envs.games()` lists the names of all games, and "
            '`stratagym.envs.spec("...")` gives the facts of one. These pages are made from the '
            "games' docstrings and facts.",
            "",
            *tables,
            *gallery(),
        ]
    )


def gallery() -> list[str]:
    """Every game in the middle of one, small, three in a row."""
    cells = [f"[![{envs.spec(name).title}]({name}-small.png)]({name}.md)" for name in envs.games()]
    names = [f"[{envs.spec(name).title}]({name}.md)" for name in envs.games()]
    lines = [
        "## Gallery",
        "",
        "Drawn by the games themselves, halfway through a game of random moves.",
        "",
    ]
    for first in range(0, len(cells), GALLERY):
        one = slice(first, first + GALLERY)
        width = len(cells[one])
        lines += [_row(cells[one]), _row([":---:"] * width), _row(names[one]), ""]
    return lines


def game_page(name: str, rules: Any, states: np.ndarray) -> str:
    """A game's docstring, with its facts, options, picture and board put in."""
    spec = envs.spec(name)
    package = importlib.import_module(spec.package)
    title, _, text = (inspect.getdoc(package) or spec.title).partition("\n")
    intro, heading, rest = text.strip().partition("\n## ")
    board = spec.module("view").board_text(rules, states[0])
    parts = [
        f"# {title.rstrip('.')}",
        intro.strip(),
        f"![{spec.title} in the middle of a game]({name}.png){{ width=480 }}",
        "## Facts",
        _facts(spec),
        "## Make it",
        _make(name),
        "## Options",
        f'Given to `make("{name}", ...)` by name, and to scripts as `--rules name=value`.',
        _options(spec),
        heading.strip() and "## " + rest.strip(),
        "## As text",
        'What `render_mode="ansi"` gives for the picture above.',
        f"```text\n{board}\n```",
        "## Sources",
        "\n".join(f"- {source}" for source in spec.sources),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _facts(spec: core.GameSpec) -> str:
    """The fact block as a table."""
    shapes: dict[str, list[str]] = {}
    for players in range(spec.min_players, spec.max_players + 1):
        options = {"players": players} if "players" in spec.options else {}
        rules = spec.make_rules(**options)
        observed = f"`{rules.observation_shape}` {np.dtype(rules.observation_dtype)}"
        shapes.setdefault(observed, []).append(str(players))
        actions = rules.num_actions
    observation = "; ".join(
        shape if len(shapes) == 1 else f"{shape} for {', '.join(players)} players"
        for shape, players in shapes.items()
    )
    rows = [
        ("PettingZoo id", f"`{_id(spec, False)}`"),
        ("Gymnasium id", f"`{_id(spec, True)}`"),
        ("Version", str(spec.version)),
        ("Players", _players(spec)),
        ("Actions", str(actions)),
        ("Observation", observation),
        *((fact.capitalize(), _fact(spec, fact)) for fact in FACTS),
        ("Longest game", f"{spec.max_game_length} decisions with default options"),
    ]
    return "\n".join([_row(["Fact", ""]), _row(["---", "---"]), *map(_row, rows)])


def _id(spec: core.GameSpec, gymnasium: bool) -> str:
    title = "".join(part.capitalize() for part in spec.name.split("_"))
    return f"stratagym/{title if gymnasium else spec.name}-v{spec.version}"


def _make(name: str) -> str:
    spec = envs.spec(name)
    others = ', opponent="random"' if spec.max_players > 1 else ""
    parallel = f'env = pettingzoo.make("parallel", "{_id(spec, False)}")  # all seats at once'
    return "\n".join(
        [
            "```python",
            "import gymnasium",
            "import pettingzoo",
            "from stratagym import envs",
            "",
            f'env = envs.make("{name}")  # AEC environment',
            f'env = pettingzoo.make("aec", "{_id(spec, False)}")  # PettingZoo 1.27 and later',
            *([parallel] if spec.is_simultaneous else []),
            f'batch = envs.make_batch("{name}", 1024)  # stepped together in numba',
            f'env = gymnasium.make("{_id(spec, True)}"{others})  # one learner',
            "```",
        ]
    )


def _options(spec: core.GameSpec) -> str:
    if not spec.options:
        return "None."
    rows = [
        (f"`{name}`", f"`{option.default}`", _choices(option), option.help)
        for name, option in spec.options.items()
    ]
    return "\n".join(
        [_row(["Option", "Default", "Choices", "Meaning"]), _row(["---"] * 4), *map(_row, rows)]
    )


def _choices(option: core.Option) -> str:
    """The allowed values; of ``core.integer``, what it says to a value that is none."""
    if not callable(option.choices):
        return ", ".join(f"`{choice}`" for choice in option.choices)
    if getattr(option.choices, "__qualname__", "").startswith("integer."):
        try:
            option.choices(None)
        except ValueError as error:
            return str(error).removesuffix(" is needed")
    return "see the meaning"


def _players(spec: core.GameSpec) -> str:
    few, many = spec.min_players, spec.max_players
    return str(few) if few == many else f"{few}-{many}"


def _fact(spec: core.GameSpec, fact: str) -> str:
    return str(getattr(spec, fact)).replace("_", "-")


def _row(cells: Any) -> str:
    return f"| {' | '.join(str(cell) for cell in cells)} |"


def middle_of_a_game(spec: core.GameSpec) -> tuple[Any, np.ndarray]:
    """(rules, states) halfway through a random game with default options."""
    rules = spec.make_rules()
    states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)

    def play(most: int) -> int:
        generator = np.random.default_rng(SEED)
        player = core.start_at(rules, states, 0, np.uint64(SEED), probs)
        n = core.legal_actions_at(rules, states, 0, legal)
        plies = 0
        while player >= 0 and plies < most:
            action = int(legal[generator.integers(n)])
            player, n = core.play_at(rules, states, 0, action, legal, probs)
            plies += 1
        return plies

    play(play(spec.max_game_length) // 2)
    return rules, states


def picture(spec: core.GameSpec, rules: Any, states: np.ndarray) -> bytes:
    """A state as PNG."""
    file = io.BytesIO()
    Image.fromarray(spec.module("render").picture(rules, states[0])).save(file, "PNG")
    return file.getvalue()


def thumbnail(png: bytes) -> bytes:
    """A picture made small."""
    image, file = Image.open(io.BytesIO(png)), io.BytesIO()
    image.thumbnail((THUMBNAIL, THUMBNAIL), Image.Resampling.LANCZOS)
    image.save(file, "PNG")
    return file.getvalue()
