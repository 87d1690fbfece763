/** Openings and closings of markets against the won. */
import { type KrwListing, minuteMs, SourceUnavailable } from "@tapeline/core/market"
import { Array as Arr, Clock, Effect } from "effect"
import { firstTradeOf } from "../../sources/korea/firstTrade.ts"
import { marketOf } from "../../sources/korea/krwSource.ts"
import { asked } from "../../stored/asking.ts"
import { krwListingDocument, krwListingKey } from "../../stored/documents.ts"
import type { DocumentsCollector } from "../collector.ts"
import { mayBeUnread, remembering } from "../listed.ts"
import type { CollectedExchange } from "./exchange.ts"

/** The last known opening of each market of an exchange, by coin. */
export const knownListings = (
  { exchange, store }: Pick<CollectedExchange, "exchange" | "store">
): Effect.Effect<ReadonlyMap<string, KrwListing>, SourceUnavailable> =>
  Effect.gen(function*() {
    const rows = yield* asked(store.documents({ kind: krwListingDocument.kind }))
    const own = [...rows.values()].filter(({ key }) => key.startsWith(`${exchange}:`))
    const listings = yield* Effect.forEach(own, krwListingDocument.valueOf)
    return new Map(listings.toSorted((a, b) => a.listedAt - b.listedAt).map((listing) => [listing.coin, listing]))
  })

/** Each opening takes four requests, so only this many are determined per run. */
const inferredAtOnce = 20

/** If more than this fraction of the known markets is missing, the response counts as malformed. */
const missingAtMost = 0.25

/**
 * A missing market counts as closed after this many responses in a row without it, over this time. The first of them is
 * its closing time.
 */
const closing = { answers: 5, ms: 15 * minuteMs }

/** The missing markets, since when, and in how many responses. Only the leading process knows them. */
class Missing {
  readonly #known = new Map<string, { readonly since: number; readonly answers: number }>()

  /** Another process may have led in the meantime, and seen the markets. */
  forget(): void {
    this.#known.clear()
  }

  /** Returns the markets that count as closed by now, with their closing times. */
  closed(missing: ReadonlyArray<KrwListing>, now: number): ReadonlyArray<KrwListing> {
    const coins = new Set(missing.map(({ coin }) => coin))
    for (const coin of this.#known.keys()) if (!coins.has(coin)) this.#known.delete(coin)
    return missing.flatMap((listing) => {
      const { answers, since } = this.#known.get(listing.coin) ?? { since: now, answers: 0 }
      this.#known.set(listing.coin, { since, answers: answers + 1 })
      const isClosed = answers + 1 >= closing.answers && now - since >= closing.ms
      return isClosed ? [{ ...listing, delistedAt: since }] : []
    })
  }
}

/**
 * The time of a market's opening: its first trade. A market that opened again still has the trades of its earlier
 * listing, so its time is known only to a minute.
 */
const openingOf = Effect.fnUntraced(
  function*({ exchange, source }: CollectedExchange, coin: string, former: KrwListing | undefined) {
    const now = yield* Clock.currentTimeMillis
    const { value: first } = yield* firstTradeOf(source, coin)
    if (first === null) return []
    const closedAt = former?.delistedAt ?? -Infinity
    const listedAt = first.time > closedAt ? first.time : Math.max(closedAt, Math.floor(now / minuteMs) * minuteMs)
    return [{ coin, exchange, listedAt, inferred: true, delistedAt: null } satisfies KrwListing]
  }
)

/**
 * Collects openings and closings every minute, so that a new market is known soon. Known markets are not written again.
 * A market whose row cannot be read does not count as closed.
 */
export const krwListings = (of: CollectedExchange): DocumentsCollector => {
  const missing = new Missing()
  const markets = remembering(Effect.map(of.source.markets, (answer) => ({
    ...answer,
    value: answer.value.map(({ coin }) => ({ coin, symbol: marketOf(coin) }))
  })))
  return {
    _tag: "documents",
    source: of.exchange,
    name: "krwListings",
    kind: krwListingDocument.kind,
    everyMs: minuteMs,
    offsetMs: 20_000,
    begin: Effect.sync(() => missing.forget()),
    ask: Effect.gen(function*() {
      const listed = yield* markets
      const known = yield* knownListings(of)
      const now = Math.floor(yield* Clock.currentTimeMillis)
      const open = new Set(listed.rows.map(({ coin }) => coin))
      const trading = [...known.values()].filter(({ delistedAt }) => delistedAt === null)
      const gone = trading.filter(({ coin }) => !open.has(coin) && !mayBeUnread(listed, coin))
      if (gone.length > missingAtMost * trading.length && gone.length > 1) {
        return yield* new SourceUnavailable({
          source: of.exchange,
          failure: "malformed",
          reason: `it lists ${open.size} markets, and ${gone.length} that it listed are missing`,
          retryable: true
        })
      }
      const ended = missing.closed(gone, now)
      const unknown = [...open].filter((coin) => known.get(coin)?.delistedAt !== null).slice(0, inferredAtOnce)
      const answers = yield* Effect.forEach(
        unknown,
        (coin) => Effect.result(openingOf(of, coin, known.get(coin))),
        { concurrency: 2 }
      )
      const documents = [...ended, ...Arr.getSuccesses(answers).flat()].map((listing) =>
        krwListingDocument.rowOf({ key: krwListingKey(listing), time: now, source: of.exchange }, listing)
      )
      return { documents, faults: Arr.getFailures(answers) }
    })
  }
}
