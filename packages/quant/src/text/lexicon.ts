/**
 * A lexicon of words in market texts, with weights from -3 to 3. English and Russian entries that end in `*` match the
 * beginning of a word; other entries match the whole word. Korean entries match anywhere in a word, because endings and
 * particles are attached. The longest matching entry counts, and entries of several words have priority over single
 * words. An entry of weight 0 prevents a longer, neutral word from matching an entry with a weight.
 */
export type Language = "en" | "ko" | "ru"

export interface Lexicon {
  readonly words: Readonly<Record<string, number>>
  /** Words that invert the weight of the next word, or, in Korean, also the weight of the previous word. */
  readonly negations: ReadonlyArray<string>
  /** Words that count only if the next word does not begin with a listed text. */
  readonly unless?: Readonly<Record<string, ReadonlyArray<string>>>
  /**
   * Words that have no weight after an object, where they are verbs. If the next word begins with a listed text, the
   * word keeps its weight.
   */
  readonly verbs?: Readonly<Record<string, ReadonlyArray<string>>>
  /**
   * Names of currencies. The two words after a currency have no weight, because they describe an exchange rate instead
   * of market sentiment. An ambiguous name has a list of words, one of which must precede the name; other names have an
   * empty list.
   */
  readonly currencies: Readonly<Record<string, ReadonlyArray<string>>>
  /** Words that strengthen (above 1) or weaken (below 1) the next word. */
  readonly degrees: Readonly<Record<string, number>>
}
