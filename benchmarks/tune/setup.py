"""From the command line to what is tuned: the game, the expert, the model's file, the course."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from stratagym.agents import gguf_file
from stratagym.agents.core import make_policy
from stratagym.agents.gguf import WHEELS, model_path
from stratagym.agents.ladders import Ladder, find_ladder
from stratagym.agents.llm import LanguageModel
from stratagym.agents.perfect import solver_of
from stratagym.benchmarks.harness import cli, experts
from stratagym.benchmarks.harness.decisions import item_seed
from stratagym.benchmarks.harness.pairings import chosen
from stratagym.benchmarks.harness.policies import settings
from stratagym.benchmarks.harness.progress import progress_bar
from stratagym.benchmarks.harness.records import read_config
from stratagym.benchmarks.tune.adapter import ARCHITECTURE
from stratagym.benchmarks.tune.course import Course, Lora, Practice
from stratagym.benchmarks.tune.evaluation import UNTUNED, Subject
from stratagym.envs import spec
from stratagym.envs.core import GameSpec
from stratagym.envs.text import TextOptions
from stratagym.envs.views import part
from stratagym.wrappers.dialogue import pairings
from stratagym.wrappers.rewards import Rewards

ADAPTER = "adapter.gguf"
PACKAGES = ("torch", "transformers", "peft", "gguf")
EXTRA = "tuning needs PyTorch, transformers, peft and gguf: pip install 'stratagym[tune]'"
EXPERTS = ("perfect", "heuristic")
"""Who is learned from where nobody is named: the first that the game has."""
EASY_FORMS = ("lines", "list")
"""Forms of positions that small models learn by, the best first."""
HELD_OUT = 0.1
EXPLORE = 0.5
SLOTS = 4


def of(benchmark: str, args: Any) -> tuple[Subject, experts.Wanted, Course, Lora]:
    """What the options come to. Raises ``InputError``."""
    on = chosen(args.game, args.rules, for_two=True)
    for option in (
        "positions", "updates", "batch", "rank", "layers", "every", "looks", "questions", "games",
        "max_tokens", "threads",
    ):  # fmt: skip
        cli.count(f"--{option.replace('_', '-')}", getattr(args, option))
    check_rate(args.rate)
    expert = args.expert or usual_expert(on.game)
    told = usual_prompt(on.game) if args.prompt is None else args.prompt
    prompt = cli.pairs("--prompt", told)
    wanted = experts.Wanted(
        expert, args.positions, EXPLORE, HELD_OUT, "messages", args.seed, prompt,
        cli.pairs("--rules", args.rules),
    )  # fmt: skip
    experts.check(wanted)
    experts.expert_of(on.game.name, expert)
    try:
        text = experts.text_of(on.game, prompt)
    except (ValueError, TypeError) as error:
        raise cli.InputError(f"--prompt: {error}") from None
    if args.model not in WHEELS:  # where one of these is missing, the extra is missing first
        file_of(args.model)
    engine = {
        "context": args.context, "slots": SLOTS, "threads": args.threads,
        "max_tokens": args.max_tokens,
    }  # fmt: skip
    subject = Subject(
        benchmark, on.game, on.rules, on.in_force, text, args.model, engine, args.seed
    )
    course = Course(args.updates, args.batch, args.every, args.looks, args.max_tokens)
    return subject, wanted, course, Lora(rank=args.rank, layers=args.layers, rate=args.rate)


def usual_prompt(game: GameSpec) -> str:
    """What prompts hold where nothing is asked for: little, and positions in the easiest form."""
    forms = part(game.module("view"), "POSITION_FORMS")
    easy = [f"position={form}" for form in EASY_FORMS if form in forms]
    return ",".join([*easy[:1], "rules=brief", "reasoning=answer"])


def check_rate(rate: float) -> None:
    """Raises ``InputError`` for a learning rate that is none."""
    if not 0 < rate <= 1:
        raise cli.InputError(f"--rate {rate}: more than 0 and at most 1 is needed")


def usual_expert(game: GameSpec) -> str:
    """Who is learned from where nobody is named. Raises ``InputError`` where the game has none."""
    for name in EXPERTS:
        try:
            make_policy(game, name)
        except ValueError:
            continue
        return name
    raise cli.InputError(f"--expert: {game.name} has neither {' nor '.join(EXPERTS)}; name one")


def config_of(
    subject: Subject, wanted: experts.Wanted, course: Course, lora: Lora, args: Any
) -> dict[str, Any]:
    """All that a run's results depend on, for ``config.json``."""
    with_path = settings([player_of(subject, UNTUNED)])
    with_path["policies"][0]["path"] = subject.model
    return {
        **with_path,
        "game": subject.game.name,
        "rules": subject.options,
        "expert": wanted.expert,
        "examples": {"positions": wanted.positions, "held_out": wanted.held_out},
        "text": subject.text.record(),
        "prompt": wanted.text,
        "course": asdict(course),
        "lora": asdict(lora),
        "questions": args.questions,
        "games": args.games + args.games % 2,
        "climb": args.climb,
        "untuned": args.untuned,
        "seed": args.seed,
    }


def file_of(model: str) -> Path:
    """The model's file. Raises ``InputError``: there is none, or one that cannot be tuned."""
    try:
        path = model_path(model)
        found = gguf_file.read_model(path)
    except (ValueError, ModuleNotFoundError) as error:
        raise cli.InputError(f"--model: {error}") from None
    if found.architecture != ARCHITECTURE:
        raise cli.InputError(
            f"--model {model}: of the kind {found.architecture}; {ARCHITECTURE} can be tuned"
        )
    return path


