import { Clock, Effect } from "effect"
import { countMissingCandles } from "../../market/candle.ts"
import type { CoinDerivatives } from "../../market/CoinDerivatives.ts"
import type { CoinPrices } from "../../market/CoinPrices.ts"
import type { FundingPayment, PerpetualPoint } from "../../market/derivative.ts"
import { type MarketError, NoData } from "../../market/errors.ts"
import { type Reading, sourcesOf } from "../../market/reading.ts"
import { dayMs, durationMs, hourMs, minuteMs, type Timeframe } from "../../market/timeframe.ts"
import { findFirstIndex, toColumns } from "../signals/candleColumns.ts"
import { type ClosedBars, readClosedBars } from "../signals/closedBars.ts"
import type { DerivedError } from "../signals/derivedError.ts"
import type { DerivedStore } from "../signals/DerivedStore.ts"
import { orEmptyList, orEmptySeries } from "../signals/readings.ts"
import { type BacktestMarket, warmUpBars } from "./window.ts"

/** The strategy operands that are read from recorded data instead of being computed from candles. */
export const recordedOperands = ["funding", "open_interest", "score"] as const
export type RecordedOperand = (typeof recordedOperands)[number]

/** The market data of a backtest, and the facts about the data that determine warnings. */
export interface BacktestReading {
  readonly coin: string
  readonly market: BacktestMarket
  readonly closed: ClosedBars
  /** The number of recorded bars in the traded window. */
  readonly bars: number
  readonly missingBars: number
  /** The opening time of the first traded bar, in epoch ms. */
  readonly from: number
  readonly to: number
  /**
   * The time of the first recorded funding payment in the traded window, in epoch ms. The time is null if no payment is
   * recorded.
   */
  readonly fundingFrom: number | null
  /** For each operand with unknown values, the number of bars at whose close the value is unknown. */
  readonly unknownOperands: ReadonlyArray<{ readonly operand: RecordedOperand; readonly bars: number }>
  readonly sources: ReadonlyArray<string>
}

interface Ports {
  readonly prices: CoinPrices["Service"]
  readonly derivatives: CoinDerivatives["Service"]
  readonly derived: DerivedStore["Service"]
}

/**
 * The maximum number of points in one read of a perpetual's history. Long histories are read in several parts so that
 * other work can run between the reads.
 */
const maxPointsPerRead = 5_000
const maxReadMs = 500 * dayMs

/**
 * Reads a perpetual's history in `[from, to]`, newest part first. If the newest part cannot be read, the read fails. If
 * an older part cannot be read, the result omits that part.
 */
const readPerpetual = Effect.fnUntraced(function*(
  derivatives: CoinDerivatives["Service"],
  coin: string,
  { from, stepMs, to }: { readonly from: number; readonly to: number; readonly stepMs: number }
) {
  const chunkMs = Math.max(stepMs, Math.floor(Math.min(maxPointsPerRead * stepMs, maxReadMs) / stepMs) * stepMs)
  const chunks: Array<Reading<ReadonlyArray<PerpetualPoint>>> = []
  for (let end = to + 1; end > from; end -= chunkMs) {
    const read = derivatives.perpetualHistory({ coin, from: Math.max(from, end - chunkMs), to: end, stepMs })
    const { sources, value, ...rest } = yield* chunks.length === 0 ? read : orEmptySeries(read)
    chunks.unshift({ ...rest, sources, value: value.points })
  }
  return { points: chunks.flatMap(({ value }) => value), sources: sourcesOf(chunks) }
})

/** Returns the value at the close of each bar, or NaN if the value is unknown. */
const valuesAtCloses = (
  time: Float64Array,
  stepMs: number,
  knownValues: ReadonlyMap<number, number | null>,
  keyOf: (close: number) => number = (close) => close
): Float64Array => time.map((open) => knownValues.get(keyOf(open + stepMs)) ?? NaN)

const noBarsError = (coin: string) =>
  new NoData({ subject: `${coin} bars`, reason: { key: "none_so_long", params: { symbol: coin } } })

const floorToHour = (time: number): number => Math.floor(time / hourMs) * hourMs

const readOperands = Effect.fnUntraced(function*(
  { derivatives, derived }: Ports,
  coin: string,
  time: Float64Array,
  stepMs: number,
  firstIndex: number,
  operands: ReadonlySet<string>
): Effect.fn.Return<
  { readonly series: Partial<Record<RecordedOperand, Float64Array>>; readonly sources: ReadonlyArray<string> },
  DerivedError
> {
  const series: Partial<Record<RecordedOperand, Float64Array>> = {}
  const sources: Array<string> = []
  const from = time[firstIndex]! + stepMs
  if (operands.has("funding") || operands.has("open_interest")) {
    const perpetual = yield* readPerpetual(derivatives, coin, { from, to: time.at(-1)! + stepMs, stepMs })
    sources.push(...perpetual.sources)
    const column = (select: (point: PerpetualPoint) => number | null) =>
      valuesAtCloses(time, stepMs, new Map(perpetual.points.map((point) => [point.time, select(point)])))
    if (operands.has("funding")) {
      series.funding = column(({ fundingRate }) => fundingRate === null ? null : 100 * fundingRate)
    }
    if (operands.has("open_interest")) series.open_interest = column(({ openInterest }) => openInterest)
  }
  if (operands.has("score")) {
    const now = yield* Clock.currentTimeMillis
    const hours = Math.max(1, Math.round((floorToHour(now) - floorToHour(from)) / hourMs) + 1)
    const scores = yield* derived.scoreHistory({ coin, hours })
    sources.push(...scores.sources)
    series.score = valuesAtCloses(
      time,
      stepMs,
      new Map(scores.value.map(({ score, time }) => [time, score])),
      floorToHour
    )
  }
  return { series, sources }
})

const paymentColumns = (payments: ReadonlyArray<FundingPayment>) => ({
  // Venues report a funding payment some seconds late, but the payment is due on the full minute.
  paidAt: Float64Array.from(payments, ({ time }) => Math.floor(time / minuteMs) * minuteMs),
  paid: Float64Array.from(payments, ({ fundingRate }) => fundingRate)
})

/**
 * Reads a coin's last `bars` closed bars and the `warmUpBars` bars before them. Also reads the coin's funding payments
 * and the recorded operands.
 */
export const readBacktestMarket = Effect.fnUntraced(function*(
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
  const { takerBuyVolume: _, ...columns } = toColumns(closed.candles)
  const { time } = columns
  const first = findFirstIndex(closed.candles, time.at(-1)! - (bars - 1) * stepMs)
  const barCount = time.length - first
  if (barCount < 2) return yield* noBarsError(coin)
  const from = time[first]!
  const payments = yield* orEmptyList(ports.derivatives.fundingPayments({ coin, from, to: closed.end + minuteMs }))
  const operandData = yield* readOperands(ports, coin, time, stepMs, Math.max(0, first - 1), operands)
  return {
    coin,
    market: { ...columns, stepMs, first, ...paymentColumns(payments.value), ...operandData.series },
    closed,
    bars: barCount,
    missingBars: countMissingCandles(closed.candles.slice(first), stepMs),
    from,
    to: closed.end,
    fundingFrom: payments.value[0]?.time ?? null,
    unknownOperands: recordedOperands.flatMap((operand) => {
      const missingCount = operandData.series[operand]?.subarray(first).reduce((sum, x) =>
        sum + (x === x ? 0 : 1), 0) ?? 0
      return missingCount === 0 ? [] : [{ operand, bars: missingCount }]
    }),
    sources: sourcesOf([closed, payments, operandData])
  }
})
