"""AdvGameBench: how a player plans under a budget, and how it revises its plans after a battle.

    python -m benchmarks.advgame --policies llm --model M --base-url URL
    python -m benchmarks.advgame --policies random,control:keep,heuristic --game tower_defence
    python -m benchmarks.advgame --policies llm:M --budget 0.5,0.75,1,1.5
    python -m benchmarks.advgame --policies llm:M --opponents llm:OTHER --game battle_card
    python -m benchmarks.advgame findings
    python -m benchmarks.advgame compare RUN OTHER_RUN
    python -m benchmarks.advgame balance --game battle_card

In three games two sides make plans without seeing each other's plan; then the battle runs by
itself. A match has eleven rounds. After each round one side plans anew: five times the policy, five
times its opponent. Every policy plays both roles, as first and as second updater.

Source: AdvGameBench (2025). Metrics follow the paper's definitions; those of its released program
are reported too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from json import dumps
from pathlib import Path

from cyclopts import Parameter

from stratagym.agents.core import Policy
from stratagym.agents.llm import LanguageModel
from stratagym.benchmarks.advgame import compare as comparison
from stratagym.benchmarks.advgame import report, setup
from stratagym.benchmarks.advgame.balance import balance as balance_of
from stratagym.benchmarks.advgame.credit import KINDS, SAMPLES, WITHOUT
from stratagym.benchmarks.advgame.findings import findings as paper_findings
from stratagym.benchmarks.advgame.matches import NAME, Plan
from stratagym.benchmarks.advgame.summary import summarise
from stratagym.benchmarks.harness import cli
from stratagym.benchmarks.harness.match_play import AnswerProtocol
from stratagym.benchmarks.harness.options import MatchArgs, RunArgs
from stratagym.benchmarks.harness.policies import make_policies, settings
from stratagym.benchmarks.harness.progress import stage
from stratagym.benchmarks.harness.run import Run
from stratagym.benchmarks.harness.sealed_games import GAMES
from stratagym.benchmarks.reporting.own import print_words
from stratagym.benchmarks.reporting.terminal import output_console
from stratagym.envs import spec
from stratagym.wrappers.dialogue import FORFEIT

VOID = "void"
MOST_TRIES, MOST_SAMPLES = 20, 10_000
FEEDBACK = ("full", "as_published")


@Parameter(name="*")
@dataclass(kw_only=True)
class Args(MatchArgs, RunArgs):
    benchmark = NAME

    policies: str = "random,control:keep"
    """Policies, separated by commas: llm, llm:MODEL, random, heuristic, plan:NAME, control:keep,
    control:redraw=POLICY, where POLICY may be a model: control:redraw=llm:MODEL."""
    opponents: str = "plan:level?k=1,plan:level?k=3,plan:level?k=5"
    """Opponents that every policy meets, separated by commas; llm:MODEL may be one."""
    game: str = ",".join(GAMES)
    """Games, separated by commas."""
    rounds: int = 11
    """Rounds of a match, 2 to 20; with 10 the last update is left out."""
    repeats: int = 1
    """Matches of each setting, with different seeds."""
    budget: str = "1"
    """Shares of the budget that a policy gets, separated by commas; all settings are played with
    each share. The opponent keeps its whole budget."""
    shared_start: bool = False
    """Ask each policy for its first plan once per role and use it in all its matches, as the
    released program does. Otherwise every match begins with new plans."""
    tries_on_violation: int = 1
    """Answers that a model may give if its plan is over budget: it is told the cost and asked
    again. The last answer is played."""
    rules: str = ""
    """Options of the games, such as "setting=released"."""
    pooled: bool = False
    """In figures, the point of a policy is its games pooled, not the mean of its games."""
    credit: str = WITHOUT
    """How the credit of an item of a plan is computed: "without", by leaving the item out;
    "shapley", as the mean of what it adds over random orders (tower defence and battle card)."""
    samples: int = SAMPLES
    """Number of random orders for --credit shapley."""
    embedding_model: str = ""
    """Embedding model for the similarity of the texts of plans (M); without a model, M is left out.
    Needs pip install "stratagym[openai]"."""
    embedding_url: str = ""
    """Endpoint of --embedding-model; default --base-url."""
    feedback: str = "full"
    """What a prompt says about the last round: "full", or "as_published", without what happened and
    without the offer to keep the plan."""
    invalid: str = VOID
    """After an illegal plan, or the last unreadable answer: "void", a plan that loses the round;
    "forfeit" loses the whole match."""


def main(args: Args = Args()) -> None:  # noqa: B008 - how cyclopts takes defaults
    """Play matches of sealed plans and report how policies plan, revise and keep to budgets."""
    games = setup.games_of(args.game)
    setup.check_rounds("--rounds", args.rounds)
    cli.count("--repeats", args.repeats)
    cli.choice("--feedback", args.feedback, FEEDBACK)
    if not 1 <= args.tries_on_violation <= MOST_TRIES:
        raise cli.InputError(
            f"--tries-on-violation {args.tries_on_violation}: choose from 1 to {MOST_TRIES}"
        )
    if args.shared_start and args.invalid == FORFEIT:
        raise cli.InputError("--shared-start: a first plan has to be played: add --invalid void")
    cli.choice("--credit", args.credit, KINDS)
    if not 1 <= args.samples <= MOST_SAMPLES:
        raise cli.InputError(f"--samples {args.samples}: choose from 1 to {MOST_SAMPLES}")
    options = cli.pairs("--rules", args.rules)
    if args.feedback == "as_published" and not args.position:
        args = replace(args, position="as_published")
    protocols: dict[str, AnswerProtocol] = {}
    models: dict[str, Policy] = {}
    begun = setup.begun_by(args)
    for game in games:
        try:
            spec(game).make_rules(**options)
        except ValueError as error:
            raise cli.InputError(f"--rules: {error}") from None
        protocols[game] = replace(
            args.answer_protocol(spec(game)), again=False, violations=args.tries_on_violation
        )
        policies = make_policies(spec(game), args.policies, args)
        opponents = make_policies(spec(game), args.opponents, args, option="--opponents")
        every = {policy.name: policy for policy in (*opponents, *policies)}
        setup.sample_as_begun(every.values(), begun)
        models |= {n: p for n, p in every.items() if isinstance(p, LanguageModel)}
    factors = setup.factors_of(args.budget)
    named, met = ([policy.name for policy in own] for own in (policies, opponents))
    plan = Plan(
        policies=named,
        opponents=met,
        games=games,
        rounds=args.rounds,
        repeats=args.repeats,
        factors=factors,
        seed=args.seed,
        options=options,
        shared_start=args.shared_start,
        yardsticks=[name for name in setup.YARDSTICKS if len(factors) > 1 and name not in named],
        frozen=[name for name in met if name not in models],
        chance=setup.chance_of(named, models, met, begun),
    )
    config = {
        **settings(list(every.values())),
        "named": list(plan.policies),
        **({"chance": list(plan.chance)} if plan.chance else {}),
        "opponents": list(plan.opponents),
        "games": games,
        "rounds": args.rounds,
        "repeats": args.repeats,
        "budget": list(plan.factors),
        "rules": options,
        "feedback": args.feedback,
        **({"shared_start": True} if args.shared_start else {}),
        **protocols[games[0]].record(),
        "seed": args.seed,
    }
    run = Run(NAME, args, config, models.values())
    url = args.embedding_url or args.base_url
    embeddings = setup.embeddings_of(run.folder, args.embedding_model, url, args.api_key_env)
    records = run.play(plan.schedule(protocols, models), lambda match: match.game)
    with stage("adding up the rounds"):
        summary = summarise(
            run,
            plan,
            records,
            pooled=args.pooled,
            credit=args.credit,
            samples=args.samples,
            embeddings=embeddings,
        )
    run.finish(summary, report.write, report.screen)


def findings() -> None:
    """Say what the paper's own table 1 says of its claims."""
    console = output_console()
    for title, sentences in paper_findings().items():
        console.print(f"\n{title}")
        for sentence in sentences:
            console.print(f"- {sentence}", soft_wrap=True)


