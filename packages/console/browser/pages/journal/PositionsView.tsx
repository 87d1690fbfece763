import { ChartCandlestick, Ellipsis, Eye, NotebookPen, Pencil, StickyNote, Trash2, X } from "lucide-react"
import { type ReactNode, useMemo, useState } from "react"
import { useNow } from "../../i18n/clock.ts"
import { useFormats } from "../../i18n/formats.ts"
import { useNumbers } from "../../i18n/numbers.ts"
import { useRelativeTime } from "../../i18n/relativeTime.ts"
import { useTexts } from "../../i18n/texts.ts"
import { usePrices } from "../../requests/catalogue.ts"
import { type ToolQueryState, useToolQuery } from "../../requests/useToolQuery.ts"
import { fillPath } from "../../router/route.ts"
import { Button } from "../../widgets/Button.tsx"
import { Change } from "../../widgets/Change.tsx"
import { actionsColumn, type DataColumn, DataTable, numberColumn } from "../../widgets/DataTable.tsx"
import { Badge, Figure, Figures, Link, Panel } from "../../widgets/layout.tsx"
import { Menu, MenuEntry } from "../../widgets/menus.tsx"
import { ProfitLoss } from "../../widgets/ProfitLoss.tsx"
import { RefreshButton } from "../../widgets/RefreshButton.tsx"
import { RequestView } from "../../widgets/RequestView.tsx"
import { ResultNotesView } from "../../widgets/ResultNotesView.tsx"
import { EmptyState, Skeleton } from "../../widgets/states.tsx"
import { newWatchHref } from "../tasks/links.ts"
import { CloseDialog } from "./CloseDialog.tsx"
import { DeleteDialog } from "./DeleteDialog.tsx"
import styles from "./Journal.module.css"
import { computeTotals } from "./journal.ts"
import { PositionDialog } from "./PositionDialog.tsx"
import { type Position, type Positions, positionsQuery } from "./queries.ts"
import { journalTexts } from "./texts.ts"

interface OpenDialog {
  readonly kind: "change" | "close" | "delete"
  readonly position: Position
}

export const SideBadge = ({ side }: Pick<Position, "side">) => {
  const texts = useTexts(journalTexts)
  return <span className={`bold small ${side === "long" ? "up" : "down"}`}>{texts[side]}</span>
}

const PositionTotals = ({ positions }: Pick<Positions, "positions">) => {
  const texts = useTexts(journalTexts)
  const { integer } = useNumbers()
  const { compactUsd } = useFormats()
  const { long, profit, short, withoutStop, withoutPrice } = computeTotals(positions)
  return (
    <Figures>
      <Figure name={texts.unrealised} detail={withoutPrice === 0 ? undefined : texts.unvalued(withoutPrice)}>
        <ProfitLoss usd={profit} />
      </Figure>
      <Figure name={texts.gross} detail={texts.sides(compactUsd(long), compactUsd(short))}>
        {compactUsd(long + short)}
      </Figure>
      <Figure name={texts.net}>{compactUsd(long - short)}</Figure>
      <Figure name={texts.unprotected} detail={texts.ofAll(integer(positions.length))}>
        <span className={withoutStop > 0 ? "tape" : ""}>{integer(withoutStop)}</span>
      </Figure>
    </Figures>
  )
}

const PositionName = ({ position }: { readonly position: Position }) => {
  const texts = useTexts(journalTexts)
  const { figure } = useNumbers()
  const { compactUsd, percent } = useFormats()
  const { coin, entry, leverage, notes, open_share, side, size_usd } = position
  return (
    <span className={styles["named"]}>
      <Link href={fillPath("/market/:coin", { coin })}>
        <strong className="bold">{coin}</strong>
      </Link>
      <SideBadge side={side} />
      {leverage !== null && <span className="soft small">{figure(leverage)}×</span>}
      {notes !== null && (
        <span title={notes} className={styles["noted"]}>
          <StickyNote role="img" aria-label={texts.hasNotes} size={13} />
        </span>
      )}
      {open_share < 1 && <Badge>{texts.part(percent(open_share * 100, 0))}</Badge>}
      <span className="narrow-only soft small">
        {size_usd === null ? "–" : compactUsd(size_usd)} · {entry === null ? "–" : figure(entry)}
      </span>
    </span>
  )
}

