import { type PointerEvent, useState } from "react"
import { useFormats } from "../../i18n/formats.ts"
import plots from "../../widgets/plots.module.css"
import styles from "./BarPlot.module.css"
import { type Bar, barScale } from "./series.ts"

const width = 800
const height = 160

/**
 * A bar plot over time that shows two kinds of values on one scale. Bars of one kind extend above the zero line, and
 * bars of the other kind extend below.
 */
export const BarPlot = ({ bars, downName, label, upName, format }: {
  readonly label: string
  readonly bars: ReadonlyArray<Bar>
  readonly upName: string
  readonly downName: string
  readonly format: (value: number) => string
}) => {
  const { dayTime } = useFormats()
  const [index, setIndex] = useState<number>()
  const { down, size, up, zero } = barScale(bars, height)
  const [first, last] = [bars[0], bars.at(-1)]
  if (first === undefined || last === undefined) return null
  const step = width / bars.length
  const pointedBar = bars[index ?? bars.length - 1] ?? last
  const onPointerMove = ({ clientX, currentTarget }: PointerEvent<SVGSVGElement>) => {
    const { left, width: elementWidth } = currentTarget.getBoundingClientRect()
    setIndex(Math.min(bars.length - 1, Math.max(0, Math.floor((clientX - left) / elementWidth * bars.length))))
  }
  const values = [
    ...(pointedBar.up > 0 || pointedBar.down === 0 ? [{ name: upName, way: "up", value: pointedBar.up }] : []),
    ...(pointedBar.down > 0 ? [{ name: downName, way: "down", value: pointedBar.down }] : [])
  ]
  return (
    <figure className="column gap-2">
      <figcaption className="row baseline wrap gap-x-3">
        <strong>{label}</strong>
        {values.map(({ name, value, way }) => (
          <span key={way} className={way}>{way === "up" ? "▲" : "▼"} {name} {format(value)}</span>
        ))}
        <time className="soft small" dateTime={new Date(pointedBar.at).toISOString()}>
          {dayTime(pointedBar.at)}
        </time>
      </figcaption>
      <div className={styles["area"]}>
        <svg
          className={plots["drawn"]}
          viewBox={`0 0 ${width} ${height}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${label}: ${upName} ≤ ${format(up)}, ${downName} ≤ ${format(down)}`}
          onPointerMove={onPointerMove}
          onPointerLeave={() => setIndex(undefined)}
        >
          {bars.map((bar, i) => (
            <g key={bar.at} opacity={index === undefined || index === i ? 1 : 0.45}>
              <rect
                className={styles["upBar"]}
                x={i * step}
                width={Math.max(1, step - 1)}
                y={zero - size(bar.up)}
                height={size(bar.up)}
              />
              <rect
                className={styles["downBar"]}
                x={i * step}
                width={Math.max(1, step - 1)}
                y={zero}
                height={size(bar.down)}
              />
            </g>
          ))}
          <line className={styles["zero"]} x1={0} x2={width} y1={zero} y2={zero} />
        </svg>
      </div>
      <div className="row spread soft small" aria-hidden>
        <span>{dayTime(first.at)}</span>
        <span>{dayTime(last.at)}</span>
      </div>
    </figure>
  )
}
