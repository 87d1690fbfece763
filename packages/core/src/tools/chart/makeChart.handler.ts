import { Effect, Schema } from "effect"
import { ArtifactStore } from "../../analysis/charts/ArtifactStore.ts"
import {
  type Chart,
  chartHeight,
  chartOverlays,
  chartPanels,
  chartWidth,
  type ChartWords
} from "../../analysis/charts/chart.ts"
import { ChartRenderer } from "../../analysis/charts/ChartRenderer.ts"
import { DerivedStore } from "../../analysis/signals/DerivedStore.ts"
import { chartsPath, PublicAddress } from "../../engine/call/PublicAddress.ts"
import { say } from "../../engine/messages/language.ts"
import type { Language } from "../../engine/messages/languageCode.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import type { Candle } from "../../market/candle.ts"
import { CoinDerivatives } from "../../market/CoinDerivatives.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { EquityMarkets } from "../../market/EquityMarkets.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { durationMs } from "../../market/timeframe.ts"
import { altText, changeOf } from "./altText.ts"
import { type ChartBars, coinBars, stockBars } from "./bars.ts"
import { aboutChart, makeChart, stockTimeframes } from "./makeChart.ts"
import { readOverlays } from "./overlays.ts"
import { readPanels } from "./panels.ts"

const About = Schema.fromJsonString(Schema.Struct(aboutChart))
const writeAbout = Schema.encodeEffect(About)
const readAbout = Schema.decodeEffect(About)

const wordsIn = (language: Language): ChartWords => ({
  volume: say({ key: "chart_volume" }, language),
  funding: say({ key: "chart_funding" }, language),
  oi: say({ key: "chart_oi" }, language),
  score: say({ key: "chart_score" }, language),
  yearly: say({ key: "chart_yearly" }, language),
  asOf: say({ key: "chart_as_of" }, language),
  running: say({ key: "chart_running" }, language),
  longs: say({ key: "chart_longs" }, language),
  shorts: say({ key: "chart_shorts" }, language),
  none: say({ key: "chart_no_data" }, language)
})

const candleColumns = (candles: ReadonlyArray<Candle>) => {
  const column = (of: (candle: Candle) => number) => Float64Array.from(candles, of)
  return {
    time: column(({ time }) => time),
    open: column(({ open }) => open),
    high: column(({ high }) => high),
    low: column(({ low }) => low),
    close: column(({ close }) => close)
  }
}

/** Removes duplicates and sorts by the order of `all`. */
const inOrder = <A>(all: ReadonlyArray<A>, asked: ReadonlyArray<A>): ReadonlySet<A> =>
  new Set(all.filter((one) => asked.includes(one)))

const titleOf = ({ coin, name, symbol, tf }: ChartBars): string => {
  const instrument = coin ?? symbol ?? ""
  return `${name === instrument ? name : `${name} (${instrument})`} ${tf}`
}

/** Builds the chart from its bars and parts. Its time is that of the candles. */
const chartOf = (
  bars: ChartBars,
  theme: Chart["theme"],
  language: Language,
  parts: Pick<Chart, "lines" | "bands" | "levels" | "liquidations" | "panels">
): Chart => ({
  theme,
  width: chartWidth,
  height: chartHeight(parts.panels.length),
  instrument: bars.coin ?? bars.symbol ?? "",
  name: bars.name,
  tf: bars.tf,
  stepMs: durationMs[bars.tf],
  currency: bars.currency,
  source: bars.read.sources.join(", "),
  asOf: bars.read.asOf,
  ...candleColumns(bars.shown),
  running: !bars.shown.at(-1)!.closed,
  ...parts,
  language,
  words: wordsIn(language)
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
    // The check of the arguments allows no other length.
    ? stockBars(equities, { symbol, tf: stockTimeframes.find((one) => one === tf) ?? "1d", bars })
    : coinBars(prices, { coin, tf: tf ?? "1h", bars })

export const handler = handlerOf(
  makeChart,
  Effect.gen(function*() {
    const [prices, derivatives, equities] = yield* Effect.all([CoinPrices, CoinDerivatives, EquityMarkets])
    const derived = yield* DerivedStore
    const renderer = yield* ChartRenderer
    const store = yield* ArtifactStore
    return Effect.fnUntraced(function*({ overlays, panels, theme, ...asked }, { callId, language, principal }) {
      const bars = yield* readBars(prices, equities, asked)
      const [over, below] = yield* Effect.all([
        readOverlays({ prices, derivatives }, bars, inOrder(chartOverlays, overlays)),
        readPanels({ derivatives, derived }, bars, inOrder(chartPanels, panels))
      ], { concurrency: 2 })
      const { notes, reads, ...laid } = over
      const chart = chartOf(bars, theme, language, { ...laid, panels: below.map(({ panel }) => panel) })
      const drawing = yield* renderer.draw(chart)
      const about = yield* Effect.orDie(writeAbout({
        coin: bars.coin,
        symbol: bars.symbol,
        tf: bars.tf,
        bars: bars.shown.length,
        width: drawing.width,
        height: drawing.height,
        title: titleOf(bars),
        alt: altText(chart),
        close: chart.close.at(-1)!,
        change_pct: changeOf(chart),
        notes: [...new Set([...bars.notes, ...notes, ...below.flatMap(({ notes = [] }) => notes)])],
        ...provenanceOf(bars.read, ...reads, ...below.flatMap(({ reads = [] }) => reads))
      }))
      const kept = yield* store.keep({
        account: principal.account,
        callId,
        about,
        forms: { png: drawing.png, svg: new TextEncoder().encode(drawing.svg) }
      })
      return {
        url: `${yield* PublicAddress}${chartsPath}/${kept.id}`,
        ...yield* Effect.orDie(readAbout(kept.about))
      }
    })
  })
)
