import { useFormats } from "../../i18n/formats.ts"
import { useTexts } from "../../i18n/texts.ts"
import { useToolQuery } from "../../requests/useToolQuery.ts"
import { DataTable } from "../../widgets/DataTable.tsx"
import { Figure, Figures } from "../../widgets/layout.tsx"
import { RequestView } from "../../widgets/RequestView.tsx"
import { ResultNotesView } from "../../widgets/ResultNotesView.tsx"
import styles from "./Market.module.css"
import { type Volatility, volatilityQuery } from "./queries.ts"
import { sectionTexts } from "./sectionTexts.ts"
import { relativePosition } from "./series.ts"

type ConeWindow = Volatility["cone"][number]

/**
 * A box plot that compares the current volatility with one year of volatilities. Each volatility is measured over a
 * window of the same length.
 */
const ConeRange = ({ high, low, cone: { current, max, median, min, n, p25, p75, percentile, window } }: {
  readonly cone: ConeWindow
  readonly low: number
  readonly high: number
}) => {
  const texts = useTexts(sectionTexts)
  const { percent } = useFormats()
  const isComplete = min !== null && max !== null && p25 !== null && p75 !== null && median !== null && current !== null
  if (!isComplete) return <li className="soft small">{texts.tooFew(texts.window(window), n)}</li>
  const leftOf = (value: number) => `${relativePosition(value, low, high) * 100}%`
  const widthOf = (from: number, to: number) =>
    `${(relativePosition(to, low, high) - relativePosition(from, low, high)) * 100}%`
  return (
    <li className={styles["range"]}>
      <span>{texts.window(window)}</span>
      <span
        className={styles["rangeBar"]}
        role="img"
        aria-label={texts.rangeIs(percent(min, 0), percent(median, 0), percent(max, 0), percent(current, 0))}
      >
        <span className={styles["whisker"]} style={{ left: leftOf(min), width: widthOf(min, max) }} />
        <span className={styles["box"]} style={{ left: leftOf(p25), width: widthOf(p25, p75) }} />
        <span className={styles["median"]} style={{ left: leftOf(median) }} />
        <span className={styles["current"]} style={{ left: leftOf(current) }} />
      </span>
      <span className="row spread gap-2">
        {percent(current, 0)}
        {percentile !== null && <span className="soft small">{texts.percentile(Math.round(percentile))}</span>}
      </span>
    </li>
  )
}

const estimators = ["close_to_close", "parkinson", "garman_klass", "yang_zhang", "ewma"] as const

const EstimatorTable = ({ data }: { readonly data: Volatility }) => {
  const texts = useTexts(sectionTexts)
  const { percent } = useFormats()
  const names: Readonly<Record<(typeof estimators)[number], string>> = {
    close_to_close: texts.closeToClose,
    parkinson: texts.parkinson,
    garman_klass: texts.garmanKlass,
    yang_zhang: texts.yangZhang,
    ewma: texts.ewma
  }
  const rows = estimators.map((name) => ({ name, of: data[name] }))
  const valueOf = (row: (typeof rows)[number], window: ConeWindow["window"]): number | null =>
    row.of.find((one) => one.window === window)?.annualised_pct ?? null
  return (
    <div className={styles["tabled"]}>
      <DataTable
        label={texts.volatility}
        rows={rows}
        rowId={({ name }) => name}
        columns={[
          { id: "name", title: texts.estimator, isHead: true, cell: ({ name }) => names[name] },
          ...(["7d", "30d", "90d"] as const).map((window) => ({
            id: window,
            title: texts.window(window),
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

const VolatilityView = ({ data }: { readonly data: Volatility }) => {
  const texts = useTexts(sectionTexts)
  const { percent } = useFormats()
  const low = data.cone.reduce((lowest, { min }) => Math.min(lowest, min ?? lowest), Number.POSITIVE_INFINITY)
  const high = data.cone.reduce((highest, { max }) => Math.max(highest, max ?? highest), 0)
  return (
    <>
      <Figures>
        <Figure name={texts.realised30} detail={texts.ofYear}>
          {data.realised_30d_pct === null ? "–" : percent(data.realised_30d_pct, 1)}
        </Figure>
        <Figure name={texts.rank} detail={texts.rankDetail}>
          {data.realised_30d_percentile === null ? "–" : texts.percentile(Math.round(data.realised_30d_percentile))}
        </Figure>
      </Figures>
      <ul className="column gap-2" aria-label={texts.cone}>
        {data.cone.map((one) => <ConeRange key={one.window} cone={one} low={low} high={high} />)}
      </ul>
      <p className="soft small">{texts.coneKey}</p>
      <EstimatorTable data={data} />
      <ResultNotesView result={data} />
    </>
  )
}

export const VolatilitySection = ({ coin }: { readonly coin: string }) => {
  const volatility = useToolQuery(volatilityQuery(coin))
  return <RequestView request={volatility}>{(data) => <VolatilityView data={data} />}</RequestView>
}
