import { ShieldCheck } from "lucide-react"
import { useState } from "react"
import { useFormats } from "../../i18n/formats.ts"
import { useNumbers } from "../../i18n/numbers.ts"
import { useTexts } from "../../i18n/texts.ts"
import { usePricedLabel } from "../../requests/catalogue.ts"
import { useIsCached, useToolQuery } from "../../requests/useToolQuery.ts"
import { Button } from "../../widgets/Button.tsx"
import { type DataColumn, DataTable, numberColumn } from "../../widgets/DataTable.tsx"
import { Figure, Figures, Panel } from "../../widgets/layout.tsx"
import { RefreshButton } from "../../widgets/RefreshButton.tsx"
import { RequestView } from "../../widgets/RequestView.tsx"
import { ResultNotesView } from "../../widgets/ResultNotesView.tsx"
import { EmptyState, Skeleton } from "../../widgets/states.tsx"
import styles from "./Journal.module.css"
import { type PortfolioRisk, portfolioRiskQuery } from "./queries.ts"
import { riskTexts } from "./riskTexts.ts"

type ConcentrationRow = PortfolioRisk["concentration"][number]

const coinOf = ({ coin }: ConcentrationRow): string => coin

const RiskFigures = ({ risk }: { readonly risk: PortfolioRisk }) => {
  const texts = useTexts(riskTexts)
  const { integer } = useNumbers()
  const { usd, compactUsd, percent } = useFormats()
  const { nearest_liquidation: nearest, open_risk_pct, open_risk_usd, var_95_usd } = risk
  return (
    <Figures>
      <Figure name={texts.gross}>{compactUsd(risk.gross_usd)}</Figure>
      <Figure name={texts.net}>{compactUsd(risk.net_usd)}</Figure>
      <Figure
        name={texts.openRisk}
        detail={open_risk_pct === null ? undefined : texts.openRiskOf(percent(open_risk_pct))}
      >
        {open_risk_usd === null ? "–" : usd(open_risk_usd)}
      </Figure>
      <Figure name={texts.var} detail={texts.varDetail(integer(risk.var_n))}>
        {var_95_usd === null ? "–" : usd(var_95_usd)}
      </Figure>
      <Figure name={texts.nearest} detail={nearest === null ? undefined : texts.away(percent(nearest.distance_pct))}>
        {nearest === null ? "–" : nearest.coin}
      </Figure>
      <Figure name={texts.unprotected}>
        <span className={risk.unprotected.length > 0 ? "tape" : ""}>{integer(risk.unprotected.length)}</span>
      </Figure>
    </Figures>
  )
}

const useColumns = (): ReadonlyArray<DataColumn<ConcentrationRow>> => {
  const texts = useTexts(riskTexts)
  const { compactUsd, percent } = useFormats()
  return [
    { id: "coin", title: texts.coin, isHead: true, order: coinOf, cell: ({ coin }) => <strong>{coin}</strong> },
    numberColumn("gross", texts.gross, ({ gross_usd }) => gross_usd, compactUsd),
    numberColumn("net", texts.net, ({ net_usd }) => net_usd, compactUsd, { isMinor: true }),
    numberColumn("share", texts.share, ({ share_pct }) => share_pct, (value) => (
      <span className={styles["share"]}>
        <span className={styles["track"]} aria-hidden>
          <span className={styles["filled"]} style={{ width: `${value}%` }} />
        </span>
        {percent(value, 0)}
      </span>
    ))
  ]
}

const PortfolioRiskView = ({ risk }: { readonly risk: PortfolioRisk }) => {
  const texts = useTexts(riskTexts)
  const { decimal } = useFormats()
  const columns = useColumns()
  if (risk.n === 0) return <EmptyState icon={ShieldCheck} title={texts.none} />
  return (
    <div className="column gap-4">
      <RiskFigures risk={risk} />
      <DataTable label={texts.concentration} rows={risk.concentration} columns={columns} rowId={coinOf} />
      {risk.correlated.length > 0 && (
        <div>
          <h3>{texts.correlated}</h3>
          <ul>
            {risk.correlated.map(({ coins, correlation }) => (
              <li key={coins.join()}>{texts.pair(coins.join(" · "), decimal(correlation))}</li>
            ))}
          </ul>
        </div>
      )}
      {risk.correlation_warning !== null && <p className={styles["warnings"]}>{risk.correlation_warning}</p>}
      <ResultNotesView result={risk} />
    </div>
  )
}

export const PortfolioPanel = () => {
  const texts = useTexts(riskTexts)
  const pricedLabel = usePricedLabel()
  const isCached = useIsCached()
  const [isOpen, setIsOpen] = useState(() => isCached(portfolioRiskQuery))
  const request = useToolQuery(portfolioRiskQuery, { isDisabled: !isOpen })
  return (
    <Panel
      title={texts.portfolio}
      aside={isOpen
        ? <RefreshButton variant="quiet" request={request} tool={portfolioRiskQuery.tool} />
        : <Button onPress={() => setIsOpen(true)}>{pricedLabel(texts.ask, portfolioRiskQuery.tool)}</Button>}
    >
      {isOpen
        ? (
          <RequestView request={request} placeholder={<Skeleton lines={6} />}>
            {(risk) => <PortfolioRiskView risk={risk} />}
          </RequestView>
        )
        : <p className="soft small">{texts.portfolioDetail}</p>}
    </Panel>
  )
}
