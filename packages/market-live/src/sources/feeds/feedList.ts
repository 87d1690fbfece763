/** Publishers' feeds, as an operator chooses them. */
import { Result } from "effect"

export interface NewsFeedSource {
  /** As results and health name it: letters, digits and `-`. */
  readonly name: string
  /** As readers know it. */
  readonly publisher: string
  /** BCP 47, where the feed does not say. Dates without a zone are told as people write them in that language. */
  readonly language: string
  readonly url: string
}

const feed = (name: string, language: string, url: string, publisher: string): NewsFeedSource => ({
  name,
  publisher,
  language,
  url
})

/** Where an operator names none. On what terms each of them may be read and kept stands in docs/sources.md. */
export const defaultNewsFeeds: ReadonlyArray<NewsFeedSource> = [
  feed("federal-reserve", "en", "https://www.federalreserve.gov/feeds/press_all.xml", "Federal Reserve"),
  feed("sec", "en", "https://www.sec.gov/news/pressreleases.rss", "SEC"),
  feed("cftc", "en", "https://www.cftc.gov/rss/pressreleases.xml", "CFTC"),
  feed("ecb-press", "en", "https://www.ecb.europa.eu/rss/press.html", "European Central Bank"),
  feed("kr-fsc", "ko", "https://www.korea.kr/rss/dept_fsc.xml", "금융위원회"),
  feed("kr-moef", "ko", "https://www.korea.kr/rss/dept_moef.xml", "기획재정부"),
  feed("coindesk", "en", "https://www.coindesk.com/arc/outboundfeeds/rss/", "CoinDesk"),
  feed("cointelegraph", "en", "https://cointelegraph.com/rss", "Cointelegraph"),
  feed("decrypt", "en", "https://decrypt.co/feed", "Decrypt"),
  feed("cnbc-markets", "en", "https://www.cnbc.com/id/15839069/device/rss/rss.html", "CNBC"),
  feed("hankyung", "ko", "https://www.hankyung.com/feed/finance", "한국경제"),
  feed("mk", "ko", "https://www.mk.co.kr/rss/50200011/", "매일경제")
]

const most = { feeds: 100, publisher: 80, url: 1_000 } as const

const wrongOf = ({ language, name, publisher, url }: NewsFeedSource): string | null =>
  !/^[a-z0-9][a-z0-9-]{0,31}$/u.test(name)
    ? "its name is not small letters, digits and -, 32 characters at most"
    : !/^[a-z]{2,3}$/u.test(language)
    ? "its language is not one of two or three small letters, such as en or ko"
    : url.length > most.url || !URL.canParse(url) || !/^https?:$/u.test(new URL(url).protocol)
    ? "its address is no http or https address"
    : publisher === "" || publisher.length > most.publisher
    ? `its publisher has no name, or one of more than ${most.publisher} characters`
    : null

/**
 * Feeds out of a setting: `name language address publisher`, each ended by a `;` or the line's end. Fails with what to
 * change.
 */
export const newsFeedsOf = (setting: string): Result.Result<ReadonlyArray<NewsFeedSource>, string> => {
  const entries = setting.split(/;|\n/u).map((one) => one.trim()).filter((one) => one !== "")
  if (entries.length > most.feeds) {
    return Result.fail(`${entries.length} feeds are too many: name at most ${most.feeds}`)
  }
  const feeds: Array<NewsFeedSource> = []
  for (const [i, entry] of entries.entries()) {
    const [name = "", language = "", url = "", ...publisher] = entry.split(/\s+/u)
    const one = feed(name, language, url, publisher.join(" "))
    const wrong = wrongOf(one) ?? (feeds.some((other) => other.name === name) ? "its name is there twice" : null)
    if (wrong !== null) {
      return Result.fail(`feed ${i + 1}: ${wrong}; write "name language address publisher", each ended by ";"`)
    }
    feeds.push(one)
  }
  return Result.succeed(feeds)
}
