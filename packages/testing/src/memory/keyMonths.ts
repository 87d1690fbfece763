import {
  type Failpoints,
  type KeyCredits,
  type LedgerStore,
  type Month,
  monthOf,
  type StatementOptions,
  withFailpoints
} from "@tapeline/core/engine"
import { Effect, PubSub } from "effect"
import { type EntryRow, type KeyMonthRow, makeKeyMonthId, type MemoryState } from "./MemoryState.ts"

type Tables = MemoryState["Service"]

/** Returns the row that counts the credits of an actor's key in a month, or undefined for an actor without a limit. */
export const findKeyMonth = (
  { keyMonths, keys }: Tables,
  { account, actor, month }: Pick<EntryRow, "account" | "actor" | "month">
): KeyMonthRow | undefined => {
  const key = actor._tag === "Key" ? keys.get(actor.key) : undefined
  return key === undefined ? undefined : keyMonths.get(makeKeyMonthId({ account, month, key: key.firstKey }))
}

export const getKeyCreditsLeft = (row: KeyMonthRow | undefined): number =>
  row === undefined ? Infinity : Math.max(0, row.credits - row.used - row.reserved)

/** Throws if the credits of a key are inconsistent, like the check constraint of the database. */
export const checkKeyMonth = ({ cap, key, month, reserved, used }: KeyMonthRow): void => {
  if (used < 0 || reserved < 0 || used + reserved > cap) {
    throw new Error(`The credits of key ${key} in ${month} are inconsistent`)
  }
}

/** Creates the rows of an account's keys for a month that was opened. */
export const openKeyMonths = ({ keyMonths, keys }: Tables, account: number, month: Month): void => {
  for (const { account: owner, firstKey: key, monthlyCredits: credits } of keys.values()) {
    if (owner !== account || credits === null) continue
    keyMonths.set(makeKeyMonthId({ account, month, key }), {
      account,
      month,
      key,
      credits,
      cap: credits,
      used: 0,
      reserved: 0
    })
  }
}

/** Changes the monthly credits of a key. Returns the key's account, or null for an unknown key. */
const limitKeyCredits = (
  { entries, keyMonths, keys, months }: Tables,
  id: number,
  credits: number | null,
  now: number
): number | null => {
  const limitedKey = keys.get(id)
  if (limitedKey === undefined) return null
  const { account, firstKey } = limitedKey
  const chain = [...keys.values()].filter((key) => key.firstKey === firstKey)
  for (const key of chain) keys.set(key.id, { ...key, monthlyCredits: credits })
  const isOfChain = ({ actor }: EntryRow) => actor._tag === "Key" && chain.some((key) => key.id === actor.key)
  for (const { account: owner, month } of months.values()) {
    if (owner !== account || month < monthOf(now)) continue
    const rowId = makeKeyMonthId({ account, month, key: firstKey })
    if (credits === null) {
      keyMonths.delete(rowId)
      continue
    }
    const counted = [...entries.values()].filter((entry) =>
      entry.account === account && entry.month === month && isOfChain(entry)
    )
    const sumOf = (state: EntryRow["state"]) =>
      counted.filter((entry) => entry.state === state).reduce((sum, entry) => sum + entry.credits, 0)
    const [used, reserved] = [sumOf("settled"), sumOf("reserved")]
    const cap = Math.max(credits, used + reserved)
    keyMonths.set(rowId, { account, month, key: firstKey, credits, cap, used, reserved })
  }
  return account
}

/** Returns the credits of a key in the current month, or null for a key without a limit. */
const readKeyCredits = (tables: Tables, id: number, now: number): KeyCredits | null => {
  const key = tables.keys.get(id)
  const monthlyCredits = key?.monthlyCredits ?? null
  if (key === undefined || monthlyCredits === null) return null
  const actor = { _tag: "Key" as const, key: id }
  const { reserved, used } = findKeyMonth(tables, { account: key.account, actor, month: monthOf(now) }) ??
    { used: 0, reserved: 0 }
  return { monthlyCredits, used, reserved, left: Math.max(0, monthlyCredits - used - reserved) }
}

/** Creates the methods for the credits of keys. */
export const makeKeyLimitMethods = (
  tables: Tables,
  failpoint: typeof Failpoints.Service,
  withNow: <A>(options: StatementOptions | undefined, action: (now: number) => A) => Effect.Effect<A>
): Pick<LedgerStore["Service"], "limitKey" | "keyCredits"> => ({
  limitKey: (key, monthlyCredits, options) =>
    withFailpoints(failpoint, "limitKey")(Effect.flatMap(
      withNow(options, (now) => limitKeyCredits(tables, key, monthlyCredits, now)),
      (account) =>
        account === null
          ? Effect.succeed(false)
          : Effect.as(PubSub.publish(tables.changes, { _tag: "Account", account }), true)
    )),
  keyCredits: (keys, options) => withNow(options, (now) => keys.map((key) => readKeyCredits(tables, key, now)))
})
