"""Results on ladders: levels and ratings, who was met, answers and behaviour, game by game."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stratagym.benchmarks.reporting.games import Games
from stratagym.benchmarks.reporting.own import (
    NOT_MEASURED,
    is_result,
    marked,
)
from stratagym.benchmarks.reporting.page import (
    NOTHING,
    Page,
    RateCell,
    Table,
    code,
    count,
    mean_text,
    rate_text,
)
from stratagym.benchmarks.reporting.plots import (
    GREYS,
    INK,
    LINE,
    SOFT,
    drawing,
    looks,
    short_labels,
)
from stratagym.benchmarks.reporting.sections import repeated, seconds_text
from stratagym.envs import spec

Summary = Mapping[str, Any]


MOST_TICKS = 8
"""With more levels, only every second or third tick has a name."""
WORDS = (
    "**Progress**: twice the share of decided games won at the level; if the level plays "
    "perfectly, the share of games drawn.",
    "**Rating**: Bradley-Terry on the ladder's scale, random play at 0, with the opponents' "
    "ratings from the calibration and draws by Davidson's model. One game drawn with an average "
    "opponent is added, which keeps the rating finite.",
    "**Early**: the level ended before its last game, because the 99% interval of the win rate "
    "excluded one half after a quarter, half or three quarters of the games.",
    "**Broken off**: the model could not be reached, which ended the game; the game is continued "
    "and never counts as a loss.",
)
"""The definitions in a report on ladders."""


def policy_names(summary: Summary) -> list[str]:
    return [policy["name"] for policy in summary["config"]["policies"]]


def _models(summary: Summary) -> list[str]:
    return [policy["name"] for policy in summary["config"]["policies"] if len(policy) > 1]


def _percent(rate: Mapping[str, Any] | None) -> str:
    if rate is None or rate["value"] is None:
        return ""
    if rate["low"] is None:
        return f"[{NOTHING}]"
    return f"[{100 * rate['low']:.0f}, {100 * rate['high']:.0f}]"


def level_table(summary: Summary, game: str) -> Table:
    """Level, progress and rating of every policy, the best first."""
    # Under other rules than the ladder's own a climb has no rating, and no scores either.
    has_ratings = not any(row["scores"] for row in summary["games"][game].values())
    columns = ["policy", "level, progress", "95%", "rating", "95%", "games"]
    table = Table(columns if has_ratings else [*columns[:3], "mean score", "games"])
    rows = sorted(
        summary["games"][game].items(), key=lambda item: -(item[1]["level_progress"] or 0)
    )
    for name, row in rows:
        cells = [code(name), row["result"], _percent(row["progress"])]
        if has_ratings:
            rating = row["rating"]
            cells += (
                ["–"] * 2
                if rating is None or rating["value"] is None
                else [
                    f"{rating['value']:.0f}",
                    f"[{rating['low']:.0f}, {rating['high']:.0f}]",
                ]
            )
        else:
            cells.append(mean_text(row["scores"]["mean"]))
        table.rows.append([*cells, count(sum(level["games"] for level in row["levels"]))])
    table.games = [climb_of(game, name) for name, _ in rows]
    return marked(table, [[name] for name, _ in rows], summary["own"][game], nothing=NOT_MEASURED)


def climb_of(game: str, policy: str, *level: Any) -> Games:
    """The games of a policy's climb; of a level alone, or with one of its opponents."""
    return Games(matches="".join(f"{part}/" for part in (game, policy, *level)))


def opponent_table(summary: Summary, game: str) -> Table:
    """Wins, draws and losses against every opponent that was met."""
    table = Table(["policy", "level", "against", "W-D-L", "wins of decided", "passed"], left=[1, 2])
    owns, whose, games = summary["own"][game], [], []
    for name, row in summary["games"][game].items():
        if not is_result(owns.get(name)):
            table.rows.append([code(name), *[""] * 5])
            whose.append([name])
            games.append(climb_of(game, name))
        for level in row["levels"]:
            for at, (opponent, tally) in enumerate(level["opponents"].items()):
                first = at == 0
                how = ", early" if level["settled_early"] else ""
                table.rows.append(
                    [
                        code(name) if first else "",
                        f"Lv{level['level']}" if first else "",
                        code(opponent),
                        f"{tally['wins']}-{tally['draws']}-{tally['losses']}",
                        RateCell(level["win_rate"]) if first else "",
                        (("yes" if level["passed"] else "no") + how) if first else "",
                    ]
                )
                whose.append([name])
                games.append(climb_of(game, name, level["level"], opponent))
    table.games = games
    return marked(table, whose, owns)


