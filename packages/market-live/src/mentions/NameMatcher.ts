/** A word of a text: letters and digits, and the `$` or `#` before them. */
interface Word {
  readonly original: string
  readonly folded: string
  readonly mark: "$" | "#" | ""
}

const tokens = /[$#]?[\p{L}\p{N}_]+/gu
const hangul = /^\p{Script=Hangul}/u
const cyrillic = /^\p{Script=Cyrillic}/u

/** The maximum number of characters and the maximum number of words that are examined in a text. */
const maxLengths = { text: 4_000, tokens: 800 } as const

const toWord = (found: string): Word => {
  const first = found[0]
  const mark = first === "$" || first === "#" ? first : ""
  const original = mark === "" ? found : found.slice(1)
  return { original, folded: original.toLowerCase(), mark }
}

const splitWords = (text: string): ReadonlyArray<Word> => {
  const found: Array<Word> = []
  for (const [token] of text.slice(0, maxLengths.text).normalize("NFKC").matchAll(tokens)) {
    found.push(toWord(token))
    if (found.length === maxLengths.tokens) break
  }
  return found
}

interface WordSequence<A> {
  readonly words: ReadonlyArray<string>
  readonly of: A
}

/** The maximum number of letters after the stem of a Russian word. */
const maxEndingLength = 3

/**
 * Finds names in English, Korean and Russian texts. If several names begin at the same word, the longest name is found.
 */
export class NameMatcher<A> {
  /** The values to find, by ticker. A ticker matches after `$`, or after `#` if written in capital letters. */
  readonly #tickers = new Map<string, A>()
  readonly #unmarkedTickers = new Set<string>()
  readonly #sequences = new Map<string, Array<WordSequence<A>>>()
  /**
   * The names that match the beginnings of words. In Russian texts, only a short ending may follow the matched name.
   */
  readonly #prefixes = { ko: new Map<string, Array<WordSequence<A>>>(), ru: new Map<string, Array<WordSequence<A>>>() }

  addTicker(ticker: string, of: A, isPlain: boolean): this {
    this.#tickers.set(ticker, of)
    if (isPlain) this.#unmarkedTickers.add(ticker)
    return this
  }

  addName(name: string, of: A): this {
    const words = name.normalize("NFKC").toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []
    const [first] = words
    if (first === undefined) return this
    const all = hangul.test(first) ? this.#prefixes.ko : cyrillic.test(first) ? this.#prefixes.ru : this.#sequences
    const runs = all.get(first) ?? []
    runs.push({ words, of })
    all.set(first, runs.sort((a, b) => b.words.length - a.words.length))
    return this
  }

  /** Returns the values of all names in a text, in the order of their first mention. */
  findIn(text: string): ReadonlySet<A> {
    const found = new Set<A>()
    const all = splitWords(text)
    for (let at = 0; at < all.length;) {
      const match = this.#matchAt(all, at)
      if (match !== undefined) found.add(match.of)
      at += match?.taken ?? 1
    }
    return found
  }

  #matchAt(all: ReadonlyArray<Word>, at: number): { readonly of: A; readonly taken: number } | undefined {
    const token = all[at]!
    const { folded } = token
    const run = token.mark === "$" ? undefined : longestMatch(this.#sequences.get(folded), all, at, 0)
    if (run !== undefined) return run
    const ticker = this.#tickerOf(token)
    if (ticker !== undefined) return { of: ticker, taken: 1 }
    if (token.mark === "$") return undefined
    if (hangul.test(folded)) return prefixMatch(this.#prefixes.ko, all, at, Infinity)
    return cyrillic.test(folded) ? prefixMatch(this.#prefixes.ru, all, at, maxEndingLength) : undefined
  }

  #tickerOf({ mark, original }: Word): A | undefined {
    // A price such as `$100` is not a ticker.
    if (mark === "$") return this.#tickers.get(original.toUpperCase())
    return mark === "#" || this.#unmarkedTickers.has(original) ? this.#tickers.get(original) : undefined
  }
}

/**
 * Returns the longest sequence of words that matches at a position. The last word of the sequence may have an ending of
 * up to `ending` letters.
 */
const longestMatch = <A>(
  runs: ReadonlyArray<WordSequence<A>> | undefined,
  all: ReadonlyArray<Word>,
  at: number,
  ending: number
): { readonly of: A; readonly taken: number } | undefined => {
  for (const { of, words } of runs ?? []) {
    const isThere = words.every((word, i) => {
      const said = i === 0 ? word : all[at + i]?.folded
      return said !== undefined && (i === words.length - 1 && i > 0
        ? said.startsWith(word) && said.length - word.length <= ending
        : said === word)
    })
    if (isThere) return { of, taken: words.length }
  }
  return undefined
}

/** Returns the longest name that begins with a word. The other words of the name must follow the word. */
const prefixMatch = <A>(
  names: ReadonlyMap<string, ReadonlyArray<WordSequence<A>>>,
  all: ReadonlyArray<Word>,
  at: number,
  ending: number
): { readonly of: A; readonly taken: number } | undefined => {
  const { folded } = all[at]!
  for (let length = folded.length; length >= 2 && folded.length - length <= ending; length--) {
    const runs = names.get(folded.slice(0, length))
    const found = longestMatch(
      length === folded.length ? runs : runs?.filter(({ words }) => words.length === 1),
      all,
      at,
      ending
    )
    if (found !== undefined) return found
  }
  return undefined
}
