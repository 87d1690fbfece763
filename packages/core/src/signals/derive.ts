import { Clock, Effect } from "effect"
import { Compute } from "../compute/Compute.ts"
import { type MarketError, NoData } from "../market/errors.ts"
import type { Coin } from "../market/instrument.ts"
import { MarketStore } from "../market/MarketStore.ts"
import { dayMs, hourMs } from "../market/timeframe.ts"
import { BoundedCache } from "./BoundedCache.ts"
import { type Coil, coilHours, corridorOf, fuelOf } from "./coil.ts"
import { makeDailyFearGreed } from "./dailyFearGreed.ts"
import type { DerivedError } from "./derivedError.ts"
import { type PriceDivergence, recentDivergences } from "./divergence.ts"
import { hitHorizons, hitsOf } from "./hitRate.ts"
import { makeHourlyRegimes } from "./hourlyRegimes.ts"
import { makeHourlyScores, orEmpty } from "./hourlyScores.ts"
import { makeOneByOne } from "./oneByOne.ts"
import { fundingSample, type ScoredHour, type ScorePoint, warmUpHours } from "./score.ts"
import { type JudgedSignal, outcomeOf, returnAfter, signalsOf, signalWarmUpHours } from "./signal.ts"

/** Days of signals that hit rates are told from. */
export const hitRateDays = 90

/** Coins read at the same time: storage may wait, computing does not. */
const concurrency = 8

const divergenceReadings = 128
const coilReadings = 128

/** How long the storage may lag: until then the newest stored hour stands for the last closed one. */
const lagMs = 3 * hourMs

const lastHour = Effect.map(Clock.currentTimeMillis, (now) => Math.floor(now / hourMs) * hourMs)

const unscored = (coin: string) =>
  new NoData({
    subject: `${coin} score`,
    reason: { key: "none_scored", params: { coin } }
  })

