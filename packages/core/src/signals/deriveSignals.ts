import { Effect } from "effect"
import type { CoinPrices } from "../market/CoinPrices.ts"
import { NoData } from "../market/errors.ts"
import { mapReading, reading, sourcesOf } from "../market/reading.ts"
import { hourMs } from "../market/timeframe.ts"
import { coinsSince, concurrency, type Derivation, lagMs, lastFull, requireScored } from "./derivation.ts"
import { hitHorizons, hitsOf } from "./hitRate.ts"
import { orEmpty } from "./readings.ts"
import { type JudgedSignal, missingHoursOf, outcomeOf, returnAfter, signalsOf, signalWarmUpHours } from "./signal.ts"

/** Days of signals that hit rates are told from. */
export const hitRateDays = 90

/** The open of the candle that opens at an instant and still runs; undefined while it has none. */
const runningOpen = (prices: CoinPrices["Service"], coin: string, time: number) =>
  Effect.map(
    orEmpty(prices.candleRange({ coin, timeframe: "1h", from: time, to: time + 1 })),
    (candles) => mapReading(candles, ([candle]) => candle?.open)
  )

/** Signals of one coin opened in `(to - hours, to]`, judged, with the closed candles that judge them. */
const signalsOfCoin = Effect.fnUntraced(function*(
  { prices, regimes, scored }: Derivation,
  { coin, delistedAt }: { readonly coin: string; readonly delistedAt: number | null },
  hours: number,
  to: number
) {
  const from = to - hours * hourMs + hourMs
  const scoredHours = yield* scored(coin, from - (signalWarmUpHours + 1) * hourMs, to)
  const regimeHours = yield* regimes(from - hourMs, to)
  const readings = new Map(regimeHours.value.map((reading) => [reading.time, reading]))
  const candles = scoredHours.value.map(({ candle }) => candle)
  const opens = new Map(candles.map((candle) => [candle.time, candle.open]))
  const last = scoredHours.value.at(-1)
  const recent = last !== undefined && to - last.time < lagMs ? last : undefined
  const sources = [scoredHours, regimeHours]
  if (recent !== undefined) {
    const open = yield* runningOpen(prices, coin, recent.time)
    if (open.value !== undefined) opens.set(recent.time, open.value)
  }
  const opened = signalsOf(
    coin,
    scoredHours.value,
    from,
    (time) => opens.get(time),
    (time) => readings.get(time) ?? null
  )
  // What has not been stored yet must not time a signal out; a market that has ended must.
  const known = recent?.time ?? to
  const ended = Math.min(known, delistedAt === null ? Infinity : Math.floor(delistedAt / hourMs) * hourMs)
  const judged = opened.map((signal): JudgedSignal => {
    const result = outcomeOf(signal, candles, known)
    return { ...signal, result, missingHours: missingHoursOf(signal, result, candles, ended) }
  })
  return { judged, candles, sources: sourcesOf(sources) }
})

/** The market's regime, the signals that scores open in it, and what became of them. */
export const deriveSignals = (derivation: Derivation) => {
  const { oneByOne, prices, regimes } = derivation

  const regime = Effect.gen(function*() {
    const to = yield* lastFull(hourMs)
    let found = yield* regimes(to - hourMs, to)
    if (found.value.length === 0) found = yield* regimes(to - lagMs, to - hourMs)
    const last = found.value.at(-1)
    return last === undefined
      ? yield* new NoData({ subject: "the market's regime", reason: { key: "none_regime" } })
      : mapReading(found, () => last)
  })

  const coinsAsked = (coin: string | undefined, since: number) =>
    coin === undefined
      ? coinsSince(prices, since)
      : Effect.map(requireScored(prices, coin), (facts) => [facts])

  const read = Effect.fnUntraced(function*(coin: string | undefined, hours: number, until: number) {
    const coins = yield* coinsAsked(coin, until - hours * hourMs)
    // The regimes of the span once, before the coins ask for them side by side.
    yield* regimes(until - hours * hourMs, until)
    return yield* Effect.forEach(coins, (coin) => oneByOne(signalsOfCoin(derivation, coin, hours, until)), {
      concurrency
    })
  })

  const signals = Effect.fnUntraced(function*(query: { readonly coin?: string; readonly hours: number }) {
    const until = yield* lastFull(hourMs)
    const found = yield* read(query.coin, query.hours, until)
    const all = found.flatMap(({ judged }) => judged)
    const sorted = all.sort((a, b) => a.openedAt - b.openedAt || (a.coin < b.coin ? -1 : 1))
    return reading({ signals: sorted, until }, sourcesOf(found), until)
  })

  const hitRates = Effect.fnUntraced(function*(query: { readonly coin?: string }) {
    const until = yield* lastFull(hourMs)
    const hours = hitRateDays * 24
    const found = yield* Effect.map(
      read(query.coin, hours, until),
      (all) =>
        all.map(({ candles, judged, sources }) => ({
          sources,
          signals: judged.length,
          returns: hitHorizons.map((horizon) => judged.flatMap((signal) => returnAfter(signal, candles, horizon) ?? []))
        }))
    )
    return reading(
      {
        horizons: hitHorizons.map((horizon, h) => hitsOf(horizon, found.flatMap(({ returns }) => returns[h]!))),
        signals: found.reduce((sum, { signals }) => sum + signals, 0),
        from: until - hours * hourMs,
        until
      },
      sourcesOf(found),
      until
    )
  })

  return { regime, signals, hitRates }
}
