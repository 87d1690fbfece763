/** Which of the articles that are near a question answer it. */
import { isKnownTicker, tickersIn } from "../agent/writeIntent/instruments.ts"
import { opposes } from "./directions.ts"
import { subjectsOf } from "./subjects.ts"

/** What is looked at of an article. */
export interface Candidate {
  readonly title: string
  readonly body: string
  readonly coins: ReadonlyArray<string>
}

const namedIn = (text: string): ReadonlyArray<string> => tickersIn(text).filter(isKnownTicker)

/**
 * Returns whether an article answers a question, by its names: it is about one of the coins and shares that the
 * question names, is about all of its subjects, and does not say the opposite. `wordings` are the question in its own
 * words and in others.
 */
export const fitting = (wordings: ReadonlyArray<string>): (article: Candidate) => boolean => {
  const named = new Set(wordings.flatMap(namedIn))
  const subjects = subjectsOf(wordings[0] ?? "")
  const isOpposite = opposes(wordings[0] ?? "")
  return (article) => {
    const { body, coins, title } = article
    const text = `${title}\n${body}`
    if (named.size > 0 && ![...coins, ...namedIn(text)].some((ticker) => named.has(ticker))) return false
    const own = subjectsOf(text)
    return subjects.every((subject) => own.includes(subject)) && !isOpposite(article)
  }
}