/** `DerivedStore` over `MarketStore`. */
export const derive = Effect.gen(function*() {
  const market = yield* MarketStore
  const oneByOne = makeOneByOne()
  const compute = yield* Compute
  const scored = makeHourlyScores(market, compute, oneByOne)
  const regimes = makeHourlyRegimes(market, compute)
  const divergencesSeen = new BoundedCache<ReadonlyArray<PriceDivergence>>(divergenceReadings)
  const coilsSeen = new BoundedCache<Coil>(coilReadings)

  const scorable = Effect.map(market.coins, (coins) => coins.filter((coin) => !coin.isStablecoin))
  const fearGreed = makeDailyFearGreed(market, scorable, oneByOne)

  const requireScorable = Effect.fnUntraced(function*(coin: string): Effect.fn.Return<Coin, MarketError> {
    const facts = yield* market.coin(coin)
    if (facts.isStablecoin) {
      return yield* new NoData({
        subject: `${coin} scores and signals`,
        reason: { key: "none_of_stablecoin", params: { coin } }
      })
    }
    return facts
  })

  /** The newest scored hour at or before `hour`. Earlier ones are looked at only when it is not stored yet. */
  const newest = Effect.fnUntraced(function*(
    coin: string,
    hour: number
  ): Effect.fn.Return<ScoredHour | undefined, DerivedError> {
    const [last] = yield* scored(coin, hour - hourMs, hour)
    return last ?? (yield* scored(coin, hour - lagMs, hour - hourMs)).at(-1)
  })

  const score = Effect.fnUntraced(function*(coin: string) {
    yield* requireScorable(coin)
    const last = yield* newest(coin, yield* lastHour)
    return last === undefined || last.score === null ? yield* unscored(coin) : { coin, score: last.score, hour: last }
  })

  const scores = Effect.gen(function*() {
    const hour = yield* lastHour
    const coins = yield* scorable
    const found = yield* Effect.forEach(
      coins,
      ({ coin }) => Effect.map(oneByOne(newest(coin, hour)), (hour) => ({ coin, hour })),
      { concurrency }
    )
    return found.flatMap(({ coin, hour }) =>
      hour === undefined || hour.score === null ? [] : [{ coin, score: hour.score, hour }]
    )
  })

  const scoreHistory = Effect.fnUntraced(function*({ coin, hours }: { readonly coin: string; readonly hours: number }) {
    yield* requireScorable(coin)
    const to = yield* lastHour
    const points = (yield* scored(coin, to - hours * hourMs, to)).filter(hasScore)
    return points.length === 0 ? yield* unscored(coin) : points
  })

  const divergences = Effect.fnUntraced(function*(coin: string) {
    yield* requireScorable(coin)
    const to = yield* lastHour
    const key = `${coin}:${to}`
    const remembered = divergencesSeen.get(key)
    if (remembered !== undefined) return remembered
    // From the same bar for a whole UTC day, as scores are.
    const from = Math.floor((to - hourMs) / dayMs) * dayMs - warmUpHours * hourMs
    const candles = yield* orEmpty(market.candleRange({ coin, timeframe: "1h", from, to }))
    const found = recentDivergences(candles)
    if (endsAt(candles, to)) divergencesSeen.set(key, found)
    return found
  })

  const coil = Effect.fnUntraced(function*(coin: string) {
    yield* requireScorable(coin)
    const to = yield* lastHour
    const key = `${coin}:${to}`
    const remembered = coilsSeen.get(key)
    if (remembered !== undefined) return remembered
    const candles = yield* orEmpty(
      market.candleRange({ coin, timeframe: "1h", from: to - coilHours * hourMs, to })
    )
    const corridor = corridorOf(candles)
    if (corridor === null) {
      return yield* new NoData({
        subject: `${coin} coil`,
        reason: { key: "none_squeezed", params: { coin } }
      })
    }
    const perpetualAt = (time: number) =>
      Effect.map(
        orEmpty(market.derivativesHistory({ coin, from: time, to: time + 1, stepMs: hourMs })),
        (points) => points[0]
      )
    const point = yield* perpetualAt(corridor.time)
    const earlier = yield* perpetualAt(corridor.corridor.since)
    const prints = yield* orEmpty(market.fundingPrints({ coin, count: fundingSample, until: corridor.time }))
    const found: Coil = { ...corridor, fuel: fuelOf(point, earlier, prints) }
    // A reading whose hour has not been stored whole yet may still change.
    if (found.time === to && (prints.length === 0 || point !== undefined)) coilsSeen.set(key, found)
    return found
  })

  const regime = Effect.gen(function*() {
    const to = yield* lastHour
    const [last] = yield* regimes(to - hourMs, to)
    return last ?? (yield* regimes(to - lagMs, to - hourMs)).at(-1) ??
      (yield* new NoData({ subject: "the market's regime", reason: { key: "none_regime" } }))
  })

  /** Signals of one coin opened in `(to - hours, to]`, judged, with the closed candles that judge them. */
  const signalsOfCoin = Effect.fnUntraced(function*(coin: string, hours: number, to: number) {
    const from = to - hours * hourMs + hourMs
    const scoredHours = yield* scored(coin, from - (signalWarmUpHours + 1) * hourMs, to)
    const readings = new Map((yield* regimes(from - hourMs, to)).map((reading) => [reading.time, reading]))
    const candles = scoredHours.map(({ candle }) => candle)
    const opens = new Map(candles.map((candle) => [candle.time, candle.open]))
    // The candle that opens at the newest close still runs, but its open is known: it is the price at that instant.
    const last = scoredHours.at(-1)
    const recent = last !== undefined && to - last.time < lagMs ? last : undefined
    if (recent !== undefined) opens.set(recent.time, (yield* market.priceAt({ coin, time: recent.time })).price)
    const opened = signalsOf(coin, scoredHours, from, (time) => opens.get(time), (time) => readings.get(time) ?? null)
    // What has not been stored yet must not time a signal out; a market that has ended must.
    const known = recent?.time ?? to
    const judged = opened.map((signal): JudgedSignal => ({ ...signal, result: outcomeOf(signal, candles, known) }))
    return { judged, candles }
  })

  const coinsAsked = Effect.fnUntraced(function*(coin: string | undefined) {
    return coin === undefined ? (yield* scorable).map((facts) => facts.coin) : [(yield* requireScorable(coin)).coin]
  })

  const signals = Effect.fnUntraced(function*(query: { readonly coin?: string; readonly hours: number }) {
    const until = yield* lastHour
    const coins = yield* coinsAsked(query.coin)
    // The regimes of the span once, before the coins ask for them side by side.
    yield* regimes(until - query.hours * hourMs, until)
    const found = yield* Effect.forEach(coins, (coin) => oneByOne(signalsOfCoin(coin, query.hours, until)), {
      concurrency
    })
    const all = found.flatMap(({ judged }) => judged)
    return { signals: all.sort((a, b) => a.openedAt - b.openedAt || (a.coin < b.coin ? -1 : 1)), until }
  })

  const hitRates = Effect.fnUntraced(function*(query: { readonly coin?: string }) {
    const until = yield* lastHour
    const hours = hitRateDays * 24
    const coins = yield* coinsAsked(query.coin)
    yield* regimes(until - hours * hourMs, until)
    const found = yield* Effect.forEach(
      coins,
      (coin) =>
        Effect.map(oneByOne(signalsOfCoin(coin, hours, until)), ({ candles, judged }) => ({
          signals: judged.length,
          returns: hitHorizons.map((horizon) => judged.flatMap((signal) => returnAfter(signal, candles, horizon) ?? []))
        })),
      { concurrency }
    )
    return {
      horizons: hitHorizons.map((horizon, h) => hitsOf(horizon, found.flatMap(({ returns }) => returns[h]!))),
      signals: found.reduce((sum, { signals }) => sum + signals, 0),
      from: until - hours * hourMs,
      until
    }
  })

  return { source: market.source, score, scores, scoreHistory, divergences, coil, regime, fearGreed, signals, hitRates }
})

const hasScore = (hour: ScoredHour): hour is ScorePoint => hour.score !== null

const endsAt = (candles: ReadonlyArray<{ readonly time: number }>, close: number): boolean =>
  candles[candles.length - 1]?.time === close - hourMs
