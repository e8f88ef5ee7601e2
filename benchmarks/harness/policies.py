"""Policies from the command line, and the part of them that is recorded with a run."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from statistics import median
from typing import Any
from urllib.parse import quote

from stratagym.agents import chat_options, gguf
from stratagym.agents.answering import ANSWER
from stratagym.agents.controls import REDRAW_TEMPERATURE
from stratagym.agents.core import LANGUAGE_MODELS, Policy, PolicyString, at_version, make_policy
from stratagym.agents.llm import LanguageModel
from stratagym.benchmarks.harness.cli import InputError, words
from stratagym.benchmarks.harness.decisions import TOKENS_APART
from stratagym.benchmarks.harness.files import brief
from stratagym.benchmarks.harness.options import ModelArgs
from stratagym.envs.constraints import OFF
from stratagym.envs.core import GameSpec


def make_policies(
    game: GameSpec,
    text: str,
    args: ModelArgs,
    *,
    depth: int = 2,
    option: str = "--policies",
    none: bool = False,
) -> list[Policy]:
    """The policies that ``text`` names, separated by commas; each once.

    Args:
        option: where ``text`` comes from, for messages.
        depth: what ``gt`` without a depth of its own looks ahead.
        none: whether the word "none" stands for no policy at all.

    Raises:
        InputError: none, an unknown one, or one that cannot be made as asked.
    """
    args.check()
    if none and text == "none":
        return []
    made: dict[str, Policy] = {}
    for name in words(text):
        try:
            parsed = PolicyString.parse(name)
            completed = _completed(parsed, args, depth, option)
            policy = make_policy(game, completed)
            policy.name += _own_options(parsed, completed)
            if isinstance(policy, LanguageModel):
                if args.price_in or args.price_out or args.price_cached:
                    policy.prices = args.price_in, args.price_out
                policy.price_cached = args.price_cached
                policy.unchecked = args.preflight
        except (ValueError, ModuleNotFoundError) as error:
            raise InputError(f"{option}: {error}") from None
        if policy.name in made:
            raise InputError(f"{option}: {policy.name} is named twice")
        made[policy.name] = policy
    if not made:
        raise InputError(f"{option}: name at least one policy")
    return list(made.values())


def _completed(parsed: PolicyString, args: ModelArgs, depth: int, option: str) -> PolicyString:
    before = parsed.argument.partition("=")[0]
    if parsed.name == "control" and parsed.inner().name in LANGUAGE_MODELS:
        for weaker in ("random", "tactic"):
            if weaker in parsed.options:
                raise InputError(f"{option}: {parsed}: {weaker} is no option of a language model")
        asked = _completed(parsed.inner(), args, depth, option)
        if not args.temperature and "temperature" not in parsed.options:
            sampled = {"temperature": f"{REDRAW_TEMPERATURE:g}"}
            asked = replace(asked, options=asked.options | sampled)
        return replace(asked, name="control", argument=f"{before}={asked.name}:{asked.argument}")
    if parsed.name == "gt" and not parsed.argument:
        return replace(parsed, argument=str(depth))
    if parsed.name == gguf.NAME:
        return _in_process(parsed, args)
    if parsed.name != "llm":
        return parsed
    model = parsed.argument or args.model
    if not model:
        raise InputError(f'{option}: "llm" needs --model NAME, or write llm:NAME')
    defaults = {
        "api_key_env": args.api_key_env,
        "temperature": str(args.temperature),
        "max_tokens": str(args.max_tokens),
        "timeout_s": str(args.timeout),
        "retries": str(args.retries),
    }
    optional = {
        "base_url": args.base_url or None,
        "reasoning_effort": args.reasoning_effort,
        **_sampling(args),
    }
    defaults |= {option: str(value) for option, value in optional.items() if value is not None}
    return replace(parsed, argument=model, options=defaults | parsed.options)


def _sampling(args: ModelArgs) -> dict[str, Any]:
    """The options of answers that have no default here; None where they are not given."""
    return {
        "top_p": args.top_p,
        "top_k": args.top_k,
        "seed": args.model_seed,
        "thinking_budget": args.thinking_budget,
        "extra_body": args.extra_body,
        "constrain": None if args.constrain == OFF else args.constrain,
        "constrain_as": args.constrain_as,
        "decide": None if args.decide == ANSWER else args.decide,
    }


def _in_process(parsed: PolicyString, args: ModelArgs) -> PolicyString:
    """A model in this process with the options of the command line that concern it."""
    optional = {
        "temperature": args.temperature,
        # The usual limit is that of hosted models, beyond the context of a small one.
        "max_tokens": None if args.max_tokens == ModelArgs.max_tokens else args.max_tokens,
        "timeout_s": args.timeout,
        **_sampling(args),
    }
    optional["constrain_as"] = None  # there is one way to tell this engine
    defaults = {option: str(value) for option, value in optional.items() if value is not None}
    return replace(parsed, options=defaults | parsed.options)


def _own_options(parsed: PolicyString, completed: PolicyString) -> str:
    """A language model's options as in its policy string, to distinguish two policies.

    How it comes to its answers is told wherever it was said: that is a setting of its own.
    """
    if parsed.name == "control":
        parsed, completed = parsed.inner(), completed.inner()
    if parsed.name not in LANGUAGE_MODELS:
        return ""
    named = {*chat_options.OPTIONS, *gguf.OWN} - set(CONNECTION)
    own = {k: v for k, v in parsed.options.items() if k in named}
    own |= {k: v for k, v in completed.options.items() if k in ("constrain", "decide")}
    if body := chat_options.read_extra_body(own.get("extra_body")):
        # As short as can be, and readable as a policy string again.
        own["extra_body"] = quote(chat_options.short_json(body), safe="{}[]\"\\:,'()*!@/;= ")
    return "?" + "&".join(f"{k}={v}" for k, v in own.items()) if own else ""


CONNECTION = ("base_url", "timeout_s", "retries", "max_wait_s", "client", "engine")
"""Settings of a model that do not affect its answers: a resumed run may change them."""


def settings(policies: list[Policy]) -> dict[str, Any]:
    """The policies' part of a run's configuration, and their connections separately."""
    own = {
        policy.name: policy.settings() if isinstance(policy, LanguageModel) else {}
        for policy in policies
    }
    return {
        **versions(policies),
        "policies": [
            {"name": name, **{k: v for k, v in values.items() if k not in CONNECTION}}
            for name, values in own.items()
        ],
        "connections": {
            name: {k: v for k, v in values.items() if k in CONNECTION}
            for name, values in own.items()
            if values
        },
    }


def by_name(policies: Mapping[str, Mapping[str, Policy]]) -> dict[str, Policy]:
    """The policies of several games, each once and in its newest version."""
    found: dict[str, Policy] = {}
    for own in policies.values():
        for name, policy in own.items():
            if name not in found or policy.version >= found[name].version:
                found[name] = policy
    return found


def versions(policies: Iterable[Policy]) -> dict[str, Any]:
    """``versions`` of a run's configuration: of each policy that had an earlier one.

    Of policies of one name, which play different games, the highest.
    """
    later: dict[str, int] = {}
    for policy in policies:
        if policy.version > 1:
            later[policy.name] = max(policy.version, later.get(policy.name, 1))
    return {"versions": later} if later else {}


def begun_players(config: dict[str, Any], begun: Mapping[str, Any]) -> dict[str, str]:
    """Which earlier versions play in a run that is resumed, by policy.

    Args:
        config: of this call; its ``versions`` become those of the run.
        begun: the configuration of the run. Where no version is said, it is the first.

    Raises:
        InputError: a version that there is not.
    """
    newest, old = config.pop("versions", {}), begun.get("versions", {})
    players = {}
    for name, version in newest.items():
        found = old.get(name, 1) if isinstance(old, dict) else None
        if type(found) is not int or not 1 <= found <= version:
            raise InputError(
                f"--resume: config.json has version {brief(found)} of {name}; there are versions 1 "
                f"to {version}"
            )
        if found < version:
            players[name] = at_version(name, found)
    if old:
        config["versions"] = {name: old[name] for name in newest if name in old}
    return players


def tokens_apart(decisions: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Sums of the reasoning tokens and the cached tokens of records, if they were counted."""
    sums: dict[str, int] = {}
    for record in decisions:
        for counted in TOKENS_APART:
            if record.get(counted) is not None:
                sums[counted] = sums.get(counted, 0) + record[counted]
    return sums


