import {
  type Admission,
  type Busy,
  dayEnd,
  dayOf,
  type Ending,
  type EndRequest,
  Failpoints,
  type Idempotency,
  LedgerStore,
  maxAnswerBytes,
  type Month,
  monthEnd,
  monthOf,
  type Recollection,
  type Reservation,
  type ReserveRequest,
  type StatementOptions,
  withFailpoints
} from "@tapeline/core/engine"
import { Clock, Effect, Layer, PubSub } from "effect"
import { type EntryRow, MemoryState, monthId, type MonthRow, usageId, usagePlace } from "./MemoryState.ts"
import { readBooks, readUsage } from "./monthReading.ts"

type Tables = MemoryState["Service"]

const dayMs = 86_400_000

const leftOf = (month: MonthRow): number => Math.max(0, month.allotted - month.used - month.reserved)

/** Returns the month's row. Opens the month with the plan's credits if needed, as its first reservation does. */
const openMonth = (tables: Tables, account: number, month: Month): MonthRow | undefined => {
  const id = monthId(account, month)
  const open = tables.months.get(id)
  if (open !== undefined) return open
  const owner = tables.accounts.get(account)
  if (owner === undefined) return undefined
  const allotted = tables.plans.get(owner.plan) ?? 0
  const opened: MonthRow = { account, month, allotted, cap: allotted, used: 0, reserved: 0 }
  tables.months.set(id, opened)
  return opened
}

/** Enforces the database's check constraint on a month. */
const checkMonth = (month: MonthRow): void => {
  if (month.used < 0 || month.reserved < 0 || month.used + month.reserved > month.cap) {
    throw new Error(`The books of account ${month.account} in ${month.month} do not hold`)
  }
}

const keyId = (account: number, key: string): string => `${account}/${key}`

/**
 * Returns the state of an idempotency key. Null means that the key is free: its reservation ended uncharged or expired,
 * or its retention is over.
 */
const standing = (tables: Tables, account: number, idempotency: Idempotency, now: number): Recollection | null => {
  const row = tables.idempotency.get(keyId(account, idempotency.key))
  const entry = row === undefined ? undefined : tables.entries.get(row.entry)
  if (row === undefined || entry === undefined) return null
  const runs = entry.state === "reserved" && entry.expiresAt > now
  if (!runs && !(entry.state === "settled" && row.retainedUntil > now)) return null
  if (row.fingerprint !== idempotency.fingerprint) return { _tag: "Reused" }
  return runs
    ? { _tag: "InProgress", lapsesInMs: entry.expiresAt - now }
    : { _tag: "Replayed", answer: row.answer ?? "" }
}

/** Assigns an idempotency key to an entry. Returns the call's origin. */
const hold = (tables: Tables, account: number, idempotency: Idempotency, entry: number, now: number): number => {
  const id = keyId(account, idempotency.key)
  const before = tables.idempotency.get(id)
  const lapsed = before === undefined ? undefined : tables.entries.get(before.entry)
  // A lapsed reservation whose key has moved can no longer be settled.
  if (lapsed?.state === "reserved") lapsed.expiresAt = 0
  const again = before !== undefined && before.fingerprint === idempotency.fingerprint && before.retainedUntil > now
  const origin = again ? before.origin : entry
  tables.idempotency.set(id, {
    fingerprint: idempotency.fingerprint,
    entry,
    origin,
    retainedUntil: now + idempotency.retainMs,
    answer: null
  })
  return origin
}

const answerTool = "agent.answer"

const countDay = (tables: Tables, account: number, tool: string, now: number): number =>
  [...tables.entries.values()].filter((entry) =>
    entry.account === account && entry.tool === tool && entry.day === dayOf(now) / dayMs &&
    (entry.state === "settled" || (entry.state === "reserved" && entry.expiresAt > now))
  ).length

