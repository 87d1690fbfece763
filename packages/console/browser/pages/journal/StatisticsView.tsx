import { ChartNoAxesColumn } from "lucide-react"
import { useMemo } from "react"
import { usePaid } from "../../asking/usePaid.ts"
import { type DataColumn, DataTable } from "../../widgets/DataTable.tsx"
import { InR, Made } from "../../widgets/Made.tsx"
import { Figure, Figures, Panel } from "../../widgets/parts.tsx"
import { Refresh } from "../../widgets/Refresh.tsx"
import { Empty, Skeleton } from "../../widgets/states.tsx"
import { Told } from "../../widgets/Told.tsx"
import { useFormats } from "../../words/formats.ts"
import { useNumbers } from "../../words/numbers.ts"
import { useWords } from "../../words/words.ts"
import { type Statistics, statisticsAsk } from "./asks.ts"
import styles from "./Journal.module.css"
import { PeriodChips, useDays } from "./PeriodChips.tsx"
import { SideBadge } from "./PositionsView.tsx"
import { tradeWords } from "./tradeWords.ts"

type Group = Omit<Statistics["by_coin"][number], "coin">

const Numbers = ({ statistics }: { readonly statistics: Statistics }) => {
  const says = useWords(tradeWords)
  const { whole } = useNumbers()
  const { amount, percent, plain, times } = useFormats()
  const { average_loss_r, average_win_r, expectancy_r, fees_usd, n, n_judged, pnl_usd, profit_factor } = statistics
  const { streaks, wilson_high, wilson_low, win_rate, wins } = statistics
  const ofR = (r: number | null): string => r === null ? "–" : `${times(r)}R`
  const share = (rate: number | null): string => rate === null ? "–" : percent(rate * 100, 0)
  return (
    <Figures>
      <Figure name={says.profit} more={says.feesMore(amount(fees_usd))}>
        <Made usd={pnl_usd} />
      </Figure>
      <Figure name={says.positionsClosed}>{whole(n)}</Figure>
      <Figure
        name={says.winRate}
        more={wilson_low === null || wilson_high === null
          ? undefined
          : `${says.wins(whole(wins), whole(n_judged))} · ${says.between(share(wilson_low), share(wilson_high))}`}
      >
        {share(win_rate)}
      </Figure>
      <Figure name={says.expectancy} more={says.expectancyMore(ofR(average_win_r), ofR(average_loss_r))}>
        <InR r={expectancy_r} />
      </Figure>
      <Figure name={says.factor} more={says.factorMore}>
        {profit_factor === null ? "–" : plain(profit_factor)}
      </Figure>
      <Figure name={says.streak} more={says.streaks(whole(streaks.longest_win), whole(streaks.longest_loss))}>
        {streaks.current === 0
          ? "–"
          : streaks.current > 0
          ? says.streakWins(streaks.current)
          : says.streakLosses(-streaks.current)}
      </Figure>
    </Figures>
  )
}

const useGroupColumns = <A extends Group>(head: DataColumn<A>): ReadonlyArray<DataColumn<A>> => {
  const says = useWords(tradeWords)
  const { whole } = useNumbers()
  const { percent } = useFormats()
  return [
    { ...head, isHead: true },
    { id: "n", title: says.count, isNumber: true, order: ({ n }) => n, cell: ({ n }) => whole(n) },
    {
      id: "rate",
      title: says.winRate,
      isNumber: true,
      order: ({ win_rate }) => win_rate,
      cell: ({ win_rate }) => win_rate === null ? "–" : percent(win_rate * 100, 0)
    },
    {
      id: "r",
      title: says.expectancy,
      isNumber: true,
      isMinor: true,
      order: ({ expectancy_r }) => expectancy_r,
      cell: ({ expectancy_r }) => <InR r={expectancy_r} />
    },
    {
      id: "profit",
      title: says.profit,
      isNumber: true,
      order: ({ pnl_usd }) => pnl_usd,
      cell: ({ pnl_usd }) => <Made usd={pnl_usd} />
    }
  ]
}

type ByCoin = Statistics["by_coin"][number]
type BySide = Statistics["by_side"][number]

const coinOf = ({ coin }: ByCoin): string => coin
const sideOf = ({ side }: BySide): string => side

const Ends = ({ statistics: { best, worst } }: { readonly statistics: Statistics }) => {
  const says = useWords(tradeWords)
  const { moment } = useFormats()
  const rows = [[says.best, best], [says.worst, worst]] as const
  return (
    <Panel>
      <dl className={styles["results"]}>
        {rows.map(([name, row]) =>
          row !== null && (
            <div key={name}>
              <dt>{name} · {moment(row.closed_at)}</dt>
              <dd className={styles["named"]}>
                <strong>{row.coin}</strong>
                <SideBadge side={row.side} />
                <Made usd={row.pnl_usd} />
                <InR r={row.r} />
              </dd>
            </div>
          )
        )}
      </dl>
    </Panel>
  )
}

/** All statistics of the closed positions. */
export const All = ({ statistics }: { readonly statistics: Statistics }) => {
  const says = useWords(tradeWords)
  const byCoin = useGroupColumns(useMemo((): DataColumn<ByCoin> => ({
    id: "coin",
    title: says.coin,
    order: coinOf,
    cell: ({ coin }) => <strong>{coin}</strong>
  }), [says]))
  const bySide = useGroupColumns(useMemo((): DataColumn<BySide> => ({
    id: "side",
    title: says.side,
    order: sideOf,
    cell: ({ side }) => <SideBadge side={side} />
  }), [says]))
  if (statistics.n === 0) {
    return (
      <Panel>
        <Empty icon={ChartNoAxesColumn} title={says.noStatistics}>{says.noStatisticsMore}</Empty>
      </Panel>
    )
  }
  return (
    <>
      <Panel>
        <Numbers statistics={statistics} />
      </Panel>
      <div className={styles["halves"]}>
        <Panel isFlush title={says.byCoin}>
          <DataTable label={says.byCoin} rows={statistics.by_coin} columns={byCoin} rowId={coinOf} />
        </Panel>
        <div className={styles["stack"]}>
          <Panel isFlush title={says.bySide}>
            <DataTable label={says.bySide} rows={statistics.by_side} columns={bySide} rowId={sideOf} />
          </Panel>
          <Ends statistics={statistics} />
        </div>
      </div>
      <p className={styles["soft"]}>{says.wholePositions}</p>
      {statistics.notes.map((note) => <p key={note} className={styles["soft"]}>{note}</p>)}
    </>
  )
}

/** The statistics of the positions that were closed in a period. */
export const StatisticsView = () => {
  const days = useDays()
  const asked = usePaid(statisticsAsk(days))
  return (
    <div className={styles["view"]}>
      <div className={styles["bar"]}>
        <PeriodChips />
        <Refresh of={asked} tool="get_journal_stats" />
      </div>
      <Told of={asked} waiting={<Skeleton lines={8} />}>
        {(statistics) => <All statistics={statistics} />}
      </Told>
    </div>
  )
}
