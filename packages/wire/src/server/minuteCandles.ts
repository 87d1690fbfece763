import { type Candle, type CoinPrices, minuteMs } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { valueOrNull } from "../binance/responses.ts"

type Prices = CoinPrices["Service"]

/** Builds minute candles from minute prices. Volumes are 0, because the port has no volumes. */
export const readMinuteCandles = Effect.fnUntraced(function*(prices: Prices, coin: string, from: number, to: number) {
  const now = yield* Clock.currentTimeMillis
  const minutes = yield* valueOrNull(prices.minutes({ coins: [coin], after: from - 1, until: Math.min(to, now) }))
  const points = minutes?.get(coin)?.points ?? []
  const closes = new Map(points.map(({ price, time }) => [time, price]))
  return points.filter(({ time }) => time - minuteMs >= from).map(({ price, time }): Candle => {
    const open = closes.get(time - minuteMs) ?? price
    const [low, high] = open < price ? [open, price] : [price, open]
    const flow = { volume: 0, quoteVolume: 0, takerBuyVolume: 0 }
    return { time: time - minuteMs, open, high, low, close: price, ...flow, closed: true }
  })
})
