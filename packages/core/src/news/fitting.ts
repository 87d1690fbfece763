/** Which of the articles that are near a question answer it. */
import { isKnownTicker, tickersIn } from "../agent/writeIntent/instruments.ts"
import { moveIn, opposes } from "./directions.ts"
import { subjectsOf } from "./subjects.ts"

/** What is looked at of an article. */
export interface Candidate {
  readonly title: string
  readonly body: string
  readonly coins: ReadonlyArray<string>
}

/** The rule that selects the articles of a question. */
export interface Fitting {
  readonly fits: (article: Candidate) => boolean
  /** Whether the question names instruments and a subject or a move, so that `fits` is enough to select articles. */
  readonly isNarrow: boolean
}

const namedIn = (text: string): ReadonlyArray<string> => tickersIn(text).filter(isKnownTicker)

const sentence = /\n|(?<=[.!?;。])\s/u

/**
 * Returns the rule that selects the articles of a question. An article must be about one of the coins and shares that
 * the question names, must be about all of its subjects, and must not say the opposite. If the question asks whether
 * the price of a coin or share rose or fell, one sentence of the article must say so. `wordings` are the question in
 * its own words and in others.
 */
export const fitting = (wordings: ReadonlyArray<string>): Fitting => {
  const named = new Set(wordings.flatMap(namedIn))
  const subjects = subjectsOf(wordings[0] ?? "")
  const isOpposite = opposes(wordings[0] ?? "")
  const move = named.size > 0 && subjects.length === 0 ? moveIn(wordings[0] ?? "") : null
  const fits = (article: Candidate): boolean => {
    const { body, coins, title } = article
    const text = `${title}\n${body}`
    if (named.size > 0 && ![...coins, ...namedIn(text)].some((ticker) => named.has(ticker))) return false
    const isMoved = move === null ||
      text.split(sentence).some((one) => move(one) && namedIn(one).some((ticker) => named.has(ticker)))
    if (!isMoved) return false
    const own = subjectsOf(text)
    return subjects.every((subject) => own.includes(subject)) && !isOpposite(article)
  }
  return { fits, isNarrow: named.size > 0 && (move !== null || subjects.length > 0) }
}
