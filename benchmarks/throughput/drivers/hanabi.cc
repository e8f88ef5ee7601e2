// Random games of the Hanabi Learning Environment inside its C++ library.
#include <cstdint>
#include <string>
#include <unordered_map>

#include "canonical_encoders.h"
#include "hanabi_game.h"
#include "hanabi_observation.h"
#include "hanabi_state.h"

using namespace hanabi_learning_env;

// Plays whole games until there were so many decisions; returns how many. With observe, what the
// seat to move sees is encoded before every decision, and the legal moves are those it lists.
extern "C" long play_games(int players, long decisions, std::uint64_t seed, int observe) {
  const std::unordered_map<std::string, std::string> options = {
      {"players", std::to_string(players)}, {"seed", std::to_string(seed % 1000000)}};
  HanabiGame game(options);
  const CanonicalObservationEncoder encoder(&game);
  std::uint64_t random = seed * 2 + 1;
  // A multiplicative generator: cheaper than any of the standard library's.
  auto below = [&random](std::uint64_t n) {
    random *= 6364136223846793005ULL;
    return static_cast<std::size_t>(((random >> 32) * n) >> 32);
  };
  long done = 0;
  while (done < decisions) {
    HanabiState state(&game);
    while (!state.IsTerminal()) {
      if (state.CurPlayer() == kChancePlayerId) {
        state.ApplyRandomChance();
        continue;
      }
      if (observe) {
        const HanabiObservation seen(state, state.CurPlayer());
        const auto code = encoder.Encode(seen);
        const auto& moves = seen.LegalMoves();
        // Adds nothing, but what is not read may be left out by the compiler.
        state.ApplyMove(moves[below(moves.size() + (code.size() == 0))]);
      } else {
        const auto moves = state.LegalMoves(state.CurPlayer());
        state.ApplyMove(moves[below(moves.size())]);
      }
      ++done;
    }
  }
  return done;
}
