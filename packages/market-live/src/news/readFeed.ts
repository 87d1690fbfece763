/** Parses a publisher's feed in RSS, Atom or RDF format. */
import { parseFeed } from "feedsmith"
import { toPlainText } from "./plainText.ts"

/** An article of a news feed. */
export interface FeedItem {
  /** The publisher's identifier of the article, or the article's URL. */
  readonly guid: string
  readonly url: string
  readonly title: string
  /** The beginning or summary of the article, or empty if the feed has neither. */
  readonly excerpt: string
  /** The publication time according to the feed, or null if missing or invalid. */
  readonly publishedAt: number | null
  readonly tags: ReadonlyArray<string>
}

export interface ReadFeed {
  /** The language (BCP 47) that the feed declares. */
  readonly language: string | null
  /** The articles that have a title and a URL. */
  readonly items: ReadonlyArray<FeedItem>
}

const limits = { items: 200, title: 500, excerpt: 1_000, guid: 1_000, url: 2_000, tags: 20, tag: 80 } as const

/** The fields of a feed item that RSS, Atom and RDF have in common. */
interface RawItem {
  readonly guid: string | undefined
  readonly urls: ReadonlyArray<string | undefined>
  readonly title: string | undefined
  readonly excerpts: ReadonlyArray<string | undefined>
  readonly dates: ReadonlyArray<string | undefined>
  readonly tags: ReadonlyArray<string | undefined>
}

const textOf = (value: unknown): string | undefined => typeof value === "string" ? value : undefined
const textsOf = (value: unknown) => Array.isArray(value) ? value.map(textOf) : []

interface JsonObject {
  readonly [key: string]: unknown
}

const isJsonObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null
const objectsOf = (value: unknown): ReadonlyArray<JsonObject> => Array.isArray(value) ? value.filter(isJsonObject) : []
const memberOf = (value: unknown, key: string): unknown => isJsonObject(value) ? value[key] : undefined

const valueOf = (value: unknown): string | undefined => textOf(value) ?? textOf(memberOf(value, "value"))

const toRawItem = (item: JsonObject): RawItem => {
  const links = objectsOf(item["links"])
  const alternate = links.find(({ rel }) => rel === undefined || rel === "alternate") ?? links[0]
  const guid = valueOf(item["guid"]) ?? textOf(item["id"]) ?? textOf(memberOf(item["rdf"], "about"))
  // The GUID of an RSS item is a URL, unless the feed marks the GUID as no permalink.
  const permalink = memberOf(item["guid"], "isPermaLink") === false ? undefined : guid
  return {
    guid,
    urls: [textOf(item["link"]), textOf(alternate?.["href"]), permalink],
    title: valueOf(item["title"]),
    excerpts: [
      valueOf(item["description"]),
      valueOf(item["summary"]),
      textOf(memberOf(item["content"], "encoded")) ?? valueOf(item["content"])
    ],
    dates: [
      textOf(item["published"]),
      textOf(item["pubDate"]),
      ...textsOf(memberOf(item["dc"], "dates")),
      textOf(item["updated"])
    ],
    tags: [
      ...objectsOf(item["categories"]).flatMap(({ label, name, term }) => [textOf(name), textOf(label), textOf(term)]),
      ...textsOf(memberOf(item["dc"], "subjects"))
    ]
  }
}

const httpAddress = (url: string | undefined): string | undefined => {
  const text = url?.trim() ?? ""
  if (text.length > limits.url || !URL.canParse(text)) return undefined
  const { href, password, protocol, username } = new URL(text)
  return (protocol === "https:" || protocol === "http:") && username + password === "" ? href : undefined
}

/** The UTC offsets of RFC 822 time zones, and of Korea's time zone. */
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

const earliest = Date.UTC(2000, 0)
const latest = Date.UTC(2100, 0)

