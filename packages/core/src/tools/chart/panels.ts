import { fundingAnnualised } from "@tapeline/quant/derivatives"
import { Clock, Effect } from "effect"
import type { ChartPanel, ChartPanelData } from "../../analysis/charts/chart.ts"
import type { DerivedError } from "../../analysis/signals/derivedError.ts"
import type { DerivedStore } from "../../analysis/signals/DerivedStore.ts"
import { orNoPoints } from "../../analysis/signals/readings.ts"
import type { CoinDerivatives } from "../../market/CoinDerivatives.ts"
import type { PerpetualPoint } from "../../market/derivative.ts"
import type { MarketError } from "../../market/errors.ts"
import type { Reading } from "../../market/reading.ts"
import { durationMs, hourMs } from "../../market/timeframe.ts"
import { indicatorSeriesOf } from "../crypto/indicators.ts"
import type { ChartBars } from "./bars.ts"
import { shownOf } from "./overlays.ts"

/** A panel. Its values are NaN for bars without a record. */
interface Read {
  readonly panel: ChartPanelData
  readonly notes?: ReadonlyArray<string>
  readonly reads?: ReadonlyArray<Reading<unknown>>
}

const blank = ({ shown }: ChartBars): Float64Array => new Float64Array(shown.length).fill(NaN)

/** Returns the end of each bar; for the running bar, the current time. */
const endsOf = ({ shown, tf }: ChartBars, now: number): ReadonlyArray<number> =>
  shown.map(({ closed, time }) => closed ? time + durationMs[tf] : now)

const rsiOf = (bars: ChartBars): Effect.Effect<Read, MarketError> =>
  Effect.map(bars.closed, (closed) => ({
    panel: { _tag: "rsi", values: shownOf(bars, indicatorSeriesOf(closed).rsi()) }
  }))

const macdOf = (bars: ChartBars): Effect.Effect<Read, MarketError> =>
  Effect.map(bars.closed, (closed) => {
    const { histogram, line, signal } = indicatorSeriesOf(closed).macd()
    return {
      panel: {
        _tag: "macd",
        line: shownOf(bars, line),
        signal: shownOf(bars, signal),
        histogram: shownOf(bars, histogram)
      }
    }
  })

/** Returns null instead of failing with `NoData`. */
const orNone = <A>(read: Effect.Effect<A, DerivedError>): Effect.Effect<A | null, DerivedError> =>
  Effect.catchTag(read, "NoData", () => Effect.succeed(null))

/** Returns the perpetual at the end of each bar; for the running bar, now. */
const perpetualOf = Effect.fnUntraced(function*(
  derivatives: CoinDerivatives["Service"],
  bars: ChartBars,
  coin: string
): Effect.fn.Return<{
  readonly at: ReadonlyArray<PerpetualPoint | undefined>
  readonly reads: ReadonlyArray<Reading<unknown>>
}, DerivedError> {
  const now = yield* Clock.currentTimeMillis
  const stepMs = durationMs[bars.tf]
  const [series, present] = yield* Effect.all([
    orNoPoints(derivatives.perpetualHistory({ coin, from: bars.shown[0]!.time + stepMs, to: now + 1, stepMs })),
    orNone(derivatives.perpetual(coin))
  ], { concurrency: 2 })
  const byTime = new Map(series.value.points.map((point) => [point.time, point]))
  return {
    at: endsOf(bars, now).map((end, i) => bars.shown[i]!.closed ? byTime.get(end) : present?.value),
    reads: present === null ? [series] : [series, present]
  }
})
type Perpetual = Effect.Success<ReturnType<typeof perpetualOf>>

const notRecorded = (values: Float64Array, what: string): ReadonlyArray<string> =>
  values.every(Number.isNaN) ? [`${what}: not recorded, so that its panel is empty.`] : []

