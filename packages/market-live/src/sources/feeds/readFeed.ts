/** Reads a publisher's feed: RSS, Atom or RDF, parsed by `feedsmith`. */
import { parseFeed } from "feedsmith"
import { plainText } from "./plainText.ts"

/** An article of a feed. */
export interface FeedItem {
  /** The publisher's identifier, or the address. */
  readonly guid: string
  readonly url: string
  readonly title: string
  /** The beginning or summary of the article; empty if the feed has none. */
  readonly excerpt: string
  /** The publication time of the feed; null without a valid one. */
  readonly publishedAt: number | null
  /** The categories of the article. */
  readonly tags: ReadonlyArray<string>
}

export interface ReadFeed {
  /** BCP 47, as the feed specifies. */
  readonly language: string | null
  /** The articles that have a title and an address. */
  readonly items: ReadonlyArray<FeedItem>
}

/** The maximum numbers and lengths that are read from a feed. */
const most = { items: 200, title: 500, excerpt: 1_000, guid: 1_000, url: 2_000, tags: 20, tag: 80 } as const

/** The common fields of an item in all formats. */
interface Told {
  readonly guid: string | undefined
  readonly urls: ReadonlyArray<string | undefined>
  readonly title: string | undefined
  readonly excerpts: ReadonlyArray<string | undefined>
  readonly dates: ReadonlyArray<string | undefined>
  readonly tags: ReadonlyArray<string | undefined>
}

const textOf = (value: unknown): string | undefined => typeof value === "string" ? value : undefined
const textsOf = (value: unknown) => Array.isArray(value) ? value.map(textOf) : []

/** An item or a feed of any of the three formats. */
interface Loose {
  readonly [key: string]: unknown
}

const isLoose = (value: unknown): value is Loose => typeof value === "object" && value !== null
const listOf = (value: unknown): ReadonlyArray<Loose> => Array.isArray(value) ? value.filter(isLoose) : []
const partOf = (value: unknown, key: string): unknown => isLoose(value) ? value[key] : undefined

/** The text of an element that may have attributes. */
const valueOf = (value: unknown): string | undefined => textOf(value) ?? textOf(partOf(value, "value"))

const toldOf = (item: Loose): Told => {
  const links = listOf(item["links"])
  const alternate = links.find(({ rel }) => rel === undefined || rel === "alternate") ?? links[0]
  const guid = valueOf(item["guid"]) ?? textOf(item["id"]) ?? textOf(partOf(item["rdf"], "about"))
  // The GUID of RSS is an address, unless the feed marks it as none.
  const permalink = partOf(item["guid"], "isPermaLink") === false ? undefined : guid
  return {
    guid,
    urls: [textOf(item["link"]), textOf(alternate?.["href"]), permalink],
    title: valueOf(item["title"]),
    excerpts: [
      valueOf(item["description"]),
      valueOf(item["summary"]),
      textOf(partOf(item["content"], "encoded")) ?? valueOf(item["content"])
    ],
    dates: [
      textOf(item["published"]),
      textOf(item["pubDate"]),
      ...textsOf(partOf(item["dc"], "dates")),
      textOf(item["updated"])
    ],
    tags: [
      ...listOf(item["categories"]).flatMap(({ label, name, term }) => [textOf(name), textOf(label), textOf(term)]),
      ...textsOf(partOf(item["dc"], "subjects"))
    ]
  }
}

const addressOf = (url: string | undefined): string | undefined => {
  const text = url?.trim() ?? ""
  if (text.length > most.url || !URL.canParse(text)) return undefined
  const { href, password, protocol, username } = new URL(text)
  return (protocol === "https:" || protocol === "http:") && username + password === "" ? href : undefined
}

/** The time zones of RFC 822, and Korea's. Other names are invalid. */
const zones: Readonly<Record<string, string>> = {
  UT: "+0000",
  Z: "+0000",
  GMT: "+0000",
  UTC: "+0000",
  EST: "-0500",
  EDT: "-0400",
  CST: "-0600",
  CDT: "-0500",
  MST: "-0700",
  MDT: "-0600",
  PST: "-0800",
  PDT: "-0700",
  KST: "+0900"
}

