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

/** What strategies may compare that candles do not tell. */
export const recordedOperands = ["funding", "open_interest", "score"] as const
export type RecordedOperand = (typeof recordedOperands)[number]

/** A market to try strategies on, and what is to be said of it. */
export interface BacktestReading {
  readonly coin: string
  readonly market: BacktestMarket
  readonly closed: ClosedBars
  /** Bars that are traded on, and those missing between them. */
  readonly bars: number
  readonly holes: number
  /** When the first of them opened and the last one ended, epoch ms. */
  readonly from: number
  readonly to: number
  /** The first funding payment among them; null where none is recorded. */
  readonly fundedFrom: number | null
  /** At how many of their closes an operand is not known. */
  readonly unknown: ReadonlyArray<{ readonly operand: RecordedOperand; readonly bars: number }>
  readonly sources: ReadonlyArray<string>
}

interface Ports {
  readonly prices: CoinPrices["Service"]
  readonly derivatives: CoinDerivatives["Service"]
  readonly derived: DerivedStore["Service"]
}

/** A long history of a perpetual is asked for in parts of so much at most, so that others have their turn between. */
const partPoints = 5_000
const partMs = 500 * dayMs

/** The perpetual at the closes in `[from, to]`, newest part first: a coin without one fails with the port's reason. */
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

/** Values at the closes of bars, by their times. */
const atCloses = (
  time: Float64Array,
  stepMs: number,
  known: ReadonlyMap<number, number | null>,
  keyOf: (close: number) => number = (close) => close
): Float64Array => time.map((open) => known.get(keyOf(open + stepMs)) ?? NaN)

const none = (coin: string) =>
  new NoData({ subject: `${coin} bars`, reason: { key: "none_so_long", params: { symbol: coin } } })

/** The full hour at or before an instant. */
const hourOf = (time: number): number => Math.floor(time / hourMs) * hourMs

/** What strategies compare besides candles, at the closes of the bars from index `since` on. */
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
  // Venues stamp a payment up to some seconds late; it is due on its minute.
  paidAt: Float64Array.from(prints, ({ time }) => Math.floor(time / minuteMs) * minuteMs),
  paid: Float64Array.from(prints, ({ fundingRate }) => fundingRate)
})

/**
 * The last `bars` closed bars of a coin and `warmUpBars` before them, the funding paid meanwhile, and what the
 * operands need.
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
