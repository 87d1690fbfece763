import { type MarketEvent } from "@tapeline/core/market/store"
import { createHash } from "node:crypto"

interface StoredArticle {
  readonly id: string
  readonly time: number
  /** The feed that published the article first, regardless of later feeds with the article. */
  readonly source: string
  readonly address: string
  readonly title: string
  /** The stored article's label and document, which are compared to detect changes. */
  readonly content: string
  seenAt: number
}

/** An article of a news feed that may not be stored yet. */
export interface Candidate {
  readonly id: string
  readonly source: string
  readonly url: string
  readonly title: string
  readonly time: number
}

/** Matches tracking parameters in URLs of publishers, which do not identify an article. */
const trackingParameter =
  /^(?:utm_\w+|fbclid|gclid|igshid|mc_[ce]id|cmp|ref|ref_src|from|src|source|taid|traffic_source)$/iu

/** Normalises a URL, so that different URLs of one article are equal. */
export const addressKey = (url: string): string => {
  if (!URL.canParse(url)) return url
  const { hostname, pathname, searchParams } = new URL(url)
  const query = [...searchParams].filter(([name]) => !trackingParameter.test(name)).sort(([a], [b]) => a < b ? -1 : 1)
  const path = pathname.replace(/\/(?:amp\/?)?$/u, "")
  return `${hostname.replace(/^(?:www|m|amp)\./u, "")}${path}?${new URLSearchParams(query).toString()}`
}

/** The minimum length of a compared title, because many articles may share a short title. */
const minTitleLength = 16

/** Normalises a title for comparison, or returns an empty string if the title is too short to compare. */
export const titleKey = (title: string): string => {
  const words = title.normalize("NFKC").toLowerCase().match(/[\p{L}\p{N}]+/gu)?.join(" ") ?? ""
  return words.length < minTitleLength ? "" : words
}

/** Returns a stable ID of an article, derived from the publisher's identifier. */
export const articleId = (url: string, guid: string): string => {
  const name = guid === url ? addressKey(url) : `${new URL(url).hostname} ${guid}`
  return createHash("sha256").update(name.toWellFormed()).digest("base64url").slice(0, 24)
}

/** The maximum time between the publications of an article and its copies. */
const maxCopyDelayMs = 2 * 86_400_000
const maxArticles = 50_000

/** The articles that are already stored, to find copies from other feeds or with other IDs. */
export class ArticleIndex {
  readonly #byId = new Map<string, StoredArticle>()
  readonly #byAddress = new Map<string, string>()
  readonly #byTitle = new Map<string, string>()

  add(
    { document, id, label, source, time }: Pick<MarketEvent<never>, "document" | "id" | "label" | "source" | "time">,
    article: {
      readonly url: string
      readonly title: string
    },
    now: number
  ): void {
    const [address, title] = [addressKey(article.url), titleKey(article.title)]
    this.#remove(id)
    this.#byId.set(id, { id, time, source, address, title, content: `${label}\n${document}`, seenAt: now })
    this.#byAddress.set(address, id)
    if (title !== "") this.#byTitle.set(title, id)
  }

  /** Returns the stored article of a candidate, or undefined if the candidate is new. */
  find({ id, time, title, url }: Candidate, now: number): StoredArticle | undefined {
    const sameTitle = this.#byId.get(this.#byTitle.get(titleKey(title)) ?? "")
    const copy = sameTitle !== undefined && Math.abs(sameTitle.time - time) <= maxCopyDelayMs ? sameTitle : undefined
    const found = this.#byId.get(id) ?? this.#byId.get(this.#byAddress.get(addressKey(url)) ?? "") ?? copy
    if (found !== undefined) found.seenAt = now
    return found
  }

  /** Removes articles that no feed has listed since `before`, and the oldest articles above the maximum number. */
  prune(before: number): void {
    for (const { id, seenAt } of this.#byId.values()) if (seenAt < before) this.#remove(id)
    for (const id of this.#byId.keys()) {
      if (this.#byId.size <= maxArticles) break
      this.#remove(id)
    }
  }

  #remove(id: string): void {
    const known = this.#byId.get(id)
    if (known === undefined) return
    this.#byId.delete(id)
    if (this.#byAddress.get(known.address) === id) this.#byAddress.delete(known.address)
    if (this.#byTitle.get(known.title) === id) this.#byTitle.delete(known.title)
  }
}
