/* Values of hands of seven cards by the C function inside eval7's module. */

/* evaluate: its function, of a set of cards, 13 bits a suit, and their number.
   cards: count x 7, each 4 * rank + suit. Writes count values. */
void evaluate_hands(unsigned (*evaluate)(unsigned long long, unsigned), const int *cards,
                    long count, unsigned *values) {
  for (long i = 0; i < count; i++, cards += 7) {
    unsigned long long hand = 0;
    for (int k = 0; k < 7; k++) hand |= 1ULL << (13 * (cards[k] & 3) + (cards[k] >> 2));
    values[i] = evaluate(hand, 7);
  }
}
