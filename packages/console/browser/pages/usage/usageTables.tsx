import type { AccountUsage } from "@tapeline/client"
import { type ReactNode, useMemo } from "react"
import { useNumbers } from "../../i18n/numbers.ts"
import { useTexts } from "../../i18n/texts.ts"
import { fillPath } from "../../router/route.ts"
import { type DataColumn, DataTable, numberColumn } from "../../widgets/DataTable.tsx"
import { Link } from "../../widgets/layout.tsx"
import { useCalendar, usePercent } from "./calendar.ts"
import { dayOfMonth } from "./month.ts"
import { fractionOf } from "./pace.ts"
import { usageTexts } from "./texts.ts"
import styles from "./UsagePage.module.css"

interface UsageSums {
  readonly calls: number
  readonly failed: number
  readonly credits: number
}

const ShareBar = ({ share }: { readonly share: number }) => {
  const percent = usePercent()
  return (
    <span className={styles["share"]}>
      <span className={styles["track"]} aria-hidden>
        <span className={styles["filled"]} style={{ width: `${share * 100}%` }} />
      </span>
      <span>{percent(share)}</span>
    </span>
  )
}

const useSumColumns = <A extends UsageSums>(used: number): ReadonlyArray<DataColumn<A>> => {
  const texts = useTexts(usageTexts)
  const { integer } = useNumbers()
  return useMemo(() => [
    numberColumn("calls", texts.calls, ({ calls }) => calls, integer),
    numberColumn(
      "failed",
      texts.failed,
      ({ failed }) => failed,
      (value) => <span className={value === 0 ? "soft" : ""}>{integer(value)}</span>,
      { isMinor: true }
    ),
    numberColumn("credits", texts.credits, ({ credits }) => credits, integer),
    {
      id: "share",
      title: texts.share,
      isNumber: true,
      isMinor: true,
      cell: ({ credits }) => <ShareBar share={fractionOf(credits, used)} />
    }
  ], [texts, integer, used])
}

const sortByCredits = <A extends UsageSums>(rows: ReadonlyArray<A>): ReadonlyArray<A> =>
  rows.toSorted((a, b) => b.credits - a.credits || b.calls - a.calls)

const TableFrame = ({ children }: { readonly children: ReactNode }) => (
  <div className={styles["framed"]}>{children}</div>
)

type ToolRow = AccountUsage["tools"][number]

export const ToolsTable = ({ usage }: { readonly usage: AccountUsage }) => {
  const texts = useTexts(usageTexts)
  const sumColumns = useSumColumns<ToolRow>(usage.credits.used)
  const rows = useMemo(() => sortByCredits(usage.tools), [usage])
  const columns = useMemo((): ReadonlyArray<DataColumn<ToolRow>> => [
    {
      id: "tool",
      title: texts.tool,
      isHead: true,
      order: ({ name }) => name,
      cell: ({ name }) =>
        // Names with a dot, such as `agent.answer`, are not names of tools and have no tool page.
        name === "agent.answer"
          ? texts.analyst
          : name.includes(".")
          ? <code>{name}</code>
          : (
            <Link href={fillPath("/tools/:name", { name })}>
              <code>{name}</code>
            </Link>
          )
    },
    ...sumColumns
  ], [texts, sumColumns])
  return (
    <TableFrame>
      <DataTable label={texts.byTool} rows={rows} columns={columns} rowId={({ name }) => name} />
    </TableFrame>
  )
}

type KeyRow = AccountUsage["keys"][number]

const CallerName = ({ row }: { readonly row: KeyRow }) => {
  const texts = useTexts(usageTexts)
  if (row.kind === "key") return <Link href="/keys">{row.name ?? String(row.id)}</Link>
  const [name, detail] = row.kind === "session" ? [texts.session, texts.sessionDetail] : [texts.task, texts.taskDetail]
  return (
    <>
      {name} <span className="soft">{detail}</span>
    </>
  )
}

export const KeysTable = ({ usage }: { readonly usage: AccountUsage }) => {
  const texts = useTexts(usageTexts)
  const sumColumns = useSumColumns<KeyRow>(usage.credits.used)
  const rows = useMemo(() => sortByCredits(usage.keys), [usage])
  const columns = useMemo((): ReadonlyArray<DataColumn<KeyRow>> => [
    { id: "key", title: texts.key, isHead: true, cell: (row) => <CallerName row={row} /> },
    ...sumColumns
  ], [texts, sumColumns])
  return (
    <TableFrame>
      <DataTable label={texts.byKey} rows={rows} columns={columns} rowId={({ id, kind }) => id ?? kind} />
    </TableFrame>
  )
}

type AdjustmentRow = AccountUsage["adjustments"][number]

const amountColumn = <A extends { readonly amount: number }>(title: string, integer: (value: number) => string) =>
  numberColumn<A>("amount", title, ({ amount }) => amount, (value) => `${value > 0 ? "+" : ""}${integer(value)}`)

export const AdjustmentsTable = ({ usage }: { readonly usage: AccountUsage }) => {
  const texts = useTexts(usageTexts)
  const { integer } = useNumbers()
  const calendar = useCalendar()
  const columns = useMemo((): ReadonlyArray<DataColumn<AdjustmentRow>> => [
    { id: "kind", title: texts.kind, isHead: true, cell: ({ kind }) => texts[kind] },
    {
      id: "day",
      title: texts.day,
      order: ({ created_at }) => created_at,
      cell: ({ created_at }) => <time dateTime={created_at}>{calendar.instantDay(created_at)}</time>
    },
    amountColumn(texts.credits, integer),
    { id: "reference", title: texts.reference, isMinor: true, cell: ({ reference }) => reference ?? "" },
    { id: "call", title: texts.call, isMinor: true, cell: ({ call_id }) => call_id !== null && <code>{call_id}</code> }
  ], [texts, integer, calendar])
  return (
    <TableFrame>
      <DataTable label={texts.adjusted} rows={usage.adjustments} columns={columns} rowId={({ id }) => id} />
    </TableFrame>
  )
}

type DayRow = AccountUsage["days"][number]

export const DaysTable = ({ usage }: { readonly usage: AccountUsage }) => {
  const texts = useTexts(usageTexts)
  const calendar = useCalendar()
  const sumColumns = useSumColumns<DayRow>(usage.credits.used)
  const rows = useMemo(() => usage.days.toReversed(), [usage])
  const columns = useMemo((): ReadonlyArray<DataColumn<DayRow>> => [
    {
      id: "day",
      title: texts.day,
      isHead: true,
      order: ({ day }) => day,
      cell: ({ day }) => <time dateTime={day}>{calendar.day(usage.month, dayOfMonth(day))}</time>
    },
    ...sumColumns
  ], [texts, sumColumns, calendar, usage])
  return (
    <TableFrame>
      <DataTable label={texts.byDay} rows={rows} columns={columns} rowId={({ day }) => day} />
    </TableFrame>
  )
}
