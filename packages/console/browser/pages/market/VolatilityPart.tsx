import { usePaid } from "../../asking/usePaid.ts"
import { DataTable } from "../../widgets/DataTable.tsx"
import { Notes } from "../../widgets/Notes.tsx"
import { Figure, Figures } from "../../widgets/parts.tsx"
import { Told } from "../../widgets/Told.tsx"
import { useFormats } from "../../words/formats.ts"
import { useWords } from "../../words/words.ts"
import { type Volatility, volatilityAsk } from "./asks.ts"
import styles from "./Market.module.css"
import { partWords } from "./partWords.ts"
import { placeIn } from "./series.ts"

type Cone = Volatility["cone"][number]

/** The present volatility within the distribution of one year, for windows of the same length. */
const Range = ({ high, low, of: { current, max, median, min, n, p25, p75, percentile, window } }: {
  readonly of: Cone
  readonly low: number
  readonly high: number
}) => {
  const says = useWords(partWords)
  const { percent } = useFormats()
  const isWhole = min !== null && max !== null && p25 !== null && p75 !== null && median !== null && current !== null
  if (!isWhole) return <li className={styles["soft"]}>{says.tooFew(says.window(window), n)}</li>
  const at = (value: number) => `${placeIn(value, low, high) * 100}%`
  const wide = (from: number, to: number) => `${(placeIn(to, low, high) - placeIn(from, low, high)) * 100}%`
  return (
    <li className={styles["range"]}>
      <span>{says.window(window)}</span>
      <span
        className={styles["rangeBar"]}
        role="img"
        aria-label={says.rangeIs(percent(min, 0), percent(median, 0), percent(max, 0), percent(current, 0))}
      >
        <span className={styles["whisker"]} style={{ left: at(min), width: wide(min, max) }} />
        <span className={styles["box"]} style={{ left: at(p25), width: wide(p25, p75) }} />
        <span className={styles["median"]} style={{ left: at(median) }} />
        <span className={styles["current"]} style={{ left: at(current) }} />
      </span>
      <span className={styles["rangeNow"]}>
        {percent(current, 0)}
        {percentile !== null && <span className={styles["soft"]}>{says.percentile(Math.round(percentile))}</span>}
      </span>
    </li>
  )
}

const measures = ["close_to_close", "parkinson", "garman_klass", "yang_zhang", "ewma"] as const

const Estimators = ({ data }: { readonly data: Volatility }) => {
  const says = useWords(partWords)
  const { percent } = useFormats()
  const names: Readonly<Record<(typeof measures)[number], string>> = {
    close_to_close: says.closeToClose,
    parkinson: says.parkinson,
    garman_klass: says.garmanKlass,
    yang_zhang: says.yangZhang,
    ewma: says.ewma
  }
  const rows = measures.map((name) => ({ name, of: data[name] }))
  const valueOf = (row: (typeof rows)[number], window: Cone["window"]): number | null =>
    row.of.find((one) => one.window === window)?.annualised_pct ?? null
  return (
    <div className={styles["tabled"]}>
      <DataTable
        label={says.volatility}
        rows={rows}
        rowId={({ name }) => name}
        columns={[
          { id: "name", title: says.estimator, isHead: true, cell: ({ name }) => names[name] },
          ...(["7d", "30d", "90d"] as const).map((window) => ({
            id: window,
            title: says.window(window),
            isNumber: true,
            cell: (row: (typeof rows)[number]) => {
              const value = valueOf(row, window)
              return value === null ? "–" : percent(value, 1)
            }
          }))
        ]}
      />
    </div>
  )
}

const Body = ({ data }: { readonly data: Volatility }) => {
  const says = useWords(partWords)
  const { percent } = useFormats()
  const low = data.cone.reduce((least, { min }) => Math.min(least, min ?? least), Number.POSITIVE_INFINITY)
  const high = data.cone.reduce((most, { max }) => Math.max(most, max ?? most), 0)
  return (
    <>
      <Figures>
        <Figure name={says.realised30} more={says.ofYear}>
          {data.realised_30d_pct === null ? "–" : percent(data.realised_30d_pct, 1)}
        </Figure>
        <Figure name={says.rank} more={says.rankMore}>
          {data.realised_30d_percentile === null ? "–" : says.percentile(Math.round(data.realised_30d_percentile))}
        </Figure>
      </Figures>
      <ul className={styles["ranges"]} aria-label={says.cone}>
        {data.cone.map((one) => <Range key={one.window} of={one} low={low} high={high} />)}
      </ul>
      <p className={styles["soft"]}>{says.coneKey}</p>
      <Estimators data={data} />
      <Notes of={data} />
    </>
  )
}

/** The volatility of a coin, compared with its own past year. */
export const VolatilityPart = ({ coin }: { readonly coin: string }) => {
  const volatility = usePaid(volatilityAsk(coin))
  return <Told of={volatility}>{(data) => <Body data={data} />}</Told>
}
