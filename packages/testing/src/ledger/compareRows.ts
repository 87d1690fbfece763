import type { Adjustment, Month } from "@tapeline/core/engine"
import type { MonthRow } from "../memory/MemoryState.ts"
import type { ExpectedEntry } from "./expectedEntries.ts"
import type { ExpectedKeyLimits } from "./ExpectedKeyLimits.ts"
import type { LedgerRows } from "./rows.ts"

const same = (actual: unknown, expected: unknown): boolean => JSON.stringify(actual) === JSON.stringify(expected)

/** Throws if a result of the ledger differs from the expected result. */
export const assertSame = (description: string, actual: unknown, expected: unknown): void => {
  if (!same(actual, expected)) {
    throw new Error(`${description}: got ${JSON.stringify(actual)}, expected ${JSON.stringify(expected)}`)
  }
}

interface ExpectedRows {
  readonly months: ReadonlyArray<MonthRow>
  readonly keyMonths: ReturnType<ExpectedKeyLimits["rows"]>
  readonly adjustments: ReadonlyArray<Adjustment>
  readonly entries: ReadonlyArray<ExpectedEntry>
}

/** Throws if the stored rows differ from the expected rows. */
export const compareRows = (rows: LedgerRows, expected: ExpectedRows): void => {
  const getMonthKey = ({ account, month }: { readonly account: number; readonly month: Month }) => `${account}/${month}`
  const sortByMonth = <A extends { readonly account: number; readonly month: Month }>(items: Iterable<A>) =>
    [...items].sort((a, b) => getMonthKey(a) < getMonthKey(b) ? -1 : 1)
  assertSame(
    "months",
    sortByMonth(rows.months).map(({ account, adjusted, allotted, cap, month, reserved, used }) => ({
      account,
      month,
      allotted,
      adjusted,
      cap,
      used,
      reserved
    })),
    sortByMonth(expected.months)
  )
  const sortByKey = <A extends { readonly key: number; readonly month: Month }>(items: ReadonlyArray<A>) =>
    items.toSorted((a, b) => a.key - b.key || (a.month < b.month ? -1 : 1))
  assertSame(
    "months of keys",
    sortByKey(rows.keyMonths).map(({ account, cap, credits, key, month, reserved, used }) => ({
      account,
      month,
      key,
      credits,
      cap,
      used,
      reserved
    })),
    sortByKey(expected.keyMonths)
  )
  assertSame(
    "adjustments",
    rows.adjustments.toSorted((a, b) => a.id - b.id).map(({ amount, call, id, kind, month }) => [
      id,
      month,
      kind,
      amount,
      call?.entry
    ]),
    expected.adjustments.toSorted((a, b) => a.id - b.id).map(({ amount, call, id, kind, month }) => [
      id,
      month,
      kind,
      amount,
      call?.entry
    ])
  )
  assertSame(
    "entries",
    rows.entries.toSorted((a, b) => a.id - b.id).map((
      { credits, expiresAt, id, month, state, tool }
    ) => [id, month, tool, credits, state, state === "reserved" ? expiresAt : null]),
    expected.entries
      .toSorted((a, b) => a.reservation.entry - b.reservation.entry)
      .map(({ expiresAt, reservation: { credits, entry, month, tool }, state }) => [
        entry,
        month,
        tool,
        credits,
        state,
        state === "reserved" ? expiresAt : null
      ])
  )
}
