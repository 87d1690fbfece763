import { type Adjustment, monthOf } from "@tapeline/core/engine"
import { Effect } from "effect"
import {
  type EntryRow,
  getUsageDimensions,
  type KeyMonthRow,
  makeMonthId,
  makeUsageId,
  MemoryState,
  type MonthRow,
  type UsageRow
} from "../memory/MemoryState.ts"

/** The stored ledger rows of some accounts, read from the database without the ledger port. */
export interface LedgerRows {
  readonly months: ReadonlyArray<Readonly<MonthRow>>
  readonly entries: ReadonlyArray<Readonly<EntryRow>>
  readonly usage: ReadonlyArray<Readonly<UsageRow>>
  readonly adjustments: ReadonlyArray<Adjustment>
  /** The credits of keys with monthly credits of their own. `keys` are the keys of the chain of rotations. */
  readonly keyMonths: ReadonlyArray<Readonly<KeyMonthRow> & { readonly keys: ReadonlyArray<number> }>
}

export const readMemoryRows = (accounts: ReadonlyArray<number>): Effect.Effect<LedgerRows, never, MemoryState> =>
  Effect.map(MemoryState, ({ adjustments, entries, keyMonths, keys, months, usage }) => {
    const isRequested = (row: { readonly account: number }) => accounts.includes(row.account)
    return {
      months: [...months.values()].filter(isRequested).map((row) => ({ ...row })),
      entries: [...entries.values()].filter(isRequested).map((row) => ({ ...row })),
      usage: [...usage.values()].filter(isRequested).map((row) => ({ ...row })),
      adjustments: [...adjustments.values()].filter(isRequested),
      keyMonths: [...keyMonths.values()].filter(isRequested).map((row) => ({
        ...row,
        keys: [...keys.values()].filter(({ firstKey }) => firstKey === row.key).map(({ id }) => id)
      }))
    }
  })

const sumOf = <A>(items: ReadonlyArray<A>, value: (item: A) => number): number =>
  items.reduce((sum, item) => sum + value(item), 0)

const findUsageViolations = (
  entries: LedgerRows["entries"],
  usage: LedgerRows["usage"]
): ReadonlyArray<string> => {
  const entriesByUsage = Map.groupBy(
    entries.filter(({ state }) => state !== "reserved"),
    (entry) => makeUsageId(getUsageDimensions(entry))
  )
  const lines = new Map(usage.map((line) => [makeUsageId(line), line]))
  return [...new Set([...entriesByUsage.keys(), ...lines.keys()])].flatMap((id) => {
    const endedEntries = entriesByUsage.get(id) ?? []
    const settled = endedEntries.filter(({ state }) => state === "settled")
    const expected = [
      endedEntries.length,
      endedEntries.length - settled.length,
      sumOf(settled, ({ credits }) => credits)
    ]
    const { calls, credits, failed } = lines.get(id) ?? { calls: 0, failed: 0, credits: 0 }
    return expected.join() === [calls, failed, credits].join() ? [] : [
      `4: ${id}: ${calls} calls, ${failed} failed, ${credits} credits; entries say ${expected.join(", ")}`
    ]
  })
}

/** Returns a line for each adjustment that no correct ledger stores. */
const findAdjustmentViolations = ({ adjustments, entries }: LedgerRows): ReadonlyArray<string> =>
  adjustments.flatMap(({ account, amount, call, id, kind }) => {
    if (kind !== "refund") return kind === "grant" && amount <= 0 ? [`13: adjustment ${id} grants ${amount}`] : []
    const refunds = adjustments.filter((other) => other.account === account && other.call?.entry === call!.entry)
    // The database deletes the reservations of old months, so the entry may be missing.
    const entry = entries.find((other) => other.account === account && other.id === call!.entry)
    const isValid = refunds.length === 1 && amount > 0 &&
      (entry === undefined || entry.state === "settled" && amount <= entry.credits)
    return isValid ? [] : [
      `14: adjustment ${id} refunds ${amount} of entry ${call!.entry} (${entry?.state}, ${entry?.credits} credits), ` +
      `one of ${refunds.length} refunds`
    ]
  })

