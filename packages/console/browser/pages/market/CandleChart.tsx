import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react"
import { useFormats } from "../../i18n/formats.ts"
import { useLanguage } from "../../i18n/LanguageProvider.tsx"
import { useNumbers } from "../../i18n/numbers.ts"
import { useTexts } from "../../i18n/texts.ts"
import { Change } from "../../widgets/Change.tsx"
import {
  candleChangePct,
  type ChartMark,
  moveCursor,
  type PriceLine,
  summarizeCandles,
  timeShiftMs
} from "./candles.ts"
import { type ChartHandle, drawChart } from "./chartDrawing.ts"
import { useColours } from "./colours.ts"
import styles from "./Market.module.css"
import type { Candle } from "./queries.ts"
import { marketTexts } from "./texts.ts"
import type { Timeframe } from "./timeframe.ts"

const useCandleTimeFormat = (tf: Timeframe) => {
  const { time } = useNumbers()
  const { utcDay } = useFormats()
  return tf === "1d" ? utcDay : time
}

const Legend = ({ candle, tf }: { readonly candle: Candle; readonly tf: Timeframe }) => {
  const texts = useTexts(marketTexts)
  const { figure } = useNumbers()
  const { compact } = useFormats()
  const formatTime = useCandleTimeFormat(tf)
  return (
    <dl className={styles["legend"]}>
      <div>
        <dt className="hidden">{texts.time}</dt>
        <dd>{formatTime(Date.parse(candle.time))}</dd>
      </div>
      {([[texts.o, candle.open], [texts.h, candle.high], [texts.l, candle.low], [texts.c, candle.close]] as const).map((
        [name, value]
      ) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{figure(value)}</dd>
        </div>
      ))}
      <div>
        <dt className="hidden">{texts.change}</dt>
        <dd>
          <Change pct={candleChangePct(candle)} />
        </dd>
      </div>
      <div>
        <dt>{texts.v}</dt>
        <dd>{compact(candle.volume)}</dd>
      </div>
      {candle.closed === false && (
        <div>
          <dt className="hidden">{texts.candle}</dt>
          <dd className="tape">{texts.running}</dd>
        </div>
      )}
    </dl>
  )
}

interface ChartProps {
  readonly coin: string
  readonly tf: Timeframe
  readonly candles: ReadonlyArray<Candle>
  readonly lines: ReadonlyArray<PriceLine>
  readonly marks: ReadonlyArray<ChartMark>
  readonly isVolume: boolean
}

const useChartStyle = (tf: Timeframe, shiftMs: number) => {
  const texts = useTexts(marketTexts)
  const { language } = useLanguage()
  const { figure, time } = useNumbers()
  const formats = useFormats()
  const colours = useColours()
  return useMemo(() => {
    const lineNames = { support: texts.supportShort, resistance: texts.resistanceShort, entry: texts.entry } as const
    const names = { ...lineNames, take: texts.take, stop: texts.stop, timeout: texts.timeout } as const
    const sides = { ...names, long: texts.long, short: texts.short } as const
    return {
      language,
      colours,
      shiftMs,
      price: figure,
      volume: formats.compact,
      date: tf === "1d" ? formats.utcDay : time,
      tick: (at: number, of: "year" | "month" | "day" | "time") => formats.axisTick(at, of, tf === "1d"),
      line: ({ kind, touches }: PriceLine) => touches === undefined ? names[kind] : `${names[kind]} ×${touches}`,
      mark: ({ kind, percent }: ChartMark) =>
        percent === undefined ? sides[kind] : `${sides[kind]} ${formats.signedPercent(percent)}`
    }
  }, [texts, language, colours, shiftMs, figure, time, formats, tf])
}

const useChart = (
  { candles, isVolume, lines, marks, tf }: ChartProps,
  onPoint: (index: number | undefined) => void
) => {
  const containerRef = useRef<HTMLDivElement>(null)
  const [chart, setChart] = useState<ChartHandle>()
  const last = candles.at(-1)
  const shiftMs = last === undefined ? 0 : timeShiftMs(tf, Date.parse(last.time))
  const style = useChartStyle(tf, shiftMs)
  useEffect(() => {
    if (containerRef.current === null) return
    const newChart = drawChart(containerRef.current, style, onPoint)
    setChart(newChart)
    return () => {
      setChart(undefined)
      newChart.remove()
    }
  }, [style, onPoint])
  useEffect(() => chart?.candles(candles, isVolume), [chart, candles, isVolume])
  useEffect(() => chart?.lines(lines), [chart, lines])
  useEffect(() => chart?.marks(marks), [chart, marks])
  return { containerRef, chart }
}

/**
 * A candle chart for pointer and keyboard: arrow keys move between candles, Home and End select the first and last
 * candle, plus and minus zoom.
 */
export const CandleChart = (props: ChartProps) => {
  const { candles, coin, tf } = props
  const texts = useTexts(marketTexts)
  const { figure } = useNumbers()
  const { signedPercent } = useFormats()
  const formatTime = useCandleTimeFormat(tf)
  const id = useId()
  const [index, setIndex] = useState<number>()
  const { chart, containerRef } = useChart(props, setIndex)
  const summary = useMemo(() => summarizeCandles(candles), [candles])
  const pointedCandle = candles[index ?? candles.length - 1] ?? candles.at(-1)
  if (summary === undefined || pointedCandle === undefined) return null
  const onKeyDown = (event: KeyboardEvent) => {
    const zooms: Readonly<Record<string, number>> = { "+": 1.25, "=": 1.25, "-": 0.8 }
    const zoomFactor = zooms[event.key]
    const newIndex = moveCursor(event.key, index, candles.length)
    if (zoomFactor !== undefined) chart?.zoom(zoomFactor)
    else if (newIndex !== undefined) {
      setIndex(newIndex)
      chart?.pointAt(newIndex)
    } else if (event.key === "Escape") {
      setIndex(undefined)
      chart?.pointAt(undefined)
    } else return
    event.preventDefault()
  }
  const valueText = `${formatTime(Date.parse(pointedCandle.time))}. ${texts.o} ${
    figure(pointedCandle.open)
  }, ${texts.h} ${figure(pointedCandle.high)}, ${texts.l} ${figure(pointedCandle.low)}, ${texts.c} ${
    figure(pointedCandle.close)
  }, ${signedPercent(candleChangePct(pointedCandle))}`
  return (
    <div className="column gap-1">
      <Legend candle={pointedCandle} tf={tf} />
      <div
        className={styles["canvas"]}
        role="slider"
        tabIndex={0}
        aria-label={texts.chartOf(coin, tf)}
        aria-describedby={id}
        aria-orientation="horizontal"
        aria-valuemin={1}
        aria-valuemax={candles.length}
        aria-valuenow={(index ?? candles.length - 1) + 1}
        aria-valuetext={valueText}
        onKeyDown={onKeyDown}
      >
        <div ref={containerRef} className={styles["drawing"]} aria-hidden />
      </div>
      <p id={id} className="hidden">
        {texts.summary(
          String(summary.count),
          formatTime(summary.from),
          formatTime(summary.to),
          figure(summary.low),
          figure(summary.high),
          figure(summary.last),
          signedPercent(summary.change_pct)
        )} {texts.keys}
      </p>
    </div>
  )
}
