// Hands counted and looked at by the C++ library within PyMahjongGB.
#include <algorithm>

#include "fan_calculator.h"
#include "shanten.h"

using namespace mahjong;

namespace {
// A hand in numbers: melds, then of each of four (kind, tile, offer), then how many tiles stand and
// up to 13 of them, then the tile that wins, flags and the two winds. Tiles are 0-33.
constexpr int kWidth = 31;

tile_t tile_of(int number) {
  static const suit_t kSuits[] = {TILE_SUIT_CHARACTERS, TILE_SUIT_BAMBOO, TILE_SUIT_DOTS,
                                  TILE_SUIT_HONORS};
  return make_tile(kSuits[number / 9], static_cast<rank_t>(number % 9 + 1));
}
}  // namespace

// The library's own form of hands, so that making it is not measured. Kept until the process ends.
extern "C" void *read_hands(const int *hands, long count) {
  auto *read = new calculate_param_t[count]();
  for (long i = 0; i < count; i++, hands += kWidth) {
    hand_tiles_t &hand = read[i].hand_tiles;
    hand.pack_count = hands[0];
    for (int k = 0; k < hands[0]; k++) {
      const int *meld = hands + 1 + 3 * k;
      hand.fixed_packs[k] = make_pack(static_cast<uint8_t>(meld[2]), static_cast<uint8_t>(meld[0]),
                                      tile_of(meld[1]));
    }
    hand.tile_count = hands[13];
    for (int k = 0; k < hands[13]; k++) hand.standing_tiles[k] = tile_of(hands[14 + k]);
    read[i].win_tile = tile_of(hands[27]);
    read[i].win_flag = static_cast<win_flag_t>(hands[28]);
    read[i].seat_wind = static_cast<wind_t>(hands[29]);
    read[i].prevalent_wind = static_cast<wind_t>(hands[30]);
  }
  return read;
}

// Writes the points of each hand.
extern "C" void count_fans(const void *hands, long count, int *points) {
  const auto *read = static_cast<const calculate_param_t *>(hands);
  for (long i = 0; i < count; i++) {
    fan_table_t fans = {};
    points[i] = calculate_fan(read + i, &fans);
  }
}

// Writes the smallest shanten of the five forms of 13 standing tiles; with useful, (count, 34),
// also the tiles that would lower it.
extern "C" void find_shanten(const void *hands, long count, int *shanten, signed char *useful) {
  using Form = int (*)(const tile_t *, intptr_t, useful_table_t *);
  const Form forms[] = {regular_shanten, seven_pairs_shanten, thirteen_orphans_shanten,
                        honors_and_knitted_tiles_shanten, knitted_straight_shanten};
  const auto *read = static_cast<const calculate_param_t *>(hands);
  for (long i = 0; i < count; i++) {
    const hand_tiles_t &hand = read[i].hand_tiles;
    int least = 100;
    useful_table_t every = {};
    for (const Form form : forms) {
      useful_table_t lowering = {};
      const int found = form(hand.standing_tiles, hand.tile_count, useful ? &lowering : nullptr);
      if (found > least) continue;
      for (int k = 0; useful && k < TILE_TABLE_SIZE; k++)
        every[k] = lowering[k] || (found == least && every[k]);
      least = found;
    }
    shanten[i] = least;
    for (int k = 0; useful && k < 34; k++) useful[34 * i + k] = every[all_tiles[k]];
  }
}
