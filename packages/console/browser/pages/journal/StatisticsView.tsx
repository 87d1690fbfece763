import { ChartNoAxesColumn } from "lucide-react"
import { useMemo } from "react"
import { useFormats } from "../../i18n/formats.ts"
import { useNumbers } from "../../i18n/numbers.ts"
import { useTexts } from "../../i18n/texts.ts"
import { useToolQuery } from "../../requests/useToolQuery.ts"
import { type DataColumn, DataTable, numberColumn } from "../../widgets/DataTable.tsx"
import { Figure, Figures, Panel } from "../../widgets/layout.tsx"
import { ProfitLoss, RMultiple } from "../../widgets/ProfitLoss.tsx"
import { RefreshButton } from "../../widgets/RefreshButton.tsx"
import { RequestView } from "../../widgets/RequestView.tsx"
import { EmptyState, Skeleton } from "../../widgets/states.tsx"
import styles from "./Journal.module.css"
import { PeriodChips, useDays } from "./PeriodChips.tsx"
import { SideBadge } from "./PositionsView.tsx"
import { type Statistics, statisticsQuery } from "./queries.ts"
import { tradeTexts } from "./tradeTexts.ts"

type StatisticsGroup = Omit<Statistics["by_coin"][number], "coin">

const StatisticFigures = ({ statistics }: { readonly statistics: Statistics }) => {
  const texts = useTexts(tradeTexts)
  const { integer } = useNumbers()
  const { usd, percent, decimal, signedMultiple } = useFormats()
  const { average_loss_r, average_win_r, expectancy_r, fees_usd, n, n_judged, pnl_usd, profit_factor } = statistics
  const { streaks, wilson_high, wilson_low, win_rate, wins } = statistics
  const formatR = (r: number | null): string => r === null ? "–" : `${signedMultiple(r)}R`
  const formatRate = (rate: number | null): string => rate === null ? "–" : percent(rate * 100, 0)
  return (
    <Figures>
      <Figure name={texts.profit} detail={texts.feesDetail(usd(fees_usd))}>
        <ProfitLoss usd={pnl_usd} />
      </Figure>
      <Figure name={texts.positionsClosed}>{integer(n)}</Figure>
      <Figure
        name={texts.winRate}
        detail={wilson_low === null || wilson_high === null
          ? undefined
          : `${texts.wins(integer(wins), integer(n_judged))} · ${
            texts.between(formatRate(wilson_low), formatRate(wilson_high))
          }`}
      >
        {formatRate(win_rate)}
      </Figure>
      <Figure name={texts.expectancy} detail={texts.expectancyDetail(formatR(average_win_r), formatR(average_loss_r))}>
        <RMultiple r={expectancy_r} />
      </Figure>
      <Figure name={texts.profitFactor} detail={texts.profitFactorDetail}>
        {profit_factor === null ? "–" : decimal(profit_factor)}
      </Figure>
      <Figure name={texts.streak} detail={texts.streaks(integer(streaks.longest_win), integer(streaks.longest_loss))}>
        {streaks.current === 0
          ? "–"
          : streaks.current > 0
          ? texts.streakWins(streaks.current)
          : texts.streakLosses(-streaks.current)}
      </Figure>
    </Figures>
  )
}

const useGroupColumns = <A extends StatisticsGroup>(nameColumn: DataColumn<A>): ReadonlyArray<DataColumn<A>> => {
  const texts = useTexts(tradeTexts)
  const { integer } = useNumbers()
  const { percent } = useFormats()
  return [
    { ...nameColumn, isHead: true },
    numberColumn("n", texts.count, ({ n }) => n, integer),
    numberColumn("rate", texts.winRate, ({ win_rate }) => win_rate, (value) => percent(value * 100, 0)),
    numberColumn("r", texts.expectancy, ({ expectancy_r }) => expectancy_r, (r) => <RMultiple r={r} />, {
      isMinor: true
    }),
    numberColumn("profit", texts.profit, ({ pnl_usd }) => pnl_usd, (usd) => <ProfitLoss usd={usd} />)
  ]
}

type ByCoin = Statistics["by_coin"][number]
type BySide = Statistics["by_side"][number]

const coinOf = ({ coin }: ByCoin): string => coin
const sideOf = ({ side }: BySide): string => side

const BestAndWorst = ({ statistics: { best, worst } }: { readonly statistics: Statistics }) => {
  const texts = useTexts(tradeTexts)
  const { dayTime } = useFormats()
  const rows = [[texts.best, best], [texts.worst, worst]] as const
  return (
    <Panel>
      <dl className={styles["results"]}>
        {rows.map(([name, row]) =>
          row !== null && (
            <div key={name}>
              <dt>{name} · {dayTime(row.closed_at)}</dt>
              <dd className={styles["named"]}>
                <strong className="bold">{row.coin}</strong>
                <SideBadge side={row.side} />
                <ProfitLoss usd={row.pnl_usd} />
                <RMultiple r={row.r} />
              </dd>
            </div>
          )
        )}
      </dl>
    </Panel>
  )
}

export const StatisticsContent = ({ statistics }: { readonly statistics: Statistics }) => {
  const texts = useTexts(tradeTexts)
  const byCoin = useGroupColumns(useMemo((): DataColumn<ByCoin> => ({
    id: "coin",
    title: texts.coin,
    order: coinOf,
    cell: ({ coin }) => <strong>{coin}</strong>
  }), [texts]))
  const bySide = useGroupColumns(useMemo((): DataColumn<BySide> => ({
    id: "side",
    title: texts.side,
    order: sideOf,
    cell: ({ side }) => <SideBadge side={side} />
  }), [texts]))
  if (statistics.n === 0) {
    return (
      <Panel>
        <EmptyState icon={ChartNoAxesColumn} title={texts.noStatistics}>{texts.noStatisticsDetail}</EmptyState>
      </Panel>
    )
  }
  return (
    <>
      <Panel>
        <StatisticFigures statistics={statistics} />
      </Panel>
      <div className={styles["halves"]}>
        <Panel isFlush title={texts.byCoin}>
          <DataTable label={texts.byCoin} rows={statistics.by_coin} columns={byCoin} rowId={coinOf} />
        </Panel>
        <div className="column gap-4">
          <Panel isFlush title={texts.bySide}>
            <DataTable label={texts.bySide} rows={statistics.by_side} columns={bySide} rowId={sideOf} />
          </Panel>
          <BestAndWorst statistics={statistics} />
        </div>
      </div>
      <p className="soft small">{texts.wholePositions}</p>
      {statistics.notes.map((note) => <p key={note} className="soft small">{note}</p>)}
    </>
  )
}

export const StatisticsView = () => {
  const days = useDays()
  const request = useToolQuery(statisticsQuery(days))
  return (
    <div className="column gap-3">
      <div className="row bottom wrap spread gap-3 gap-x-5">
        <PeriodChips />
        <RefreshButton request={request} tool="get_journal_stats" />
      </div>
      <RequestView request={request} placeholder={<Skeleton lines={8} />}>
        {(statistics) => <StatisticsContent statistics={statistics} />}
      </RequestView>
    </div>
  )
}
