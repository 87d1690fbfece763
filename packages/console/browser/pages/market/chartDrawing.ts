import {
  CandlestickSeries,
  createChart,
  createSeriesMarkers,
  CrosshairMode,
  HistogramSeries,
  type IChartApi,
  type IPriceLine,
  type ISeriesApi,
  LineStyle,
  type SeriesMarker,
  TickMarkType,
  type Time,
  type UTCTimestamp
} from "lightweight-charts"
import type { ChartMark, PriceLine } from "./candles.ts"
import type { Colours } from "./colours.ts"
import type { Candle } from "./queries.ts"

export interface ChartStyle {
  readonly colours: Colours
  readonly price: (value: number) => string
  readonly volume: (value: number) => string
  readonly date: (at: number) => string
  readonly tick: (at: number, of: "year" | "month" | "day" | "time") => string
  readonly line: (line: PriceLine) => string
  readonly mark: (mark: ChartMark) => string
  readonly shiftMs: number
}

export interface ChartHandle {
  readonly candles: (candles: ReadonlyArray<Candle>, isVolume: boolean) => void
  readonly lines: (lines: ReadonlyArray<PriceLine>) => void
  readonly marks: (marks: ReadonlyArray<ChartMark>) => void
  /** Moves the crosshair to a candle, and scrolls until the candle is visible. */
  readonly pointAt: (index: number | undefined) => void
  readonly zoom: (factor: number) => void
  readonly remove: () => void
}

const tickKinds: Readonly<Record<TickMarkType, "year" | "month" | "day" | "time">> = {
  [TickMarkType.Year]: "year",
  [TickMarkType.Month]: "month",
  [TickMarkType.DayOfMonth]: "day",
  [TickMarkType.Time]: "time",
  [TickMarkType.TimeWithSeconds]: "time"
}

const chartOptions = ({ colours, date, shiftMs, tick }: ChartStyle) => {
  // The chart library returns times as it received them, in seconds.
  const toMs = (time: Time) => Number(time) * 1000 - shiftMs
  return {
    autoSize: true,
    layout: {
      background: { color: colours.panel },
      textColor: colours.textSoft,
      fontFamily: colours.font,
      fontSize: 11,
      // The library's logo would add a style element, which the content security policy forbids. The page shows the
      // attribution of the chart library below the chart instead.
      attributionLogo: false,
      panes: { separatorColor: colours.line, separatorHoverColor: colours.line, enableResize: false }
    },
    grid: { vertLines: { color: colours.grid }, horzLines: { color: colours.grid } },
    crosshair: {
      mode: CrosshairMode.Normal,
      vertLine: { color: colours.textSoft, labelBackgroundColor: colours.label },
      horzLine: { color: colours.textSoft, labelBackgroundColor: colours.label }
    },
    rightPriceScale: { borderColor: colours.line },
    timeScale: {
      borderColor: colours.line,
      timeVisible: true,
      secondsVisible: false,
      rightOffset: 4,
      tickMarkFormatter: (time: Time, type: TickMarkType) => tick(toMs(time), tickKinds[type])
    },
    localization: { timeFormatter: (time: Time) => date(toMs(time)) }
  }
}

const lineColour = (kind: PriceLine["kind"], colours: Colours): string => {
  if (kind === "support" || kind === "take") return colours.up
  if (kind === "resistance" || kind === "stop") return colours.down
  return colours.entry
}

const toSeriesMarker = (
  mark: ChartMark,
  time: UTCTimestamp,
  { colours, mark: text }: ChartStyle
): SeriesMarker<Time> => {
  const isLong = mark.kind === "long"
  if (isLong || mark.kind === "short") {
    return {
      time,
      position: isLong ? "belowBar" : "aboveBar",
      shape: isLong ? "arrowUp" : "arrowDown",
      color: isLong ? colours.up : colours.down,
      text: text(mark)
    }
  }
  return {
    time,
    position: "atPriceMiddle",
    price: mark.price,
    shape: mark.kind === "take" ? "circle" : "square",
    color: mark.kind === "take" ? colours.up : mark.kind === "stop" ? colours.down : colours.textSoft,
    text: text(mark),
    size: 0.6
  }
}

const makeLineDrawer = (series: ISeriesApi<"Candlestick">, style: ChartStyle) => {
  const drawnItems: Array<IPriceLine> = []
  return (lines: ReadonlyArray<PriceLine>) => {
    for (const line of drawnItems.splice(0)) series.removePriceLine(line)
    for (const line of lines) {
      const isLevel = line.kind === "support" || line.kind === "resistance"
      const color = lineColour(line.kind, style.colours)
      drawnItems.push(series.createPriceLine({
        price: line.price,
        color,
        lineWidth: 1,
        lineStyle: isLevel ? LineStyle.Dashed : line.kind === "entry" ? LineStyle.Solid : LineStyle.LargeDashed,
        axisLabelVisible: true,
        // The label has the colour of the panel, because a bright label would hide the price label.
        axisLabelColor: style.colours.panel,
        axisLabelTextColor: color,
        title: style.line(line)
      }))
    }
  }
}

const timeConverter = ({ shiftMs }: ChartStyle) => (at: number): UTCTimestamp =>
  // The cast makes a number of seconds the chart library's branded time type.
  (at + shiftMs) / 1000 as UTCTimestamp

