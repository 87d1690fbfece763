import { NotebookPen, SearchX, StickyNote } from "lucide-react"
import { useMemo, useState } from "react"
import { useFormats } from "../../i18n/formats.ts"
import { useNumbers } from "../../i18n/numbers.ts"
import { useTexts } from "../../i18n/texts.ts"
import { usePrices } from "../../requests/catalogue.ts"
import { useToolQuery } from "../../requests/useToolQuery.ts"
import { Button } from "../../widgets/Button.tsx"
import { type DataColumn, DataTable, numberColumn } from "../../widgets/DataTable.tsx"
import { SearchInput } from "../../widgets/fields.tsx"
import { Badge, Panel } from "../../widgets/layout.tsx"
import { LinePlot } from "../../widgets/LinePlot.tsx"
import { ProfitLoss, RMultiple } from "../../widgets/ProfitLoss.tsx"
import { RefreshButton } from "../../widgets/RefreshButton.tsx"
import { RequestView } from "../../widgets/RequestView.tsx"
import { EmptyState, Skeleton } from "../../widgets/states.tsx"
import styles from "./Journal.module.css"
import { cumulativeProfit, generalNotes, notesOn } from "./journal.ts"
import { AddNoteDialog, NoteList, TradeNotesDialog } from "./notes.tsx"
import { PeriodChips, useDays } from "./PeriodChips.tsx"
import { SideBadge } from "./PositionsView.tsx"
import { type History, historyQuery, type Trade } from "./queries.ts"
import { tradeTexts } from "./tradeTexts.ts"

type Column = DataColumn<Trade>

const TradeName = ({ trade: { closed_at, coin, fraction, side } }: { readonly trade: Trade }) => {
  const texts = useTexts(tradeTexts)
  const { dayTime, percent } = useFormats()
  return (
    <span className={styles["named"]}>
      <strong className="bold">{coin}</strong>
      <SideBadge side={side} />
      {fraction < 1 && <Badge>{texts.part(percent(fraction * 100, 0))}</Badge>}
      <span className="narrow-only soft small">{dayTime(closed_at)}</span>
    </span>
  )
}

const useColumns = (history: History, onOpenTrade: (trade: Trade) => void): ReadonlyArray<Column> => {
  const texts = useTexts(tradeTexts)
  const { figure, time } = useNumbers()
  const { usd, compactUsd } = useFormats()
  return useMemo(() => {
    const notesCount = (trade: Trade): number => notesOn(history, trade).length + (trade.notes === null ? 0 : 1)
    const columns: ReadonlyArray<Column> = [
      {
        id: "coin",
        title: texts.coin,
        isHead: true,
        order: ({ coin }) => coin,
        cell: (trade) => <TradeName trade={trade} />
      },
      {
        id: "closed",
        title: texts.closedAt,
        isMinor: true,
        order: ({ closed_at }) => Date.parse(closed_at),
        cell: ({ closed_at }) => <span className="nowrap">{time(closed_at)}</span>
      },
      numberColumn("size", texts.size, ({ size_usd }) => size_usd, compactUsd, { isMinor: true }),
      numberColumn("entry", texts.entry, ({ entry }) => entry, figure, { isMinor: true }),
      numberColumn("exit", texts.exit, ({ exit }) => exit, figure, { isMinor: true }),
      numberColumn("fees", texts.fees, ({ fees_usd }) => fees_usd, usd, { isMinor: true }),
      numberColumn("r", "R", ({ r }) => r, (r) => <RMultiple r={r} />),
      numberColumn("profit", texts.profit, ({ pnl_usd }) => pnl_usd, (usd) => <ProfitLoss usd={usd} />),
      {
        id: "notes",
        title: texts.notes,
        isNumber: true,
        order: notesCount,
        cell: (trade) => (
          <Button
            variant="quiet"
            aria-label={texts.notesOf(trade.coin)}
            onPress={() => onOpenTrade(trade)}
          >
            <StickyNote aria-hidden />
            {notesCount(trade) > 0 && notesCount(trade)}
          </Button>
        )
      }
    ]
    return columns
  }, [texts, figure, time, usd, compactUsd, history, onOpenTrade])
}

const idOf = ({ id }: Trade): number => id

export const TradeList = (
  { history, onOpenTrade }: { readonly history: History; readonly onOpenTrade: (trade: Trade) => void }
) => {
  const texts = useTexts(tradeTexts)
  const [text, setText] = useState("")
  const columns = useColumns(history, onOpenTrade)
  const searchedTicker = text.trim().toUpperCase()
  const matches = useMemo(() => history.trades.filter(({ coin }) => coin.includes(searchedTicker)), [
    history.trades,
    searchedTicker
  ])
  const profitPoints = useMemo(() => cumulativeProfit(matches), [matches])
  const { signedUsd } = useFormats()
  const olderCount = history.total - history.trades.length
  return (
    <div className="column gap-4">
      {profitPoints.length > 1 && (
        <Panel>
          <LinePlot label={texts.cumulativeProfit} points={profitPoints} format={signedUsd} />
        </Panel>
      )}
      <Panel isFlush title={texts.trades} aside={<SearchInput label={texts.search} value={text} onChange={setText} />}>
        {matches.length === 0
          ? <EmptyState icon={SearchX} title={texts.noneFound}>{texts.noneFoundDetail}</EmptyState>
          : <DataTable label={texts.trades} rows={matches} columns={columns} rowId={idOf} />}
      </Panel>
      <p className="soft small">{texts.eachClose}</p>
      {olderCount > 0 && <p className="soft small">{texts.older(olderCount)}</p>}
    </div>
  )
}

const TradesAndNotes = ({ days, history }: { readonly history: History; readonly days: number }) => {
  const texts = useTexts(tradeTexts)
  const canWrite = usePrices().has("add_journal_note")
  const [openTrade, setOpenTrade] = useState<Trade>()
  const [isAdding, setIsAdding] = useState(false)
  const unlinkedNotes = generalNotes(history)
  return (
    <div className={styles["split"]}>
      {history.trades.length === 0
        ? (
          <Panel>
            <EmptyState icon={NotebookPen} title={texts.none}>{texts.noneDetail}</EmptyState>
          </Panel>
        )
        : <TradeList history={history} onOpenTrade={setOpenTrade} />}
      <Panel
        title={texts.journalNotes}
        aside={canWrite && <Button onPress={() => setIsAdding(true)}>{texts.addNote}</Button>}
      >
        {unlinkedNotes.length === 0
          ? <EmptyState icon={StickyNote} title={texts.noNotes}>{texts.noNotesDetail}</EmptyState>
          : <NoteList notes={unlinkedNotes} />}
      </Panel>
      {openTrade !== undefined && (
        <TradeNotesDialog
          key={openTrade.id}
          days={days}
          trade={openTrade}
          notes={notesOn(history, openTrade)}
          canWrite={canWrite}
          onClose={() => setOpenTrade(undefined)}
        />
      )}
      {isAdding && <AddNoteDialog days={days} onClose={() => setIsAdding(false)} />}
    </div>
  )
}

export const TradesView = () => {
  const days = useDays()
  const request = useToolQuery(historyQuery(days))
  return (
    <div className="column gap-3">
      <div className="row bottom wrap spread gap-3 gap-x-5">
        <PeriodChips />
        <RefreshButton request={request} tool="get_trade_history" />
      </div>
      <RequestView request={request} placeholder={<Skeleton lines={8} />}>
        {(history) => <TradesAndNotes key={days} days={days} history={history} />}
      </RequestView>
    </div>
  )
}
