/** A word of a text: letters and digits, with the `$` or `#` before it. */
interface Token {
  /** The word with its original case. */
  readonly said: string
  readonly folded: string
  readonly mark: "$" | "#" | ""
}

const tokens = /[$#]?[\p{L}\p{N}_]+/gu
const hangul = /^\p{Script=Hangul}/u
const cyrillic = /^\p{Script=Cyrillic}/u

/** The maximum number of characters and of words that are examined. */
const longest = { text: 4_000, tokens: 800 } as const

const tokenOf = (found: string): Token => {
  const first = found[0]
  const mark = first === "$" || first === "#" ? first : ""
  const said = mark === "" ? found : found.slice(1)
  return { said, folded: said.toLowerCase(), mark }
}

const tokensOf = (text: string): ReadonlyArray<Token> => {
  const found: Array<Token> = []
  for (const [token] of text.slice(0, longest.text).normalize("NFKC").matchAll(tokens)) {
    found.push(tokenOf(token))
    if (found.length === longest.tokens) break
  }
  return found
}

interface Run<A> {
  readonly words: ReadonlyArray<string>
  readonly of: A
}

/** The maximum length of an ending. */
const longestEnding = 3

/**
 * Finds names in English, Korean and Russian texts. Among names with the same beginning, the longest one matches. Each
 * word is looked up in a map, so the number of names does not affect the time.
 */
export class Names<A> {
  /** Tickers match after `$`, and in capitals after `#`. `#plain` contains those that also match without a mark. */
  readonly #tickers = new Map<string, A>()
  readonly #plain = new Set<string>()
  /** Names by their first word, the longest first. */
  readonly #runs = new Map<string, Array<Run<A>>>()
  /**
   * Names that match the beginnings of words. Korean and Russian are separate, because Russian allows only a short
   * ending.
   */
  readonly #beginnings = { ko: new Map<string, Array<Run<A>>>(), ru: new Map<string, Array<Run<A>>>() }

  ticker(ticker: string, of: A, isPlain: boolean): this {
    this.#tickers.set(ticker, of)
    if (isPlain) this.#plain.add(ticker)
    return this
  }

  name(name: string, of: A): this {
    const words = name.normalize("NFKC").toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []
    const [first] = words
    if (first === undefined) return this
    const all = hangul.test(first) ? this.#beginnings.ko : cyrillic.test(first) ? this.#beginnings.ru : this.#runs
    const runs = all.get(first) ?? []
    runs.push({ words, of })
    all.set(first, runs.sort((a, b) => b.words.length - a.words.length))
    return this
  }

  /** Returns the names in a text, in the order of their first mention. */
  in(text: string): ReadonlySet<A> {
    const found = new Set<A>()
    const all = tokensOf(text)
    for (let at = 0; at < all.length;) {
      const hit = this.#at(all, at)
      if (hit !== undefined) found.add(hit.of)
      at += hit?.taken ?? 1
    }
    return found
  }

  #at(all: ReadonlyArray<Token>, at: number): { readonly of: A; readonly taken: number } | undefined {
    const token = all[at]!
    const { folded } = token
    const run = token.mark === "$" ? undefined : longestRun(this.#runs.get(folded), all, at, 0)
    if (run !== undefined) return run
    const ticker = this.#tickerOf(token)
    if (ticker !== undefined) return { of: ticker, taken: 1 }
    if (token.mark === "$") return undefined
    if (hangul.test(folded)) return beginning(this.#beginnings.ko, all, at, Infinity)
    return cyrillic.test(folded) ? beginning(this.#beginnings.ru, all, at, longestEnding) : undefined
  }

  #tickerOf({ mark, said }: Token): A | undefined {
    // A price (`$100`) is not a ticker.
    if (mark === "$") return this.#tickers.get(said.toUpperCase())
    return mark === "#" || this.#plain.has(said) ? this.#tickers.get(said) : undefined
  }
}

/**
 * The longest sequence of words that matches at a position. Its last word may have an ending of up to `ending` letters.
 */
const longestRun = <A>(
  runs: ReadonlyArray<Run<A>> | undefined,
  all: ReadonlyArray<Token>,
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

/** The longest beginning of a word that is a name, or is the first word of a longer name. */
const beginning = <A>(
  names: ReadonlyMap<string, ReadonlyArray<Run<A>>>,
  all: ReadonlyArray<Token>,
  at: number,
  ending: number
): { readonly of: A; readonly taken: number } | undefined => {
  const { folded } = all[at]!
  for (let length = folded.length; length >= 2 && folded.length - length <= ending; length--) {
    const runs = names.get(folded.slice(0, length))
    const found = longestRun(
      length === folded.length ? runs : runs?.filter(({ words }) => words.length === 1),
      all,
      at,
      ending
    )
    if (found !== undefined) return found
  }
  return undefined
}
