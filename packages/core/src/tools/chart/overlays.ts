import { vwapBands } from "@tapeline/quant/indicators"
import { Clock, Effect } from "effect"
import type { Chart, ChartOverlay } from "../../analysis/charts/chart.ts"
import { listedUsd, tapeNotes } from "../../analysis/derivatives/liquidations.ts"
import { orEmpty } from "../../analysis/signals/readings.ts"
import { sessionStart, vwapTimeframe } from "../../analysis/signals/sessionVwap.ts"
import type { VwapAnchor } from "../../analysis/signals/vocabulary.ts"
import type { Candle } from "../../market/candle.ts"
import type { CoinDerivatives } from "../../market/CoinDerivatives.ts"
import type { CoinPrices } from "../../market/CoinPrices.ts"
import type { MarketError } from "../../market/errors.ts"
import type { Reading } from "../../market/reading.ts"
import { durationMs, type Timeframe } from "../../market/timeframe.ts"
import { indicatorSeriesOf, type Timed } from "../crypto/indicators.ts"
import { levelRowsOf } from "../crypto/levelRows.ts"
import type { ChartBars } from "./bars.ts"

/** The overlays of the candles. */
export type Overlaid = Pick<Chart, "lines" | "bands" | "levels" | "liquidations"> & {
  readonly notes: ReadonlyArray<string>
  readonly reads: ReadonlyArray<Reading<unknown>>
}
type Line = Chart["lines"][number]
type Part = Partial<Omit<Overlaid, "lines">> & { readonly line?: Line }

/** Returns the values for each shown bar; NaN for a bar without a value. */
export const shownOf = ({ barAt, shown }: ChartBars, { times, values }: Timed): Float64Array => {
  const out = new Float64Array(shown.length).fill(NaN)
  for (let i = 0; i < times.length; i++) {
    const bar = barAt(times[i]!)
    if (bar !== undefined && bar < out.length) out[bar] = values[i]!
  }
  return out
}

/** Replaces an overlay or a panel that fails with `NoData` by a note. */
export const orNote = <A>(part: Effect.Effect<A, MarketError>, what: string) =>
  Effect.catchTag(part, "NoData", () => Effect.succeed({ notes: [`${what}: not recorded, and left out.`] }))

const averageOf = (bars: ChartBars, n: 20 | 50 | 200): Effect.Effect<Part, MarketError> =>
  Effect.map(bars.closed, (closed) => {
    const values = shownOf(bars, indicatorSeriesOf(closed).ema(n))
    const first = values.findIndex((value) => !Number.isNaN(value))
    return {
      line: { name: `ema${n}` as const, values, anew: [] },
      notes: first < 0
        ? [`EMA ${n} needs ${n} closed candles, and ${closed.candles.length} are there.`]
        : first > 0
        ? [`EMA ${n} begins at bar ${first + 1}: it runs over the last ${closed.candles.length} closed candles.`]
        : []
    }
  })

const bandsOf = (bars: ChartBars): Effect.Effect<Part, MarketError> =>
  Effect.map(bars.closed, (closed) => {
    const { lower, middle, upper } = indicatorSeriesOf(closed).bollinger()
    return {
      bands: { upper: shownOf(bars, upper), middle: shownOf(bars, middle), lower: shownOf(bars, lower) }
    }
  })

/** The maximum number of levels per side, nearest first. */
const drawnLevels = 4

const levelsOf = (bars: ChartBars): Effect.Effect<Part, MarketError> =>
  Effect.map(bars.forLevels, (closed) => {
    const { atr, resistances, supports } = levelRowsOf(closed)
    const rows = (of: typeof supports, kind: "support" | "resistance") =>
      of.slice(0, drawnLevels).map(({ price, touches }) => ({ kind, price, touches }))
    return {
      levels: [...rows(supports, "support"), ...rows(resistances, "resistance")],
      notes: atr === null ? ["Too few closed candles for levels."] : []
    }
  })

/** The session of a VWAP, by the timeframe of the chart. */
const anchors: Readonly<Record<Timeframe, VwapAnchor>> = {
  "5m": "day",
  "15m": "day",
  "1h": "day",
  "4h": "week",
  "1d": "month"
}
/** The maximum number of fine candles that a VWAP uses. Sessions before them have no VWAP. */
const fineAtMost = 3_000

