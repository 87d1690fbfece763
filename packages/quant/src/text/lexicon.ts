/**
 * A small lexicon of market texts, written for this package and free to use under its licence. Weights are between -3
 * and 3. English and Russian entries that end in `*` match the beginning of a word; other entries match the whole word.
 * Korean entries match anywhere in a word, because endings and particles are attached. The longest matching entry
 * counts. An entry of several words is matched as a phrase, before its single words. An entry of weight 0 is a word
 * that only resembles another entry.
 */
export type Language = "en" | "ko" | "ru"

export interface Lexicon {
  readonly words: Readonly<Record<string, number>>
  /** Words that invert the weight of the next word. A Korean negation after a word also inverts the previous word. */
  readonly negations: ReadonlyArray<string>
  /** Words that have no weight if the next word begins with one of the listed texts. */
  readonly unless?: Readonly<Record<string, ReadonlyArray<string>>>
  /** Words that are verbs without weight after an object, unless the next word begins with one of the listed texts. */
  readonly verbs?: Readonly<Record<string, ReadonlyArray<string>>>
  /**
   * Currencies. The two words after a currency describe an exchange rate, which is not market sentiment. An ambiguous
   * currency name has a list of words, one of which must precede the name. Other currency names have an empty list.
   */
  readonly currencies: Readonly<Record<string, ReadonlyArray<string>>>
  /** Words that strengthen (above 1) or weaken (below 1) the next word. */
  readonly degrees: Readonly<Record<string, number>>
}
