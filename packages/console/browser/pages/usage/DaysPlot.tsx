import type { AccountUsage } from "@tapeline/client"
import { type PointerEvent, useId, useMemo, useState } from "react"
import { useNumbers } from "../../words/numbers.ts"
import { useWords } from "../../words/words.ts"
import styles from "./DaysPlot.module.css"
import { useCalendar } from "./names.ts"
import { type Day, daysOf, type Pace, scaleOf, ticksTo } from "./pace.ts"
import { usageWords } from "./words.ts"

const width = 800
const height = 200

/** The days as columns. Future days are empty. */
const Columns = ({ days, pointed, top }: {
  readonly days: ReadonlyArray<Day>
  readonly top: number
  readonly pointed: number | undefined
}) => {
  const slot = width / days.length
  return days.map(({ credits, day, isAhead }) => {
    const x = (day - 1) * slot
    const tall = Math.max(credits / top * height, credits > 0 ? 1.5 : 0)
    return (
      <g key={day}>
        {(isAhead || pointed === day) && (
          <rect
            className={styles[pointed === day ? "pointed" : "ahead"]}
            x={x}
            y={0}
            width={slot}
            height={height}
          />
        )}
        <rect
          className={styles["column"]}
          x={x + slot * 0.14}
          y={height - tall}
          width={slot * 0.72}
          height={tall}
        />
      </g>
    )
  })
}

/** The daily pace that would use all remaining credits: over the remaining days, or over the whole of a past month. */
const Even = ({ days, pace, top }: { readonly pace: Pace; readonly days: number; readonly top: number }) => {
  const y = height - pace.even / top * height
  const from = pace.isRunning ? pace.gone / days * width : 0
  return <line className={styles["even"]} x1={from} x2={width} y1={y} y2={y} />
}

const useCaption = (usage: AccountUsage, days: ReadonlyArray<Day>, pace: Pace, isWithin: boolean) => {
  const says = useWords(usageWords)
  const { whole } = useNumbers()
  const calendar = useCalendar()
  const even = (pace.isRunning ? says.evenAhead : says.evenPast)(whole(pace.even))
  return {
    even: pace.even < 1 ? undefined : isWithin ? even : says.evenAbove(even),
    label: says.plotTold(whole(usage.credits.used), days.filter(({ calls }) => calls > 0).length),
    told: ({ calls, credits, day }: Day) => says.dayTold(calendar.day(usage.month, day), whole(credits), calls)
  }
}

/** A month's credits by day, with the pace that would use the rest by the month's end. The tables show the same. */
export const DaysPlot = ({ now, pace, usage }: {
  readonly usage: AccountUsage
  readonly pace: Pace
  readonly now: number
}) => {
  const says = useWords(usageWords)
  const { whole } = useNumbers()
  const id = useId()
  const [pointed, setPointed] = useState<number>()
  const days = useMemo(() => daysOf(usage, now), [usage, now])
  const { isWithin, top } = scaleOf(days, pace.even)
  const caption = useCaption(usage, days, pace, isWithin)
  const point = ({ clientX, currentTarget }: PointerEvent<SVGSVGElement>) => {
    const { left, width: wide } = currentTarget.getBoundingClientRect()
    setPointed(Math.min(Math.max(Math.floor((clientX - left) / wide * days.length) + 1, 1), days.length))
  }
  const shown = days.find(({ day }) => day === pointed)
  const marks = days.filter(({ day }) => day === 1 || (day % 5 === 0 && day < days.length - 1) || day === days.length)
  return (
    <figure className={styles["plot"]}>
      <figcaption className={styles["caption"]}>
        <strong id={id}>{says.perDay}</strong>
        {shown !== undefined && <span>{caption.told(shown)}</span>}
        {caption.even !== undefined && (
          <span className={styles["legend"]}>
            <span className={styles["dash"]} aria-hidden />
            {caption.even}
          </span>
        )}
      </figcaption>
      <div className={styles["area"]}>
        <svg
          className={styles["columns"]}
          viewBox={`0 0 ${width} ${height}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${says.perDay}. ${caption.label}`}
          onPointerMove={point}
          onPointerDown={point}
          onPointerLeave={() => setPointed(undefined)}
        >
          {ticksTo(top).map((tick) => {
            const y = height - tick / top * height
            return <line key={tick} className={styles["grid"]} x1={0} x2={width} y1={y} y2={y} />
          })}
          <Columns days={days} top={top} pointed={pointed} />
          {isWithin && pace.even >= 1 && <Even pace={pace} days={days.length} top={top} />}
        </svg>
        <div className={styles["ticks"]} aria-hidden>
          {ticksTo(top).map((tick) => <span key={tick} style={{ bottom: `${tick / top * 100}%` }}>{whole(tick)}</span>)}
        </div>
      </div>
      <div className={styles["days"]} aria-hidden>
        {marks.map(({ day }) => (
          <span key={day} style={{ left: `${(day - 0.5) / days.length * 100}%` }}>
            {day}
          </span>
        ))}
      </div>
    </figure>
  )
}