const TwoLines = ({ children, detail }: { readonly children: ReactNode; readonly detail: ReactNode }) => (
  <span className={styles["two"]}>
    <span>{children}</span>
    <span className="soft small">{detail}</span>
  </span>
)

type Column = DataColumn<Position>

/** Returns the target price nearest to the entry; null if the position has no target. */
const nearestTarget = ({ side, takes }: Position): number | null =>
  takes.length === 0 ? null : side === "long" ? Math.min(...takes) : Math.max(...takes)

const useNumberColumns = (): ReadonlyArray<Column> => {
  const texts = useTexts(journalTexts)
  const { figure } = useNumbers()
  const { compactUsd, percent } = useFormats()
  return useMemo(() => [
    numberColumn("size", texts.size, ({ size_usd }) => size_usd, compactUsd, { isMinor: true }),
    numberColumn("entry", texts.entry, ({ entry }) => entry, figure, { isMinor: true }),
    numberColumn("mark", texts.mark, ({ mark }) => mark, figure, { isMinor: true }),
    {
      ...numberColumn("stop", texts.stop, ({ stop }) => stop, figure, { isMinor: true }),
      cell: ({ mark, stop }) =>
        stop === null
          ? <span className="tape">{texts.noStop}</span>
          : (
            <TwoLines detail={mark === null ? "" : texts.away(percent(Math.abs(stop - mark) / mark * 100))}>
              {figure(stop)}
            </TwoLines>
          )
    },
    numberColumn("target", texts.target, nearestTarget, (target, { mark, takes }) => (
      <TwoLines
        detail={[
          ...(mark === null ? [] : [texts.away(percent(Math.abs(target - mark) / mark * 100))]),
          ...(takes.length > 1 ? [texts.targetsDetail(takes.length - 1)] : [])
        ].join(" · ")}
      >
        {figure(target)}
      </TwoLines>
    ), { isMinor: true }),
    numberColumn(
      "liquidation",
      texts.liquidation,
      ({ liquidation_price }) => liquidation_price,
      (price, { liquidation_distance_pct: distance }) => (
        <TwoLines detail={distance === null ? "" : distance < 0 ? texts.passed : texts.away(percent(distance))}>
          {figure(price)}
        </TwoLines>
      ),
      { isMinor: true }
    )
  ], [texts, figure, compactUsd, percent])
}

const useColumns = (): ReadonlyArray<Column> => {
  const texts = useTexts(journalTexts)
  const numbers = useNumberColumns()
  const ago = useRelativeTime()
  const now = useNow()
  return useMemo((): ReadonlyArray<Column> => [
    {
      id: "coin",
      title: texts.coin,
      isHead: true,
      order: ({ coin }) => coin,
      cell: (position) => <PositionName position={position} />
    },
    {
      id: "profit",
      title: texts.profit,
      isNumber: true,
      order: ({ unrealised_usd }) => unrealised_usd,
      cell: ({ unrealised_pct, unrealised_usd }) => (
        <TwoLines detail={unrealised_pct === null ? "" : <Change pct={unrealised_pct} isArrow={false} />}>
          <ProfitLoss usd={unrealised_usd} />
        </TwoLines>
      )
    },
    ...numbers,
    {
      id: "opened",
      title: texts.opened,
      isMinor: true,
      order: ({ opened_at }) => Date.parse(opened_at),
      cell: ({ opened_at }) => <span className="nowrap">{ago(opened_at, now)}</span>
    }
  ], [texts, numbers, ago, now])
}

