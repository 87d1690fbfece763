/** Fakes of publishers' news feeds, in RSS 2.0, Atom or RDF depending on the language. */
import { type Article, dayMs, type NewsFeed } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { createHash } from "node:crypto"
import type { FakeResponse, RequestHandler } from "../server/FakeServer.ts"

const escapeXml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\"", "&quot;")

/** Converts text to HTML that is escaped again for a feed. */
const toMarkup = (text: string): string => escapeXml(`<p>${escapeXml(text)}</p>`)

const tagsOf = ({ coins, symbols }: Article): ReadonlyArray<string> => [...coins, ...symbols]

interface Feed {
  readonly publisher: string
  readonly language: string
  readonly articles: ReadonlyArray<Article>
}

const xmlDeclaration = `<?xml version="1.0" encoding="UTF-8"?>\n`

const rss = ({ articles, language, publisher }: Feed): string => {
  const items = articles.map((article) => {
    const { body, id, time, title, url } = article
    return [
      "<item>",
      `<title><![CDATA[${title}]]></title>`,
      `<link>${escapeXml(url)}?utm_source=rss</link>`,
      `<guid isPermaLink="false">${id}</guid>`,
      `<pubDate>${new Date(time).toUTCString()}</pubDate>`,
      `<description>${toMarkup(body)}</description>`,
      ...tagsOf(article).map((tag) => `<category>${escapeXml(tag)}</category>`),
      "</item>"
    ].join("")
  })
  return `${xmlDeclaration}<rss version="2.0"><channel><title>${
    escapeXml(publisher)
  }</title><link>https://news.example/</link>` +
    `<description>News</description><language>${language}-xx</language>${items.join("\n")}</channel></rss>\n`
}

const atom = ({ articles, language, publisher }: Feed): string => {
  const entries = articles.map((article) => {
    const { body, id, time, title, url } = article
    const date = new Date(time).toISOString()
    return [
      "<entry>",
      `<title type="html">${escapeXml(escapeXml(title))}</title>`,
      `<link rel="self" href="${escapeXml(url)}.atom"/><link rel="alternate" href="${escapeXml(url)}"/>`,
      `<id>tag:news.example,2026:${id}</id><published>${date}</published><updated>${date}</updated>`,
      `<summary type="html">${toMarkup(body)}</summary>`,
      ...tagsOf(article).map((tag) => `<category term="${escapeXml(tag)}"/>`),
      "</entry>"
    ].join("")
  })
  return `${xmlDeclaration}<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${language}"><title>${
    escapeXml(publisher)
  }</title>` +
    `<id>urn:feed</id><updated>2026-01-01T00:00:00Z</updated>${entries.join("\n")}</feed>\n`
}

const rdf = ({ articles, language, publisher }: Feed): string => {
  const items = articles.map((article) => {
    const { body, time, title, url } = article
    return [
      `<item rdf:about="${escapeXml(url)}">`,
      `<title>${escapeXml(title)}</title><link>${escapeXml(url)}</link>`,
      `<description>${toMarkup(body)}</description><dc:date>${new Date(time).toISOString()}</dc:date>`,
      ...tagsOf(article).map((tag) => `<dc:subject>${escapeXml(tag)}</dc:subject>`),
      "</item>"
    ].join("")
  })
  return `${xmlDeclaration}<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" ` +
    `xmlns:dc="http://purl.org/dc/elements/1.1/"><channel rdf:about="https://news.example/">` +
    `<title>${escapeXml(publisher)}</title><link>https://news.example/</link><description>News</description>` +
    `<dc:language>${language}</dc:language></channel>${items.join("\n")}</rdf:RDF>\n`
}

const formats: Readonly<Record<string, (feed: Feed) => string>> = { en: rss, ko: atom, ru: rdf }
const types: Readonly<Record<string, string>> = {
  en: "application/rss+xml; charset=UTF-8",
  ko: "application/atom+xml; charset=utf-8",
  ru: "text/xml"
}

/** Returns the path of a publisher's fake feed. */
export const feedPath = (publisher: string): string => `/feeds/${encodeURIComponent(publisher)}`

const changedSince = (modifiedAt: number, header: string | undefined): boolean =>
  header === undefined || !(Date.parse(header) >= modifiedAt)

/**
 * Creates a fake of all publishers' feeds with their newest `maxArticles` articles, which supports conditional
 * requests.
 */
export const makeNewsPublishers =
  (feed: NewsFeed["Service"], { days = 30, maxArticles = 100 } = {}): RequestHandler => ({ headers, path }) =>
    Effect.gen(function*() {
      const now = yield* Clock.currentTimeMillis
      const { value } = yield* Effect.orDie(feed.articles({ from: now - days * dayMs, to: now + 1, limit: 100_000 }))
      const feedArticles = value.filter(({ source }) => feedPath(source) === path).slice(-maxArticles)
      const newest = feedArticles.at(-1)
      if (newest === undefined) return null
      const { language, source: publisher } = newest
      const body = (formats[language] ?? rss)({ publisher, language, articles: feedArticles.toReversed() })
      const etag = `W/"${createHash("sha256").update(body).digest("hex").slice(0, 16)}"`
      const modifiedAt = Math.floor(newest.time / 1_000) * 1_000
      const validators = { etag, "last-modified": new Date(modifiedAt).toUTCString() }
      const isKnown = headers["if-none-match"] === undefined
        ? !changedSince(modifiedAt, headers["if-modified-since"])
        : headers["if-none-match"] === etag
      return isKnown
        ? { status: 304, headers: validators, body: "" }
        : { headers: { ...validators, "content-type": types[language] ?? types["ru"]! }, body }
    }) satisfies Effect.Effect<FakeResponse | null>
