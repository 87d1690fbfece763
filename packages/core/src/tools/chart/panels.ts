import { fundingAnnualised } from "@tapeline/quant/derivatives"
import { Clock, Effect } from "effect"
import type { ChartPanel, ChartPanelData } from "../../analysis/charts/chart.ts"
import type { DerivedError } from "../../analysis/signals/derivedError.ts"
import type { DerivedStore } from "../../analysis/signals/DerivedStore.ts"
import { orEmptySeries } from "../../analysis/signals/readings.ts"
import type { CoinDerivatives } from "../../market/CoinDerivatives.ts"
import type { PerpetualPoint } from "../../market/derivative.ts"
import type { MarketError } from "../../market/errors.ts"
import type { Reading } from "../../market/reading.ts"
import { durationMs, hourMs } from "../../market/timeframe.ts"
import { makeIndicatorSeries } from "../crypto/indicators.ts"
import type { ChartBars } from "./chartBars.ts"
import { toShownBars } from "./overlays.ts"

/** A chart panel with its notes and sources. The panel's values are NaN for bars without a record. */
interface PanelData {
  readonly panel: ChartPanelData
  readonly notes?: ReadonlyArray<string>
  readonly readings?: ReadonlyArray<Reading<unknown>>
}

const makeEmptyValues = ({ shownCandles }: ChartBars): Float64Array => new Float64Array(shownCandles.length).fill(NaN)

/** Returns the end time of each bar. The current, unclosed bar ends at `now`. */
const listBarEnds = ({ shownCandles, tf }: ChartBars, now: number): ReadonlyArray<number> =>
  shownCandles.map(({ closed, time }) => closed ? time + durationMs[tf] : now)

const readRsi = (bars: ChartBars): Effect.Effect<PanelData, MarketError> =>
  Effect.map(bars.closed, (closed) => ({
    panel: { _tag: "rsi", values: toShownBars(bars, makeIndicatorSeries(closed).rsi()) }
  }))

const readMacd = (bars: ChartBars): Effect.Effect<PanelData, MarketError> =>
  Effect.map(bars.closed, (closed) => {
    const { histogram, line, signal } = makeIndicatorSeries(closed).macd()
    return {
      panel: {
        _tag: "macd",
        line: toShownBars(bars, line),
        signal: toShownBars(bars, signal),
        histogram: toShownBars(bars, histogram)
      }
    }
  })

const nullIfNoData = <A>(read: Effect.Effect<A, DerivedError>): Effect.Effect<A | null, DerivedError> =>
  Effect.catchTag(read, "NoData", () => Effect.succeed(null))

/** Returns the perpetual's data at the end of each bar. The bar that is still running gets the current data. */
const readPerpetual = Effect.fnUntraced(function*(
  derivatives: CoinDerivatives["Service"],
  bars: ChartBars,
  coin: string
): Effect.fn.Return<{
  readonly at: ReadonlyArray<PerpetualPoint | undefined>
  readonly readings: ReadonlyArray<Reading<unknown>>
}, DerivedError> {
  const now = yield* Clock.currentTimeMillis
  const stepMs = durationMs[bars.tf]
  const [series, currentPerpetual] = yield* Effect.all([
    orEmptySeries(
      derivatives.perpetualHistory({ coin, from: bars.shownCandles[0]!.time + stepMs, to: now + 1, stepMs })
    ),
    nullIfNoData(derivatives.perpetual(coin))
  ], { concurrency: 2 })
  const byTime = new Map(series.value.points.map((point) => [point.time, point]))
  return {
    at: listBarEnds(bars, now).map((end, i) =>
      bars.shownCandles[i]!.closed ? byTime.get(end) : currentPerpetual?.value
    ),
    readings: currentPerpetual === null ? [series] : [series, currentPerpetual]
  }
})
type Perpetual = Effect.Success<ReturnType<typeof readPerpetual>>

