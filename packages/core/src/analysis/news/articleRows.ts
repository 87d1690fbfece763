import { quoteText } from "../../engine/text/formatting.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import type { ArticleWithTone } from "./articleTones.ts"

/** Matches the article URLs that results may contain. Results contain no other URLs. */
const webAddressPattern = /^https?:\/\/[^\s\p{Cc}\p{Cf}]{1,1000}$/u

export const toWebAddress = (url: string): string | null => webAddressPattern.test(url) ? url : null

export const toHeadlineRow = ({ article, tone }: ArticleWithTone) => ({
  title: quoteText(article.title),
  url: toWebAddress(article.url),
  source: quoteText(article.source, 64),
  time: formatInstant(article.time),
  sentiment: tone
})

const maxInstruments = 10

export const toArticleRow = (scored: ArticleWithTone) => {
  const { body, coins, language, symbols } = scored.article
  return {
    ...toHeadlineRow(scored),
    language: quoteText(language, 16),
    coins: coins.slice(0, maxInstruments),
    symbols: symbols.slice(0, maxInstruments),
    snippet: quoteText(body)
  }
}
