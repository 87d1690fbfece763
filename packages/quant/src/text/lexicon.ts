/**
 * A small lexicon of market texts, written for this package and free to use under its licence. Weights are between -3
 * and 3. English and Russian entries that end in `*` match the beginning of a word; others match the whole word. Korean
 * entries match anywhere in a word, because endings and particles are attached. The longest matching entry counts. An
 * entry of several words is matched as a phrase, before its single words. An entry of weight 0 is a word that only
 * looks like another entry.
 */
export type Language = "en" | "ko" | "ru"

export interface Lexicon {
  readonly words: Readonly<Record<string, number>>
  /** Words that invert the weight of the next word (in Korean also of the previous one, after which they follow). */
  readonly negations: ReadonlyArray<string>
  /** Words without weight if the next word begins with one of these texts. */
  readonly unless?: Readonly<Record<string, ReadonlyArray<string>>>
  /** Words that are verbs after an object, without weight, unless the next word begins with one of these texts. */
  readonly verbs?: Readonly<Record<string, ReadonlyArray<string>>>
  /**
   * Currencies. The two words after a currency describe its exchange rate, which is no sentiment of the market. An
   * ambiguous name lists the words of which one must precede it; the list of other names is empty.
   */
  readonly currencies: Readonly<Record<string, ReadonlyArray<string>>>
  /** Words that strengthen (above 1) or weaken (below 1) the next word. */
  readonly degrees: Readonly<Record<string, number>>
}
