import {
  type Idempotency,
  type IdempotencyState,
  maxResponseBytes,
  type Month,
  toCreditsLeft
} from "@tapeline/core/engine"
import { getKeyCreditsLeft, openKeyMonths } from "./keyMonths.ts"
import {
  type EntryRow,
  getUsageDimensions,
  type KeyMonthRow,
  makeMonthId,
  makeUsageId,
  type MemoryState,
  type MonthRow
} from "./MemoryState.ts"

type Tables = MemoryState["Service"]

export const getCreditsLeft = ({ adjusted, allotted, reserved, used }: MonthRow): number =>
  toCreditsLeft(allotted + adjusted - used - reserved)

/** Returns the credits that a key can reserve: the smaller of the account's and the key's. */
export const leftOf = (month: MonthRow, keyMonth: KeyMonthRow | undefined): number =>
  Math.min(getCreditsLeft(month), getKeyCreditsLeft(keyMonth))

/** Returns the row of a month, which is opened with the credits of the plan if missing. */
export const openMonth = (tables: Tables, account: number, month: Month): MonthRow | undefined => {
  const id = makeMonthId(account, month)
  const existing = tables.months.get(id)
  if (existing !== undefined) return existing
  const owner = tables.accounts.get(account)
  if (owner === undefined) return undefined
  const allotted = tables.plans.get(owner.plan) ?? 0
  const created: MonthRow = { account, month, allotted, adjusted: 0, cap: allotted, used: 0, reserved: 0 }
  tables.months.set(id, created)
  openKeyMonths(tables, account, month)
  return created
}

/** Throws if the balance of a month is inconsistent, like the check constraint of the database. */
export const checkMonth = (month: MonthRow): void => {
  if (month.used < 0 || month.reserved < 0 || month.used + month.reserved > month.cap) {
    throw new Error(`The balance of account ${month.account} in ${month.month} is inconsistent`)
  }
}

export const makeKeyId = (account: number, key: string): string => `${account}/${key}`

/**
 * Returns the state of an idempotency key, or null if the key is free. A key is free if its reservation expired or
 * released its credits, or if its retention has ended.
 */
export const getKeyState = (
  tables: Tables,
  account: number,
  idempotency: Idempotency,
  now: number
): IdempotencyState | null => {
  const row = tables.idempotency.get(makeKeyId(account, idempotency.key))
  const entry = row === undefined ? undefined : tables.entries.get(row.entry)
  if (row === undefined || entry === undefined) return null
  const isRunning = entry.state === "reserved" && entry.expiresAt > now
  if (!isRunning && !(entry.state === "settled" && row.retainedUntil > now)) return null
  if (row.fingerprint !== idempotency.fingerprint) return { _tag: "Reused" }
  return isRunning
    ? { _tag: "InProgress", lapsesInMs: entry.expiresAt - now }
    : { _tag: "Replayed", response: row.answer ?? "", call: { month: entry.month, entry: entry.id } }
}

/**
 * Assigns an idempotency key to a reservation. If the call repeats an earlier call, returns the id of the first
 * reservation.
 */
export const holdKey = (
  tables: Tables,
  account: number,
  idempotency: Idempotency,
  entry: number,
  now: number
): number => {
  const id = makeKeyId(account, idempotency.key)
  const previous = tables.idempotency.get(id)
  const expiredEntry = previous === undefined ? undefined : tables.entries.get(previous.entry)
  // A lapsed reservation whose key has moved can no longer be settled.
  if (expiredEntry?.state === "reserved") expiredEntry.expiresAt = 0
  const isRepeat = previous !== undefined && previous.fingerprint === idempotency.fingerprint &&
    previous.retainedUntil > now
  const origin = isRepeat ? previous.origin : entry
  tables.idempotency.set(id, {
    fingerprint: idempotency.fingerprint,
    entry,
    origin,
    retainedUntil: now + idempotency.retentionMs,
    answer: null
  })
  return origin
}

export const nullIfTooLong = (answer: string | null): string | null =>
  answer === null || new TextEncoder().encode(answer).length > maxResponseBytes ? null : answer

/** Adds a call that has ended to the usage totals. */
export const countUsage = (tables: Tables, entry: EntryRow): void => {
  const usageDimensions = getUsageDimensions(entry)
  const id = makeUsageId(usageDimensions)
  const usageRow = tables.usage.get(id) ?? { ...usageDimensions, calls: 0, failed: 0, credits: 0 }
  const isCharged = entry.state === "settled"
  tables.usage.set(id, {
    ...usageRow,
    calls: usageRow.calls + 1,
    failed: usageRow.failed + (isCharged ? 0 : 1),
    credits: usageRow.credits + (isCharged ? entry.credits : 0)
  })
}
