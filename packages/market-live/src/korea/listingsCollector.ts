import { type KrwListing, minuteMs, SourceUnavailable } from "@tapeline/core/market"
import { Array as Arr, Clock, Effect } from "effect"
import type { DocumentsCollector } from "../collect/collector.ts"
import { mayBeUnreadable, rememberMarkets } from "../collect/marketLists.ts"
import { krwListingDocument, krwListingKey } from "../stored/documents.ts"
import { withReadErrors } from "../stored/storeReads.ts"
import type { CollectedExchange } from "./CollectedExchange.ts"
import { findFirstTrade } from "./firstTrade.ts"
import { marketOf } from "./krwApi.ts"

/** Returns the last known listing of each market of an exchange, by coin. */
export const readKnownListings = (
  { exchange, store }: Pick<CollectedExchange, "exchange" | "store">
): Effect.Effect<ReadonlyMap<string, KrwListing>, SourceUnavailable> =>
  Effect.gen(function*() {
    const rows = yield* withReadErrors(store.documents({ kind: krwListingDocument.kind }))
    const own = [...rows.values()].filter(({ key }) => key.startsWith(`${exchange}:`))
    const listings = yield* Effect.forEach(own, krwListingDocument.decodeRow)
    return new Map(listings.toSorted((a, b) => a.listedAt - b.listedAt).map((listing) => [listing.coin, listing]))
  })

/** The maximum number of opening times to determine per run, each of which takes four requests. */
const maxInferredPerRun = 20

/** The maximum fraction of known markets that may be missing before the response counts as malformed. */
const maxMissingFraction = 0.25

/**
 * A market counts as closed after `answers` consecutive responses without the market, over at least `ms` milliseconds.
 */
const closingRule = { answers: 5, ms: 15 * minuteMs }

/** Tracks the known markets that are missing from responses: since when, and in how many responses. */
class MissingMarkets {
  readonly #known = new Map<string, { readonly since: number; readonly answers: number }>()

  /** Forgets all missing markets, because they may have appeared in responses of the previous leader. */
  clear(): void {
    this.#known.clear()
  }

  /** Counts the missing markets, and returns the markets that satisfy `closingRule`, with their closing times. */
  findClosed(missing: ReadonlyArray<KrwListing>, now: number): ReadonlyArray<KrwListing> {
    const coins = new Set(missing.map(({ coin }) => coin))
    for (const coin of this.#known.keys()) if (!coins.has(coin)) this.#known.delete(coin)
    return missing.flatMap((listing) => {
      const { answers, since } = this.#known.get(listing.coin) ?? { since: now, answers: 0 }
      this.#known.set(listing.coin, { since, answers: answers + 1 })
      const isClosed = answers + 1 >= closingRule.answers && now - since >= closingRule.ms
      return isClosed ? [{ ...listing, delistedAt: since }] : []
    })
  }
}

/**
 * Determines when a won market opened. A new market counts as opened at its first trade. A reopened market counts as
 * opened in the current minute.
 */
const inferOpening = Effect.fnUntraced(
  function*({ exchange, source }: CollectedExchange, coin: string, former: KrwListing | undefined) {
    const now = yield* Clock.currentTimeMillis
    const { value: first } = yield* findFirstTrade(source, coin)
    if (first === null) return []
    const closedAt = former?.delistedAt ?? -Infinity
    const listedAt = first.time > closedAt ? first.time : Math.max(closedAt, Math.floor(now / minuteMs) * minuteMs)
    return [{ coin, exchange, listedAt, inferred: true, delistedAt: null } satisfies KrwListing]
  }
)

/**
 * Returns the collector that checks every minute which won markets opened or closed. A market with an unreadable row
 * does not count as closed.
 */
export const makeKrwListingsCollector = (venue: CollectedExchange): DocumentsCollector => {
  const missingMarkets = new MissingMarkets()
  const markets = rememberMarkets(Effect.map(venue.source.markets, (answer) => ({
    ...answer,
    value: answer.value.map(({ coin }) => ({ coin, symbol: marketOf(coin) }))
  })))
  return {
    _tag: "documents",
    source: venue.exchange,
    name: "krwListings",
    kind: krwListingDocument.kind,
    everyMs: minuteMs,
    offsetMs: 20_000,
    reset: Effect.sync(() => missingMarkets.clear()),
    fetch: Effect.gen(function*() {
      const listed = yield* markets
      const known = yield* readKnownListings(venue)
      const now = Math.floor(yield* Clock.currentTimeMillis)
      const open = new Set(listed.rows.map(({ coin }) => coin))
      const trading = [...known.values()].filter(({ delistedAt }) => delistedAt === null)
      const missing = trading.filter(({ coin }) => !open.has(coin) && !mayBeUnreadable(listed, coin))
      if (missing.length > maxMissingFraction * trading.length && missing.length > 1) {
        return yield* new SourceUnavailable({
          source: venue.exchange,
          failure: "malformed",
          reason: `the list has ${open.size} markets, and ${missing.length} earlier markets are missing`,
          retryable: true
        })
      }
      const ended = missingMarkets.findClosed(missing, now)
      const unknown = [...open].filter((coin) => known.get(coin)?.delistedAt !== null).slice(0, maxInferredPerRun)
      const answers = yield* Effect.forEach(
        unknown,
        (coin) => Effect.result(inferOpening(venue, coin, known.get(coin))),
        { concurrency: 2 }
      )
      const documents = [...ended, ...Arr.getSuccesses(answers).flat()].map((listing) =>
        krwListingDocument.encodeRow({ key: krwListingKey(listing), time: now, source: venue.exchange }, listing)
      )
      return { documents, faults: Arr.getFailures(answers) }
    })
  }
}
