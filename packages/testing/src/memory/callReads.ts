import { type AccountCall, type AccountCallQuery, monthOf } from "@tapeline/core/engine"
import type { EntryRow, MemoryState } from "./MemoryState.ts"

type Tables = MemoryState["Service"]

const toCall = (tables: Tables, entry: EntryRow, now: number): AccountCall => {
  const { account, actor, credits, endedAt, expiresAt, id, month, reservedAt, state, tool } = entry
  const refund = [...tables.adjustments.values()].find((one) => one.account === account && one.call?.entry === id)
  return {
    call: { month, entry: id },
    actor,
    operation: tool,
    credits,
    state: state === "reserved" && expiresAt <= now ? "expired" : state,
    reservedAt,
    endedAt,
    refund: refund === undefined ? null : { adjustment: refund.id, amount: refund.amount }
  }
}

export const readCalls = (
  tables: Tables,
  { account, before, limit, month }: AccountCallQuery,
  now: number
): ReadonlyArray<AccountCall> =>
  [...tables.entries.values()]
    .filter((entry) =>
      entry.account === account && entry.month === (month ?? monthOf(now)) && (before === null || entry.id < before)
    )
    .sort((a, b) => b.id - a.id)
    .slice(0, limit)
    .map((entry) => toCall(tables, entry, now))
