import { type Coin, CoinPrices, type Gap, type Interval, valueOf } from "@tapeline/core/market"
import { pointsKinds } from "@tapeline/core/market/store"
import { Effect } from "effect"
import { coinDocument } from "../../src/stored/documents.ts"
import { coveringOf, fineMs, isIn, onGrid, sourceName, type Writing } from "./collecting.ts"

/** Writes a coin's candles of an interval, except for the lost intervals. */
export const writeCandles = Effect.fnUntraced(
  function*({ collection, fence, store }: Writing, coin: string, interval: Interval, lost: ReadonlyArray<Gap>) {
    const prices = yield* CoinPrices
    const candles = yield* valueOf(prices.candleRange({ coin, timeframe: "5m", ...interval }))
    const holes = onGrid(lost, fineMs)
    const bare = collection.bare.includes(coin)
    const rows = candles
      .filter(({ closed, time }) => closed && !isIn(holes, time))
      .map(({ closed: _, ...candle }) => bare ? { ...candle, takerBuyVolume: null } : candle)
    const series = [{ subject: coin, source: sourceName, rows, ...coveringOf(interval, holes) }]
    yield* store.writePoints({ kind: pointsKinds.candles, fence, series })
  },
  Effect.orDie
)

/** Writes a coin's minute prices of an interval, except for the lost intervals. */
export const writePrices = Effect.fnUntraced(
  function*({ fence, store }: Writing, coin: string, interval: Interval, lost: ReadonlyArray<Gap>) {
    const prices = yield* CoinPrices
    const query = { coins: [coin], after: interval.from - 1, until: interval.to - 1 }
    const { points = [] } = (yield* valueOf(prices.minutes(query))).get(coin) ?? {}
    const rows = points.filter(({ time }) => !isIn(lost, time))
    const series = [{ subject: coin, source: sourceName, rows, ...coveringOf(interval, lost) }]
    yield* store.writePoints({ kind: pointsKinds.prices, fence, series })
  },
  Effect.orDie
)

export const writeFacts = Effect.fnUntraced(function*({ collection, fence, store }: Writing) {
  const prices = yield* CoinPrices
  const all = yield* valueOf(prices.coins)
  const rows = all.map(({ coin: key, ...facts }: Coin) =>
    coinDocument.rowOf({ key, time: collection.now, source: sourceName }, {
      ...facts,
      circulatingSupply: collection.bare.includes(key) ? null : facts.circulatingSupply,
      delistedAt: collection.delisted[key] ?? null
    })
  )
  yield* store.writeDocuments({ kind: coinDocument.kind, fence, documents: rows })
  const { time, ...total } = yield* valueOf(prices.totalMarket)
  const row = { time, circulatingSupply: null, ...total }
  const series = [{ subject: "total", source: sourceName, rows: [row] }]
  yield* store.writePoints({ kind: pointsKinds.marketCaps, fence, series })
}, Effect.orDie)
