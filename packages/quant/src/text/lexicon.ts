/**
 * A small lexicon of market talk, written for this package and free to use under its licence. Weights run from -3 to 3.
 * English and Russian entries are matched against the beginning of a word when they end in `*`, else against the whole
 * word; Korean entries anywhere in a word, since endings and particles are glued on; the longest entry that fits
 * counts. An entry of several words is matched as such, before its words by themselves. A weight of 0 says that a word
 * only looks like another.
 */
export type Language = "en" | "ko" | "ru"

export interface Lexicon {
  readonly words: Readonly<Record<string, number>>
  /** Turn the next word's sense round (in Korean also the one before: the negation follows its verb). */
  readonly negations: ReadonlyArray<string>
  /** Words that carry no sense when the next word begins in one of these ways. */
  readonly unless?: Readonly<Record<string, ReadonlyArray<string>>>
  /** Words that are verbs after an object, and then carry no sense, unless the next one begins in one of these ways. */
  readonly verbs?: Readonly<Record<string, ReadonlyArray<string>>>
  /**
   * Currencies: the two words after one say what it does against another, which is no tone of the market. With the
   * words of which one must stand before it, where it could be another word; none where it could not.
   */
  readonly currencies: Readonly<Record<string, ReadonlyArray<string>>>
  /** Strengthen (above 1) or weaken (below 1) the next word. */
  readonly degrees: Readonly<Record<string, number>>
}
