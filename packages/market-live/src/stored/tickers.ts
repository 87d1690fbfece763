import { dayMs, minuteMs, type SourceUnavailable, type Ticker } from "@tapeline/core/market"
import type { MarketStore } from "@tapeline/core/market/store"
import { Effect } from "effect"
import { type DaySummary, readDaySummaries } from "./candles.ts"
import type { StoredCoin } from "./coins.ts"
import { tickerDocument } from "./documents.ts"
import { readPricesAt, type StoredPrice } from "./readPrices.ts"
import { inParallel, withReadErrors } from "./storeReads.ts"

/**
 * The maximum age of a price that counts as the price of one day ago, and the maximum age of the venue's 24-hour
 * values.
 */
const dayAgoToleranceMs = 10 * minuteMs
const maxVenueDayAgeMs = 15 * minuteMs

type Day = Pick<Ticker, "change24hPct" | "high24h" | "low24h" | "volume24hUsd">

const unknownDay: Day = { change24hPct: null, high24h: null, low24h: null, volume24hUsd: null }

export interface StoredTicker {
  readonly ticker: Ticker
  readonly sources: ReadonlyArray<string>
}

/** Reads the venue's 24-hour values, for coins whose recorded day is incomplete. */
const readVenueDays = Effect.fnUntraced(function*(
  store: MarketStore["Service"],
  coins: ReadonlyArray<string>,
  now: number
): Effect.fn.Return<ReadonlyMap<string, Day & { readonly source: string }>, SourceUnavailable> {
  if (coins.length === 0) return new Map()
  const rows = yield* withReadErrors(store.documents({ kind: tickerDocument.kind, keys: coins }))
  const recent = [...rows.values()].filter(({ time }) => Math.abs(now - time) <= maxVenueDayAgeMs)
  const days = yield* Effect.forEach(
    recent,
    (row) => Effect.map(tickerDocument.decodeRow(row), (day) => [row.key, { ...day, source: row.source }] as const)
  )
  return new Map(days)
})

const changePct = (price: number, earlier: number | null): number | null =>
  earlier === null ? null : 100 * (price / earlier - 1)

/** Returns the 24-hour values from recorded data, or only the price change if the recorded day is incomplete. */
const recordedDay = (price: StoredPrice, dayAgo: StoredPrice | undefined, day: DaySummary | undefined): Day => {
  const known = dayAgo !== undefined && price.time - dayMs - dayAgo.time <= dayAgoToleranceMs
    ? dayAgo.price
    : day?.open ?? null
  const change24hPct = changePct(price.price, known)
  if (day === undefined || !day.isComplete) return { ...unknownDay, change24hPct }
  return {
    change24hPct,
    high24h: Math.max(price.price, day.high ?? price.price),
    low24h: Math.min(price.price, day.low ?? price.price),
    volume24hUsd: day.volumeUsd
  }
}

/** Reads the tickers of trading coins that have a price. */
export const readTickers = Effect.fnUntraced(function*(
  store: MarketStore["Service"],
  coins: ReadonlyArray<StoredCoin>,
  now: number
): Effect.fn.Return<ReadonlyArray<StoredTicker>, SourceUnavailable> {
  const names = coins.map(({ coin }) => coin)
  const [[prices, before], dayOf] = yield* inParallel(
    inParallel(readPricesAt(store, names, now), readPricesAt(store, names, now - dayMs)),
    readDaySummaries(store, names, now)
  )
  const found = coins.flatMap((coin) => {
    const price = prices.get(coin.coin)
    if (price === undefined) return []
    const day = dayOf(coin)
    const dayAgo = coin.listedAt > now - dayMs ? undefined : before.get(coin.coin)
    return [{ coin, price, day: recordedDay(price, dayAgo, day), sources: [price.source, ...day?.sources ?? []] }]
  })
  const incomplete = found.filter(({ day }) => day.high24h === null).map(({ coin }) => coin.coin)
  const venues = yield* readVenueDays(store, incomplete, now)
  return found.map(({ coin, day, price, sources }): StoredTicker => {
    const venue = venues.get(coin.coin)
    const { source, ...venueDay } = venue ?? { source: coin.source, ...day }
    const change24hPct = day.change24hPct ?? venueDay.change24hPct
    const high24h = venueDay.high24h === null ? null : Math.max(venueDay.high24h, price.price)
    const low24h = venueDay.low24h === null ? null : Math.min(venueDay.low24h, price.price)
    const marketCapUsd = coin.circulatingSupply === null ? null : price.price * coin.circulatingSupply
    const { price: newest, time } = price
    return {
      ticker: {
        coin: coin.coin,
        time,
        price: newest,
        change24hPct,
        high24h,
        low24h,
        volume24hUsd: venueDay.volume24hUsd,
        marketCapUsd
      },
      sources: [...sources, source, coin.source]
    }
  })
})
