import { quoted } from "../../engine/text/quoted.ts"
import { instant } from "../../engine/tool/result.ts"
import type { Judged } from "./tones.ts"

/** What an address of an article is made of; what is none is not passed on. */
const isAddress = /^https?:\/\/[^\s\p{Cc}\p{Cf}]{1,1000}$/u

export const webAddress = (url: string): string | null => isAddress.test(url) ? url : null

/** An article as results have it. */
export const headlineRow = ({ article, tone }: Judged) => ({
  title: quoted(article.title),
  url: webAddress(article.url),
  source: quoted(article.source, 64),
  time: instant(article.time),
  sentiment: tone
})

/** Names that an article lists; more are no help. */
const mostNames = 10

/** The same with what it is about, and how it begins. */
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