def repeat_notes(summary: Summary, game: str) -> list[str]:
    """A remark on every pairing whose games repeat each other."""
    return [
        repeated(f"{name}, Lv{level['level']}", opponent, found)
        for name, row in summary["games"][game].items()
        for level in row["levels"]
        for opponent, found in level.get("repeats", {}).items()
    ]


def role_table(summary: Summary, game: str) -> Table:
    """Scores by role, level by level; no rows where all sides are alike."""
    levels = [
        (name, level)
        for name, row in summary["games"][game].items()
        for level in row["levels"]
        if level.get("roles")
    ]
    names = list(levels[0][1]["roles"]) if levels else []
    table = Table(["policy", "level", *(f"as {name}" for name in names)], left=[1])
    for name, level in levels:
        rates = (RateCell(rate, strip=False) for rate in level["roles"].values())
        table.rows.append([code(name), f"Lv{level['level']}", *rates])
    table.games = [climb_of(game, name, level["level"]) for name, level in levels]
    return marked(table, [[name] for name, _ in levels], summary["own"][game], behind=2)


def score_table(summary: Summary, game: str) -> Table:
    """Mean scores of the levels' teams on the seeds of the run."""
    table = Table(["team of", "level", "mean score", "games"], left=[1])
    for row in summary["games"][game].values():
        for name, mean in row["scores"]["anchors"].items():
            if mean["level"] is not None:
                table.rows.append(
                    [code(name), f"Lv{mean['level']}", mean_text(mean), count(mean["n"])]
                )
                anchor = f"{game}/anchor/{mean['level']}/{name}/"
                table.games = [*table.games, Games(matches=anchor)]
        break
    return table


def model_table(summary: Summary, game: str) -> Table:
    """What language models answered and spent, level by level; no rows without any."""
    kinds = ["ok", "illegal", "unparseable", "overtime", "transport"]
    columns = [
        "model", "level", *kinds, "truncated", "retries", "games forfeited", "broken off",
        "tokens in", "tokens out", "median latency", "cost",
    ]  # fmt: skip
    table = Table(columns, left=[1])
    for name, row in summary["games"][game].items():
        for at, level in enumerate(row["levels"]):
            used = level["usage"]
            if used is None:
                continue
            table.rows.append(
                [
                    code(name) if at == 0 else "",
                    f"Lv{level['level']}",
                    *(count(used["kinds"].get(kind, 0)) for kind in kinds),
                    count(used.get("reasons", {}).get("truncated", 0)),
                    count(level["retries"]),
                    count(level["forfeited"]),
                    count(level["broken_off"]),
                    count(used["tokens_in"]),
                    count(used["tokens_out"]),
                    seconds_text(used["median_latency_s"]),
                    NOTHING if used["cost"] is None else f"{used['cost']:.4f}",
                ]
            )
            table.games = [*table.games, climb_of(game, name, level["level"])]
    return table


def behaviour_table(summary: Summary, game: str) -> Table:
    """How policies played, by the game's own measures; no rows where it has none."""
    rows = {name: row["behaviour"] for name, row in summary["games"][game].items()}
    names = next((list(own) for own in rows.values() if own), [])
    table = Table(["measure", *(code(name) for name in rows)])
    table.rows = [
        [name.replace("_", " "), *(rate_text(own.get(name)) for own in rows.values())]
        for name in names
    ]
    return table


def _games_of(row: Mapping[str, Any] | None) -> int:
    return 0 if row is None else sum(level["games"] for level in row["levels"])


