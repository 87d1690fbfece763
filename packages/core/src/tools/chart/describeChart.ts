import type { Chart, ChartPanelData } from "../../analysis/charts/chart.ts"
import {
  formatCompact,
  formatGrouped,
  formatSignedPercent,
  getPriceDecimals
} from "../../analysis/charts/numberFormats.ts"
import { formatCount } from "../../engine/text/formatting.ts"
import { formatInstant } from "../../engine/tool/result.ts"

const lastValue = (values: Float64Array): number | undefined => values.findLast((value) => !Number.isNaN(value))

const formatMinute = (time: number): string => formatInstant(time).slice(0, 16).replace("T", " ")

const lineNames = { ema20: "EMA 20", ema50: "EMA 50", ema200: "EMA 200", vwap: "VWAP" } as const

const describePanel = (panel: ChartPanelData): string => {
  switch (panel._tag) {
    case "macd": {
      const [line, signal, histogram] = [panel.line, panel.signal, panel.histogram].map(lastValue)
      return line === undefined ?
        "MACD (12, 26, 9) not available" :
        `MACD (12, 26, 9) ${formatShort(line)}, signal ${formatShort(signal)}, histogram ${formatShort(histogram)}`
    }
    case "funding": {
      const value = lastValue(panel.values)
      return value === undefined ?
        "funding not recorded" :
        `funding ${formatSignedPercent(value, 4)}${
          panel.annualisedPct === null ? "" : ` (${formatSignedPercent(panel.annualisedPct, 1)} a year)`
        }`
    }
    case "volume":
      return `volume of the last bar ${formatCompact(lastValue(panel.values) ?? 0)}`
    case "rsi":
      return describeValue("RSI (14)", lastValue(panel.values), (value) => formatGrouped(value, 1))
    case "oi":
      return describeValue("open interest", lastValue(panel.values), (value) => `${formatCompact(value)} USD`)
    case "score":
      return describeValue("score", lastValue(panel.values), (value) => formatGrouped(value, 0))
  }
}

const describeValue = (name: string, value: number | undefined, text: (value: number) => string): string =>
  value === undefined ? `${name} not available` : `${name} ${text(value)}`

const formatShort = (value: number | undefined): string =>
  value === undefined ? "none" : formatGrouped(value, getPriceDecimals(value, "USD"))

const describeOverlays = (chart: Chart, price: (value: number) => string): ReadonlyArray<string> => {
  const texts = chart.lines.map(({ name, values }) => describeValue(lineNames[name], lastValue(values), price))
  if (chart.bands !== null) {
    const [upper, lower] = [lastValue(chart.bands.upper), lastValue(chart.bands.lower)]
    texts.push(
      upper === undefined || lower === undefined
        ? "Bollinger bands not available"
        : `Bollinger bands (20, 2) ${price(lower)} to ${price(upper)}`
    )
  }
  for (const kind of ["support", "resistance"] as const) {
    const levelsOfKind = chart.levels.filter((level) => level.kind === kind)
    if (levelsOfKind.length > 0) texts.push(`${kind}s ${levelsOfKind.map((level) => price(level.price)).join(", ")}`)
  }
  if (chart.liquidations.length > 0) {
    const sum = (side: "long" | "short"): string =>
      formatCompact(
        chart.liquidations.reduce((usd, liquidation) => liquidation.side === side ? usd + liquidation.sizeUsd : usd, 0)
      )
    texts.push(
      `${formatCount(chart.liquidations.length, "liquidation")} marked: longs ${sum("long")} USD, shorts ${
        sum("short")
      } USD`
    )
  }
  return texts
}

/** Returns the change from the first open to the newest price, in percent, or null if the change is not finite. */
export const computeChartChangePct = ({ close, open }: Pick<Chart, "close" | "open">): number | null => {
  const change = 100 * (close.at(-1)! / open[0]! - 1)
  return Number.isFinite(change) ? change : null
}

export const describeChart = (chart: Chart): string => {
  const newest = chart.close.at(-1)!
  const decimals = getPriceDecimals(newest, chart.currency)
  const formatPrice = (value: number): string => formatGrouped(value, decimals)
  const [high, low] = [Math.max(...chart.high), Math.min(...chart.low)]
  const formatTimeOf = (values: Float64Array, value: number): string => formatMinute(chart.time[values.indexOf(value)]!)
  const change = computeChartChangePct(chart)
  const overlays = describeOverlays(chart, formatPrice)
  const panels = chart.panels.map(describePanel)
  const instrumentName = chart.name === chart.instrument ? chart.instrument : `${chart.name} (${chart.instrument})`
  return [
    `Candlestick chart of ${instrumentName} in ${chart.currency}: ${
      formatCount(chart.time.length, "candle")
    } of ${chart.tf}, ${formatMinute(chart.time[0]!)} to ${formatMinute(chart.asOf)} UTC.`,
    `First open ${formatPrice(chart.open[0]!)}, last ${formatPrice(newest)}${
      change === null ? "" : ` (${formatSignedPercent(change)})`
    }; high ${formatPrice(high)} at ${formatTimeOf(chart.high, high)}, low ${formatPrice(low)} at ${
      formatTimeOf(chart.low, low)
    }.`,
    ...overlays.length > 0 ? [`Over it: ${overlays.join("; ")}.`] : [],
    ...panels.length > 0 ? [`Below: ${panels.join("; ")}.`] : []
  ].join(" ")
}
