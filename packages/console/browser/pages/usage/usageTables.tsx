import type { AccountUsage } from "@tapeline/client"
import { type ReactNode, useMemo } from "react"
import { filled } from "../../router/route.ts"
import { type DataColumn, DataTable } from "../../widgets/DataTable.tsx"
import lists from "../../widgets/lists.module.css"
import { Link } from "../../widgets/parts.tsx"
import { useNumbers } from "../../words/numbers.ts"
import { useWords } from "../../words/words.ts"
import { dayOf } from "./month.ts"
import { useCalendar, usePercent } from "./names.ts"
import { shareOf } from "./pace.ts"
import styles from "./UsagePage.module.css"
import { usageWords } from "./words.ts"

interface Sums {
  readonly calls: number
  readonly failed: number
  readonly credits: number
}

/** The share of the month's credits, as a bar and a number. */
const Share = ({ share }: { readonly share: number }) => {
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

/** The columns that follow a row's name. */
const useSums = <A extends Sums>(used: number): ReadonlyArray<DataColumn<A>> => {
  const says = useWords(usageWords)
  const { whole } = useNumbers()
  return useMemo(() => [
    {
      id: "calls",
      title: says.calls,
      isNumber: true,
      order: ({ calls }) => calls,
      cell: ({ calls }) => whole(calls)
    },
    {
      id: "failed",
      title: says.failed,
      isNumber: true,
      isMinor: true,
      order: ({ failed }) => failed,
      cell: ({ failed }) => <span className={failed === 0 ? lists["soft"] : ""}>{whole(failed)}</span>
    },
    {
      id: "credits",
      title: says.credits,
      isNumber: true,
      order: ({ credits }) => credits,
      cell: ({ credits }) => whole(credits)
    },
    {
      id: "share",
      title: says.share,
      isNumber: true,
      isMinor: true,
      cell: ({ credits }) => <Share share={shareOf(credits, used)} />
    }
  ], [says, whole, used])
}

const most = <A extends Sums>(rows: ReadonlyArray<A>): ReadonlyArray<A> =>
  rows.toSorted((a, b) => b.credits - a.credits || b.calls - a.calls)

const Framed = ({ children }: { readonly children: ReactNode }) => <div className={styles["framed"]}>{children}</div>

type ToolRow = AccountUsage["tools"][number]

export const ToolsTable = ({ usage }: { readonly usage: AccountUsage }) => {
  const says = useWords(usageWords)
  const sums = useSums<ToolRow>(usage.credits.used)
  const rows = useMemo(() => most(usage.tools), [usage])
  const columns = useMemo((): ReadonlyArray<DataColumn<ToolRow>> => [
    {
      id: "tool",
      title: says.tool,
      isHead: true,
      order: ({ name }) => name,
      cell: ({ name }) =>
        // A name with a dot is not a tool.
        name === "agent.answer"
          ? says.analyst
          : name.includes(".")
          ? <code>{name}</code>
          : (
            <Link href={filled("/tools/:name", { name })}>
              <code>{name}</code>
            </Link>
          )
    },
    ...sums
  ], [says, sums])
  return (
    <Framed>
      <DataTable label={says.byTool} rows={rows} columns={columns} rowId={({ name }) => name} />
    </Framed>
  )
}

type KeyRow = AccountUsage["keys"][number]

const Caller = ({ of: row }: { readonly of: KeyRow }) => {
  const says = useWords(usageWords)
  if (row.kind === "key") return <Link href="/keys">{row.name ?? String(row.id)}</Link>
  const [name, more] = row.kind === "session" ? [says.session, says.sessionMore] : [says.task, says.taskMore]
  return (
    <>
      {name} <span className={lists["soft"]}>{more}</span>
    </>
  )
}

export const KeysTable = ({ usage }: { readonly usage: AccountUsage }) => {
  const says = useWords(usageWords)
  const sums = useSums<KeyRow>(usage.credits.used)
  const rows = useMemo(() => most(usage.keys), [usage])
  const columns = useMemo((): ReadonlyArray<DataColumn<KeyRow>> => [
    { id: "key", title: says.key, isHead: true, cell: (row) => <Caller of={row} /> },
    ...sums
  ], [says, sums])
  return (
    <Framed>
      <DataTable label={says.byKey} rows={rows} columns={columns} rowId={({ id, kind }) => id ?? kind} />
    </Framed>
  )
}

type DayRow = AccountUsage["days"][number]

export const DaysTable = ({ usage }: { readonly usage: AccountUsage }) => {
  const says = useWords(usageWords)
  const calendar = useCalendar()
  const sums = useSums<DayRow>(usage.credits.used)
  const rows = useMemo(() => usage.days.toReversed(), [usage])
  const columns = useMemo((): ReadonlyArray<DataColumn<DayRow>> => [
    {
      id: "day",
      title: says.day,
      isHead: true,
      order: ({ day }) => day,
      cell: ({ day }) => <time dateTime={day}>{calendar.day(usage.month, dayOf(day))}</time>
    },
    ...sums
  ], [says, sums, calendar, usage])
  return (
    <Framed>
      <DataTable label={says.byDay} rows={rows} columns={columns} rowId={({ day }) => day} />
    </Framed>
  )
}
