import { type PointerEvent, useId, useMemo, useState } from "react"
import { useNumbers } from "../i18n/numbers.ts"
import styles from "./LinePlot.module.css"
import plots from "./plots.module.css"

export interface PlotPoint {
  /** The time of a plotted point, in ms since 1970. */
  readonly at: number
  readonly value: number
}

const width = 800
const height = 200

/** Returns about four round values within a range, for axis marks. */
const axisTicks = (low: number, high: number): ReadonlyArray<number> => {
  const roughStep = (high - low) / 4
  if (!(roughStep > 0)) return [low]
  const power = 10 ** Math.floor(Math.log10(roughStep))
  const step = [1, 2, 2.5, 5, 10].map((one) => one * power).find((one) => one >= roughStep) ?? roughStep
  const first = Math.ceil(low / step) * step
  return Array.from({ length: Math.floor((high - first) / step + 1e-9) + 1 }, (_, i) => first + i * step)
}

const layOutPlot = (points: ReadonlyArray<PlotPoint>) => {
  const values = points.map(({ value }) => value)
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const padding = (high - low) * 0.06 || Math.abs(high) * 0.01 || 1
  const [bottom, top] = [low - padding, high + padding]
  const [from, to] = [points[0]!.at, points.at(-1)!.at]
  const x = (at: number) => to === from ? width / 2 : (at - from) / (to - from) * width
  const y = (value: number) => height - (value - bottom) / (top - bottom) * height
  const line = points.map(({ at, value }, i) => `${i === 0 ? "M" : "L"}${x(at).toFixed(1)} ${y(value).toFixed(1)}`)
    .join("")
  return { line, area: `${line}V${height}H${x(from).toFixed(1)}Z`, ticks: axisTicks(bottom, top), x, y }
}

/** A line plot of `points` in time order, which shows the value under the pointer. */
export const LinePlot = ({ label, points, format }: {
  readonly label: string
  readonly points: ReadonlyArray<PlotPoint>
  readonly format?: ((value: number) => string) | undefined
}) => {
  const numbers = useNumbers()
  const formatValue = format ?? numbers.figure
  const id = useId()
  const [index, setIndex] = useState<number>()
  const plot = useMemo(() => points.length < 2 ? undefined : layOutPlot(points), [points])
  if (plot === undefined) return null
  const pointedAt = index === undefined ? undefined : points[index]
  const first = points[0]!
  const last = points.at(-1)!
  const onPointerMove = ({ clientX, currentTarget }: PointerEvent<SVGSVGElement>) => {
    const { left, width: elementWidth } = currentTarget.getBoundingClientRect()
    const at = first.at + (clientX - left) / elementWidth * (last.at - first.at)
    const nearest = points.reduce(
      (best, one, i) => Math.abs(one.at - at) < Math.abs(points[best]!.at - at) ? i : best,
      0
    )
    setIndex(nearest)
  }
  const shown = pointedAt ?? last
  return (
    <figure className="column gap-2">
      <figcaption className="row baseline wrap gap-2">
        <strong id={id}>{label}</strong>
        <span className="bold">{formatValue(shown.value)}</span>
        <time className="soft small" dateTime={new Date(shown.at).toISOString()}>{numbers.time(shown.at)}</time>
      </figcaption>
      <div className={styles["area"]}>
        <svg
          className={plots["drawn"]}
          viewBox={`0 0 ${width} ${height}`}
          preserveAspectRatio="none"
          role="img"
          aria-labelledby={id}
          onPointerMove={onPointerMove}
          onPointerLeave={() => setIndex(undefined)}
        >
          {plot.ticks.map((tick) => (
            <line key={tick} className={plots["rule"]} x1={0} x2={width} y1={plot.y(tick)} y2={plot.y(tick)} />
          ))}
          <path className={styles["fill"]} d={plot.area} />
          <path className={styles["line"]} d={plot.line} />
          {pointedAt !== undefined && (
            <line className={styles["cross"]} x1={plot.x(pointedAt.at)} x2={plot.x(pointedAt.at)} y1={0} y2={height} />
          )}
        </svg>
        <div className={`soft small ${styles["ticks"]}`} aria-hidden>
          {plot.ticks.map((tick) => (
            <span key={tick} style={{ top: `${plot.y(tick) / height * 100}%` }}>{formatValue(tick)}</span>
          ))}
        </div>
      </div>
      <div className={`row spread soft small ${styles["span"]}`} aria-hidden>
        <span>{numbers.time(first.at)}</span>
        <span>{numbers.time(last.at)}</span>
      </div>
    </figure>
  )
}
