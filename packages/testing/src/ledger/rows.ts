import { monthOf } from "@tapeline/core/engine"
import { Effect } from "effect"
import {
  type EntryRow,
  MemoryState,
  monthId,
  type MonthRow,
  usageId,
  usagePlace,
  type UsageRow
} from "../memory/MemoryState.ts"

/** The stored rows of some accounts, below the port of the ledger. */
export interface LedgerRows {
  readonly months: ReadonlyArray<Readonly<MonthRow>>
  readonly entries: ReadonlyArray<Readonly<EntryRow>>
  readonly usage: ReadonlyArray<Readonly<UsageRow>>
}

/** Returns the rows of some accounts in `MemoryState`. */
export const memoryRows = (accounts: ReadonlyArray<number>): Effect.Effect<LedgerRows, never, MemoryState> =>
  Effect.map(MemoryState, ({ entries, months, usage }) => {
    const own = (row: { readonly account: number }) => accounts.includes(row.account)
    return {
      months: [...months.values()].filter(own).map((row) => ({ ...row })),
      entries: [...entries.values()].filter(own).map((row) => ({ ...row })),
      usage: [...usage.values()].filter(own).map((row) => ({ ...row }))
    }
  })

const sumOf = <A>(items: ReadonlyArray<A>, value: (item: A) => number): number =>
  items.reduce((sum, item) => sum + value(item), 0)

/** Returns the usage lines of a month that differ from the sums of its ended entries. */
const brokenUsage = (
  entries: LedgerRows["entries"],
  usage: LedgerRows["usage"]
): ReadonlyArray<string> => {
  const ended = Map.groupBy(entries.filter(({ state }) => state !== "reserved"), (entry) => usageId(usagePlace(entry)))
  const lines = new Map(usage.map((line) => [usageId(line), line]))
  return [...new Set([...ended.keys(), ...lines.keys()])].flatMap((id) => {
    const own = ended.get(id) ?? []
    const settled = own.filter(({ state }) => state === "settled")
    const said = [own.length, own.length - settled.length, sumOf(settled, ({ credits }) => credits)]
    const { calls, credits, failed } = lines.get(id) ?? { calls: 0, failed: 0, credits: 0 }
    return said.join() === [calls, failed, credits].join() ? [] : [
      `4: ${id}: ${calls} calls, ${failed} failed, ${credits} credits; entries say ${said.join(", ")}`
    ]
  })
}

/**
 * Returns the ledger rules that the rows violate, which is empty if all hold. The check needs no history. Each line
 * begins with the rule's number. Rules 2 and 7 concern answers and changes, so the auditor checks them.
 */
export const brokenRules = ({ entries, months, usage }: LedgerRows): ReadonlyArray<string> => {
  const broken: Array<string> = []
  const expect = (holds: boolean, text: () => string) => {
    if (!holds) broken.push(text())
  }
  const books = new Set(months.map(({ account, month }) => monthId(account, month)))
  for (const { account, allotted, cap, month, reserved, used } of months) {
    const where = `account ${account}, ${month}`
    const own = entries.filter((entry) => entry.account === account && entry.month === month)
    const settled = sumOf(own.filter(({ state }) => state === "settled"), ({ credits }) => credits)
    const pending = sumOf(own.filter(({ state }) => state === "reserved"), ({ credits }) => credits)
    const lines = usage.filter((line) => line.account === account && line.month === month)
    expect(
      used >= 0 && reserved >= 0 && allotted <= cap && used + reserved <= cap,
      () => `1: ${where}: ${used} used + ${reserved} reserved, allotted ${allotted}, cap ${cap}`
    )
    expect(pending === reserved, () => `3: ${where}: ${reserved} reserved, entries say ${pending}`)
    expect(settled === used, () => `4: ${where}: ${used} used, entries say ${settled}`)
    expect(
      sumOf(lines, ({ credits }) => credits) === used,
      () => `4: ${where}: ${used} used, and the usage by tool differs`
    )
    broken.push(...brokenUsage(own, lines))
  }
  for (const entry of entries) {
    const where = `entry ${entry.id}`
    expect(books.has(monthId(entry.account, entry.month)), () => `6: ${where} is in a month without books`)
    expect(
      (entry.state === "reserved") === (entry.endedAt === null),
      () => `3: ${where} is ${entry.state}, ended ${entry.endedAt}`
    )
    expect(
      entry.state !== "settled" || entry.endedAt! < entry.expiresAt,
      () => `5: ${where} was settled at ${entry.endedAt} and had lapsed at ${entry.expiresAt}`
    )
    expect(entry.month === monthOf(entry.reservedAt), () => `6: ${where} of ${entry.reservedAt} is in ${entry.month}`)
    if (entry.idempotencyKey === null) continue
    // The time until which the entry holds its key. A later entry may have the same key from then on.
    const until = entry.state === "reserved" ? entry.expiresAt : entry.state === "settled" ? entry.retainedUntil : null
    const later = entries.find((other) =>
      other.account === entry.account && other.idempotencyKey === entry.idempotencyKey && other.id > entry.id
    )
    expect(
      until === null || later === undefined || until <= later.reservedAt,
      () => `8: ${where} holds ${entry.idempotencyKey} until ${until}, and entry ${later?.id} has it too`
    )
  }
  return broken
}
