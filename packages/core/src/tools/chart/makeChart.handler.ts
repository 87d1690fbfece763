import { Effect, Schema } from "effect"
import { ArtifactStore } from "../../analysis/charts/ArtifactStore.ts"
import {
  type Chart,
  chartOverlays,
  chartPanels,
  chartWidth,
  type ChartWords,
  getChartHeight
} from "../../analysis/charts/chart.ts"
import { ChartRenderer } from "../../analysis/charts/ChartRenderer.ts"
import { DerivedStore } from "../../analysis/signals/DerivedStore.ts"
import { chartsPath, PublicBaseUrl } from "../../engine/call/PublicBaseUrl.ts"
import { formatMessage } from "../../engine/messages/language.ts"
import type { Language } from "../../engine/messages/languageCode.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import type { Candle } from "../../market/candle.ts"
import { CoinDerivatives } from "../../market/CoinDerivatives.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { EquityMarkets } from "../../market/EquityMarkets.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { durationMs } from "../../market/timeframe.ts"
import { type ChartBars, readCoinBars, readStockBars } from "./chartBars.ts"
import { computeChartChangePct, describeChart } from "./describeChart.ts"
import { chartDescriptionFields, makeChart, stockTimeframes } from "./makeChart.ts"
import { readOverlays } from "./overlays.ts"
import { readPanels } from "./panels.ts"

const ChartDescription = Schema.fromJsonString(Schema.Struct(chartDescriptionFields))
const encodeDescription = Schema.encodeEffect(ChartDescription)
const decodeDescription = Schema.decodeEffect(ChartDescription)

const translateWords = (language: Language): ChartWords => ({
  volume: formatMessage({ key: "chart_volume" }, language),
  funding: formatMessage({ key: "chart_funding" }, language),
  oi: formatMessage({ key: "chart_oi" }, language),
  score: formatMessage({ key: "chart_score" }, language),
  yearly: formatMessage({ key: "chart_yearly" }, language),
  asOf: formatMessage({ key: "chart_as_of" }, language),
  running: formatMessage({ key: "chart_running" }, language),
  longs: formatMessage({ key: "chart_longs" }, language),
  shorts: formatMessage({ key: "chart_shorts" }, language),
  none: formatMessage({ key: "chart_no_data" }, language)
})

const candleColumns = (candles: ReadonlyArray<Candle>) => {
  const column = (valueOf: (candle: Candle) => number) => Float64Array.from(candles, valueOf)
  return {
    time: column(({ time }) => time),
    open: column(({ open }) => open),
    high: column(({ high }) => high),
    low: column(({ low }) => low),
    close: column(({ close }) => close)
  }
}

const sortByOrder = <A>(all: ReadonlyArray<A>, requested: ReadonlyArray<A>): ReadonlySet<A> =>
  new Set(all.filter((item) => requested.includes(item)))

const makeTitle = ({ coin, name, symbol, tf }: ChartBars): string => {
  const instrument = coin ?? symbol ?? ""
  return `${name === instrument ? name : `${name} (${instrument})`} ${tf}`
}

/** Builds the chart from its candles, lines, levels and panels. `asOf` is the time of the candles. */
const buildChart = (
  bars: ChartBars,
  theme: Chart["theme"],
  language: Language,
  parts: Pick<Chart, "lines" | "bands" | "levels" | "liquidations" | "panels">
): Chart => ({
  theme,
  width: chartWidth,
  height: getChartHeight(parts.panels.length),
  instrument: bars.coin ?? bars.symbol ?? "",
  name: bars.name,
  tf: bars.tf,
  stepMs: durationMs[bars.tf],
  currency: bars.currency,
  source: bars.reading.sources.join(", "),
  asOf: bars.reading.asOf,
  ...candleColumns(bars.shownCandles),
  running: !bars.shownCandles.at(-1)!.closed,
  ...parts,
  language,
  words: translateWords(language)
})

const readBars = (
  prices: CoinPrices["Service"],
  equities: EquityMarkets["Service"],
  { bars, coin, symbol = "", tf }: {
    readonly coin?: string
    readonly symbol?: string
    readonly tf?: ChartBars["tf"]
    readonly bars: number
  }
) =>
  coin === undefined
    // The arguments are already checked, so `tf` is undefined or a timeframe of stock charts.
    ? readStockBars(equities, { symbol, tf: stockTimeframes.find((timeframe) => timeframe === tf) ?? "1d", bars })
    : readCoinBars(prices, { coin, tf: tf ?? "1h", bars })

export const handler = handlerOf(
  makeChart,
  Effect.gen(function*() {
    const [prices, derivatives, equities] = yield* Effect.all([CoinPrices, CoinDerivatives, EquityMarkets])
    const derived = yield* DerivedStore
    const renderer = yield* ChartRenderer
    const store = yield* ArtifactStore
    return Effect.fnUntraced(function*({ overlays, panels, theme, ...request }, { callId, language, principal }) {
      const bars = yield* readBars(prices, equities, request)
      const [overlayData, panelData] = yield* Effect.all([
        readOverlays({ prices, derivatives }, bars, sortByOrder(chartOverlays, overlays)),
        readPanels({ derivatives, derived }, bars, sortByOrder(chartPanels, panels))
      ], { concurrency: 2 })
      const { notes, readings, ...overlaysToDraw } = overlayData
      const chart = buildChart(bars, theme, language, {
        ...overlaysToDraw,
        panels: panelData.map(({ panel }) => panel)
      })
      const drawing = yield* renderer.render(chart)
      const description = yield* Effect.orDie(encodeDescription({
        coin: bars.coin,
        symbol: bars.symbol,
        tf: bars.tf,
        bars: bars.shownCandles.length,
        width: drawing.width,
        height: drawing.height,
        title: makeTitle(bars),
        alt: describeChart(chart),
        close: chart.close.at(-1)!,
        change_pct: computeChartChangePct(chart),
        notes: [...new Set([...bars.notes, ...notes, ...panelData.flatMap(({ notes = [] }) => notes)])],
        ...provenanceOf(bars.reading, ...readings, ...panelData.flatMap(({ readings = [] }) => readings))
      }))
      const artifact = yield* store.save({
        account: principal.account,
        callId,
        about: description,
        images: { png: drawing.png, svg: new TextEncoder().encode(drawing.svg) }
      })
      return {
        url: `${yield* PublicBaseUrl}${chartsPath}/${artifact.id}`,
        ...yield* Effect.orDie(decodeDescription(artifact.about))
      }
    })
  })
)