const PositionActions = ({ act, canWatch, position }: {
  readonly position: Position
  readonly act: (kind: OpenDialog["kind"]) => void
  readonly canWatch: boolean
}) => {
  const texts = useTexts(journalTexts)
  return (
    <>
      <span className="wide-only">
        <Button aria-label={texts.closeOf(position.coin)} onPress={() => act("close")}>{texts.close}</Button>
      </span>
      <Menu
        label={texts.more(position.coin)}
        button={
          <Button variant="quiet" isSquare aria-label={texts.more(position.coin)}>
            <Ellipsis aria-hidden />
          </Button>
        }
      >
        <MenuEntry icon={<X aria-hidden />} onAction={() => act("close")}>{texts.close}</MenuEntry>
        <MenuEntry icon={<Pencil aria-hidden />} onAction={() => act("change")}>{texts.change}</MenuEntry>
        {canWatch && <MenuEntry icon={<Eye aria-hidden />} href={newWatchHref(position)}>{texts.watch}</MenuEntry>}
        <MenuEntry icon={<ChartCandlestick aria-hidden />} href={fillPath("/market/:coin", { coin: position.coin })}>
          {texts.chart}
        </MenuEntry>
        <MenuEntry icon={<Trash2 aria-hidden />} onAction={() => act("delete")}>{texts.remove}</MenuEntry>
      </Menu>
    </>
  )
}

const idOf = ({ id }: Position): number => id

const PositionsTable = ({ act, positions }: {
  readonly positions: ReadonlyArray<Position>
  readonly act: (act: OpenDialog) => void
}) => {
  const texts = useTexts(journalTexts)
  const prices = usePrices()
  const columns = useColumns()
  const canWrite = prices.has("set_position")
  const canWatch = prices.has("create_task")
  const allColumns = useMemo((): ReadonlyArray<DataColumn<Position>> =>
    !canWrite ? columns : [
      ...columns,
      actionsColumn(texts.actions, (position) => (
        <PositionActions
          position={position}
          canWatch={canWatch}
          act={(kind) => act({ kind, position })}
        />
      ))
    ], [columns, texts, canWrite, canWatch, act])
  return <DataTable label={texts.positions} rows={positions} columns={allColumns} rowId={idOf} />
}

const PositionActionDialog = ({ act: { position, kind }, onClose, profile }: {
  readonly act: OpenDialog
  readonly profile: Positions["risk_profile"]
  readonly onClose: () => void
}) =>
  kind === "close"
    ? <CloseDialog key={position.id} position={position} onClose={onClose} />
    : kind === "delete"
    ? <DeleteDialog key={position.id} position={position} onClose={onClose} />
    : <PositionDialog key={position.id} existing={position} profile={profile} onClose={onClose} />

export const PositionsView = ({ onRecord }: { readonly onRecord: (() => void) | undefined }) => {
  const texts = useTexts(journalTexts)
  const request: ToolQueryState<Positions> = useToolQuery(positionsQuery)
  const [act, setAct] = useState<OpenDialog>()
  return (
    <RequestView request={request} placeholder={<Skeleton lines={8} />}>
      {(positions) => (
        <div className="column gap-3">
          <div className="row bottom wrap spread gap-3 gap-x-5">
            {positions.positions.length > 0 && <PositionTotals positions={positions.positions} />}
            <RefreshButton request={request} tool={positionsQuery.tool} />
          </div>
          <Panel isFlush>
            {positions.positions.length === 0
              ? (
                <EmptyState
                  icon={NotebookPen}
                  title={texts.none}
                  action={onRecord !== undefined && <Button onPress={onRecord}>{texts.record}</Button>}
                >
                  {texts.noneDetail}
                </EmptyState>
              )
              : <PositionsTable positions={positions.positions} act={setAct} />}
          </Panel>
          {positions.positions.length > 0 && <ResultNotesView result={positions} />}
          {act !== undefined && (
            <PositionActionDialog
              act={act}
              profile={positions.risk_profile}
              onClose={() => setAct(undefined)}
            />
          )}
        </div>
      )}
    </RequestView>
  )
}
