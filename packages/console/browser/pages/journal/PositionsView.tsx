import { ChartCandlestick, Ellipsis, Eye, NotebookPen, Pencil, StickyNote, Trash2, X } from "lucide-react"
import { type ReactNode, useMemo, useState } from "react"
import { type Paid, usePaid } from "../../asking/usePaid.ts"
import { usePrices } from "../../asking/usePrices.ts"
import { filled } from "../../router/route.ts"
import { Button } from "../../widgets/Button.tsx"
import { Change } from "../../widgets/Change.tsx"
import { type DataColumn, DataTable } from "../../widgets/DataTable.tsx"
import { Made } from "../../widgets/Made.tsx"
import { Menu, MenuEntry } from "../../widgets/menus.tsx"
import { Notes } from "../../widgets/Notes.tsx"
import { Badge, Figure, Figures, Link, Panel } from "../../widgets/parts.tsx"
import { Refresh } from "../../widgets/Refresh.tsx"
import { Empty, Skeleton } from "../../widgets/states.tsx"
import { Told } from "../../widgets/Told.tsx"
import { useAgo } from "../../words/ago.ts"
import { useFormats } from "../../words/formats.ts"
import { useNumbers } from "../../words/numbers.ts"
import { useNow } from "../../words/useNow.ts"
import { useWords } from "../../words/words.ts"
import { watchHref } from "../tasks/links.ts"
import { type Position, type Positions, positionsAsk } from "./asks.ts"
import { CloseDialog } from "./CloseDialog.tsx"
import { DeleteDialog } from "./DeleteDialog.tsx"
import styles from "./Journal.module.css"
import { totalsOf } from "./journal.ts"
import { PositionDialog } from "./PositionDialog.tsx"
import { journalWords } from "./words.ts"

/** The open dialog, and its position. */
interface Act {
  readonly what: "change" | "close" | "delete"
  readonly position: Position
}

export const SideBadge = ({ side }: Pick<Position, "side">) => {
  const says = useWords(journalWords)
  return <span className={styles[side]}>{says[side]}</span>
}

const Totals = ({ positions }: Pick<Positions, "positions">) => {
  const says = useWords(journalWords)
  const { whole } = useNumbers()
  const { compactUsd } = useFormats()
  const { long, profit, short, unprotected, unvalued } = totalsOf(positions)
  return (
    <Figures>
      <Figure name={says.unrealised} more={unvalued === 0 ? undefined : says.unvalued(unvalued)}>
        <Made usd={profit} />
      </Figure>
      <Figure name={says.gross} more={says.sides(compactUsd(long), compactUsd(short))}>
        {compactUsd(long + short)}
      </Figure>
      <Figure name={says.net}>{compactUsd(long - short)}</Figure>
      <Figure name={says.unprotected} more={says.ofAll(whole(positions.length))}>
        <span className={unprotected > 0 ? styles["warn"] : ""}>{whole(unprotected)}</span>
      </Figure>
    </Figures>
  )
}

const Name = ({ position }: { readonly position: Position }) => {
  const says = useWords(journalWords)
  const { figure } = useNumbers()
  const { compactUsd, percent } = useFormats()
  const { coin, entry, leverage, notes, open_share, side, size_usd } = position
  return (
    <span className={styles["named"]}>
      <Link href={filled("/market/:coin", { coin })}>
        <strong>{coin}</strong>
      </Link>
      <SideBadge side={side} />
      {leverage !== null && <span className={styles["soft"]}>{figure(leverage)}×</span>}
      {notes !== null && (
        <span title={notes} className={styles["noted"]}>
          <StickyNote role="img" aria-label={says.noted} />
        </span>
      )}
      {open_share < 1 && <Badge>{says.part(percent(open_share * 100, 0))}</Badge>}
      <span className={styles["under"]}>
        {size_usd === null ? "–" : compactUsd(size_usd)} · {entry === null ? "–" : figure(entry)}
      </span>
    </span>
  )
}

const Two = ({ children, more }: { readonly children: ReactNode; readonly more: ReactNode }) => (
  <span className={styles["two"]}>
    <span>{children}</span>
    <span className={styles["soft"]}>{more}</span>
  </span>
)

type Column = DataColumn<Position>

/** A column of numbers, which a narrow screen hides. */
const number = (
  id: string,
  title: string,
  of: (row: Position) => number | null,
  write: (value: number, row: Position) => ReactNode
): Column => ({
  id,
  title,
  isNumber: true,
  isMinor: true,
  order: of,
  cell: (row) => {
    const value = of(row)
    return value === null ? <span className={styles["soft"]}>–</span> : write(value, row)
  }
})

/** The target nearest to the entry. Null if the position has no target. */
const nextTarget = ({ side, takes }: Position): number | null =>
  takes.length === 0 ? null : side === "long" ? Math.min(...takes) : Math.max(...takes)

const useNumberColumns = (): ReadonlyArray<Column> => {
  const says = useWords(journalWords)
  const { figure } = useNumbers()
  const { compactUsd, percent } = useFormats()
  return useMemo(() => [
    number("size", says.size, ({ size_usd }) => size_usd, compactUsd),
    number("entry", says.entry, ({ entry }) => entry, figure),
    number("mark", says.mark, ({ mark }) => mark, figure),
    {
      ...number("stop", says.stop, ({ stop }) => stop, figure),
      cell: ({ mark, stop }) =>
        stop === null
          ? <span className={styles["warn"]}>{says.noStop}</span>
          : <Two more={mark === null ? "" : says.away(percent(Math.abs(stop - mark) / mark * 100))}>{figure(stop)}</Two>
    },
    number("target", says.target, nextTarget, (target, { mark, takes }) => (
      <Two
        more={[
          ...(mark === null ? [] : [says.away(percent(Math.abs(target - mark) / mark * 100))]),
          ...(takes.length > 1 ? [says.targetsMore(takes.length - 1)] : [])
        ].join(" · ")}
      >
        {figure(target)}
      </Two>
    )),
    number(
      "liquidation",
      says.liquidation,
      ({ liquidation_price }) => liquidation_price,
      (price, { liquidation_distance_pct: distance }) => (
        <Two more={distance === null ? "" : distance < 0 ? says.passed : says.away(percent(distance))}>
          {figure(price)}
        </Two>
      )
    )
  ], [says, figure, compactUsd, percent])
}

