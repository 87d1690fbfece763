import { assert, it } from "@effect/vitest"
import { Result } from "effect"
import { parseNewsFeeds } from "../../src/news/feedList.ts"
import { toPlainText } from "../../src/news/plainText.ts"
import { parseFeedDate, readFeed } from "../../src/news/readFeed.ts"

const rss = (items: string): string => `<rss version="2.0"><channel><title>T</title>${items}</channel></rss>`
const item = (content: string): string =>
  `<item><title>A title</title><link>https://a.example/1</link>${content}</item>`
const only = (text: string, zone = "+0000") => readFeed(text, zone)?.items[0]

it("extracts plain text without markup, entities and invisible characters", () => {
  const texts: Readonly<Record<string, string>> = {
    "A &amp; B": "A & B",
    "A &amp;amp; B": "A & B",
    "<p>One</p><p>Two<br>three</p>": "One Two three",
    "&lt;p&gt;escaped&lt;/p&gt;": "escaped",
    "<script>alert(1)</script>said<style>p{}</style>": "said",
    "<img src=x onerror=alert(1)>said": "said",
    "1 < 2 and 3 > 2": "1 < 2 and 3 > 2",
    "a\u202Eb\u200Bc\u0000d\ud800": "abcd",
    " spaces\n\tand&nbsp;lines ": "spaces and lines",
    "<b>un<i>closed": "unclosed",
    "비트코인 &ldquo;돌파&rdquo;": "비트코인 “돌파”"
  }
  for (const [markup, text] of Object.entries(texts)) assert.strictEqual(toPlainText(markup, 100), text, markup)
  assert.strictEqual(toPlainText("one two three four", 14), "one two three…")
  assert.isAtMost(toPlainText("🚀".repeat(100), 9).length, 9)
  assert.isTrue(toPlainText("🚀".repeat(100), 9).isWellFormed())
  for (const part of ["<", "<!--", "<p", "&", "&#", "<script>", "\u202e"]) {
    assert.isAtMost(toPlainText(part.repeat(100_000), 50).length, 50)
  }
})

it("parses the date formats of feeds, and rejects other texts", () => {
  const at = Date.parse("2026-11-20T12:34:56Z")
  const dates = [
    "Fri, 20 Nov 2026 12:34:56 GMT",
    "Fri, 20 Nov 2026 21:34:56 +0900",
    "20 November 2026 12:34:56 +00:00",
    "Friday, 20 Nov 2026 07:34:56 EST",
    "Fri, 20 Nov 2026 21:34:56 KST",
    "2026-11-20T12:34:56Z",
    "2026-11-20T21:34:56+09:00",
    "2026-11-20T12:34:56.000000Z",
    " 2026-11-20 12:34:56 "
  ]
  for (const date of dates) assert.strictEqual(parseFeedDate(date), at, date)
  assert.strictEqual(parseFeedDate("2026-11-20 21:34:56", "+0900"), at)
  assert.strictEqual(parseFeedDate("2026-11-20", "+0900"), Date.parse("2026-11-19T15:00Z"))
  const invalidDates = [
    "",
    "yesterday",
    "1763642096",
    "0000-00-00 00:00:00",
    "2026-13-40T00:00:00Z",
    "Fri, 32 Nov 2026 12:00"
  ]
  for (const date of [...invalidDates, "1970-01-01T00:00:00Z", "9999-12-31", "20 Nov 2026 12:00:00 ABC"]) {
    assert.isUndefined(parseFeedDate(date), date)
  }
})

it("reads the fields of an item, and leaves out invalid items", () => {
  const items = only(
    rss(item(
      `<guid isPermaLink="false">x-1</guid><pubDate>2026-11-20 09:00:00</pubDate><description></description>` +
        `<content:encoded><![CDATA[<p>How it begins</p>]]></content:encoded><category>Bitcoin</category>`
    )),
    "+0900"
  )
  assert.deepStrictEqual(items, {
    guid: "x-1",
    url: "https://a.example/1",
    title: "A title",
    excerpt: "How it begins",
    publishedAt: Date.parse("2026-11-20T00:00:00Z"),
    tags: ["Bitcoin"]
  })
  // An item without an identifier has its URL as the identifier, and an item without a URL has its identifier as the
  // URL.
  assert.strictEqual(only(rss(item("")))?.guid, "https://a.example/1")
  assert.strictEqual(only(rss(item("<pubDate>soon</pubDate>")))?.publishedAt, null)
  const named = "<item><title>B</title><guid>https://a.example/2</guid></item>"
  assert.strictEqual(only(rss(named))?.url, "https://a.example/2")
  const invalidItems = [
    "<item><link>https://a.example/1</link></item>",
    "<item><title>B</title><link>javascript:alert(1)</link></item>",
    "<item><title>B</title><link>ftp://a.example/x</link></item>",
    "<item><title>B</title><link>https://me:secret@a.example/</link></item>",
    "<item><title>&lt;br&gt;</title><link>https://a.example/1</link></item>",
    "<item><title>B</title></item>"
  ]
  for (const one of invalidItems) {
    assert.isUndefined(readFeed(rss(one), "+0000"), one)
    assert.lengthOf(readFeed(rss(`${one}${item("")}`), "+0000")?.items ?? [], 1, one)
  }
  assert.deepStrictEqual(readFeed(rss(""), "+0000"), { language: null, items: [] })
  assert.lengthOf(readFeed(rss(item("").repeat(500)), "+0000")?.items ?? [], 200)
})

it("rejects a document that is not exactly one complete feed", () => {
  const right = rss(item(""))
  const invalidFeeds = [
    "",
    "null",
    "<html><body>Sorry</body></html>",
    right.slice(0, -8),
    `${right}${right}`,
    `${right}<p>`,
    `<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>${rss(item("<description>&b;</description>"))}`,
    "<rss version=\"2.0\"></rss>"
  ]
  for (const text of invalidFeeds) assert.isUndefined(readFeed(text, "+0000"), text)
  assert.isDefined(readFeed(`<?xml version="1.0"?><!-- made by x -->${right}\n<!-- in 3 ms -->\n`, "+0000"))
})

it("parses the list of feeds in a setting, and explains an invalid one", () => {
  const named = parseNewsFeeds("one en https://a.example/rss A Paper;\n two ko https://b.example/feed?x=1 신문 ; ")
  assert.deepStrictEqual(Result.getOrElse(named, () => []), [
    { name: "one", language: "en", url: "https://a.example/rss", publisher: "A Paper" },
    { name: "two", language: "ko", url: "https://b.example/feed?x=1", publisher: "신문" }
  ])
  const mistakes: Readonly<Record<string, string>> = {
    "One en https://a.example/ P": "lower-case letters",
    "one english https://a.example/ P": "language",
    "one en a.example P": "address",
    "one en file:///etc/passwd P": "address",
    "one en https://a.example/": "publisher",
    "one en https://a.example/ P; one en https://b.example/ Q": "twice"
  }
  for (const [setting, text] of Object.entries(mistakes)) {
    const read = parseNewsFeeds(setting)
    assert.include(Result.isFailure(read) ? read.failure : "", text)
  }
})
