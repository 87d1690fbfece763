import type { Chart, ChartPanelData } from "../../analysis/charts/chart.ts"
import { compact, grouped, priceDecimals, signedPercent } from "../../analysis/charts/figures.ts"
import { counted } from "../../engine/text/counted.ts"
import { instant } from "../../engine/tool/result.ts"

const last = (values: Float64Array): number | undefined => values.findLast((value) => !Number.isNaN(value))

const minute = (time: number): string => instant(time).slice(0, 16).replace("T", " ")

const lineNames = { ema20: "EMA 20", ema50: "EMA 50", ema200: "EMA 200", vwap: "VWAP" } as const

/** Describes a panel by its newest value. */
const panelText = (panel: ChartPanelData): string => {
  switch (panel._tag) {
    case "macd": {
      const [line, signal, histogram] = [panel.line, panel.signal, panel.histogram].map(last)
      return line === undefined ?
        "MACD (12, 26, 9) not available" :
        `MACD (12, 26, 9) ${short(line)}, signal ${short(signal)}, histogram ${short(histogram)}`
    }
    case "funding": {
      const value = last(panel.values)
      return value === undefined ?
        "funding not recorded" :
        `funding ${signedPercent(value, 4)}${
          panel.annualisedPct === null ? "" : ` (${signedPercent(panel.annualisedPct, 1)} a year)`
        }`
    }
    case "volume":
      return `volume of the last bar ${compact(last(panel.values) ?? 0)}`
    case "rsi":
      return withValue("RSI (14)", last(panel.values), (value) => grouped(value, 1))
    case "oi":
      return withValue("open interest", last(panel.values), (value) => `${compact(value)} USD`)
    case "score":
      return withValue("score", last(panel.values), (value) => grouped(value, 0))
  }
}

const withValue = (name: string, value: number | undefined, text: (value: number) => string): string =>
  value === undefined ? `${name} not available` : `${name} ${text(value)}`

const short = (value: number | undefined): string =>
  value === undefined ? "none" : grouped(value, priceDecimals(value, "USD"))

const overlayTexts = (chart: Chart, price: (value: number) => string): ReadonlyArray<string> => {
  const texts = chart.lines.map(({ name, values }) => withValue(lineNames[name], last(values), price))
  if (chart.bands !== null) {
    const [upper, lower] = [last(chart.bands.upper), last(chart.bands.lower)]
    texts.push(
      upper === undefined || lower === undefined
        ? "Bollinger bands not available"
        : `Bollinger bands (20, 2) ${price(lower)} to ${price(upper)}`
    )
  }
  for (const kind of ["support", "resistance"] as const) {
    const found = chart.levels.filter((level) => level.kind === kind)
    if (found.length > 0) texts.push(`${kind}s ${found.map((level) => price(level.price)).join(", ")}`)
  }
  if (chart.liquidations.length > 0) {
    const sum = (side: "long" | "short"): string =>
      compact(chart.liquidations.reduce((usd, one) => one.side === side ? usd + one.sizeUsd : usd, 0))
    texts.push(
      `${counted(chart.liquidations.length, "liquidation")} marked: longs ${sum("long")} USD, shorts ${
        sum("short")
      } USD`
    )
  }
  return texts
}

/** Returns the change from the first open to the newest price, in percent; null if it is not finite. */
export const changeOf = ({ close, open }: Pick<Chart, "close" | "open">): number | null => {
  const change = 100 * (close.at(-1)! / open[0]! - 1)
  return Number.isFinite(change) ? change : null
}

/** Describes a chart in words and numbers. */
export const altText = (chart: Chart): string => {
  const newest = chart.close.at(-1)!
  const decimals = priceDecimals(newest, chart.currency)
  const price = (value: number): string => grouped(value, decimals)
  const [high, low] = [Math.max(...chart.high), Math.min(...chart.low)]
  const at = (values: Float64Array, value: number): string => minute(chart.time[values.indexOf(value)]!)
  const change = changeOf(chart)
  const overlays = overlayTexts(chart, price)
  const panels = chart.panels.map(panelText)
  const named = chart.name === chart.instrument ? chart.instrument : `${chart.name} (${chart.instrument})`
  return [
    `Candlestick chart of ${named} in ${chart.currency}: ${counted(chart.time.length, "candle")} of ${chart.tf}, ${
      minute(chart.time[0]!)
    } to ${minute(chart.asOf)} UTC.`,
    `First open ${price(chart.open[0]!)}, last ${price(newest)}${
      change === null ? "" : ` (${signedPercent(change)})`
    }; high ${price(high)} at ${at(chart.high, high)}, low ${price(low)} at ${at(chart.low, low)}.`,
    ...overlays.length > 0 ? [`Over it: ${overlays.join("; ")}.`] : [],
    ...panels.length > 0 ? [`Below: ${panels.join("; ")}.`] : []
  ].join(" ")
}
