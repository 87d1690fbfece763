import { Effect } from "effect"
import type { CoinPrices } from "../../market/CoinPrices.ts"
import { NoData } from "../../market/errors.ts"
import type { Coin } from "../../market/instrument.ts"
import { mapReading, type Reading, reading, sourcesOf } from "../../market/reading.ts"
import { hourMs } from "../../market/timeframe.ts"
import { coinsSince, concurrency, type Derivation, lastFull, requireScored, someOf, unrecorded } from "./derivation.ts"
import { hitHorizons, hitsOf } from "./hitRate.ts"
import { type FoundHours, knownUntil } from "./knownUntil.ts"
import { lagMs } from "./lag.ts"
import { orEmpty } from "./readings.ts"
import type { RegimeHour } from "./regime.ts"
import { scoreRecords, type SeriesRecord } from "./remembered/records.ts"
import { barsIn, scoreColumns } from "./score.ts"
import {
  type JudgedSignal,
  missingHoursOf,
  outcomeOf,
  returnAfter,
  signalRule,
  signalsOf,
  signalWarmUpHours
} from "./signal.ts"

/** The days of signals over which hit rates are computed. */
export const hitRateDays = 90

/** Returns the open of the running candle that opened at `time`. Undefined before its first trade. */
const runningOpen = (prices: CoinPrices["Service"], coin: string, time: number) =>
  Effect.map(
    orEmpty(prices.candleRange({ coin, timeframe: "1h", from: time, to: time + 1 })),
    (candles) => mapReading(candles, ([candle]) => candle?.open)
  )

/** A request about each coin: its signals that opened in `(to - hours, to]`, with the regimes of those hours. */
interface Question {
  readonly hours: number
  readonly to: number
  readonly regimes: Reading<ReadonlyMap<number, RegimeHour>>
}

/** Returns a coin's signals with outcomes, each with the closed candles that determine its outcome. */
const signalsOfCoin = Effect.fnUntraced(function*(
  { prices, scored }: Derivation,
  { coin, delistedAt, listedAt }: Pick<Coin, "coin" | "listedAt" | "delistedAt">,
  { hours, regimes, to }: Question,
  record: SeriesRecord
) {
  const from = to - hours * hourMs + hourMs
  const rows = yield* scored(coin, from - (signalWarmUpHours + 1) * hourMs, to, record)
  const scores = scoreColumns(rows)
  const closeOf = (i: number): number => rows.from + (i + 1) * hourMs
  const newest = closeOf(scores.open.findLastIndex((open) => !Number.isNaN(open)))
  const recent = newest > rows.from && to - newest < lagMs ? newest : undefined
  const running = recent === undefined ? undefined : (yield* runningOpen(prices, coin, recent)).value
  const openAt = (time: number): number | undefined => {
    if (time === recent) return running
    const open = scores.open[Math.round((time - rows.from) / hourMs)]
    return open === undefined || Number.isNaN(open) ? undefined : open
  }
  const opened = signalsOf(coin, scores, from, openAt, (time) => regimes.value.get(time) ?? null)
  // A signal must not time out because hours are not stored yet, but it must if its market has ended.
  const known = recent ?? to
  const ended = Math.min(known, delistedAt === null ? Infinity : Math.floor(delistedAt / hourMs) * hourMs)
  const judged = opened.map((signal) => {
    const candles = barsIn(rows, signal.openedAt, signal.openedAt + signalRule.maxHours * hourMs)
    const result = outcomeOf(signal, candles, known)
    const paper: JudgedSignal = { ...signal, result, missingHours: missingHoursOf(signal, result, candles, ended) }
    return { paper, candles }
  })
  const hoursFound: FoundHours = { coin, listedAt, delistedAt, newest: newest > rows.from ? newest : undefined }
  return { judged, found: hoursFound, sources: sourcesOf([rows, regimes]) }
})

/** Returns the time up to which the results are known. Fails if hours were due and no hour is recorded. */
const known = Effect.fnUntraced(function*(found: ReadonlyArray<{ readonly found: FoundHours }>, to: number) {
  const { silent, until } = knownUntil(found.map(({ found }) => found), to)
  return until === undefined ? yield* unrecorded(someOf(silent), "signals") : { silent, until }
})

