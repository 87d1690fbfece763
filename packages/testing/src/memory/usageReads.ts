import {
  groupedDimensions,
  type Month,
  type MonthBalance,
  type MonthCredits,
  monthEnd,
  monthOf,
  type MonthUsage,
  toCreditsLeft,
  type UsageCaller,
  type UsageLine,
  type UsagePosition,
  type UsageReport,
  type UsageReportQuery,
  usageSettlingMs
} from "@tapeline/core/engine"
import { makeMonthId, type MemoryState, type MonthRow, type UsageCallerKey, type UsageRow } from "./MemoryState.ts"

type Tables = MemoryState["Service"]

/** Adds up the usage rows that have the same key. The sums are in the order of `compare`. */
const sumBy = <A>(rows: ReadonlyArray<UsageRow>, getKey: (row: UsageRow) => A, compare: (a: A, b: A) => number) => {
  const sums = new Map<A, { calls: number; failed: number; credits: number }>()
  for (const row of rows) {
    const sum = sums.get(getKey(row)) ?? { calls: 0, failed: 0, credits: 0 }
    sums.set(getKey(row), {
      calls: sum.calls + row.calls,
      failed: sum.failed + row.failed,
      credits: sum.credits + row.credits
    })
  }
  return [...sums].sort(([a], [b]) => compare(a, b))
}

const getUsageRows = (tables: Tables, account: number, month: Month): ReadonlyArray<UsageRow> =>
  [...tables.usage.values()].filter((row) => row.account === account && row.month === month)

export const toCredits = (row: Omit<MonthRow, "account" | "cap">): MonthCredits => {
  const { adjusted, allotted, month, reserved, used } = row
  const left = toCreditsLeft(allotted + adjusted - used - reserved)
  return { month, monthlyCredits: allotted, adjusted, used, reserved, left, renewsAt: monthEnd(month) }
}

export const readBalance = (
  tables: Tables,
  account: number,
  requestedMonth: Month | null,
  now: number
): MonthBalance | null => {
  const accountRow = tables.accounts.get(account)
  if (accountRow === undefined) return null
  const month = requestedMonth ?? monthOf(now)
  const row = tables.months.get(makeMonthId(account, month)) ??
    { month, allotted: tables.plans.get(accountRow.plan) ?? 0, adjusted: 0, used: 0, reserved: 0 }
  const tools = sumBy(getUsageRows(tables, account, month), ({ tool }) => tool, (a, b) => a < b ? -1 : 1)
    .map(([name, sums]) => ({ name, ...sums }))
  return { ...toCredits(row), tools }
}

/**
 * Returns the sort position of a caller in a usage report. Keys come first, sorted by id, then sessions, then tasks.
 */
const getCallerOrder = (caller: UsageCallerKey): number =>
  caller === "session" ? Number.MAX_VALUE : caller === "task" ? Infinity : Number(caller.slice("key:".length))

const getUsageCaller = (tables: Tables, account: number, caller: UsageCallerKey): UsageCaller => {
  if (caller === "session" || caller === "task") return { kind: caller }
  const key = getCallerOrder(caller)
  const known = tables.keys.get(key)
  return { kind: "key", key, name: known?.account === account ? known.name : null }
}

export const readUsage = (
  tables: Tables,
  account: number,
  requestedMonth: Month | null,
  now: number
): MonthUsage | null => {
  const balance = readBalance(tables, account, requestedMonth, now)
  if (balance === null) return null
  const rows = getUsageRows(tables, account, balance.month)
  return {
    ...balance,
    days: sumBy(rows, ({ day }) => day, (a, b) => a - b).map(([day, sums]) => ({ day: day * 86_400_000, ...sums })),
    callers: sumBy(rows, ({ caller }) => caller, (a, b) => getCallerOrder(a) - getCallerOrder(b))
      .map(([caller, sums]) => ({ caller: getUsageCaller(tables, account, caller), ...sums }))
  }
}

const callerNumber = (caller: UsageCallerKey): number =>
  caller === "session" ? -1 : caller === "task" ? 0 : getCallerOrder(caller)

const comparePositions = (a: UsagePosition, b: UsagePosition): number => {
  for (const [i, part] of a.entries()) {
    if (part !== b[i]) return part < b[i]! ? -1 : 1
  }
  return 0
}

const dayMs = 86_400_000

export const readUsageReport = (
  tables: Tables,
  { account, after, from, groupBy, key, limit, operation, to }: UsageReportQuery,
  now: number
): UsageReport => {
  const grouped = groupedDimensions(groupBy)
  const rows = [...tables.usage.values()].filter((row) =>
    row.day * dayMs >= from && row.day * dayMs <= to && (account === undefined || row.account === account) &&
    (key === undefined || row.caller === `key:${key}`) && (operation === undefined || row.tool === operation)
  )
  const groups = Map.groupBy(rows, (row) =>
    JSON.stringify(
      [
        grouped.account ? row.account : 0,
        grouped.month ? Number(row.month.replace("-", "")) : 0,
        grouped.day ? row.day : 0,
        grouped.key ? callerNumber(row.caller) : 0,
        grouped.operation ? row.tool : ""
      ] satisfies UsagePosition
    ))
  const toLine = ([text, members]: readonly [string, ReadonlyArray<UsageRow>]): UsageLine => {
    const first = members[0]!
    const [, sums] = sumBy(members, () => null, () => 0)[0]!
    return {
      position: JSON.parse(text),
      account: grouped.account
        ? { id: first.account, externalId: tables.accounts.get(first.account)?.externalId ?? null }
        : null,
      month: grouped.month ? first.month : null,
      day: grouped.day ? first.day * dayMs : null,
      caller: grouped.key ? getUsageCaller(tables, first.account, first.caller) : null,
      operation: grouped.operation ? first.tool : null,
      ...sums
    }
  }
  const lines = [...groups].map(toLine).filter(({ position }) => comparePositions(position, after) > 0)
    .sort((a, b) => comparePositions(a.position, b.position))
  const hasOpenCalls = [...tables.entries.values()].some((entry) =>
    entry.state === "reserved" && entry.reservedAt >= from && entry.reservedAt < to + dayMs &&
    (account === undefined || entry.account === account)
  )
  return { lines: lines.slice(0, limit), isFinal: to + dayMs + usageSettlingMs <= now && !hasOpenCalls }
}