const fundingOf = ({ at, reads }: Perpetual): Read => {
  const values = Float64Array.from(
    at,
    (point) => point === undefined || point.fundingRate === null ? NaN : 100 * point.fundingRate
  )
  const newest = at.findLast((point) => point !== undefined && point.fundingRate !== null)
  const { fundingIntervalHours = null, fundingRate = null } = newest ?? {}
  return {
    panel: {
      _tag: "funding",
      values,
      annualisedPct: fundingRate === null || fundingIntervalHours === null
        ? null
        : 100 * fundingAnnualised(fundingRate, 24 / fundingIntervalHours)
    },
    reads,
    notes: notRecorded(values, "Funding")
  }
}

const interestOf = ({ at, reads }: Perpetual): Read => {
  const values = Float64Array.from(at, (point) => point?.openInterestUsd ?? NaN)
  return { panel: { _tag: "oi", values }, reads, notes: notRecorded(values, "Open interest") }
}

/** The maximum number of hourly scores that are requested. */
const scoreHours = 720

const scoreOf = Effect.fnUntraced(function*(
  derived: DerivedStore["Service"],
  bars: ChartBars,
  coin: string
): Effect.fn.Return<Read, DerivedError> {
  const now = yield* Clock.currentTimeMillis
  const wanted = Math.ceil((now - bars.shown[0]!.time) / hourMs) + 1
  const read = yield* orNone(derived.scoreHistory({ coin, hours: Math.min(scoreHours, wanted) }))
  const values = blank(bars)
  if (read === null) return { panel: { _tag: "score", values }, notes: notRecorded(values, "Score") }
  const byHour = new Map(read.value.map(({ score, time }) => [time, score]))
  const newest = read.value.at(-1)
  for (const [i, end] of endsOf(bars, now).entries()) {
    const hour = Math.floor(end / hourMs) * hourMs
    // The newest hour's score arrives shortly after its end.
    values[i] = byHour.get(hour) ?? (!bars.shown[i]!.closed && newest !== undefined ? newest.score : NaN)
  }
  return {
    panel: { _tag: "score", values },
    reads: [read],
    notes: wanted > scoreHours ? [`Scores are drawn of the last ${scoreHours} hours.`] : []
  }
})

/** Reads the requested panels, in the order of the list. */
export const readPanels = Effect.fnUntraced(function*(
  ports: { readonly derivatives: CoinDerivatives["Service"]; readonly derived: DerivedStore["Service"] },
  bars: ChartBars,
  asked: ReadonlySet<ChartPanel>
): Effect.fn.Return<ReadonlyArray<Read>, DerivedError> {
  const { coin } = bars
  const unrecorded = (panel: ChartPanelData, what: string) => (read: Effect.Effect<Read, MarketError>) =>
    Effect.catchTag(
      read,
      "NoData",
      () => Effect.succeed<Read>({ panel, notes: [`${what}: not recorded, so that its panel is empty.`] })
    )
  const none = blank(bars)
  const perpetual = yield* Effect.cached(
    coin === null ? Effect.succeed<Perpetual>({ at: [], reads: [] }) : perpetualOf(ports.derivatives, bars, coin)
  )
  const parts: Readonly<Record<ChartPanel, Effect.Effect<Read, DerivedError>>> = {
    volume: Effect.succeed({
      panel: { _tag: "volume", values: Float64Array.from(bars.shown, ({ volume }) => volume) }
    }),
    rsi: rsiOf(bars).pipe(unrecorded({ _tag: "rsi", values: none }, "RSI")),
    macd: macdOf(bars).pipe(unrecorded({ _tag: "macd", line: none, signal: none, histogram: none }, "MACD")),
    funding: Effect.map(perpetual, fundingOf),
    oi: Effect.map(perpetual, interestOf),
    score: coin === null
      ? Effect.succeed({ panel: { _tag: "score", values: none } })
      : scoreOf(ports.derived, bars, coin)
  }
  return yield* Effect.forEach(asked, (name) => parts[name], { concurrency: 4 })
})