const rfc822 =
  /^(?:[a-z]{3,9},?\s+)?(\d{1,2}\s+[a-z]{3,9}\s+\d{4}\s+\d{1,2}:\d\d(?::\d\d)?)(?:\.\d+)?\s*([+-]\d\d:?\d\d|[a-z]{1,5})?$/iu
const iso8601 = /^(\d{4}-\d\d-\d\d)(?:[T\s](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)\s*(Z|[+-]\d\d:?\d\d)?)?$/iu

/** Dates before this are invalid. */
const earliest = Date.UTC(2000, 0)
const latest = Date.UTC(2100, 0)

/** Parses a date of a feed, with a default time zone; undefined if it is invalid. */
export const instantOf = (date: string, zone = "+0000"): number | undefined => {
  const text = date.trim().slice(0, 60)
  const spoken = rfc822.exec(text)
  const written = iso8601.exec(text)
  const zoneOf = (told: string | undefined) => told === undefined ? zone : zones[told.toUpperCase()] ?? told
  const time = spoken !== null
    ? Date.parse(`${spoken[1]!} ${zoneOf(spoken[2])}`)
    : written !== null
    ? Date.parse(`${written[1]!}T${written[2] ?? "00:00"}${zoneOf(written[3]).replace(/^(...)(\d\d)$/u, "$1:$2")}`)
    : Number.NaN
  return time >= earliest && time < latest ? time : undefined
}

const firstOf = <A, B>(all: ReadonlyArray<A | undefined>, read: (one: A) => B | undefined): B | undefined => {
  for (const one of all) {
    const found = one === undefined ? undefined : read(one)
    if (found !== undefined) return found
  }
  return undefined
}

const saying = (text: string): string | undefined => text === "" ? undefined : text

const itemOf = (told: Told, zone: string): FeedItem | undefined => {
  const url = firstOf(told.urls, addressOf)
  const title = plainText(told.title ?? "", most.title)
  if (url === undefined || title === "") return undefined
  const tags = told.tags.flatMap((tag) => saying(plainText(tag ?? "", most.tag)) ?? [])
  return {
    guid: (told.guid?.trim() || url).slice(0, most.guid),
    url,
    title,
    excerpt: firstOf(told.excerpts, (excerpt) => saying(plainText(excerpt, most.excerpt))) ?? "",
    publishedAt: firstOf(told.dates, (date) => instantOf(date, zone)) ?? null,
    tags: [...new Set(tags)].slice(0, most.tags)
  }
}

/** Nested entities could unpack to more than the available memory, and no feed needs its own entities. */
const definesGrammar = /<!(?:doctype|entity)/iu

/** Whether the document is a single element, without anything after it. */
const isOneElement = (text: string): boolean => {
  const root = /<(rss|feed|(?:[\w.-]+:)?RDF)\b/iu.exec(text)?.[1]
  if (root === undefined) return false
  const end = text.indexOf(`</${root}>`)
  const rest = end < 0 ? "?" : text.slice(end + root.length + 3).replace(/<!--[\s\S]*?-->/gu, "")
  return rest.trim() === ""
}

const languageOf = (feed: Loose): string | null => {
  const [spoken] = textsOf(partOf(feed["dc"], "languages"))
  const told = textOf(feed["language"]) ?? textOf(partOf(feed["xml"], "lang")) ?? spoken
  return /^[a-z]{2,3}\b/iu.exec(told?.trim() ?? "")?.[0].toLowerCase() ?? null
}

/**
 * Reads a feed. `zone` applies to dates without a time zone. Returns undefined if the text is not a feed, or if all its
 * items are unreadable.
 */
export const readFeed = (text: string, zone: string): ReadFeed | undefined => {
  if (definesGrammar.test(text.slice(0, 4_000)) || !isOneElement(text)) return undefined
  let feed: unknown
  try {
    feed = parseFeed(text, { maxItems: most.items }).feed
  } catch {
    return undefined
  }
  if (!isLoose(feed)) return undefined
  const told = [...listOf(feed["items"]), ...listOf(feed["entries"])]
  const items = told.flatMap((item) => itemOf(toldOf(item), zone) ?? [])
  return told.length > 0 && items.length === 0 ? undefined : { language: languageOf(feed), items }
}