const reserveOne = (tables: Tables, request: ReserveRequest, now: number): Admission | Busy => {
  const { account, actor, credits, idempotency, quota, tool, ttlMs } = request
  const month = monthOf(now)
  if (tables.held.has(monthId(account, month))) return { _tag: "Busy" }
  const books = openMonth(tables, account, month)
  if (books === undefined) return { _tag: "NoAccount" }
  const stands = idempotency === null ? null : standing(tables, account, idempotency, now)
  if (stands !== null) return stands
  if (quota !== undefined && countDay(tables, account, tool, now) >= quota.max) {
    return { _tag: "QuotaReached", renewsAt: dayEnd(now) }
  }
  if (books.used + books.reserved + credits > books.allotted) {
    return { _tag: "Refused", creditsLeft: leftOf(books), allotted: books.allotted, renewsAt: monthEnd(month) }
  }
  books.reserved += credits
  checkMonth(books)
  const id = ++tables.sequence.last
  const origin = idempotency === null ? id : hold(tables, account, idempotency, id, now)
  const expiresAt = now + ttlMs
  tables.entries.set(id, {
    id,
    account,
    actor,
    month,
    tool,
    credits,
    state: "reserved",
    reservedAt: now,
    expiresAt,
    endedAt: null,
    day: quota !== undefined || tool === answerTool ? dayOf(now) / dayMs : null,
    idempotencyKey: idempotency?.key ?? null,
    retainedUntil: idempotency === null ? null : now + idempotency.retainMs
  })
  return {
    _tag: "Admitted",
    reservation: { entry: id, account, month, tool, credits, origin, reservedAt: now, expiresAt },
    creditsLeft: leftOf(books)
  }
}

const endEntry = (tables: Tables, entry: EntryRow, state: "settled" | "released" | "expired", now: number): void => {
  const books = tables.months.get(monthId(entry.account, entry.month))!
  const charged = state === "settled" ? entry.credits : 0
  entry.state = state
  entry.endedAt = now
  books.reserved -= entry.credits
  books.used += charged
  checkMonth(books)
  const place = usagePlace(entry)
  const id = usageId(place)
  const line = tables.usage.get(id) ?? { ...place, calls: 0, failed: 0, credits: 0 }
  tables.usage.set(id, {
    ...line,
    calls: line.calls + 1,
    failed: line.failed + (state === "settled" ? 0 : 1),
    credits: line.credits + charged
  })
}

const storable = (answer: string | null): string | null =>
  answer === null || new TextEncoder().encode(answer).length > maxAnswerBytes ? null : answer

/** Extends a reservation. Returns false if it has ended or lapsed. */
export const renewOne = (tables: Tables, { entry: id }: Reservation, ttlMs: number, now: number): boolean => {
  const entry = tables.entries.get(id)
  if (entry === undefined || entry.state !== "reserved" || entry.expiresAt <= now) return false
  entry.expiresAt = Math.max(entry.expiresAt, now + ttlMs)
  return true
}

/** Ends one reservation. Other steps can include this one. */
export const endOne = (tables: Tables, { outcome, reservation }: EndRequest, now: number): Ending | Busy => {
  const id = monthId(reservation.account, reservation.month)
  const books = tables.months.get(id)
  if (books === undefined) return { _tag: "AlreadyEnded", how: "unknown", creditsLeft: 0 }
  if (tables.held.has(id)) return { _tag: "Busy" }
  const entry = tables.entries.get(reservation.entry)
  if (entry === undefined || entry.account !== reservation.account || entry.month !== reservation.month) {
    return { _tag: "AlreadyEnded", how: "unknown", creditsLeft: leftOf(books) }
  }
  if (entry.state !== "reserved" || entry.expiresAt <= now) {
    const how = entry.state === "reserved" ? "expired" : entry.state
    return { _tag: "AlreadyEnded", how, creditsLeft: leftOf(books) }
  }
  endEntry(tables, entry, outcome._tag === "Settle" ? "settled" : "released", now)
  const row = entry.idempotencyKey === null
    ? undefined
    : tables.idempotency.get(keyId(entry.account, entry.idempotencyKey))
  if (outcome._tag === "Settle" && row?.entry === entry.id) row.answer = storable(outcome.answer)
  return { _tag: "Ended", creditsLeft: leftOf(books) }
}

/** Applies new monthly credits to the account's open months, from the current one. */
const allot = (tables: Tables, account: number, allotted: number, now: number): void => {
  for (const month of tables.months.values()) {
    if (month.account !== account || month.month < monthOf(now)) continue
    month.allotted = allotted
    month.cap = Math.max(allotted, month.used + month.reserved)
  }
}