/** Parses the date of an article in the default time zone `zone`, or returns undefined if the date is invalid. */
export const parseFeedDate = (date: string, zone = "+0000"): number | undefined => {
  const text = date.trim().slice(0, 60)
  const rfc822Match = rfc822.exec(text)
  const isoMatch = iso8601.exec(text)
  const zoneOf = (zoneName: string | undefined) =>
    zoneName === undefined ? zone : zones[zoneName.toUpperCase()] ?? zoneName
  const time = rfc822Match !== null
    ? Date.parse(`${rfc822Match[1]!} ${zoneOf(rfc822Match[2])}`)
    : isoMatch !== null
    ? Date.parse(`${isoMatch[1]!}T${isoMatch[2] ?? "00:00"}${zoneOf(isoMatch[3]).replace(/^(...)(\d\d)$/u, "$1:$2")}`)
    : Number.NaN
  return time >= earliest && time < latest ? time : undefined
}

const firstDefined = <A, B>(all: ReadonlyArray<A | undefined>, read: (one: A) => B | undefined): B | undefined => {
  for (const one of all) {
    const found = one === undefined ? undefined : read(one)
    if (found !== undefined) return found
  }
  return undefined
}

const undefinedIfEmpty = (text: string): string | undefined => text === "" ? undefined : text

const toFeedItem = (rawItem: RawItem, zone: string): FeedItem | undefined => {
  const url = firstDefined(rawItem.urls, httpAddress)
  const title = toPlainText(rawItem.title ?? "", limits.title)
  if (url === undefined || title === "") return undefined
  const tags = rawItem.tags.flatMap((tag) => undefinedIfEmpty(toPlainText(tag ?? "", limits.tag)) ?? [])
  return {
    guid: (rawItem.guid?.trim() || url).slice(0, limits.guid),
    url,
    title,
    excerpt: firstDefined(rawItem.excerpts, (excerpt) => undefinedIfEmpty(toPlainText(excerpt, limits.excerpt))) ?? "",
    publishedAt: firstDefined(rawItem.dates, (date) => parseFeedDate(date, zone)) ?? null,
    tags: [...new Set(tags)].slice(0, limits.tags)
  }
}

/** Matches declarations of XML entities, which could exceed the available memory if nested. */
const definesGrammar = /<!(?:doctype|entity)/iu

/** Returns whether the document is a single element, followed by nothing except comments. */
const isOneElement = (text: string): boolean => {
  const root = /<(rss|feed|(?:[\w.-]+:)?RDF)\b/iu.exec(text)?.[1]
  if (root === undefined) return false
  const end = text.indexOf(`</${root}>`)
  const rest = end < 0 ? "?" : text.slice(end + root.length + 3).replace(/<!--[\s\S]*?-->/gu, "")
  return rest.trim() === ""
}

const languageOf = (feed: JsonObject): string | null => {
  const [dcLanguage] = textsOf(memberOf(feed["dc"], "languages"))
  const declared = textOf(feed["language"]) ?? textOf(memberOf(feed["xml"], "lang")) ?? dcLanguage
  return /^[a-z]{2,3}\b/iu.exec(declared?.trim() ?? "")?.[0].toLowerCase() ?? null
}

/**
 * Parses a feed with the default time zone `zone`, or returns undefined if the text is not a feed or all items are
 * unreadable.
 */
export const readFeed = (text: string, zone: string): ReadFeed | undefined => {
  if (definesGrammar.test(text.slice(0, 4_000)) || !isOneElement(text)) return undefined
  let feed: unknown
  try {
    feed = parseFeed(text, { maxItems: limits.items }).feed
  } catch {
    return undefined
  }
  if (!isJsonObject(feed)) return undefined
  const rawItems = [...objectsOf(feed["items"]), ...objectsOf(feed["entries"])]
  const items = rawItems.flatMap((item) => toFeedItem(toRawItem(item), zone) ?? [])
  return rawItems.length > 0 && items.length === 0 ? undefined : { language: languageOf(feed), items }
}
