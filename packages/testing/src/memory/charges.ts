import {
  addCreditsLeft,
  type Busy,
  type ChargeRequest,
  type ChargeResult,
  type Failpoints,
  type Idempotency,
  type LedgerStore,
  monthEnd,
  monthOf,
  readCreditsLeft,
  type StatementOptions,
  type UnreservedCall,
  withFailpoints
} from "@tapeline/core/engine"
import { Effect } from "effect"
import { checkKeyMonth, findKeyMonth } from "./keyMonths.ts"
import {
  checkMonth,
  countUsage,
  getKeyState,
  holdKey,
  leftOf,
  makeKeyId,
  nullIfTooLong,
  openMonth
} from "./ledgerTables.ts"
import { type EntryRow, makeMonthId, type MemoryState } from "./MemoryState.ts"

type Tables = MemoryState["Service"]

/** Stores a call that has ended. */
const addEntry = (
  tables: Tables,
  { account, actor, credits, id, tool }: UnreservedCall,
  idempotency: Idempotency | null,
  state: "settled" | "released",
  now: number
): void => {
  const entry: EntryRow = {
    id,
    account,
    actor,
    month: monthOf(now),
    tool,
    credits,
    state,
    reservedAt: now,
    expiresAt: now + 1,
    endedAt: now,
    day: null,
    idempotencyKey: idempotency?.key ?? null,
    retainedUntil: idempotency === null ? null : now + idempotency.retentionMs
  }
  tables.entries.set(id, entry)
  countUsage(tables, entry)
}

const chargeOne = (tables: Tables, request: ChargeRequest, now: number): ChargeResult | Busy => {
  const { account, actor, credits, id, idempotency, response } = request
  const month = monthOf(now)
  if (tables.lockedMonths.has(makeMonthId(account, month))) return { _tag: "Busy" }
  const monthRow = openMonth(tables, account, month)
  if (monthRow === undefined) return { _tag: "NoAccount" }
  const keyRow = findKeyMonth(tables, { account, actor, month })
  const earlier = tables.entries.get(id)
  if (earlier !== undefined) {
    const stored = idempotency === null ? null : getKeyState(tables, account, idempotency, now)
    const creditsLeft = stored?._tag === "Replayed" && stored.call.entry === id && stored.response !== ""
      ? readCreditsLeft(stored.response)
      : leftOf(monthRow, keyRow)
    return { _tag: "Charged", call: { month: earlier.month, entry: id }, creditsLeft }
  }
  const keyState = idempotency === null ? null : getKeyState(tables, account, idempotency, now)
  if (keyState !== null) return keyState
  const refusal = {
    creditsLeft: leftOf(monthRow, keyRow),
    monthlyCredits: monthRow.allotted,
    renewsAt: monthEnd(month)
  }
  if (monthRow.used + monthRow.reserved + credits > monthRow.allotted + monthRow.adjusted) {
    return { _tag: "Refused", ...refusal }
  }
  if (keyRow !== undefined && keyRow.used + keyRow.reserved + credits > keyRow.credits) {
    return { _tag: "KeyLimitReached", ...refusal, monthlyCredits: keyRow.credits }
  }
  monthRow.used += credits
  checkMonth(monthRow)
  if (keyRow !== undefined) {
    keyRow.used += credits
    checkKeyMonth(keyRow)
  }
  const creditsLeft = leftOf(monthRow, keyRow)
  addEntry(tables, request, idempotency, "settled", now)
  if (idempotency !== null) {
    holdKey(tables, account, idempotency, id, now)
    const row = tables.idempotency.get(makeKeyId(account, idempotency.key))!
    row.answer = response === null ? null : nullIfTooLong(addCreditsLeft(response, creditsLeft))
  }
  return { _tag: "Charged", call: { month, entry: id }, creditsLeft }
}

const recordFailure = (tables: Tables, call: UnreservedCall, now: number): void => {
  const month = monthOf(now)
  const isLocked = tables.lockedMonths.has(makeMonthId(call.account, month))
  if (isLocked || openMonth(tables, call.account, month) === undefined) return
  addEntry(tables, call, null, "released", now)
}

export const makeChargeMethods = (
  tables: Tables,
  failpoint: typeof Failpoints.Service,
  withNow: <A>(options: StatementOptions | undefined, action: (now: number) => A) => Effect.Effect<A>
): Pick<LedgerStore["Service"], "callIds" | "charge" | "recordFailures"> => ({
  callIds: (count) => Effect.sync(() => Array.from({ length: count }, () => ++tables.sequence.last)),
  charge: (requests, options) =>
    withFailpoints(failpoint, "charge")(
      withNow(options, (now) => requests.map((request) => chargeOne(tables, request, now)))
    ),
  recordFailures: (calls, options) =>
    withFailpoints(failpoint, "recordFailures")(
      withNow(options, (now) => calls.forEach((call) => recordFailure(tables, call, now)))
    )
})