const useColumns = (): ReadonlyArray<Column> => {
  const says = useWords(journalWords)
  const numbers = useNumberColumns()
  const ago = useAgo()
  const now = useNow()
  return useMemo((): ReadonlyArray<Column> => [
    {
      id: "coin",
      title: says.coin,
      isHead: true,
      order: ({ coin }) => coin,
      cell: (position) => <Name position={position} />
    },
    {
      id: "profit",
      title: says.profit,
      isNumber: true,
      order: ({ unrealised_usd }) => unrealised_usd,
      cell: ({ unrealised_pct, unrealised_usd }) => (
        <Two more={unrealised_pct === null ? "" : <Change pct={unrealised_pct} isArrow={false} />}>
          <Made usd={unrealised_usd} />
        </Two>
      )
    },
    ...numbers,
    {
      id: "opened",
      title: says.opened,
      isMinor: true,
      order: ({ opened_at }) => Date.parse(opened_at),
      cell: ({ opened_at }) => <span className={styles["when"]}>{ago(opened_at, now)}</span>
    }
  ], [says, numbers, ago, now])
}

const Actions = ({ act, canWatch, position }: {
  readonly position: Position
  readonly act: (what: Act["what"]) => void
  readonly canWatch: boolean
}) => {
  const says = useWords(journalWords)
  return (
    <span className={styles["actions"]}>
      <span className={styles["wide"]}>
        <Button aria-label={says.closeOf(position.coin)} onPress={() => act("close")}>{says.close}</Button>
      </span>
      <Menu
        label={says.more(position.coin)}
        button={
          <Button look="quiet" isSquare aria-label={says.more(position.coin)}>
            <Ellipsis aria-hidden />
          </Button>
        }
      >
        <MenuEntry icon={<X aria-hidden />} onAction={() => act("close")}>{says.close}</MenuEntry>
        <MenuEntry icon={<Pencil aria-hidden />} onAction={() => act("change")}>{says.change}</MenuEntry>
        {canWatch && <MenuEntry icon={<Eye aria-hidden />} href={watchHref(position)}>{says.watch}</MenuEntry>}
        <MenuEntry icon={<ChartCandlestick aria-hidden />} href={filled("/market/:coin", { coin: position.coin })}>
          {says.chart}
        </MenuEntry>
        <MenuEntry icon={<Trash2 aria-hidden />} onAction={() => act("delete")}>{says.remove}</MenuEntry>
      </Menu>
    </span>
  )
}

const idOf = ({ id }: Position): number => id

const Table = ({ act, positions }: {
  readonly positions: ReadonlyArray<Position>
  readonly act: (act: Act) => void
}) => {
  const says = useWords(journalWords)
  const prices = usePrices()
  const columns = useColumns()
  const canWrite = prices.has("set_position")
  const canWatch = prices.has("create_task")
  const all = useMemo((): ReadonlyArray<DataColumn<Position>> =>
    !canWrite ? columns : [
      ...columns,
      {
        id: "actions",
        title: says.actions,
        isNumber: true,
        cell: (position) => <Actions position={position} canWatch={canWatch} act={(what) => act({ what, position })} />
      }
    ], [columns, says, canWrite, canWatch, act])
  return <DataTable label={says.positions} rows={positions} columns={all} rowId={idOf} />
}

const Doing = ({ act: { position, what }, onClose, profile }: {
  readonly act: Act
  readonly profile: Positions["risk_profile"]
  readonly onClose: () => void
}) =>
  what === "close"
    ? <CloseDialog key={position.id} of={position} onClose={onClose} />
    : what === "delete"
    ? <DeleteDialog key={position.id} of={position} onClose={onClose} />
    : <PositionDialog key={position.id} of={position} profile={profile} onClose={onClose} />

/** The open positions at the newest prices, and the actions on them. */
export const PositionsView = ({ record }: { readonly record: (() => void) | undefined }) => {
  const says = useWords(journalWords)
  const asked: Paid<Positions> = usePaid(positionsAsk)
  const [act, setAct] = useState<Act>()
  return (
    <Told of={asked} waiting={<Skeleton lines={8} />}>
      {(told) => (
        <div className={styles["view"]}>
          <div className={styles["bar"]}>
            {told.positions.length > 0 && <Totals positions={told.positions} />}
            <Refresh of={asked} tool={positionsAsk.tool} />
          </div>
          <Panel isFlush>
            {told.positions.length === 0
              ? (
                <Empty
                  icon={NotebookPen}
                  title={says.none}
                  action={record !== undefined && <Button onPress={record}>{says.record}</Button>}
                >
                  {says.noneMore}
                </Empty>
              )
              : <Table positions={told.positions} act={setAct} />}
          </Panel>
          {told.positions.length > 0 && <Notes of={told} />}
          {act !== undefined && <Doing act={act} profile={told.risk_profile} onClose={() => setAct(undefined)} />}
        </div>
      )}
    </Told>
  )
}