const vwapOf = Effect.fnUntraced(function*(
  prices: CoinPrices["Service"],
  bars: ChartBars,
  coin: string
): Effect.fn.Return<Part, MarketError> {
  const { shown, tf } = bars
  const anchor = anchors[tf]
  const timeframe = vwapTimeframe[anchor]
  const to = (yield* Clock.currentTimeMillis) + 1
  const wanted = sessionStart(anchor, shown[0]!.time)
  const earliest = to - fineAtMost * durationMs[timeframe]
  // A session is drawn completely or not at all, except that the running one is always drawn.
  const from = wanted >= earliest ? wanted : sessionStart(anchor, to - 1) < earliest
    ? sessionStart(anchor, to - 1)
    : nextSession(anchor, earliest)
  const read = yield* orEmpty(prices.candleRange({ coin, timeframe, from, to }))
  const { value: fine } = read
  if (fine.length === 0) return { notes: ["VWAP: not recorded, and left out."] }
  const column = (of: (candle: Candle) => number) => Float64Array.from(fine, of)
  const { vwap } = vwapBands(
    column(({ high }) => high),
    column(({ low }) => low),
    column(({ close }) => close),
    column(({ volume }) => volume),
    1,
    column(({ time }) => sessionStart(anchor, time))
  )
  const values = new Float64Array(shown.length).fill(NaN)
  let k = -1
  for (const [i, { time }] of shown.entries()) {
    while (k + 1 < fine.length && fine[k + 1]!.time < time + durationMs[tf]) k++
    if (k >= 0 && fine[k]!.time >= time) values[i] = vwap[k]!
  }
  return {
    line: {
      name: "vwap",
      values,
      anew: [...shown.keys()].filter((i) =>
        i > 0 && sessionStart(anchor, shown[i]!.time) !== sessionStart(anchor, shown[i - 1]!.time)
      )
    },
    reads: [read],
    notes: [
      `VWAP begins anew each UTC ${anchor}.`,
      ...wanted < from ? ["VWAP of the earliest sessions is left out."] : []
    ]
  }
})

const nextSession = (anchor: VwapAnchor, time: number): number => {
  const start = sessionStart(anchor, time)
  // Longer than any session, and shorter than two.
  return sessionStart(anchor, start + (anchor === "month" ? 31.5 : anchor === "week" ? 7.5 : 1.5) * durationMs["1d"])
}

/** The maximum number of liquidations, largest first. */
const drawnLiquidations = 40

const liquidationsOf = Effect.fnUntraced(function*(
  derivatives: CoinDerivatives["Service"],
  { shown, tf }: ChartBars,
  coin: string
): Effect.fn.Return<Part, MarketError> {
  const to = yield* Clock.currentTimeMillis
  const read = yield* derivatives.liquidations({
    coin,
    from: shown[0]!.time,
    to,
    minSizeUsd: listedUsd,
    limit: 1_000
  })
  const { count, events, truncated } = read.value
  const placed = events.flatMap(({ price, side, sizeUsd, time }) => {
    const bar = shown.findLastIndex((candle) => candle.time <= time)
    return bar >= 0 && time < shown[bar]!.time + durationMs[tf] ? [{ bar, price, side, sizeUsd }] : []
  })
  const largest = placed.toSorted((a, b) => b.sizeUsd - a.sizeUsd).slice(0, drawnLiquidations)
  return {
    liquidations: largest,
    reads: [read],
    notes: [
      `The ${largest.length} largest of ${count} liquidations from 10,000 USD are drawn${
        truncated ? `, of the newest ${events.length}` : ""
      }.`,
      ...tapeNotes(read.value)
    ]
  }
})

/** Reads the requested overlays, in the order of the list. */
export const readOverlays = Effect.fnUntraced(function*(
  ports: { readonly prices: CoinPrices["Service"]; readonly derivatives: CoinDerivatives["Service"] },
  bars: ChartBars,
  asked: ReadonlySet<ChartOverlay>
): Effect.fn.Return<Overlaid, MarketError> {
  const { coin } = bars
  const ofCoin = (read: (coin: string) => Effect.Effect<Part, MarketError>): Effect.Effect<Part, MarketError> =>
    coin === null ? Effect.succeed({}) : read(coin)
  const parts: Readonly<Record<ChartOverlay, Effect.Effect<Part, MarketError>>> = {
    ema20: orNote(averageOf(bars, 20), "EMA 20"),
    ema50: orNote(averageOf(bars, 50), "EMA 50"),
    ema200: orNote(averageOf(bars, 200), "EMA 200"),
    bollinger: orNote(bandsOf(bars), "Bollinger"),
    vwap: ofCoin((coin) => vwapOf(ports.prices, bars, coin)),
    levels: orNote(levelsOf(bars), "Levels"),
    liquidations: orNote(ofCoin((coin) => liquidationsOf(ports.derivatives, bars, coin)), "Liquidations")
  }
  const read = yield* Effect.forEach(asked, (name) => parts[name], { concurrency: 4 })
  return {
    lines: read.flatMap(({ line }) => line === undefined ? [] : [line]),
    bands: read.find(({ bands }) => bands !== undefined)?.bands ?? null,
    levels: read.flatMap(({ levels = [] }) => levels),
    liquidations: read.flatMap(({ liquidations = [] }) => liquidations),
    notes: read.flatMap(({ notes = [] }) => notes),
    reads: read.flatMap(({ reads = [] }) => reads)
  }
})
