/** Which markets against the won opened and closed, and when. */
import { type KrwListing, minuteMs, SourceUnavailable } from "@tapeline/core/market"
import { Array as Arr, Clock, Effect } from "effect"
import { firstTradeOf } from "../../sources/korea/firstTrade.ts"
import { marketOf } from "../../sources/korea/krwSource.ts"
import { asked } from "../../stored/asking.ts"
import { krwListingDocument, krwListingKey } from "../../stored/documents.ts"
import type { DocumentsCollector } from "../collector.ts"
import { mayBeUnread, remembering } from "../listed.ts"
import type { CollectedExchange } from "./exchange.ts"

/** The last opening of each market of an exchange that is known, by coin. */
export const knownListings = (
  { exchange, store }: Pick<CollectedExchange, "exchange" | "store">
): Effect.Effect<ReadonlyMap<string, KrwListing>, SourceUnavailable> =>
  Effect.gen(function*() {
    const rows = yield* asked(store.documents({ kind: krwListingDocument.kind }))
    const own = [...rows.values()].filter(({ key }) => key.startsWith(`${exchange}:`))
    const listings = yield* Effect.forEach(own, krwListingDocument.valueOf)
    return new Map(listings.toSorted((a, b) => a.listedAt - b.listedAt).map((listing) => [listing.coin, listing]))
  })

/** Each takes four requests: so many at once, the rest in the next minutes. */
const inferredAtOnce = 20

/** An answer in which more of the known markets than that are missing is no answer. */
const missingAtMost = 0.25

/** One that is missing is closed once so many answers in a row lack it, for so long; it closed with the first. */
const closing = { answers: 5, ms: 15 * minuteMs }

/** Markets that are missing, since when, and in how many answers: known to the process that leads alone. */
class Missing {
  readonly #known = new Map<string, { readonly since: number; readonly answers: number }>()

  /** Another one may have led meanwhile, and seen them. */
  forget(): void {
    this.#known.clear()
  }

  /** When those closed that are taken for closed by now. */
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
 * When a market opened: with its first trade. One that opened anew still has the trades of its former life, so that it
 * is known to within a minute alone.
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
 * Every minute, so that a market is known before it is much older. What is known already is not written again. A market
 * whose row cannot be read is not taken for closed.
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