def draw_levels(folder: Path, summary: Summary) -> Path:
    """Every policy's level and progress with its interval, a panel for each game."""
    games, names = list(summary["games"]), policy_names(summary)
    style = looks(names, _models(summary))
    labels = short_labels(names)
    columns = min(3, len(games))
    lines = -(-len(games) // columns)
    height = lines * (0.9 + 0.3 * len(names))
    with drawing(folder, "levels", 2.4 + 2.6 * columns, max(2.2, height)) as figure:
        grid = figure.subplots(lines, columns, squeeze=False, sharey=True)
        for panel in grid.flat[len(games) :]:
            panel.set_visible(False)
        for panel, game in zip(grid.flat, games, strict=False):
            top = summary["config"]["highest"][game]
            panel.set_xlim(-0.15, top + 1.15)
            step = 1 + top // MOST_TICKS
            shown = [f"Lv{k}" if k % step == 0 else "" for k in range(top + 1)]
            shown[-1] = f"Lv{top}" if step == 1 else ""  # has no room beside the top
            panel.set_xticks(range(top + 2), [*shown, "top"])
            panel.grid(axis="x", color=LINE)
            panel.set_title(spec(game).title, fontsize=10)
            for at, name in enumerate(names):
                row = summary["games"][game].get(name)
                if row is None or row["level_progress"] is None:
                    said = "not played" if _games_of(row) == 0 else "no game decided"
                    if not is_result(summary["own"][game].get(name)):
                        said = NOT_MEASURED
                    panel.text(0, at, said, va="center", fontsize=8, color=SOFT)
                    continue
                progress, value = row["progress"], row["level_progress"]
                panel.plot([0, value], [at, at], color=GREYS[0], linewidth=1, zorder=1)
                if progress is not None and progress["low"] is not None:
                    ends = [row["level"] + progress[end] for end in ("low", "high")]
                    panel.plot(ends, [at, at], color=style[name].colour, linewidth=3, alpha=0.45)
                panel.plot(
                    value, at, style[name].marker, color=style[name].colour, markersize=7, zorder=3
                )
                if row["topped"]:
                    panel.annotate(
                        "topped", (value, at), (-6, 6), textcoords="offset points", ha="right",
                        fontsize=8, color=INK,
                    )  # fmt: skip
        for line in grid:
            line[0].set_yticks(range(len(names)), [labels[name] for name in names])
            line[0].set_ylim(len(names) - 0.5, -0.5)
    return folder / "levels.png"


def owns(summary: Summary) -> list[tuple[str, Mapping[str, Any]]]:
    """Which decisions were the policies' own, by the game's title."""
    return [(spec(game).title, own) for game, own in summary["own"].items()]


def write_game(page: Page, summary: Summary, game: str, level: int = 2) -> None:
    """Write the section on one game; ``level`` is the level of its heading."""
    config = summary["config"]
    facts = config["ladders"][game]
    page.heading(spec(game).title, level)
    top = config["highest"][game]
    ends = "" if top == len(facts["levels"]) - 1 else f", of which levels up to {top} can be played"
    shared = config.get("level_games", {}).get(game)
    per = (
        f"{shared[0]} games at Lv0 and {shared[-1]} above it, over a level's opponents"
        if shared
        else f"{config['games'][game]} games of a team"
        if facts["measure"] == "score"
        else f"up to {config['games'][game]} games with each opponent"
        if config["early_stop"]
        else f"{config['games'][game]} games with each opponent"
    )
    if stones := facts.get("opening"):
        per += f", which begin with {stones} random moves, the same for all seats"
    if facts["measure"] == "pairs":
        per += "; the two games of a seed, one on each side, count as one: won by who wins both"
    page.text(f"{code(facts['ladder'])}, levels 0 to {len(facts['levels']) - 1}{ends}; {per}.")
    engines = summary["engines"][game]
    for name, calibrated in engines["calibrated"].items():
        here = engines["here"].get(name)
        if here is not None and here != calibrated:
            page.note(
                f"{code(name)} is {here} in this run and was {calibrated} in the calibration of "
                "the ladder: ratings against it are not on the same scale.",
                warning=True,
            )
            break
    if any(row["broken_off"] for row in summary["games"][game].values()):
        page.note(
            "Games are unfinished because a model could not be reached; --resume continues them.",
            warning=True,
        )
    page.table(level_table(summary, game))
    if facts["measure"] == "score":
        page.table(score_table(summary, game), "Teams of the levels' policies on the same seeds")
    else:
        page.table(opponent_table(summary, game), "Results by opponent")
    for said in repeat_notes(summary, game):
        page.note(said, warning=True)
    roles = role_table(summary, game)
    if roles.rows:
        page.table(roles, "Scores by role, a draw as half a win")
    models = model_table(summary, game)
    if models.rows:
        page.table(models, "Answers of language models, level by level")
    played = behaviour_table(summary, game)
    if played.rows:
        with page.details("How they played"):
            page.table(played)
