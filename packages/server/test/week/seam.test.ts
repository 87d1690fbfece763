import { assert, it } from "@effect/vitest"
import { DerivedStore } from "@tapeline/core"
import {
  type Candle,
  CoinDerivatives,
  CoinPrices,
  dayMs,
  durationMs,
  type Gap,
  hourMs,
  type MarketPorts,
  minuteMs,
  type PerpetualPoint,
  SocialFeed,
  type Timeframe
} from "@tapeline/core/market"
import { MarketStore, type PointsKind, pointsKinds } from "@tapeline/core/market/store"
import { ofOtherServices } from "@tapeline/document/judging"
import { Context, Effect, Layer } from "effect"
import { join } from "node:path"
import { temporaryFolder } from "../support/process.ts"
import { assertAlike } from "./alike.ts"
import { equal } from "./coverage.ts"
import { mapValue } from "./reads.ts"
import { runWeek } from "./runWeek.ts"
import { weekPaths } from "./weekServers.ts"
import { askTools } from "./weekTools.ts"

const bybitPaths = ["account-ratio", "funding/history", "instruments-info", "kline", "tickers"]
ofOtherServices(...weekPaths, ...bybitPaths.map((path) => `/v5/market/${path}`))

const end = Date.parse("2026-11-20T15:00:00.000Z")
const begin = end - 2 * dayMs
const blocked = { from: end - 30 * hourMs, to: end - 26 * hourMs }
const coins = ["BTC", "ETH"]
const hours = [48, 36, 30, 28, 26, 18, 12, 6, 3, 1].map((back) => end - back * hourMs)
const windows = [...hours, ...[15, 10, 5, 0].map((minutes) => end - minutes * minuteMs)]

/** The times of rows that a venue told, by coin. */
const toldBy = Effect.fnUntraced(
  function*(store: MarketStore["Service"], venue: string, kind: PointsKind, interval: Gap) {
    const read = yield* store.points({ kind, subjects: coins, ...interval })
    return new Map(
      Array.from(read, ([coin, { points }]) => [
        coin,
        points.flatMap(({ source, time }) => source === venue ? [time] : [])
      ])
    )
  }
)
type ToldTimes = ReadonlyMap<string, ReadonlyArray<number>>

/** Candles without the takers of what Bybit told: it does not tell them. */
const withoutTakers = (prices: CoinPrices["Service"], times: ToldTimes): CoinPrices["Service"] => {
  const known = (coin: string, timeframe: Timeframe) => (candles: ReadonlyArray<Candle>): ReadonlyArray<Candle> =>
    candles.map((candle) =>
      times.get(coin)?.some((time) => time >= candle.time && time < candle.time + durationMs[timeframe]) === true
        ? { ...candle, takerBuyVolume: null }
        : candle
    )
  return CoinPrices.of({
    ...prices,
    candles: (query) => mapValue(prices.candles(query), known(query.coin, query.timeframe)),
    candleRange: (query) => mapValue(prices.candleRange(query), known(query.coin, query.timeframe)),
    candlesByCoin: (query) =>
      mapValue(
        prices.candlesByCoin(query),
        (all) => new Map(Array.from(all, ([coin, candles]) => [coin, known(coin, query.timeframe)(candles)]))
      )
  })
}

/** Records without the open interest of when Bybit told them: it is the first venue's alone. */
const withoutInterest = (derivatives: CoinDerivatives["Service"], times: ToldTimes): CoinDerivatives["Service"] => {
  const known = (coin: string) => (point: PerpetualPoint): PerpetualPoint =>
    times.get(coin)?.includes(point.time) === true ? { ...point, openInterest: null, openInterestUsd: null } : point
  return CoinDerivatives.of({
    ...derivatives,
    perpetualHistory: (query) =>
      mapValue(
        derivatives.perpetualHistory(query),
        ({ gaps, points }) => ({ gaps, points: points.map(known(query.coin)) })
      )
  })
}

const count = (times: ToldTimes): number => Array.from(times.values(), (all) => all.length).reduce((a, b) => a + b, 0)

const seam = Effect.gen(function*() {
  const dir = yield* temporaryFolder
  const { ports, process: collected } = yield* runWeek({
    dataDir: join(dir, "db"),
    coins,
    end,
    outage: { from: end, to: end },
    blocked,
    restartAt: Infinity,
    windows
  })
  const store = Context.get(collected, MarketStore)
  const all = { from: begin - dayMs, to: end }
  const candles = yield* toldBy(store, "bybit", pointsKinds.candles, all)
  const records = yield* toldBy(store, "bybit", pointsKinds.perpetuals, all)
  // From what was awaited when it began to the last time that somebody was asked in it.
  const least = coins.length * 12 * 6
  assert.isAbove(count(candles), least)
  assert.isAbove(count(records), least)
  for (const times of [...candles.values(), ...records.values()]) {
    assert.isTrue(times.every((time) => time >= end - 37 * hourMs && time < blocked.to + hourMs))
  }
  const market: Layer.Layer<MarketPorts> = Layer.succeedContext(ports.pipe(
    Context.add(SocialFeed, Context.get(collected, SocialFeed)),
    Context.add(CoinPrices, withoutTakers(Context.get(ports, CoinPrices), candles)),
    Context.add(CoinDerivatives, withoutInterest(Context.get(ports, CoinDerivatives), records))
  ))
  const direct = Layer.provideMerge(Layer.fresh(DerivedStore.layer), market)
  const stored = Layer.merge(market, Layer.succeedContext(collected))
  const [its, mine] = [yield* askTools(direct, equal, end), yield* askTools(stored, equal, end)]
  for (const [question, answer] of mine) assertAlike(question, answer, its.get(question))
})

it.live(
  "where Binance blocks for hours another venue stands in, and tools tell the market itself, but for what it cannot tell",
  () => Effect.scoped(seam),
  600_000
)