/** Returns a line for each wrong row of a key's month. */
const findKeyMonthViolations = ({ entries, keyMonths }: LedgerRows): ReadonlyArray<string> =>
  keyMonths.flatMap(({ account, cap, credits, key, keys, month, reserved, used }) => {
    const ofKey = entries.filter((entry) =>
      entry.account === account && entry.month === month && entry.actor._tag === "Key" && keys.includes(entry.actor.key)
    )
    const sumIn = (state: string) => sumOf(ofKey.filter((entry) => entry.state === state), (entry) => entry.credits)
    const [settled, pending] = [sumIn("settled"), sumIn("reserved")]
    const isValid = used === settled && reserved === pending && credits <= cap && used + reserved <= cap
    return isValid ? [] : [
      `16: key ${key}, ${month}: ${used} used, ${reserved} reserved, ${credits} credits, cap ${cap}; entries say ` +
      `${settled} used, ${pending} reserved`
    ]
  })

/**
 * Returns a line for each violation of a ledger rule in the stored rows, beginning with the number of the rule. The
 * auditor checks rules 2 and 7, because stored rows cannot show their violation.
 */
export const findRuleViolations = (rows: LedgerRows): ReadonlyArray<string> => {
  const { adjustments, entries, months, usage } = rows
  const violations: Array<string> = [...findAdjustmentViolations(rows), ...findKeyMonthViolations(rows)]
  const check = (isValid: boolean, text: () => string) => {
    if (!isValid) violations.push(text())
  }
  const monthIds = new Set(months.map(({ account, month }) => makeMonthId(account, month)))
  for (const { account, month } of adjustments) {
    check(monthIds.has(makeMonthId(account, month)), () => `13: an adjustment is in ${month}, which has no balance`)
  }
  for (const { account, adjusted, allotted, cap, month, reserved, used } of months) {
    const description = `account ${account}, ${month}`
    const monthEntries = entries.filter((entry) => entry.account === account && entry.month === month)
    const settled = sumOf(monthEntries.filter(({ state }) => state === "settled"), ({ credits }) => credits)
    const pending = sumOf(monthEntries.filter(({ state }) => state === "reserved"), ({ credits }) => credits)
    const lines = usage.filter((line) => line.account === account && line.month === month)
    check(
      used >= 0 && reserved >= 0 && allotted + adjusted <= cap && used + reserved <= cap,
      () =>
        `1: ${description}: ${used} used + ${reserved} reserved, allotted ${allotted}, adjusted ${adjusted}, cap ${cap}`
    )
    const added = sumOf(
      adjustments.filter((one) => one.account === account && one.month === month),
      ({ amount }) => amount
    )
    check(added === adjusted, () => `13: ${description}: ${adjusted} adjusted, entries say ${added}`)
    check(pending === reserved, () => `3: ${description}: ${reserved} reserved, entries say ${pending}`)
    check(settled === used, () => `4: ${description}: ${used} used, entries say ${settled}`)
    check(
      sumOf(lines, ({ credits }) => credits) === used,
      () => `4: ${description}: ${used} used, and the usage by tool differs`
    )
    violations.push(...findUsageViolations(monthEntries, lines))
  }
  for (const entry of entries) {
    const description = `entry ${entry.id}`
    check(
      monthIds.has(makeMonthId(entry.account, entry.month)),
      () => `6: ${description} is in a month without a balance`
    )
    check(
      (entry.state === "reserved") === (entry.endedAt === null),
      () => `3: ${description} is ${entry.state}, ended ${entry.endedAt}`
    )
    check(
      entry.state !== "settled" || entry.endedAt! < entry.expiresAt,
      () => `5: ${description} was settled at ${entry.endedAt} and had expired at ${entry.expiresAt}`
    )
    check(
      entry.month === monthOf(entry.reservedAt),
      () => `6: ${description} of ${entry.reservedAt} is in ${entry.month}`
    )
    if (entry.idempotencyKey === null) continue
    // An entry holds its idempotency key until `until`, after which a later entry may have an equal key.
    const until = entry.state === "reserved" ? entry.expiresAt : entry.state === "settled" ? entry.retainedUntil : null
    const later = entries.find((other) =>
      other.id !== entry.id && other.account === entry.account && other.idempotencyKey === entry.idempotencyKey &&
      // The ids of charged calls are older than the charges. Of two entries of one instant, one may have ended first.
      (other.reservedAt > entry.reservedAt || other.reservedAt === entry.reservedAt && other.state === "settled")
    )
    check(
      until === null || later === undefined || until <= later.reservedAt,
      () => `8: ${description} holds ${entry.idempotencyKey} until ${until}, and entry ${later?.id} has it too`
    )
  }
  return violations
}
