import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react"
import { Change } from "../../widgets/Change.tsx"
import { useFormats } from "../../words/formats.ts"
import { useLanguage } from "../../words/Languages.tsx"
import { useNumbers } from "../../words/numbers.ts"
import { useWords } from "../../words/words.ts"
import type { Candle } from "./asks.ts"
import { changeOf, type Line, type Mark, moved, shiftOf, summaryOf } from "./candles.ts"
import { useColours } from "./colours.ts"
import { drawChart, type Drawn } from "./draw.ts"
import styles from "./Market.module.css"
import type { Timeframe } from "./timeframe.ts"
import { marketWords } from "./words.ts"

/** Returns the formatter for the opening times of candles. */
const useMoment = (tf: Timeframe) => {
  const { time } = useNumbers()
  const { utcDay } = useFormats()
  return tf === "1d" ? utcDay : time
}

/** The values of one candle, above the chart. */
const Legend = ({ candle, tf }: { readonly candle: Candle; readonly tf: Timeframe }) => {
  const says = useWords(marketWords)
  const { figure } = useNumbers()
  const { compact } = useFormats()
  const moment = useMoment(tf)
  return (
    <dl className={styles["legend"]}>
      <div>
        <dt className={styles["hidden"]}>{says.time}</dt>
        <dd>{moment(Date.parse(candle.time))}</dd>
      </div>
      {([[says.o, candle.open], [says.h, candle.high], [says.l, candle.low], [says.c, candle.close]] as const).map((
        [name, value]
      ) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{figure(value)}</dd>
        </div>
      ))}
      <div>
        <dt className={styles["hidden"]}>{says.change}</dt>
        <dd>
          <Change pct={changeOf(candle)} />
        </dd>
      </div>
      <div>
        <dt>{says.v}</dt>
        <dd>{compact(candle.volume)}</dd>
      </div>
      {candle.closed === false && (
        <div>
          <dt className={styles["hidden"]}>{says.candle}</dt>
          <dd className={styles["running"]}>{says.running}</dd>
        </div>
      )}
    </dl>
  )
}

interface ChartProps {
  readonly coin: string
  readonly tf: Timeframe
  readonly candles: ReadonlyArray<Candle>
  readonly lines: ReadonlyArray<Line>
  readonly marks: ReadonlyArray<Mark>
  readonly isVolume: boolean
}

/** The chart's colours and formats for the present language and theme. */
const useLook = (tf: Timeframe, shiftMs: number) => {
  const says = useWords(marketWords)
  const { language } = useLanguage()
  const { figure, time } = useNumbers()
  const formats = useFormats()
  const colours = useColours()
  return useMemo(() => {
    const lineNames = { support: says.supportShort, resistance: says.resistanceShort, entry: says.entry } as const
    const names = { ...lineNames, take: says.take, stop: says.stop, timeout: says.timeout } as const
    const sides = { ...names, long: says.long, short: says.short } as const
    return {
      language,
      colours,
      shiftMs,
      price: figure,
      volume: formats.compact,
      date: tf === "1d" ? formats.utcDay : time,
      tick: (at: number, of: "year" | "month" | "day" | "time") => formats.tick(at, of, tf === "1d"),
      line: ({ kind, touches }: Line) => touches === undefined ? names[kind] : `${names[kind]} ×${touches}`,
      mark: ({ kind, percent }: Mark) =>
        percent === undefined ? sides[kind] : `${sides[kind]} ${formats.signed(percent)}`
    }
  }, [says, language, colours, shiftMs, figure, time, formats, tf])
}

/** Creates the chart in an element, and redraws what has changed. */
const useDrawn = (
  { candles, isVolume, lines, marks, tf }: ChartProps,
  pointed: (index: number | undefined) => void
) => {
  const frame = useRef<HTMLDivElement>(null)
  const [drawn, setDrawn] = useState<Drawn>()
  const last = candles.at(-1)
  const shiftMs = last === undefined ? 0 : shiftOf(tf, Date.parse(last.time))
  const look = useLook(tf, shiftMs)
  useEffect(() => {
    if (frame.current === null) return
    const made = drawChart(frame.current, look, pointed)
    setDrawn(made)
    return () => {
      setDrawn(undefined)
      made.remove()
    }
  }, [look, pointed])
  useEffect(() => drawn?.candles(candles, isVolume), [drawn, candles, isVolume])
  useEffect(() => drawn?.lines(lines), [drawn, lines])
  useEffect(() => drawn?.marks(marks), [drawn, marks])
  return { frame, drawn }
}

/**
 * Candles that can be read with the pointer and the keyboard. Arrow keys move between candles, Home and End move to the
 * ends, plus and minus zoom. Screen readers announce the selected candle.
 */
export const CandleChart = (props: ChartProps) => {
  const { candles, coin, tf } = props
  const says = useWords(marketWords)
  const { figure } = useNumbers()
  const { signed } = useFormats()
  const moment = useMoment(tf)
  const id = useId()
  const [index, setIndex] = useState<number>()
  const { drawn, frame } = useDrawn(props, setIndex)
  const summary = useMemo(() => summaryOf(candles), [candles])
  const shown = candles[index ?? candles.length - 1] ?? candles.at(-1)
  if (summary === undefined || shown === undefined) return null
  const onKeyDown = (event: KeyboardEvent) => {
    const zooms: Readonly<Record<string, number>> = { "+": 1.25, "=": 1.25, "-": 0.8 }
    const by = zooms[event.key]
    const to = moved(event.key, index, candles.length)
    if (by !== undefined) drawn?.zoom(by)
    else if (to !== undefined) {
      setIndex(to)
      drawn?.point(to)
    } else if (event.key === "Escape") {
      setIndex(undefined)
      drawn?.point(undefined)
    } else return
    event.preventDefault()
  }
  const told = `${moment(Date.parse(shown.time))}. ${says.o} ${figure(shown.open)}, ${says.h} ${
    figure(shown.high)
  }, ${says.l} ${figure(shown.low)}, ${says.c} ${figure(shown.close)}, ${signed(changeOf(shown))}`
  return (
    <div className={styles["chart"]}>
      <Legend candle={shown} tf={tf} />
      <div
        className={styles["canvas"]}
        role="slider"
        tabIndex={0}
        aria-label={says.chartOf(coin, tf)}
        aria-describedby={id}
        aria-orientation="horizontal"
        aria-valuemin={1}
        aria-valuemax={candles.length}
        aria-valuenow={(index ?? candles.length - 1) + 1}
        aria-valuetext={told}
        onKeyDown={onKeyDown}
      >
        <div ref={frame} className={styles["drawing"]} aria-hidden />
      </div>
      <p id={id} className={styles["hidden"]}>
        {says.summary(
          String(summary.count),
          moment(summary.from),
          moment(summary.to),
          figure(summary.low),
          figure(summary.high),
          figure(summary.last),
          signed(summary.change_pct)
        )} {says.keys}
      </p>
    </div>
  )
}
