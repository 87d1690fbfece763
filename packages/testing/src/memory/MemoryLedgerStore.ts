import {
  type Admission,
  type Ending,
  type EndRequest,
  Failpoints,
  type Idempotency,
  LedgerStore,
  maxAnswerBytes,
  type Month,
  monthOf,
  type ReserveRequest,
  withFailpoints
} from "@tapeline/core/credits"
import { Effect, Layer, PubSub } from "effect"
import { type EntryRow, MemoryState, monthId, type MonthRow } from "./MemoryState.ts"

type Tables = MemoryState["Service"]

const leftOf = (month: MonthRow): number => Math.max(0, month.allotted - month.used - month.reserved)

/** The month's row; opens it with the plan's allotment, as the first reservation of a month does. */
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

/** What the database's check constraint on a month refuses. */
const checkMonth = (month: MonthRow): void => {
  if (month.used < 0 || month.reserved < 0 || month.used + month.reserved > month.cap) {
    throw new Error(`The books of account ${month.account} in ${month.month} do not hold`)
  }
}

const liveUnderKey = (tables: Tables, account: number, key: string): EntryRow | undefined => {
  for (const entry of tables.entries.values()) {
    if (
      entry.account === account && entry.idempotencyKey === key &&
      (entry.state === "reserved" || entry.state === "settled")
    ) return entry
  }
  return undefined
}

/** True when the entry no longer holds its idempotency key: it has lapsed, or its retention has passed. */
const letsGo = (entry: EntryRow, now: number): boolean =>
  entry.state === "reserved" ? entry.expiresAt <= now : (entry.retainedUntil ?? 0) <= now

/** Takes the key from an entry that let it go. A lapsed one is put out of reach of a settlement by a slower clock. */
const freeKey = (entry: EntryRow): void => {
  if (entry.state === "reserved") entry.expiresAt = 0
  entry.idempotencyKey = null
  entry.fingerprint = null
  entry.answer = null
}

const standing = (entry: EntryRow, idempotency: Idempotency) => {
  if (entry.fingerprint !== idempotency.fingerprint) return { _tag: "Reused" as const }
  return entry.state === "reserved"
    ? { _tag: "InProgress" as const, expiresAt: entry.expiresAt }
    : { _tag: "Replayed" as const, answer: entry.answer ?? "" }
}

const reserveOne = (tables: Tables, request: ReserveRequest): Admission => {
  const { account, credits, expiresAt, idempotency, key, now, tool } = request
  const month = monthOf(now)
  const books = openMonth(tables, account, month)
  if (books === undefined) return { _tag: "NoAccount" }
  if (idempotency !== null) {
    const entry = liveUnderKey(tables, account, idempotency.key)
    if (entry !== undefined) {
      if (!letsGo(entry, now)) return standing(entry, idempotency)
      freeKey(entry)
    }
  }
  if (books.used + books.reserved + credits > books.allotted) {
    return { _tag: "Refused", creditsLeft: leftOf(books), allotted: books.allotted }
  }
  books.reserved += credits
  checkMonth(books)
  const id = tables.entries.size + 1
  tables.entries.set(id, {
    id,
    account,
    key,
    month,
    tool,
    credits,
    state: "reserved",
    reservedAt: now,
    expiresAt,
    endedAt: null,
    idempotencyKey: idempotency?.key ?? null,
    fingerprint: idempotency?.fingerprint ?? null,
    retainedUntil: idempotency === null ? null : now + idempotency.retainMs,
    answer: null
  })
  return { _tag: "Admitted", reservation: { entry: id, account, month, tool, credits }, creditsLeft: leftOf(books) }
}

const endEntry = (tables: Tables, entry: EntryRow, state: "settled" | "released" | "expired", now: number): void => {
  const books = tables.months.get(monthId(entry.account, entry.month))!
  const charged = state === "settled" ? entry.credits : 0
  entry.state = state
  entry.endedAt = now
  books.reserved -= entry.credits
  books.used += charged
  checkMonth(books)
  const id = `${monthId(entry.account, entry.month)}/${entry.tool}`
  const line = tables.usage.get(id) ??
    { account: entry.account, month: entry.month, tool: entry.tool, calls: 0, failed: 0, credits: 0 }
  tables.usage.set(id, {
    ...line,
    calls: line.calls + 1,
    failed: line.failed + (state === "settled" ? 0 : 1),
    credits: line.credits + charged
  })
}

const storable = (answer: string | null): string | null =>
  answer === null || new TextEncoder().encode(answer).length > maxAnswerBytes ? null : answer

