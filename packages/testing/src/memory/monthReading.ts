import {
  type Month,
  type MonthBooks,
  monthEnd,
  monthOf,
  type MonthUsage,
  type UsageCaller
} from "@tapeline/core/engine"
import { type Caller, type MemoryState, monthId, type UsageRow } from "./MemoryState.ts"

type Tables = MemoryState["Service"]

/** Sums usage rows by the key that `of` returns, in the order of `compare`. */
const addedUp = <A>(rows: ReadonlyArray<UsageRow>, of: (row: UsageRow) => A, compare: (a: A, b: A) => number) => {
  const sums = new Map<A, { calls: number; failed: number; credits: number }>()
  for (const row of rows) {
    const sum = sums.get(of(row)) ?? { calls: 0, failed: 0, credits: 0 }
    sums.set(of(row), {
      calls: sum.calls + row.calls,
      failed: sum.failed + row.failed,
      credits: sum.credits + row.credits
    })
  }
  return [...sums].sort(([a], [b]) => compare(a, b))
}

const rowsOf = (tables: Tables, account: number, month: Month): ReadonlyArray<UsageRow> =>
  [...tables.usage.values()].filter((row) => row.account === account && row.month === month)

export const readBooks = (tables: Tables, account: number, asked: Month | null, now: number): MonthBooks | null => {
  const owner = tables.accounts.get(account)
  if (owner === undefined) return null
  const month = asked ?? monthOf(now)
  const { allotted, reserved, used } = tables.months.get(monthId(account, month)) ??
    { allotted: tables.plans.get(owner.plan) ?? 0, used: 0, reserved: 0 }
  const tools = addedUp(rowsOf(tables, account, month), ({ tool }) => tool, (a, b) => a < b ? -1 : 1)
    .map(([name, sums]) => ({ name, ...sums }))
  const left = Math.max(0, allotted - used - reserved)
  return { month, allotted, used, reserved, left, renewsAt: monthEnd(month), tools }
}

/** Orders keys by id, then sessions, then tasks. */
const placeOf = (caller: Caller): number =>
  caller === "session" ? Number.MAX_VALUE : caller === "task" ? Infinity : Number(caller.slice("key:".length))

const callerIn = (tables: Tables, account: number, caller: Caller): UsageCaller => {
  if (caller === "session" || caller === "task") return { kind: caller }
  const key = placeOf(caller)
  const known = tables.keys.get(key)
  return { kind: "key", key, name: known?.account === account ? known.name : null }
}

export const readUsage = (tables: Tables, account: number, asked: Month | null, now: number): MonthUsage | null => {
  const books = readBooks(tables, account, asked, now)
  if (books === null) return null
  const rows = rowsOf(tables, account, books.month)
  return {
    ...books,
    days: addedUp(rows, ({ day }) => day, (a, b) => a - b).map(([day, sums]) => ({ day: day * 86_400_000, ...sums })),
    callers: addedUp(rows, ({ caller }) => caller, (a, b) => placeOf(a) - placeOf(b))
      .map(([caller, sums]) => ({ caller: callerIn(tables, account, caller), ...sums }))
  }
}