def compare(first: str, second: str, /, json: bool = False) -> None:
    """Say what the second of two runs changes, on the matches that both have.

    Such as made-up names: play once without and once with --renamed, and compare.

    Parameters
    ----------
    first
        Folder of a run.
    second
        Folder of another, with the same policies, opponents and seed.
    json
        Print JSON.
    """
    runs = [comparison.read(Path(folder)) for folder in (first, second)]
    found = comparison.compare(*runs)
    if json:
        print(dumps(found))
        return
    words = " and ".join("made-up" if run.renamed else "plain" for run in runs)
    console = output_console()
    console.print(comparison.table(found).rich(f"Second run minus first; {words} names"))
    print_words(console, *zip(("first run", "second run"), found["own"], strict=True))


def balance(
    *,
    game: str = ",".join(GAMES),
    rules: str = "",
    seed: int = 1,
    pairs: int = 10_000,
    evals: int = 1200,
) -> None:
    """Measure how even the games are, and search for plans that dominate.

    Args:
        game: Games, separated by commas.
        rules: Options of the games, such as "setting=released".
        seed: Of all plans.
        pairs: Pairs of random plans.
        evals: Simulations that a reply to a late plan may cost.
    """
    games = setup.games_of(game)
    if pairs < 1 or evals < 1 or seed < 0:
        raise cli.InputError("--pairs and --evals: at least 1 is needed, --seed: at least 0")
    options, console = cli.pairs("--rules", rules), output_console()
    for name in games:
        try:
            given = spec(name).make_rules(**options)
        except ValueError as error:
            raise cli.InputError(f"--rules: {error}") from None
        for what, figures in balance_of(spec(name), given, seed, pairs, evals):
            console.print(f"{name}: {what}: {figures}", soft_wrap=True, highlight=False)


APP = cli.app(NAME, main, findings, compare, balance)

if __name__ == "__main__":
    cli.run(APP)
