from stratagym.envs.core import GameSpec, Option

SPEC = GameSpec(
    name="chess",
    title="Chess",
    version=0,
    min_players=2,
    max_players=2,
    dynamics="sequential",
    chance="deterministic",
    information="perfect",
    utility="zero_sum",
    max_game_length=11_800,
    sources=("FIDE Laws of Chess, 2023",),
    options={
        "draws": Option("automatic", ("automatic", "fide"), "automatic: threefold repetition and 100 plies; fide: fivefold and 150"),
        "judge": Option("standard", ("standard", "botzone"), "botzone: seat 1 is White; only stalemate and 50 plies draw"),
    },
)
