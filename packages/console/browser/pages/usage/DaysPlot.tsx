import type { AccountUsage } from "@tapeline/client"
import { type PointerEvent, useId, useMemo, useState } from "react"
import { useNumbers } from "../../i18n/numbers.ts"
import { useTexts } from "../../i18n/texts.ts"
import plots from "../../widgets/plots.module.css"
import { useCalendar } from "./calendar.ts"
import styles from "./DaysPlot.module.css"
import { allDaysOf, axisTicks, type Day, plotScale, type UsagePace } from "./pace.ts"
import { usageTexts } from "./texts.ts"

const width = 800
const height = 200

const DayColumns = ({ days, pointedDay, maxCredits }: {
  readonly days: ReadonlyArray<Day>
  readonly maxCredits: number
  readonly pointedDay: number | undefined
}) => {
  const dayWidth = width / days.length
  return days.map(({ credits, day, isFuture }) => {
    const x = (day - 1) * dayWidth
    const barHeight = Math.max(credits / maxCredits * height, credits > 0 ? 1.5 : 0)
    return (
      <g key={day}>
        {(isFuture || pointedDay === day) && (
          <rect
            className={styles[pointedDay === day ? "pointed" : "ahead"]}
            x={x}
            y={0}
            width={dayWidth}
            height={height}
          />
        )}
        <rect
          className={styles["column"]}
          x={x + dayWidth * 0.14}
          y={height - barHeight}
          width={dayWidth * 0.72}
          height={barHeight}
        />
      </g>
    )
  })
}

/**
 * A horizontal line in the usage plot at the daily use that would consume all remaining credits or, in a past month,
 * the whole allotment.
 */
const EvenPaceLine = (
  { days, pace, maxCredits }: { readonly pace: UsagePace; readonly days: number; readonly maxCredits: number }
) => {
  const y = height - pace.evenPacePerDay / maxCredits * height
  const from = pace.isRunning ? pace.elapsedDays / days * width : 0
  return <line className={styles["even"]} x1={from} x2={width} y1={y} y2={y} />
}

const usePlotTexts = (usage: AccountUsage, days: ReadonlyArray<Day>, pace: UsagePace, isEvenPaceVisible: boolean) => {
  const texts = useTexts(usageTexts)
  const { integer } = useNumbers()
  const calendar = useCalendar()
  const evenPaceText = (pace.isRunning ? texts.evenPaceRemaining : texts.evenPacePast)(integer(pace.evenPacePerDay))
  return {
    even: pace.evenPacePerDay < 1
      ? undefined
      : isEvenPaceVisible
      ? evenPaceText
      : texts.evenPaceAbovePlot(evenPaceText),
    label: texts.plotLabel(integer(usage.credits.used), days.filter(({ calls }) => calls > 0).length),
    dayText: ({ calls, credits, day }: Day) => texts.dayText(calendar.day(usage.month, day), integer(credits), calls)
  }
}

/**
 * A plot of the credits that an account used on each day of a month. Tables on the same page show the same values as
 * text.
 */
export const DaysPlot = ({ now, pace, usage }: {
  readonly usage: AccountUsage
  readonly pace: UsagePace
  readonly now: number
}) => {
  const texts = useTexts(usageTexts)
  const { integer } = useNumbers()
  const id = useId()
  const [pointedDay, setPointedDay] = useState<number>()
  const days = useMemo(() => allDaysOf(usage, now), [usage, now])
  const { isEvenPaceVisible, max } = plotScale(days, pace.evenPacePerDay)
  const caption = usePlotTexts(usage, days, pace, isEvenPaceVisible)
  const onPointer = ({ clientX, currentTarget }: PointerEvent<SVGSVGElement>) => {
    const { left, width: elementWidth } = currentTarget.getBoundingClientRect()
    setPointedDay(Math.min(Math.max(Math.floor((clientX - left) / elementWidth * days.length) + 1, 1), days.length))
  }
  const pointedDayUsage = days.find(({ day }) => day === pointedDay)
  const labelledDays = days.filter(({ day }) =>
    day === 1 || (day % 5 === 0 && day < days.length - 1) || day === days.length
  )
  return (
    <figure className="column gap-2">
      <figcaption className="row baseline wrap gap-1 gap-x-4">
        <strong id={id}>{texts.perDay}</strong>
        {pointedDayUsage !== undefined && <span>{caption.dayText(pointedDayUsage)}</span>}
        {caption.even !== undefined && (
          <span className={`soft small ${styles["legend"]}`}>
            <span className={styles["dash"]} aria-hidden />
            {caption.even}
          </span>
        )}
      </figcaption>
      <div className={styles["area"]}>
        <svg
          className={plots["drawn"]}
          viewBox={`0 0 ${width} ${height}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${texts.perDay}. ${caption.label}`}
          onPointerMove={onPointer}
          onPointerDown={onPointer}
          onPointerLeave={() => setPointedDay(undefined)}
        >
          {axisTicks(max).map((tick) => {
            const y = height - tick / max * height
            return <line key={tick} className={plots["rule"]} x1={0} x2={width} y1={y} y2={y} />
          })}
          <DayColumns days={days} maxCredits={max} pointedDay={pointedDay} />
          {isEvenPaceVisible && pace.evenPacePerDay >= 1 && (
            <EvenPaceLine pace={pace} days={days.length} maxCredits={max} />
          )}
        </svg>
        <div className={`soft small ${styles["ticks"]}`} aria-hidden>
          {axisTicks(max).map((tick) => (
            <span key={tick} style={{ bottom: `${tick / max * 100}%` }}>{integer(tick)}</span>
          ))}
        </div>
      </div>
      <div className={`soft small ${styles["days"]}`} aria-hidden>
        {labelledDays.map(({ day }) => (
          <span key={day} style={{ left: `${(day - 0.5) / days.length * 100}%` }}>
            {day}
          </span>
        ))}
      </div>
    </figure>
  )
}
