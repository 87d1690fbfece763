import { Result } from "effect"

export interface NewsFeedSource {
  /** The feed's name in results and health reports, which contains only lower-case letters, digits and `-`. */
  readonly name: string
  /** The publisher's public name. */
  readonly publisher: string
  /** The default language of the feed (BCP 47), which also determines the default time zone of dates. */
  readonly language: string
  readonly url: string
}

const makeFeed = (name: string, language: string, url: string, publisher: string): NewsFeedSource => ({
  name,
  publisher,
  language,
  url
})

/** The default news feeds, under the terms that docs/sources.md lists. */
export const defaultNewsFeeds: ReadonlyArray<NewsFeedSource> = [
  makeFeed("federal-reserve", "en", "https://www.federalreserve.gov/feeds/press_all.xml", "Federal Reserve"),
  makeFeed("sec", "en", "https://www.sec.gov/news/pressreleases.rss", "SEC"),
  makeFeed("cftc", "en", "https://www.cftc.gov/rss/pressreleases.xml", "CFTC"),
  makeFeed("ecb-press", "en", "https://www.ecb.europa.eu/rss/press.html", "European Central Bank"),
  makeFeed("kr-fsc", "ko", "https://www.korea.kr/rss/dept_fsc.xml", "금융위원회"),
  makeFeed("kr-moef", "ko", "https://www.korea.kr/rss/dept_moef.xml", "기획재정부"),
  makeFeed("coindesk", "en", "https://www.coindesk.com/arc/outboundfeeds/rss/", "CoinDesk"),
  makeFeed("cointelegraph", "en", "https://cointelegraph.com/rss", "Cointelegraph"),
  makeFeed("decrypt", "en", "https://decrypt.co/feed", "Decrypt"),
  makeFeed("cnbc-markets", "en", "https://www.cnbc.com/id/15839069/device/rss/rss.html", "CNBC"),
  makeFeed("hankyung", "ko", "https://www.hankyung.com/feed/finance", "한국경제"),
  makeFeed("mk", "ko", "https://www.mk.co.kr/rss/50200011/", "매일경제")
]

const limits = { feeds: 100, publisher: 80, url: 1_000 } as const

const problemOf = ({ language, name, publisher, url }: NewsFeedSource): string | null =>
  !/^[a-z0-9][a-z0-9-]{0,31}$/u.test(name)
    ? "its name must be at most 32 lower-case letters, digits and -"
    : !/^[a-z]{2,3}$/u.test(language)
    ? "its language must be two or three lower-case letters, such as en or ko"
    : url.length > limits.url || !URL.canParse(url) || !/^https?:$/u.test(new URL(url).protocol)
    ? "its address must be an http or https address"
    : publisher === "" || publisher.length > limits.publisher
    ? `its publisher must have 1 to ${limits.publisher} characters`
    : null

/**
 * Parses a setting of news feeds, `name language address publisher`, separated by `;` or line breaks, or fails with a
 * message for the operator.
 */
export const parseNewsFeeds = (setting: string): Result.Result<ReadonlyArray<NewsFeedSource>, string> => {
  const entries = setting.split(/;|\n/u).map((one) => one.trim()).filter((one) => one !== "")
  if (entries.length > limits.feeds) {
    return Result.fail(`${entries.length} feeds are too many: list at most ${limits.feeds}`)
  }
  const feeds: Array<NewsFeedSource> = []
  for (const [i, entry] of entries.entries()) {
    const [name = "", language = "", url = "", ...publisher] = entry.split(/\s+/u)
    const parsed = makeFeed(name, language, url, publisher.join(" "))
    const problem = problemOf(parsed) ?? (feeds.some((other) => other.name === name) ? "its name occurs twice" : null)
    if (problem !== null) {
      return Result.fail(`feed ${i + 1}: ${problem}; write "name language address publisher", each followed by ";"`)
    }
    feeds.push(parsed)
  }
  return Result.succeed(feeds)
}
