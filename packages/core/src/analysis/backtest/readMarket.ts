import { Clock, Effect } from "effect"
import { holesIn } from "../../market/candle.ts"
import type { CoinDerivatives } from "../../market/CoinDerivatives.ts"
import type { CoinPrices } from "../../market/CoinPrices.ts"
import type { FundingPrint, PerpetualPoint } from "../../market/derivative.ts"
import { type MarketError, NoData } from "../../market/errors.ts"
import { type Reading, sourcesOf } from "../../market/reading.ts"
import { dayMs, durationMs, hourMs, minuteMs, type Timeframe } from "../../market/timeframe.ts"
import { type ClosedBars, readClosedBars } from "../signals/closedBars.ts"
import { columnsOf, firstFrom } from "../signals/columns.ts"
import type { DerivedError } from "../signals/derivedError.ts"
import type { DerivedStore } from "../signals/DerivedStore.ts"
import { orEmpty, orNoPoints } from "../signals/readings.ts"
import { type BacktestMarket, warmUpBars } from "./window.ts"

/** Operands of strategies that candles do not contain. */
export const recordedOperands = ["funding", "open_interest", "score"] as const
export type RecordedOperand = (typeof recordedOperands)[number]

/** A market for backtests, and facts about its data for warnings. */
export interface BacktestReading {
  readonly coin: string
  readonly market: BacktestMarket
  readonly closed: ClosedBars
  /** The number of traded bars, and of missing bars between them. */
  readonly bars: number
  readonly holes: number
  /** The opening of the first traded bar, and the end of the last one, epoch ms. */
  readonly from: number
  readonly to: number
  /** The first funding payment in the window. Null if none is recorded. */
  readonly fundedFrom: number | null
  /** For each operand, the number of closes at which it is unknown. */
  readonly unknown: ReadonlyArray<{ readonly operand: RecordedOperand; readonly bars: number }>
  readonly sources: ReadonlyArray<string>
}

interface Ports {
  readonly prices: CoinPrices["Service"]
  readonly derivatives: CoinDerivatives["Service"]
  readonly derived: DerivedStore["Service"]
}

/** The maximum size of one read of a perpetual's history, so that other work can run in between. */
const partPoints = 5_000
const partMs = 500 * dayMs

/**
 * Reads the perpetual at the closes in `[from, to]`, newest part first. A coin without a perpetual fails with the
 * port's reason.
 */
const readPerpetual = Effect.fnUntraced(function*(
  derivatives: CoinDerivatives["Service"],
  coin: string,
  { from, stepMs, to }: { readonly from: number; readonly to: number; readonly stepMs: number }
) {
  const part = Math.max(stepMs, Math.floor(Math.min(partPoints * stepMs, partMs) / stepMs) * stepMs)
  const parts: Array<Reading<ReadonlyArray<PerpetualPoint>>> = []
  for (let end = to + 1; end > from; end -= part) {
    const read = derivatives.perpetualHistory({ coin, from: Math.max(from, end - part), to: end, stepMs })
    const { sources, value, ...rest } = yield* parts.length === 0 ? read : orNoPoints(read)
    parts.unshift({ ...rest, sources, value: value.points })
  }
  return { points: parts.flatMap(({ value }) => value), sources: sourcesOf(parts) }
})

/** Returns known values at the closes of bars. NaN if unknown. */
const atCloses = (
  time: Float64Array,
  stepMs: number,
  known: ReadonlyMap<number, number | null>,
  keyOf: (close: number) => number = (close) => close
): Float64Array => time.map((open) => known.get(keyOf(open + stepMs)) ?? NaN)

const none = (coin: string) =>
  new NoData({ subject: `${coin} bars`, reason: { key: "none_so_long", params: { symbol: coin } } })

/** Returns the full hour at or before a time. */
const hourOf = (time: number): number => Math.floor(time / hourMs) * hourMs

/** Reads the operands that candles do not contain, at the closes of the bars from index `since` on. */
const readOperands = Effect.fnUntraced(function*(
  { derivatives, derived }: Ports,
  coin: string,
  time: Float64Array,
  stepMs: number,
  since: number,
  operands: ReadonlySet<string>
): Effect.fn.Return<
  { readonly series: Partial<Record<RecordedOperand, Float64Array>>; readonly sources: ReadonlyArray<string> },
  DerivedError
> {
  const series: Partial<Record<RecordedOperand, Float64Array>> = {}
  const sources: Array<string> = []
  const from = time[since]! + stepMs
  if (operands.has("funding") || operands.has("open_interest")) {
    const read = yield* readPerpetual(derivatives, coin, { from, to: time.at(-1)! + stepMs, stepMs })
    sources.push(...read.sources)
    const column = (of: (point: PerpetualPoint) => number | null) =>
      atCloses(time, stepMs, new Map(read.points.map((point) => [point.time, of(point)])))
    if (operands.has("funding")) {
      series.funding = column(({ fundingRate }) => fundingRate === null ? null : 100 * fundingRate)
    }
    if (operands.has("open_interest")) series.open_interest = column(({ openInterest }) => openInterest)
  }
  if (operands.has("score")) {
    const now = yield* Clock.currentTimeMillis
    const hours = Math.max(1, Math.round((hourOf(now) - hourOf(from)) / hourMs) + 1)
    const read = yield* derived.scoreHistory({ coin, hours })
    sources.push(...read.sources)
    series.score = atCloses(time, stepMs, new Map(read.value.map(({ score, time }) => [time, score])), hourOf)
  }
  return { series, sources }
})

const paymentColumns = (prints: ReadonlyArray<FundingPrint>) => ({
  // Venues report a payment up to some seconds late. It is due on its minute.
  paidAt: Float64Array.from(prints, ({ time }) => Math.floor(time / minuteMs) * minuteMs),
  paid: Float64Array.from(prints, ({ fundingRate }) => fundingRate)
})

/**
 * Reads the last `bars` closed bars of a coin, `warmUpBars` before them, the funding paid in that time, and the data of
 * the operands.
 */
export const readBacktest = Effect.fnUntraced(function*(
  ports: Ports,
  { bars, coin, operands, tf }: {
    readonly coin: string
    readonly tf: Timeframe
    readonly bars: number
    readonly operands: ReadonlySet<string>
  }
): Effect.fn.Return<BacktestReading, MarketError | DerivedError> {
  const stepMs = durationMs[tf]
  const closed = yield* readClosedBars(ports.prices, coin, tf, bars + warmUpBars)
  const { takerBuyVolume: _, ...columns } = columnsOf(closed.candles)
  const { time } = columns
  const first = firstFrom(closed.candles, time.at(-1)! - (bars - 1) * stepMs)
  const own = time.length - first
  if (own < 2) return yield* none(coin)
  const from = time[first]!
  const prints = yield* orEmpty(ports.derivatives.fundingPrints({ coin, from, to: closed.end + minuteMs }))
  const compared = yield* readOperands(ports, coin, time, stepMs, Math.max(0, first - 1), operands)
  return {
    coin,
    market: { ...columns, stepMs, first, ...paymentColumns(prints.value), ...compared.series },
    closed,
    bars: own,
    holes: holesIn(closed.candles.slice(first), stepMs),
    from,
    to: closed.end,
    fundedFrom: prints.value[0]?.time ?? null,
    unknown: recordedOperands.flatMap((operand) => {
      const missing = compared.series[operand]?.subarray(first).reduce((sum, x) => sum + (x === x ? 0 : 1), 0) ?? 0
      return missing === 0 ? [] : [{ operand, bars: missing }]
    }),
    sources: sourcesOf([closed, prints, compared])
  }
})
