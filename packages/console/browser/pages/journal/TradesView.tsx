import { NotebookPen, SearchX, StickyNote } from "lucide-react"
import { useMemo, useState } from "react"
import { usePaid } from "../../asking/usePaid.ts"
import { usePrices } from "../../asking/usePrices.ts"
import { Button } from "../../widgets/Button.tsx"
import { type DataColumn, DataTable } from "../../widgets/DataTable.tsx"
import { SearchInput } from "../../widgets/fields.tsx"
import { LinePlot } from "../../widgets/LinePlot.tsx"
import { InR, Made } from "../../widgets/Made.tsx"
import { Badge, Panel } from "../../widgets/parts.tsx"
import { Refresh } from "../../widgets/Refresh.tsx"
import { Empty, Skeleton } from "../../widgets/states.tsx"
import { Told } from "../../widgets/Told.tsx"
import { useFormats } from "../../words/formats.ts"
import { useNumbers } from "../../words/numbers.ts"
import { useWords } from "../../words/words.ts"
import { type History, historyAsk, type Trade } from "./asks.ts"
import styles from "./Journal.module.css"
import { earnedOver, looseNotes, notesOn } from "./journal.ts"
import { AddNoteDialog, NoteList, TradeNotesDialog } from "./notes.tsx"
import { PeriodChips, useDays } from "./PeriodChips.tsx"
import { SideBadge } from "./PositionsView.tsx"
import { tradeWords } from "./tradeWords.ts"

type Column = DataColumn<Trade>

const Name = ({ trade: { closed_at, coin, fraction, side } }: { readonly trade: Trade }) => {
  const says = useWords(tradeWords)
  const { moment, percent } = useFormats()
  return (
    <span className={styles["named"]}>
      <strong>{coin}</strong>
      <SideBadge side={side} />
      {fraction < 1 && <Badge>{says.part(percent(fraction * 100, 0))}</Badge>}
      <span className={styles["under"]}>{moment(closed_at)}</span>
    </span>
  )
}

const useColumns = (history: History, read: (trade: Trade) => void): ReadonlyArray<Column> => {
  const says = useWords(tradeWords)
  const { figure, time } = useNumbers()
  const { amount, compactUsd } = useFormats()
  return useMemo(() => {
    const number = (
      id: string,
      title: string,
      of: (row: Trade) => number | null,
      write: (value: number) => string
    ): Column => ({
      id,
      title,
      isNumber: true,
      isMinor: true,
      order: of,
      cell: (row) => {
        const value = of(row)
        return value === null ? <span className={styles["soft"]}>–</span> : write(value)
      }
    })
    const notesCount = (trade: Trade): number => notesOn(history, trade).length + (trade.notes === null ? 0 : 1)
    const columns: ReadonlyArray<Column> = [
      {
        id: "coin",
        title: says.coin,
        isHead: true,
        order: ({ coin }) => coin,
        cell: (trade) => <Name trade={trade} />
      },
      {
        id: "closed",
        title: says.closedAt,
        isMinor: true,
        order: ({ closed_at }) => Date.parse(closed_at),
        cell: ({ closed_at }) => <span className={styles["when"]}>{time(closed_at)}</span>
      },
      number("size", says.size, ({ size_usd }) => size_usd, compactUsd),
      number("entry", says.entry, ({ entry }) => entry, figure),
      number("exit", says.exit, ({ exit }) => exit, figure),
      number("fees", says.fees, ({ fees_usd }) => fees_usd, amount),
      { id: "r", title: "R", isNumber: true, order: ({ r }) => r, cell: ({ r }) => <InR r={r} /> },
      {
        id: "profit",
        title: says.profit,
        isNumber: true,
        order: ({ pnl_usd }) => pnl_usd,
        cell: ({ pnl_usd }) => <Made usd={pnl_usd} />
      },
      {
        id: "notes",
        title: says.notes,
        isNumber: true,
        order: notesCount,
        cell: (trade) => (
          <Button look="quiet" aria-label={says.notesOf(trade.coin)} onPress={() => read(trade)}>
            <StickyNote aria-hidden />
            {notesCount(trade) > 0 && notesCount(trade)}
          </Button>
        )
      }
    ]
    return columns
  }, [says, figure, time, amount, compactUsd, history, read])
}

const idOf = ({ id }: Trade): number => id

/** The trades of a period, with their cumulative profit. */
export const Trades = ({ history, read }: { readonly history: History; readonly read: (trade: Trade) => void }) => {
  const says = useWords(tradeWords)
  const [text, setText] = useState("")
  const columns = useColumns(history, read)
  const wanted = text.trim().toUpperCase()
  const found = useMemo(() => history.trades.filter(({ coin }) => coin.includes(wanted)), [history.trades, wanted])
  const earned = useMemo(() => earnedOver(found), [found])
  const { made } = useFormats()
  const older = history.total - history.trades.length
  return (
    <div className={styles["stack"]}>
      {earned.length > 1 && (
        <Panel>
          <LinePlot label={says.earned} points={earned} write={made} />
        </Panel>
      )}
      <Panel isFlush title={says.trades} aside={<SearchInput label={says.search} value={text} onChange={setText} />}>
        {found.length === 0
          ? <Empty icon={SearchX} title={says.noneFound}>{says.noneFoundMore}</Empty>
          : <DataTable label={says.trades} rows={found} columns={columns} rowId={idOf} />}
      </Panel>
      <p className={styles["soft"]}>{says.eachClose}</p>
      {older > 0 && <p className={styles["soft"]}>{says.older(older)}</p>}
    </div>
  )
}

const TradesAndNotes = ({ days, history }: { readonly history: History; readonly days: number }) => {
  const says = useWords(tradeWords)
  const canWrite = usePrices().has("add_journal_note")
  const [read, setRead] = useState<Trade>()
  const [isAdding, setIsAdding] = useState(false)
  const loose = looseNotes(history)
  return (
    <div className={styles["split"]}>
      {history.trades.length === 0
        ? (
          <Panel>
            <Empty icon={NotebookPen} title={says.none}>{says.noneMore}</Empty>
          </Panel>
        )
        : <Trades history={history} read={setRead} />}
      <Panel
        title={says.journalNotes}
        aside={canWrite && <Button onPress={() => setIsAdding(true)}>{says.addNote}</Button>}
      >
        {loose.length === 0
          ? <Empty icon={StickyNote} title={says.noNotes}>{says.noNotesMore}</Empty>
          : <NoteList notes={loose} />}
      </Panel>
      {read !== undefined && (
        <TradeNotesDialog
          key={read.id}
          days={days}
          trade={read}
          notes={notesOn(history, read)}
          canWrite={canWrite}
          onClose={() => setRead(undefined)}
        />
      )}
      {isAdding && <AddNoteDialog days={days} onClose={() => setIsAdding(false)} />}
    </div>
  )
}

/** The closed trades with their profit, and the notes of the same period. */
export const TradesView = () => {
  const days = useDays()
  const asked = usePaid(historyAsk(days))
  return (
    <div className={styles["view"]}>
      <div className={styles["bar"]}>
        <PeriodChips />
        <Refresh of={asked} tool="get_trade_history" />
      </div>
      <Told of={asked} waiting={<Skeleton lines={8} />}>
        {(history) => <TradesAndNotes key={days} days={days} history={history} />}
      </Told>
    </div>
  )
}