const noteIfEmpty = (values: Float64Array, what: string): ReadonlyArray<string> =>
  values.every(Number.isNaN) ? [`${what}: not recorded, so its panel is empty.`] : []

const makeFundingPanel = ({ at, readings }: Perpetual): PanelData => {
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
    readings,
    notes: noteIfEmpty(values, "Funding")
  }
}

const makeOpenInterestPanel = ({ at, readings }: Perpetual): PanelData => {
  const values = Float64Array.from(at, (point) => point?.openInterestUsd ?? NaN)
  return { panel: { _tag: "oi", values }, readings, notes: noteIfEmpty(values, "Open interest") }
}

const maxScoreHours = 720

const readScorePanel = Effect.fnUntraced(function*(
  derived: DerivedStore["Service"],
  bars: ChartBars,
  coin: string
): Effect.fn.Return<PanelData, DerivedError> {
  const now = yield* Clock.currentTimeMillis
  const neededHours = Math.ceil((now - bars.shownCandles[0]!.time) / hourMs) + 1
  const reading = yield* nullIfNoData(derived.scoreHistory({ coin, hours: Math.min(maxScoreHours, neededHours) }))
  const values = makeEmptyValues(bars)
  if (reading === null) return { panel: { _tag: "score", values }, notes: noteIfEmpty(values, "Score") }
  const byHour = new Map(reading.value.map(({ score, time }) => [time, score]))
  const newest = reading.value.at(-1)
  for (const [i, end] of listBarEnds(bars, now).entries()) {
    const hour = Math.floor(end / hourMs) * hourMs
    // The newest hour has no score until shortly after its end, so its bar gets the newest score.
    values[i] = byHour.get(hour) ?? (!bars.shownCandles[i]!.closed && newest !== undefined ? newest.score : NaN)
  }
  return {
    panel: { _tag: "score", values },
    readings: [reading],
    notes: neededHours > maxScoreHours ? [`The score panel contains only the last ${maxScoreHours} hours.`] : []
  }
})

export const readPanels = Effect.fnUntraced(function*(
  ports: { readonly derivatives: CoinDerivatives["Service"]; readonly derived: DerivedStore["Service"] },
  bars: ChartBars,
  requested: ReadonlySet<ChartPanel>
): Effect.fn.Return<ReadonlyArray<PanelData>, DerivedError> {
  const { coin } = bars
  const emptyIfNoData = (panel: ChartPanelData, label: string) => (read: Effect.Effect<PanelData, MarketError>) =>
    Effect.catchTag(
      read,
      "NoData",
      () => Effect.succeed<PanelData>({ panel, notes: [`${label}: not recorded, so its panel is empty.`] })
    )
  const emptyValues = makeEmptyValues(bars)
  const perpetual = yield* Effect.cached(
    coin === null ? Effect.succeed<Perpetual>({ at: [], readings: [] }) : readPerpetual(ports.derivatives, bars, coin)
  )
  const parts: Readonly<Record<ChartPanel, Effect.Effect<PanelData, DerivedError>>> = {
    volume: Effect.succeed({
      panel: { _tag: "volume", values: Float64Array.from(bars.shownCandles, ({ volume }) => volume) }
    }),
    rsi: readRsi(bars).pipe(emptyIfNoData({ _tag: "rsi", values: emptyValues }, "RSI")),
    macd: readMacd(bars).pipe(
      emptyIfNoData({ _tag: "macd", line: emptyValues, signal: emptyValues, histogram: emptyValues }, "MACD")
    ),
    funding: Effect.map(perpetual, makeFundingPanel),
    oi: Effect.map(perpetual, makeOpenInterestPanel),
    score: coin === null
      ? Effect.succeed({ panel: { _tag: "score", values: emptyValues } })
      : readScorePanel(ports.derived, bars, coin)
  }
  return yield* Effect.forEach(requested, (name) => parts[name], { concurrency: 4 })
})
