import { dayMs, minuteMs, type SourceUnavailable, type Ticker } from "@tapeline/core/market"
import type { MarketStore } from "@tapeline/core/market/store"
import { Effect } from "effect"
import { asked, both } from "./asking.ts"
import { type DayOfCandles, dayOfCandles } from "./candles.ts"
import { tickerDocument } from "./documents.ts"
import type { StoredCoin } from "./facts.ts"
import { pricesAt, type StoredPrice } from "./prices.ts"

/** The maximum age difference of the price of a day ago, and the maximum age of the venue's own 24-hour values. */
const dayAgoWithinMs = 10 * minuteMs
const venueDayWithinMs = 15 * minuteMs

type Day = Pick<Ticker, "change24hPct" | "high24h" | "low24h" | "volume24hUsd">

const unknown: Day = { change24hPct: null, high24h: null, low24h: null, volume24hUsd: null }

/** A ticker with its sources. */
export interface StoredTicker {
  readonly ticker: Ticker
  readonly sources: ReadonlyArray<string>
}

/** The venue's own 24-hour values, for coins whose recorded day is incomplete. */
const venueDays = Effect.fnUntraced(function*(
  store: MarketStore["Service"],
  coins: ReadonlyArray<string>,
  now: number
): Effect.fn.Return<ReadonlyMap<string, Day & { readonly source: string }>, SourceUnavailable> {
  if (coins.length === 0) return new Map()
  const rows = yield* asked(store.documents({ kind: tickerDocument.kind, keys: coins }))
  const recent = [...rows.values()].filter(({ time }) => Math.abs(now - time) <= venueDayWithinMs)
  const told = yield* Effect.forEach(
    recent,
    (row) => Effect.map(tickerDocument.valueOf(row), (day) => [row.key, { ...day, source: row.source }] as const)
  )
  return new Map(told)
})

const changeFrom = (price: number, then: number | null): number | null =>
  then === null ? null : 100 * (price / then - 1)

/** The 24-hour values from recorded data: all of them, or only the change if the day is incomplete. */
const recordedDay = (price: StoredPrice, then: StoredPrice | undefined, day: DayOfCandles | undefined): Day => {
  const known = then !== undefined && price.time - dayMs - then.time <= dayAgoWithinMs ? then.price : day?.open ?? null
  const change24hPct = changeFrom(price.price, known)
  if (day === undefined || !day.whole) return { ...unknown, change24hPct }
  return {
    change24hPct,
    high24h: Math.max(price.price, day.high ?? price.price),
    low24h: Math.min(price.price, day.low ?? price.price),
    volume24hUsd: day.volumeUsd
  }
}

/** The tickers of trading coins that have a price. */
export const tickersOf = Effect.fnUntraced(function*(
  store: MarketStore["Service"],
  coins: ReadonlyArray<StoredCoin>,
  now: number
): Effect.fn.Return<ReadonlyArray<StoredTicker>, SourceUnavailable> {
  const names = coins.map(({ coin }) => coin)
  const [[prices, before], dayOf] = yield* both(
    both(pricesAt(store, names, now), pricesAt(store, names, now - dayMs)),
    dayOfCandles(store, names, now)
  )
  const found = coins.flatMap((coin) => {
    const price = prices.get(coin.coin)
    if (price === undefined) return []
    const day = dayOf(coin)
    const then = coin.listedAt > now - dayMs ? undefined : before.get(coin.coin)
    return [{ coin, price, day: recordedDay(price, then, day), sources: [price.source, ...day?.sources ?? []] }]
  })
  const holed = found.filter(({ day }) => day.high24h === null).map(({ coin }) => coin.coin)
  const venues = yield* venueDays(store, holed, now)
  return found.map(({ coin, day, price, sources }): StoredTicker => {
    const venue = venues.get(coin.coin)
    const { source, ...told } = venue ?? { source: coin.source, ...day }
    const change24hPct = day.change24hPct ?? told.change24hPct
    const high24h = told.high24h === null ? null : Math.max(told.high24h, price.price)
    const low24h = told.low24h === null ? null : Math.min(told.low24h, price.price)
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
        volume24hUsd: told.volume24hUsd,
        marketCapUsd
      },
      sources: [...sources, source, coin.source]
    }
  })
})
