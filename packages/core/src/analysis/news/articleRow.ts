import { quoted } from "../../engine/text/quoted.ts"
import { instant } from "../../engine/tool/result.ts"
import type { Judged } from "./tones.ts"

/** The permitted form of an article's address. Other texts are omitted from results. */
const isAddress = /^https?:\/\/[^\s\p{Cc}\p{Cf}]{1,1000}$/u

export const webAddress = (url: string): string | null => isAddress.test(url) ? url : null

/** Returns an article as a row of a result. */
export const headlineRow = ({ article, tone }: Judged) => ({
  title: quoted(article.title),
  url: webAddress(article.url),
  source: quoted(article.source, 64),
  time: instant(article.time),
  sentiment: tone
})

/** The maximum number of coins or stocks per article. */
const mostNames = 10

/** Returns the same row with the article's language, instruments and beginning. */
export const articleRow = (judged: Judged) => {
  const { body, coins, language, symbols } = judged.article
  return {
    ...headlineRow(judged),
    language: quoted(language, 16),
    coins: coins.slice(0, mostNames),
    symbols: symbols.slice(0, mostNames),
    snippet: quoted(body)
  }
}
