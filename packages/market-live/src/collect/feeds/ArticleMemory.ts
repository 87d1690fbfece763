import { type MarketEvent } from "@tapeline/core/market/store"
import { createHash } from "node:crypto"

/** What is remembered of an article. */
interface Known {
  readonly id: string
  readonly time: number
  /** The feed that told it first: others may tell it too, and do not change it. */
  readonly source: string
  readonly address: string
  readonly title: string
  /** All that is told of it. */
  readonly told: string
  seenAt: number
}

/** An article that a feed tells, before it is known whether it is new. */
export interface Candidate {
  readonly id: string
  readonly source: string
  readonly url: string
  readonly title: string
  readonly time: number
}

/** Parameters by which publishers count where readers come from; what an article is does not depend on them. */
const counting = /^(?:utm_\w+|fbclid|gclid|igshid|mc_[ce]id|cmp|ref|ref_src|from|src|source|taid|traffic_source)$/iu

/** An address as articles are told apart by it. */
export const addressKey = (url: string): string => {
  if (!URL.canParse(url)) return url
  const { hostname, pathname, searchParams } = new URL(url)
  const query = [...searchParams].filter(([name]) => !counting.test(name)).sort(([a], [b]) => a < b ? -1 : 1)
  const path = pathname.replace(/\/(?:amp\/?)?$/u, "")
  return `${hostname.replace(/^(?:www|m|amp)\./u, "")}${path}?${new URLSearchParams(query).toString()}`
}

/** A shorter title is one of many: a daily column's. */
const leastTitle = 16

/** A title as articles are told apart by it; empty of one that says too little. */
export const titleKey = (title: string): string => {
  const words = title.normalize("NFKC").toLowerCase().match(/[\p{L}\p{N}]+/gu)?.join(" ") ?? ""
  return words.length < leastTitle ? "" : words
}

/** The same name for the same article, by what its publisher calls it. */
export const articleId = (url: string, guid: string): string => {
  const name = guid === url ? addressKey(url) : `${new URL(url).hostname} ${guid}`
  return createHash("sha256").update(name.toWellFormed()).digest("base64url").slice(0, 24)
}

/** Copies of an article come within two days. */
const copiedWithinMs = 2 * 86_400_000
const most = 50_000

/** Which articles are there already, whoever told them and under what name. */
export class ArticleMemory {
  readonly #byId = new Map<string, Known>()
  readonly #byAddress = new Map<string, string>()
  readonly #byTitle = new Map<string, string>()

  learn(
    { document, id, label, source, time }: Pick<MarketEvent<never>, "document" | "id" | "label" | "source" | "time">,
    told: {
      readonly url: string
      readonly title: string
    },
    now: number
  ): void {
    const [address, title] = [addressKey(told.url), titleKey(told.title)]
    this.#forget(id)
    this.#byId.set(id, { id, time, source, address, title, told: `${label}\n${document}`, seenAt: now })
    this.#byAddress.set(address, id)
    if (title !== "") this.#byTitle.set(title, id)
  }

  /** The article that is there already; undefined of a new one. */
  find({ id, time, title, url }: Candidate, now: number): Known | undefined {
    const titled = this.#byId.get(this.#byTitle.get(titleKey(title)) ?? "")
    const copied = titled !== undefined && Math.abs(titled.time - time) <= copiedWithinMs ? titled : undefined
    const found = this.#byId.get(id) ?? this.#byId.get(this.#byAddress.get(addressKey(url)) ?? "") ?? copied
    if (found !== undefined) found.seenAt = now
    return found
  }

  /** Forgets what no feed tells any more, and the oldest of too many. */
  prune(before: number): void {
    for (const { id, seenAt } of this.#byId.values()) if (seenAt < before) this.#forget(id)
    for (const id of this.#byId.keys()) {
      if (this.#byId.size <= most) break
      this.#forget(id)
    }
  }

  #forget(id: string): void {
    const known = this.#byId.get(id)
    if (known === undefined) return
    this.#byId.delete(id)
    if (this.#byAddress.get(known.address) === id) this.#byAddress.delete(known.address)
    if (this.#byTitle.get(known.title) === id) this.#byTitle.delete(known.title)
  }
}
