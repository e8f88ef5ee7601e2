"""Rows of many conversations hold each of them as it is; nothing is installed for it."""

import numpy as np
import pytest

from stratagym.benchmarks.tune.packing import LONGEST, Asked, packed


def conversations(rng, count):
    """Prompts that begin alike, some of them equal, with answers that begin alike."""
    begin = rng.integers(0, 5, 40).tolist()
    found = []
    for _ in range(count):
        prompt = (*begin[: rng.integers(1, 41)], *rng.integers(0, 5, rng.integers(1, 30)).tolist())
        found += [
            Asked(prompt, (*rng.integers(0, 3, rng.integers(0, 6)).tolist(), 9))
            for _ in range(rng.integers(1, 4))
        ]
    return found


def seen_from(row, at):
    """The tokens that a token sees, itself last, and their places."""
    ways = np.flatnonzero(row.sees[at])
    return row.tokens[ways].tolist(), row.places[ways].tolist()


def test_every_token_sees_its_own_conversation(rng):
    asked = conversations(rng, 30)
    members = []
    for row in packed(asked):
        members += row.members
        assert len(row.tokens) <= LONGEST or len(row.members) == 1
        assert not np.triu(row.sees, 1).any()
        for k, answers in zip(row.members, row.answers, strict=True):
            told, prompt = list(asked[k].told), len(asked[k].prompt)
            assert len(answers) == len(asked[k].answer)
            for number, at in enumerate(answers):
                tokens, places = seen_from(row, at)
                assert tokens == told[: prompt + number]
                assert places == list(range(prompt + number))
    assert sorted(members) == list(range(len(asked)))


def test_what_is_shared_stands_once():
    (row,) = packed([Asked((1, 2, 3, 4), (5, 6, 9)), Asked((1, 2, 3, 4), (5, 7, 9))])
    assert row.tokens.tolist() == [1, 2, 3, 4, 5, 6, 7]
    assert row.answers == ([3, 4, 5], [3, 4, 6])


def test_a_prompt_without_an_answer_ends_in_its_own_last_token():
    (row,) = packed([Asked((1, 2, 3)), Asked((1, 2, 4))])
    assert [seen_from(row, one[0])[0] for one in row.answers] == [[1, 2, 3], [1, 2, 4]]


def test_long_or_unlike_conversations_are_apart():
    long = tuple(range(LONGEST))
    rows = list(packed([Asked(long), Asked((*long[:-1], 7)), Asked((3, 1)), Asked((4, 1))]))
    assert sorted(len(row.members) for row in rows) == [1, 1, 1, 1] or len(rows) == 3


@pytest.mark.parametrize("count", [1, 7])
def test_no_conversation_is_lost(rng, count):
    asked = conversations(rng, count)
    assert sorted(k for row in packed(asked) for k in row.members) == list(range(len(asked)))
