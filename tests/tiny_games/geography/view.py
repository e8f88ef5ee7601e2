"""Generalized geography in words."""

from __future__ import annotations

from stratagym.envs.words import move_line, section

PROMPT_VERSION = "geography-1"
ANSWER = move_line("<node>", r"\d{1,2}")


def board_text(rules, s):
    been = [node for node in range(rules.nodes) if s["been"][node]]
    return f"The token is on node {int(s['at'])}. It has been on {', '.join(map(str, been))}."


def rules_text(rules):
    arcs = (
        f"{node}: {' '.join(map(str, rules.to[rules.first[node] : rules.first[node + 1]]))}"
        for node in range(rules.nodes)
    )
    told = (
        "Two players in turn move a token along an arc to a node on which it has not been. Who "
        "cannot move loses. From each node arcs lead to:\n"
    )
    return section("Rules", told + "\n".join(arcs))
