import { type Coin, CoinPrices, type Gap, type Interval, readValue } from "@tapeline/core/market"
import { pointsKinds } from "@tapeline/core/market/store"
import { Effect } from "effect"
import { coinDocument } from "../../src/stored/documents.ts"
import { alignToGrid, coverageOf, fiveMinutesMs, isInGaps, sourceName, type WriteContext } from "./collecting.ts"

export const writeCandles = Effect.fnUntraced(
  function*({ collection, fence, store }: WriteContext, coin: string, interval: Interval, lost: ReadonlyArray<Gap>) {
    const prices = yield* CoinPrices
    const candles = yield* readValue(prices.candleRange({ coin, timeframe: "5m", ...interval }))
    const holes = alignToGrid(lost, fiveMinutesMs)
    const bare = collection.sparseCoins.includes(coin)
    const rows = candles
      .filter(({ closed, time }) => closed && !isInGaps(holes, time))
      .map(({ closed: _, ...candle }) => bare ? { ...candle, takerBuyVolume: null } : candle)
    const series = [{ subject: coin, source: sourceName, rows, ...coverageOf(interval, holes) }]
    yield* store.writePoints({ kind: pointsKinds.candles, fence, series })
  },
  Effect.orDie
)

export const writePrices = Effect.fnUntraced(
  function*({ fence, store }: WriteContext, coin: string, interval: Interval, lost: ReadonlyArray<Gap>) {
    const prices = yield* CoinPrices
    const query = { coins: [coin], after: interval.from - 1, until: interval.to - 1 }
    const { points = [] } = (yield* readValue(prices.minutes(query))).get(coin) ?? {}
    const rows = points.filter(({ time }) => !isInGaps(lost, time))
    const series = [{ subject: coin, source: sourceName, rows, ...coverageOf(interval, lost) }]
    yield* store.writePoints({ kind: pointsKinds.prices, fence, series })
  },
  Effect.orDie
)

export const writeFacts = Effect.fnUntraced(function*({ collection, fence, store }: WriteContext) {
  const prices = yield* CoinPrices
  const all = yield* readValue(prices.coins)
  const rows = all.map(({ coin: key, ...facts }: Coin) =>
    coinDocument.encodeRow({ key, time: collection.now, source: sourceName }, {
      ...facts,
      circulatingSupply: collection.sparseCoins.includes(key) ? null : facts.circulatingSupply,
      delistedAt: collection.delisted[key] ?? null
    })
  )
  yield* store.writeDocuments({ kind: coinDocument.kind, fence, documents: rows })
  const { time, ...total } = yield* readValue(prices.totalMarket)
  const row = { time, circulatingSupply: null, ...total }
  const series = [{ subject: "total", source: sourceName, rows: [row] }]
  yield* store.writePoints({ kind: pointsKinds.marketCaps, fence, series })
}, Effect.orDie)
