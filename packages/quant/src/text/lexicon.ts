/**
 * A lexicon of words in market texts, with weights from -3 to 3. English and Russian entries that end in `*` match the
 * beginning of a word; other entries match the whole word. Korean entries match anywhere in a word, because endings and
 * particles are attached. The longest matching entry counts, and phrases are matched before single words. An entry of
 * weight 0 is a word that only resembles another entry.
 */
export type Language = "en" | "ko" | "ru"

export interface Lexicon {
  readonly words: Readonly<Record<string, number>>
  /** Words that invert the weight of the next word, or, in Korean, also the weight of the previous word. */
  readonly negations: ReadonlyArray<string>
  /** Words that have no weight if the next word begins with one of the listed texts. */
  readonly unless?: Readonly<Record<string, ReadonlyArray<string>>>
  /** Words that are verbs without weight after an object, unless the next word begins with one of the listed texts. */
  readonly verbs?: Readonly<Record<string, ReadonlyArray<string>>>
  /**
   * Names of currencies, after which two words describe an exchange rate, which is not market sentiment. An ambiguous
   * name has a list of words, one of which must precede the name; other names have an empty list.
   */
  readonly currencies: Readonly<Record<string, ReadonlyArray<string>>>
  /** Words that strengthen (above 1) or weaken (below 1) the next word. */
  readonly degrees: Readonly<Record<string, number>>
}