const endOne = (tables: Tables, { now, outcome, reservation }: EndRequest): Ending => {
  const entry = tables.entries.get(reservation.entry)
  const books = tables.months.get(monthId(reservation.account, reservation.month))
  const creditsLeft = () => books === undefined ? 0 : leftOf(books)
  if (
    entry === undefined || entry.account !== reservation.account || entry.month !== reservation.month ||
    entry.state !== "reserved" || entry.expiresAt <= now
  ) return { _tag: "AlreadyEnded", creditsLeft: creditsLeft() }
  endEntry(tables, entry, outcome._tag === "Settle" ? "settled" : "released", now)
  if (outcome._tag === "Settle" && entry.idempotencyKey !== null) entry.answer = storable(outcome.answer)
  return { _tag: "Ended", creditsLeft: creditsLeft() }
}

/** Lays an allotment over a month that is open. */
const allot = (month: MonthRow | undefined, allotted: number): void => {
  if (month === undefined) return
  month.allotted = allotted
  month.cap = Math.max(allotted, month.used + month.reserved)
}

/** `LedgerStore` over `MemoryState`. */
export const MemoryLedgerStore: Layer.Layer<LedgerStore, never, MemoryState> = Layer.effect(
  LedgerStore,
  Effect.gen(function*() {
    const tables = yield* MemoryState
    const hook = yield* Failpoints
    return LedgerStore.of({
      reserve: (requests) =>
        withFailpoints(hook, "reserve")(Effect.sync(() => requests.map((request) => reserveOne(tables, request)))),
      end: (requests) =>
        withFailpoints(hook, "end")(Effect.sync(() => requests.map((request) => endOne(tables, request)))),
      renew: (reservation, now, expiresAt) =>
        withFailpoints(hook, "renew")(Effect.sync(() => {
          const entry = tables.entries.get(reservation.entry)
          if (entry === undefined || entry.state !== "reserved" || entry.expiresAt <= now) return false
          entry.expiresAt = Math.max(entry.expiresAt, expiresAt)
          return true
        })),
      expire: (now, limit) =>
        withFailpoints(hook, "expire")(Effect.sync(() => {
          const lapsed = [...tables.entries.values()]
            .filter((entry) => entry.state === "reserved" && entry.expiresAt <= now)
            .sort((a, b) => a.expiresAt - b.expiresAt)
            .slice(0, limit)
          for (const entry of lapsed) endEntry(tables, entry, "expired", now)
          // What has passed its retention answers nothing any more.
          for (const entry of tables.entries.values()) {
            if (entry.state === "settled" && entry.idempotencyKey !== null && letsGo(entry, now)) freeKey(entry)
          }
          return lapsed.length
        })),
      recall: (account, idempotency, now) =>
        Effect.sync(() => {
          const entry = liveUnderKey(tables, account, idempotency.key)
          return entry === undefined || letsGo(entry, now) ? null : standing(entry, idempotency)
        }),
      books: (account, month) =>
        Effect.sync(() => {
          const owner = tables.accounts.get(account)
          if (owner === undefined) return null
          const { allotted, reserved, used } = tables.months.get(monthId(account, month)) ??
            { allotted: tables.plans.get(owner.plan) ?? 0, used: 0, reserved: 0 }
          const tools = [...tables.usage.values()]
            .filter((line) => line.account === account && line.month === month)
            .map(({ calls, credits, failed, tool }) => ({ name: tool, calls, failed, credits }))
            .sort((a, b) => a.name < b.name ? -1 : 1)
          return { month, allotted, used, reserved, left: Math.max(0, allotted - used - reserved), tools }
        }),
      answersSince: (account, since) =>
        Effect.sync(() =>
          [...tables.entries.values()].filter((entry) =>
            entry.account === account && entry.tool === "agent.answer" && entry.reservedAt >= since &&
            (entry.state === "reserved" || entry.state === "settled")
          ).length
        ),
      changePlan: (account, plan, month) =>
        withFailpoints(hook, "changePlan")(Effect.suspend(() => {
          const owner = tables.accounts.get(account)
          if (owner === undefined) return Effect.succeed(false)
          tables.accounts.set(account, { ...owner, plan })
          allot(tables.months.get(monthId(account, month)), tables.plans.get(plan) ?? 0)
          return Effect.as(PubSub.publish(tables.changes, { _tag: "Account", account }), true)
        })),
      definePlans: (monthlyCredits, month) =>
        withFailpoints(hook, "definePlans")(Effect.sync(() => {
          for (const [plan, credits] of Object.entries(monthlyCredits)) {
            tables.plans.set(plan, credits)
            for (const owner of tables.accounts.values()) {
              const open = tables.months.get(monthId(owner.id, month))
              if (owner.plan === plan && open?.allotted !== credits) allot(open, credits)
            }
          }
        }))
    })
  })
)