/** Returns the requested coin, or all coins that traded since `since`. */
const coinsAsked = (prices: CoinPrices["Service"], coin: string | undefined, since: number) =>
  coin === undefined
    ? coinsSince(prices, since)
    : Effect.map(requireScored(prices, coin), (facts) => [facts])

/** Returns the signals that opened in the `hours` up to `until`, of one coin or of all, grouped by coin. */
const judgedIn = Effect.fnUntraced(function*(
  derivation: Derivation,
  coin: string | undefined,
  hours: number,
  until: number
) {
  const { oneByOne, prices, regimes } = derivation
  const coins = yield* coinsAsked(prices, coin, until - hours * hourMs)
  const ofMarket = yield* regimes(until - hours * hourMs, until)
  const question: Question = {
    hours,
    to: until,
    regimes: mapReading(ofMarket, (all) => new Map(all.map((regime) => [regime.time, regime])))
  }
  const record = yield* scoreRecords(derivation, coins.map(({ coin }) => coin))
  return yield* Effect.forEach(
    coins,
    (facts) => oneByOne(signalsOfCoin(derivation, facts, question, record(facts.coin))),
    { concurrency }
  )
})

/** Returns a coin's signals whose maximum duration ended in `(from, to]`, with their final outcomes. */
export const settledSignals = Effect.fnUntraced(
  function*(derivation: Derivation, coin: string, from: number, to: number) {
    const { maxHours } = signalRule
    const found = yield* judgedIn(derivation, coin, (to - from) / hourMs + maxHours, to)
    const all = found.flatMap(({ judged }) => judged.map(({ paper }) => paper))
    return all.filter(({ openedAt }) => openedAt <= to - maxHours * hourMs)
  }
)

/** Derives the market's regime, the signals that scores open in it, their outcomes, and hit rates. */
export const deriveSignals = (derivation: Derivation) => {
  const { regimes } = derivation

  const regime = Effect.gen(function*() {
    const to = yield* lastFull(hourMs)
    let found = yield* regimes(to - hourMs, to)
    if (found.value.length === 0) found = yield* regimes(to - lagMs, to - hourMs)
    const last = found.value.at(-1)
    return last === undefined
      ? yield* new NoData({ subject: "the market's regime", reason: { key: "none_regime" } })
      : mapReading(found, () => last)
  })

  const read = (coin: string | undefined, hours: number, until: number) => judgedIn(derivation, coin, hours, until)

  const signals = Effect.fnUntraced(function*(query: { readonly coin?: string; readonly hours: number }) {
    const to = yield* lastFull(hourMs)
    const found = yield* read(query.coin, query.hours, to)
    const { silent, until } = yield* known(found, to)
    const all = found.flatMap(({ judged }) => judged.map(({ paper }) => paper))
    const sorted = all.sort((a, b) => a.openedAt - b.openedAt || (a.coin < b.coin ? -1 : 1))
    return reading({ signals: sorted, until, silent }, sourcesOf(found), until)
  })

  const hitRates = Effect.fnUntraced(function*(query: { readonly coin?: string }) {
    const to = yield* lastFull(hourMs)
    const hours = hitRateDays * 24
    const found = yield* Effect.map(
      read(query.coin, hours, to),
      (all) =>
        all.map(({ found, judged, sources }) => ({
          found,
          sources,
          signals: judged.length,
          returns: hitHorizons.map((horizon) =>
            judged.flatMap(({ candles, paper }) => returnAfter(paper, candles, horizon) ?? [])
          )
        }))
    )
    const { silent, until } = yield* known(found, to)
    return reading(
      {
        horizons: hitHorizons.map((horizon, h) => hitsOf(horizon, found.flatMap(({ returns }) => returns[h]!))),
        signals: found.reduce((sum, { signals }) => sum + signals, 0),
        from: to - hours * hourMs,
        until,
        silent
      },
      sourcesOf(found),
      until
    )
  })

  return { regime, signals, hitRates }
}
