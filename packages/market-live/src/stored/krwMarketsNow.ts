import { dayMs, type KrwExchange, minuteMs, type SourceUnavailable } from "@tapeline/core/market"
import { type MarketStore, type Point, pointsKinds } from "@tapeline/core/market/store"
import { Effect } from "effect"
import { krwTickerDocument } from "./documents.ts"
import { maxPresentAgeMs } from "./presentDocuments.ts"
import { inParallel, withReadErrors } from "./storeReads.ts"

type Store = MarketStore["Service"]

const kind = pointsKinds.krwMarkets

/** The maximum age of a price, relative to the time 24 hours ago for which the price is used. */
const dayAgoToleranceMs = 10 * minuteMs

/** The last known data of a won market. */
export interface KrwMarketNow {
  readonly fetchedAt: number
  readonly time: number
  readonly krwPrice: number
  readonly usdtPrice: number | null
  readonly volume24hKrw: number | null
  /** The price change over 24 hours in percent, as calculated by the source. */
  readonly change24hPct: number | null
  readonly source: string
}

const toMarketNow = (point: Point<keyof typeof kind.columns> | null): KrwMarketNow | undefined => {
  if (point === null || point.krwPrice === null) return undefined
  const { change24hPct, krwPrice, source, time, usdtPrice, volume24hKrw } = point
  return { fetchedAt: time, time, krwPrice, usdtPrice, change24hPct, volume24hKrw, source }
}

/**
 * Reads the last data of won markets from tickers, or from points if the points are newer. Omits data older than
 * `withinMs`, and tickers unchanged for more than a day.
 */
export const readKrwMarketsNow = Effect.fnUntraced(function*(
  store: Store,
  now: number,
  withinMs: number,
  keys?: ReadonlyArray<string>
): Effect.fn.Return<ReadonlyMap<string, KrwMarketNow>, SourceUnavailable> {
  const [points, rows] = yield* inParallel(
    withReadErrors(store.latest({ kind, at: now, withinMs, ...(keys === undefined ? {} : { subjects: keys }) })),
    withReadErrors(store.documents({ kind: krwTickerDocument.kind, ...(keys === undefined ? {} : { keys }) }))
  )
  const found = new Map<string, KrwMarketNow>()
  for (const [key, { point }] of points) {
    const marketNow = toMarketNow(point)
    if (marketNow !== undefined) found.set(key, marketNow)
  }
  for (const row of rows.values()) {
    // The clock of the process that wrote the row may be ahead of the local clock.
    const fetchedAt = Math.min(row.time, now)
    if (fetchedAt <= now - withinMs || fetchedAt < (found.get(row.key)?.fetchedAt ?? -Infinity)) continue
    const { warned: _, time, ...ticker } = yield* krwTickerDocument.decodeRow(row)
    if (time <= now - Math.max(dayMs, withinMs)) continue
    found.set(row.key, { ...ticker, time: Math.min(time, now), fetchedAt, change24hPct: null, source: row.source })
  }
  return found
})

export const readKrwPricesDayAgo = (
  store: Store,
  now: number
): Effect.Effect<ReadonlyMap<string, number>, SourceUnavailable> =>
  Effect.map(
    withReadErrors(store.latest({ kind, at: now - dayMs, withinMs: dayAgoToleranceMs })),
    (all) =>
      new Map(
        [...all].flatMap(([key, { point }]) =>
          point === null || point.krwPrice === null ? [] : [[key, point.krwPrice] as const]
        )
      )
  )

/**
 * Returns the key of the open market with the largest volume. If no market is open, returns the key of the market with
 * the newest data. If the newest data of several markets is about equally old, the largest volume counts.
 */
export const mainMarketKey = (
  markets: ReadonlyMap<string, Pick<KrwMarketNow, "fetchedAt" | "volume24hKrw">>,
  isClosed: (key: string) => boolean,
  now: number
): string | undefined => {
  const known = [...markets]
  const open = known.filter(([key, { fetchedAt }]) => fetchedAt > now - maxPresentAgeMs && !isClosed(key))
  const newestAt = Math.max(...known.map(([, { fetchedAt }]) => fetchedAt))
  const candidates = open.length > 0 ? open : known.filter(([, one]) => one.fetchedAt > newestAt - maxPresentAgeMs)
  return candidates.toSorted(([, a], [, b]) => (b.volume24hKrw ?? -1) - (a.volume24hKrw ?? -1))[0]?.[0]
}

export const krwExchanges: ReadonlyArray<KrwExchange> = ["upbit", "bithumb"]