/** Returns a function that draws the volumes in a separate pane below the candles, or removes the pane. */
const makeVolumeDrawer = (chart: IChartApi, style: ChartStyle) => {
  const { colours, volume } = style
  const toChartTime = timeConverter(style)
  const drawnItems: Array<ISeriesApi<"Histogram">> = []
  const addSeries = () => {
    const series = chart.addSeries(HistogramSeries, {
      priceFormat: { type: "custom", formatter: volume, minMove: 1e-8 },
      priceLineVisible: false,
      lastValueVisible: false
    }, 1)
    chart.panes()[0]?.setStretchFactor(4)
    chart.panes()[1]?.setStretchFactor(1)
    drawnItems.push(series)
    return series
  }
  return (candles: ReadonlyArray<Candle>, isVolume: boolean) => {
    if (!isVolume) {
      for (const series of drawnItems.splice(0)) chart.removeSeries(series)
      return
    }
    const series = drawnItems[0] ?? addSeries()
    series.setData(candles.map(({ close, open, time, volume: value }) => ({
      time: toChartTime(Date.parse(time)),
      value,
      color: close >= open ? colours.upSoft : colours.downSoft
    })))
  }
}

/**
 * Adds candles to a chart: hollow rising candles and filled falling candles, which readers can distinguish without
 * colours.
 */
const addCandleSeries = (chart: IChartApi, { colours, price }: ChartStyle) =>
  chart.addSeries(CandlestickSeries, {
    upColor: colours.panel,
    downColor: colours.down,
    borderUpColor: colours.up,
    borderDownColor: colours.down,
    wickUpColor: colours.up,
    wickDownColor: colours.down,
    // The chart library's own label is off, because it shows the last visible candle instead of the newest candle.
    lastValueVisible: false,
    priceLineVisible: false,
    priceFormat: { type: "custom", formatter: price, minMove: 1e-8 }
  })

/** Returns a function that draws a horizontal line at the newest closing price, with a label on the price scale. */
const makeCloseDrawer = (series: ISeriesApi<"Candlestick">, { colours }: ChartStyle) => {
  const drawnItems: Array<IPriceLine> = []
  return (candles: ReadonlyArray<Candle>) => {
    const price = candles.at(-1)?.close
    for (const line of drawnItems.splice(0)) series.removePriceLine(line)
    if (price === undefined) return
    drawnItems.push(series.createPriceLine({
      price,
      color: colours.entry,
      lineWidth: 1,
      lineStyle: LineStyle.Dashed,
      axisLabelVisible: true
    }))
  }
}

/** Creates a chart in an HTML element, and passes the index of the candle under the pointer to `onPoint`. */
export const drawChart = (
  element: HTMLElement,
  style: ChartStyle,
  onPoint: (index: number | undefined) => void
): ChartHandle => drawOn(createChart(element, chartOptions(style)), element, style, onPoint)

export const drawOn = (
  chart: IChartApi,
  element: Pick<HTMLElement, "clientWidth">,
  style: ChartStyle,
  onPoint: (index: number | undefined) => void
): ChartHandle => {
  chart.subscribeCrosshairMove(({ logical, sourceEvent, time }) => {
    if (sourceEvent !== undefined) onPoint(time === undefined ? undefined : logical)
    else if (logical === undefined) onPoint(undefined)
  })
  const series = addCandleSeries(chart, style)
  const markers = createSeriesMarkers(series, [])
  const toChartTime = timeConverter(style)
  const showVolume = makeVolumeDrawer(chart, style)
  const showClose = makeCloseDrawer(series, style)
  const scale = chart.timeScale()
  const state: { bars: ReadonlyArray<Candle> } = { bars: [] }
  return {
    candles: (candles, isVolume) => {
      const isFirst = state.bars.length === 0
      state.bars = candles
      series.setData(candles.map(({ close, high, low, open, time }) => ({
        time: toChartTime(Date.parse(time)),
        open,
        high,
        low,
        close
      })))
      showVolume(candles, isVolume)
      showClose(candles)
      // The first view shows one candle per 7 px of width, so that a reader can distinguish the candles.
      const shown = Math.round(element.clientWidth / 7)
      if (isFirst) scale.setVisibleLogicalRange({ from: candles.length - shown, to: candles.length + 3 })
    },
    lines: makeLineDrawer(series, style),
    marks: (marks) => markers.setMarkers(marks.map((mark) => toSeriesMarker(mark, toChartTime(mark.at), style))),
    pointAt: (index) => {
      const bar = index === undefined ? undefined : state.bars[index]
      if (bar === undefined || index === undefined) return chart.clearCrosshairPosition()
      const range = scale.getVisibleLogicalRange()
      if (range !== null && (index < range.from || index > range.to)) {
        const half = (range.to - range.from) / 2
        scale.setVisibleLogicalRange({ from: index - half, to: index + half })
      }
      chart.setCrosshairPosition(bar.close, toChartTime(Date.parse(bar.time)), series)
    },
    zoom: (factor) => {
      const range = scale.getVisibleLogicalRange()
      if (range === null) return
      scale.setVisibleLogicalRange({ from: range.from + (range.to - range.from) * (1 - 1 / factor), to: range.to })
    },
    remove: () => chart.remove()
  }
}