MOST_FAILURES = 20
"""Different failures of a model, in a server's words, that a summary holds."""


def usage(decisions: Iterable[Mapping[str, Any]], policies: Iterable[Policy]) -> dict[str, Any]:
    """Answers of each language model among ``policies`` by kind and reason, tokens, time, cost.

    Reasoning and cached tokens have their own sums where the server counted any.

    Args:
        decisions: records of ``decisions.jsonl``.
    """
    result: dict[str, Any] = {
        policy.name: {
            "answers": 0,
            "kinds": Counter(),
            "reasons": Counter(),
            "tokens_in": 0,
            "tokens_out": 0,
            "cost": None,
        }
        for policy in policies
        if isinstance(policy, LanguageModel)
    }
    waits: defaultdict[str, list[float]] = defaultdict(list)
    for record in decisions:
        own = result.get(record["policy"])
        if own is None:
            continue
        own["answers"] += 1
        own["kinds"][record["kind"]] += 1
        if record["reason"]:
            own["reasons"][record["reason"]] += 1
        if record.get("failure"):
            own.setdefault("failures", Counter())[f"{record['reason']}: {record['failure']}"] += 1
        own["tokens_in"] += record["tokens_in"] or 0
        own["tokens_out"] += record["tokens_out"] or 0
        if record["cost"] is not None:
            own["cost"] = (own["cost"] or 0.0) + record["cost"]
        for counted, n in tokens_apart([record]).items():
            own[counted] = own.get(counted, 0) + n
        if record["latency_s"] is not None:
            waits[record["policy"]].append(record["latency_s"])
    for name, own in result.items():
        own["kinds"], own["reasons"] = dict(own["kinds"]), dict(own["reasons"])
        if "failures" in own:
            own["failures"] = dict(own["failures"].most_common(MOST_FAILURES))
        own["median_latency_s"] = median(waits[name]) if waits[name] else None
    return result
