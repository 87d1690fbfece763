import { ShieldCheck } from "lucide-react"
import { useState } from "react"
import { useHeld, usePaid } from "../../asking/usePaid.ts"
import { usePriced } from "../../asking/usePriced.ts"
import { Button } from "../../widgets/Button.tsx"
import { type DataColumn, DataTable } from "../../widgets/DataTable.tsx"
import { Notes } from "../../widgets/Notes.tsx"
import { Figure, Figures, Panel } from "../../widgets/parts.tsx"
import { Refresh } from "../../widgets/Refresh.tsx"
import { Empty, Skeleton } from "../../widgets/states.tsx"
import { Told } from "../../widgets/Told.tsx"
import { useFormats } from "../../words/formats.ts"
import { useNumbers } from "../../words/numbers.ts"
import { useWords } from "../../words/words.ts"
import { type PortfolioRisk, portfolioRiskAsk } from "./asks.ts"
import styles from "./Journal.module.css"
import { riskWords } from "./riskWords.ts"

type Row = PortfolioRisk["concentration"][number]

const coinOf = ({ coin }: Row): string => coin

const Numbers = ({ of: risk }: { readonly of: PortfolioRisk }) => {
  const says = useWords(riskWords)
  const { whole } = useNumbers()
  const { amount, compactUsd, percent } = useFormats()
  const { nearest_liquidation: nearest, open_risk_pct, open_risk_usd, var_95_usd } = risk
  return (
    <Figures>
      <Figure name={says.gross}>{compactUsd(risk.gross_usd)}</Figure>
      <Figure name={says.net}>{compactUsd(risk.net_usd)}</Figure>
      <Figure
        name={says.openRisk}
        more={open_risk_pct === null ? undefined : says.openRiskOf(percent(open_risk_pct))}
      >
        {open_risk_usd === null ? "–" : amount(open_risk_usd)}
      </Figure>
      <Figure name={says.var} more={says.varMore(whole(risk.var_n))}>
        {var_95_usd === null ? "–" : amount(var_95_usd)}
      </Figure>
      <Figure name={says.nearest} more={nearest === null ? undefined : says.away(percent(nearest.distance_pct))}>
        {nearest === null ? "–" : nearest.coin}
      </Figure>
      <Figure name={says.unprotected}>
        <span className={risk.unprotected.length > 0 ? styles["warn"] : ""}>{whole(risk.unprotected.length)}</span>
      </Figure>
    </Figures>
  )
}

const useColumns = (): ReadonlyArray<DataColumn<Row>> => {
  const says = useWords(riskWords)
  const { compactUsd, percent } = useFormats()
  return [
    { id: "coin", title: says.coin, isHead: true, order: coinOf, cell: ({ coin }) => <strong>{coin}</strong> },
    {
      id: "gross",
      title: says.gross,
      isNumber: true,
      order: ({ gross_usd }) => gross_usd,
      cell: ({ gross_usd }) => compactUsd(gross_usd)
    },
    {
      id: "net",
      title: says.net,
      isNumber: true,
      isMinor: true,
      order: ({ net_usd }) => net_usd,
      cell: ({ net_usd }) => compactUsd(net_usd)
    },
    {
      id: "share",
      title: says.share,
      isNumber: true,
      order: ({ share_pct }) => share_pct,
      cell: ({ share_pct }) => (
        <span className={styles["share"]}>
          <span className={styles["track"]} aria-hidden>
            <span className={styles["filled"]} style={{ width: `${share_pct}%` }} />
          </span>
          {percent(share_pct, 0)}
        </span>
      )
    }
  ]
}

const All = ({ of: risk }: { readonly of: PortfolioRisk }) => {
  const says = useWords(riskWords)
  const { plain } = useFormats()
  const columns = useColumns()
  if (risk.n === 0) return <Empty icon={ShieldCheck} title={says.none} />
  return (
    <div className={styles["stack"]}>
      <Numbers of={risk} />
      <DataTable label={says.concentration} rows={risk.concentration} columns={columns} rowId={coinOf} />
      {risk.correlated.length > 0 && (
        <div>
          <h3>{says.together}</h3>
          <ul>
            {risk.correlated.map(({ coins, correlation }) => (
              <li key={coins.join()}>{says.pair(coins.join(" · "), plain(correlation))}</li>
            ))}
          </ul>
        </div>
      )}
      {risk.correlation_warning !== null && <p className={styles["warnings"]}>{risk.correlation_warning}</p>}
      <Notes of={risk} />
    </div>
  )
}

/** The risk of all open positions together, requested on demand. */
export const PortfolioPanel = () => {
  const says = useWords(riskWords)
  const priced = usePriced()
  const isHeld = useHeld()
  const [isOpen, setIsOpen] = useState(() => isHeld(portfolioRiskAsk))
  const asked = usePaid(portfolioRiskAsk, { isIdle: !isOpen })
  return (
    <Panel
      title={says.portfolio}
      aside={isOpen
        ? <Refresh look="quiet" of={asked} tool={portfolioRiskAsk.tool} />
        : <Button onPress={() => setIsOpen(true)}>{priced(says.ask, portfolioRiskAsk.tool)}</Button>}
    >
      {isOpen
        ? <Told of={asked} waiting={<Skeleton lines={6} />}>{(risk) => <All of={risk} />}</Told>
        : <p className={styles["soft"]}>{says.portfolioMore}</p>}
    </Panel>
  )
}