const expire = (tables: Tables, limit: number, now: number): number => {
  const lapsed = [...tables.entries.values()]
    .filter(({ account, expiresAt, month, state }) =>
      state === "reserved" && expiresAt <= now && !tables.held.has(monthId(account, month))
    )
    .sort((a, b) => a.expiresAt - b.expiresAt)
    .slice(0, limit)
  for (const entry of lapsed) endEntry(tables, entry, "expired", now)
  for (const [id, { entry, retainedUntil }] of tables.idempotency) {
    // The key of an open reservation stays, because a later request for the key must find the reservation.
    if (retainedUntil <= now && tables.entries.get(entry)?.state !== "reserved") tables.idempotency.delete(id)
  }
  return lapsed.length
}

/** Runs an action with the current time, which is the fiber's clock unless a test sets `at`. */
const atNow = <A>(options: StatementOptions | undefined, act: (now: number) => A): Effect.Effect<A> =>
  Effect.map(options?.at === undefined ? Clock.currentTimeMillis : Effect.succeed(options.at), act)

/** `LedgerStore` over `MemoryState`. Its time is the fiber's clock. */
export const MemoryLedgerStore: Layer.Layer<LedgerStore, never, MemoryState> = Layer.effect(
  LedgerStore,
  Effect.gen(function*() {
    const tables = yield* MemoryState
    const hook = yield* Failpoints
    return LedgerStore.of({
      reserve: (requests, options) =>
        withFailpoints(hook, "reserve")(
          atNow(options, (now) => requests.map((request) => reserveOne(tables, request, now)))
        ),
      end: (requests, options) =>
        withFailpoints(hook, "end")(
          atNow(options, (now) => requests.map((request) => endOne(tables, request, now)))
        ),
      renew: (reservation, ttlMs, options) =>
        withFailpoints(hook, "renew")(atNow(options, (now) => renewOne(tables, reservation, ttlMs, now))),
      expire: (limit, options) => withFailpoints(hook, "expire")(atNow(options, (now) => expire(tables, limit, now))),
      tend: (keepMonths, options) =>
        atNow(options, (now) => {
          const today = new Date(now)
          const oldest = monthOf(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + 1 - keepMonths, 1))
          for (const [id, entry] of tables.entries) {
            const retained = entry.state === "settled" && (entry.retainedUntil ?? 0) > now
            if (entry.month < oldest && entry.state !== "reserved" && !retained) tables.entries.delete(id)
          }
        }),
      recall: (account, idempotency, options) => atNow(options, (now) => standing(tables, account, idempotency, now)),
      books: (account, month, options) => atNow(options, (now) => readBooks(tables, account, month, now)),
      usage: (account, month, options) => atNow(options, (now) => readUsage(tables, account, month, now)),
      answersToday: (account, options) =>
        atNow(options, (now) => ({ count: countDay(tables, account, answerTool, now), renewsAt: dayEnd(now) })),
      changePlan: (account, plan, options) =>
        withFailpoints(hook, "changePlan")(Effect.flatMap(
          atNow(options, (now) => {
            const owner = tables.accounts.get(account)
            if (owner === undefined) return false
            tables.accounts.set(account, { ...owner, plan })
            allot(tables, account, tables.plans.get(plan) ?? 0, now)
            return true
          }),
          (done) =>
            done ? Effect.as(PubSub.publish(tables.changes, { _tag: "Account", account }), true) : Effect.succeed(false)
        )),
      plans: Effect.sync(() => Object.fromEntries(tables.plans)),
      definePlans: (monthlyCredits, options) =>
        withFailpoints(hook, "definePlans")(atNow(options, (now) => {
          for (const [plan, credits] of Object.entries(monthlyCredits)) {
            if (tables.plans.get(plan) === credits) continue
            tables.plans.set(plan, credits)
            for (const owner of tables.accounts.values()) if (owner.plan === plan) allot(tables, owner.id, credits, now)
          }
        })),
      time: Clock.currentTimeMillis
    })
  })
)