def import_learners() -> None:
    """Import what learns. Raises ``InputError`` where it is not installed."""
    try:
        for package in PACKAGES:
            import_module(package)
    except ModuleNotFoundError as error:
        if error.name not in PACKAGES:
            raise
        raise cli.InputError(EXTRA) from None


def player_of(subject: Subject, name: str, lora: Path | None = None) -> LanguageModel:
    """``Subject.player``, with ``InputError`` for what cannot be made."""
    try:
        return subject.player(name, lora)
    except (ValueError, ModuleNotFoundError) as error:
        raise cli.InputError(str(error)) from None


def ladder_of(subject: Subject, climb: bool) -> Ladder | None:
    """The ladder to climb: the game's, where it is wanted, there, and for these options."""
    ladder = find_ladder(subject.game.name) if climb else None
    if ladder is None or subject.game.options_in_force(**ladder.options) != subject.options:
        return None
    return ladder


def divided(
    given: Iterable[experts.Lesson], course: Course
) -> tuple[list[experts.Lesson], list[experts.Lesson]]:
    """Lessons to learn from, and those held out. Raises ``InputError`` where there are too few."""
    sides: tuple[list[experts.Lesson], list[experts.Lesson]] = [], []
    for lesson in given:
        sides[lesson.is_held_out].append(lesson)
    train, held_out = sides
    if len(train) < course.batch or not held_out:
        raise cli.InputError(
            f"--positions: {len(train)} to learn from and {len(held_out)} held out are too few"
        )
    return train, held_out


def adapter_facts(folder: Path) -> dict[str, Any]:
    """The adapter of a run and its hash, for a summary."""
    path = folder / ADAPTER
    return {"adapter": {"file": str(path), "sha256": gguf_file.sha256(path)}}


@dataclass(frozen=True)
class Start:
    """A run that tuned a model, as what another goes on from.

    Attributes:
        game, options: the game under its options in force. text: of prompts.
        model: as the run has it. file: of the model. adapter: of the run.
        form: of the adapter. longest: tokens of an answer.
    """

    game: GameSpec
    options: dict[str, Any]
    text: TextOptions
    model: dict[str, Any]
    file: Path
    adapter: Path
    form: dict[str, Any]
    longest: int

    @classmethod
    def of(cls, folder: Path) -> Start:
        """From a run's folder. Raises ``InputError`` where it holds none that tuned a model."""
        config = read_config(folder)
        try:
            game, model = spec(config["game"]), config["policies"][0]
            text = experts.text_of(game, config["prompt"])
            form, longest = config["lora"], config["course"]["longest"]
            options = config["rules"]
        except (KeyError, IndexError, TypeError, ValueError):
            raise cli.InputError(f"{folder}: no run of benchmarks.tune") from None
        file, adapter = file_of(model["path"]), folder / ADAPTER
        if gguf_file.sha256(file) != model["sha256"]:
            raise cli.InputError(f"{file}: another file than the one that {folder} tuned")
        try:
            gguf_file.read_adapter(adapter, gguf_file.read_model(file))
        except ValueError as error:
            raise cli.InputError(f"{error}; the run has to be finished first") from None
        return cls(game, options, text, model, file, adapter, form, longest)

    @property
    def players(self) -> int:
        return int(self.game.make_rules(**self.options).num_players)

    def lora(self, rate: float) -> Lora:
        """The adapter's form, to be learned at another rate."""
        return Lora(**{**self.form, "rate": rate})


def practice_of(start: Start, args: Any) -> tuple[Practice, list[tuple[int, int]]]:
    """How a model practises, and seed and seat of the games that rate it. Raises ``InputError``."""
    for option in ("updates", "games", "rating_games", "threads"):
        cli.count(f"--{option.replace('_', '-')}", getattr(args, option))
    check_rate(args.rate)
    players = start.players

    def whole(games: int) -> int:
        return -(-games // players) * players

    has_solver = solver_of(start.game.name) is not None
    regret = -1.0 * has_solver if args.regret is None else args.regret
    practice = Practice(args.updates, whole(args.games), args.opponent, args.forfeit, regret)
    try:
        make_policy(start.game, practice.opponent)
        rewards_of(practice).check(start.game)
    except (ValueError, ModuleNotFoundError) as error:
        raise cli.InputError(f"--opponent, --regret: {error}") from None
    rating = item_seed(args.seed, "rating")
    return practice, pairings(players, whole(args.rating_games), rating)


def rewards_of(practice: Practice) -> Rewards:
    """What answers earn: the return, another value for a forfeit, and what moves give away."""
    return Rewards(forfeit=practice.forfeit, regret=practice.regret)


def practice_config(start: Start, practice: Practice, args: Any) -> dict[str, Any]:
    """All that a run of ``reinforce`` depends on, for ``config.json``."""
    return {
        "policies": [start.model],
        "game": start.game.name,
        "rules": start.options,
        "text": start.text.record(),
        "adapter_sha256": gguf_file.sha256(start.adapter),
        "lora": asdict(start.lora(args.rate)),
        "practice": asdict(practice),
        "rating_games": args.rating_games,
        "threads": args.threads,
        "seed": args.seed,
    }


@contextmanager
def updates_bar(title: str, total: int) -> Iterator[Callable[[int, str], Any]]:
    """A progress bar of updates, which is told how many there were and a few words."""
    bar = progress_bar(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.completed:,.0f}/{task.total:,.0f}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[result]}", markup=False),
    )
    with bar:
        task = bar.add_task(title, total=total, result="")
        yield lambda done, words: bar.update(task, completed=done, result=words)
