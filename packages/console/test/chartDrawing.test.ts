import type { IChartApi, PriceLineOptions, SeriesPartialOptionsMap } from "lightweight-charts"
import { expect, it } from "vitest"
import { type ChartStyle, drawOn } from "../browser/pages/market/chartDrawing.ts"
import type { Candle } from "../browser/pages/market/queries.ts"

const candle = (hour: number, close: number): Candle => ({
  time: new Date(Date.UTC(2026, 10, 22, hour)).toISOString(),
  open: close,
  high: close,
  low: close,
  close,
  volume: 1
})

/** Creates a fake chart that records the options of the chart's series and the lines on the price scale. */
const fakeChart = () => {
  const lines = new Set<Partial<PriceLineOptions>>()
  const options: Array<SeriesPartialOptionsMap["Candlestick"]> = []
  const ignore = () => undefined
  const series = {
    attachPrimitive: ignore,
    createPriceLine: (line: Partial<PriceLineOptions>) => {
      lines.add(line)
      return line
    },
    removePriceLine: (line: Partial<PriceLineOptions>) => lines.delete(line),
    setData: ignore
  }
  const chart = {
    addSeries: (_: unknown, seriesOptions: SeriesPartialOptionsMap["Candlestick"]) => {
      options.push(seriesOptions)
      return series
    },
    subscribeCrosshairMove: ignore,
    timeScale: () => ({ setVisibleLogicalRange: ignore })
  }
  // The cast is safe because the fake has every function of the chart library that `drawOn` calls.
  return { chart: chart as unknown as IChartApi, lines, options }
}

it("labels the newest close on the price scale, not the last visible candle", () => {
  const { chart, lines, options } = fakeChart()
  const colours = { entry: "amber" } as ChartStyle["colours"] // `drawOn` reads no other colour.
  const text = () => ""
  const style: ChartStyle = {
    colours,
    price: text,
    volume: text,
    date: text,
    tick: text,
    line: text,
    mark: text,
    shiftMs: 0
  }
  const handle = drawOn(chart, { clientWidth: 700 }, style, () => undefined)
  // The series hides the chart library's own label, which would show the last visible candle.
  expect(options[0]).toMatchObject({ lastValueVisible: false, priceLineVisible: false })
  handle.candles([candle(1, 100), candle(2, 110)], false)
  handle.candles([candle(1, 100), candle(2, 110), candle(3, 120)], false)
  expect([...lines]).toMatchObject([{ price: 120, axisLabelVisible: true, color: "amber" }])
})
