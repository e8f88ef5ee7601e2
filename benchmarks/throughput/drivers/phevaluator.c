/* Values of hands of seven cards by phevaluator's C library. */
#include <phevaluator/phevaluator.h>

/* cards: count x 7 of its card numbers. Writes count values. */
void evaluate_hands(const int *cards, long count, int *values) {
  for (long i = 0; i < count; i++, cards += 7)
    values[i] =
        evaluate_7cards(cards[0], cards[1], cards[2], cards[3], cards[4], cards[5], cards[6]);
}
