import { dayOf, LedgerStore, monthOf, type StatementOptions } from "@tapeline/core/engine"
import { Clock, Effect, Layer } from "effect"
import { makeMonthId, MemoryState } from "../memory/MemoryState.ts"
import { chargeMutants } from "./chargeMutants.ts"
import { keyLimitMutants } from "./keyLimitMutants.ts"

type Store = LedgerStore["Service"]
type Tables = MemoryState["Service"]

/**
 * The numbers of the ledger rules that a mutant breaks. The missing rule numbers are rules of the engine or of several
 * sessions.
 */
const ledgerRules = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15, 16, 17] as const
/** The names of the ledger mutants, which each break one rule. Some rules have several mutants. */
export const ledgerMutants = [
  ...ledgerRules,
  "4, by caller",
  "6, by day",
  "7, adjusted",
  "13, destroyed",
  "13, months",
  "14, amount",
  "14, uncharged",
  "16, forgotten",
  "16, released",
  "16, expired",
  "16, successor",
  "1, charged",
  "4, failures",
  "16, charged",
  "17, previous month",
  "17, disarming",
  "17, credits_left"
] as const
export type LedgerMutant = (typeof ledgerMutants)[number]

const resolveNow = (options: StatementOptions | undefined): Effect.Effect<number> =>
  options?.at === undefined ? Clock.currentTimeMillis : Effect.succeed(options.at)

/**
 * The ledger mutants. Each mutant is a ledger store that breaks one rule. The key of each mutant contains the number of
 * the broken rule.
 */
const mutants: Readonly<Record<LedgerMutant, (store: Store, tables: Tables) => Partial<Store>>> = {
  /** A store that admits a request for one credit more than the account has left. */
  1: (store, tables) => ({
    reserve: (requests, options) =>
      Effect.flatMap(resolveNow(options), (now) => {
        const addCredits = (credits: number) => {
          for (const row of tables.months.values()) {
            row.allotted += credits
            row.cap += credits
          }
        }
        addCredits(1)
        return Effect.map(
          Effect.ensuring(store.reserve(requests, options), Effect.sync(() => addCredits(-1))),
          (answers) =>
            // The results hide the additional credit, so that they look like the results of a correct store.
            answers.map((answer, i) => {
              const row = tables.months.get(makeMonthId(requests[i]!.account, monthOf(now)))
              if (answer._tag === "Admitted") return { ...answer, creditsLeft: Math.max(0, answer.creditsLeft - 1) }
              return answer._tag === "Refused" && row !== undefined
                ? { ...answer, creditsLeft: Math.max(0, answer.creditsLeft - 1), monthlyCredits: row.allotted }
                : answer
            })
        )
      })
  }),
  /** A store that reads the remaining credits, yields to other fibers, and writes without reading again. */
  2: (store, tables) => ({
    reserve: (requests, options) =>
      Effect.gen(function*() {
        const firstIndexes = requests[0]!
        const balance = yield* store.balance(firstIndexes.account, null, options)
        yield* Effect.yieldNow
        if (requests.length > 1 || balance === null || balance.left < firstIndexes.credits) {
          return yield* store.reserve(requests, options)
        }
        const row = tables.months.get(makeMonthId(firstIndexes.account, balance.month))
        if (row === undefined) return yield* store.reserve(requests, options)
        const { allotted, cap } = row
        Object.assign(row, { allotted: allotted + 100, cap: cap + 100 })
        const answers = yield* store.reserve(requests, options)
        Object.assign(row, { allotted, cap: Math.max(cap, row.used + row.reserved) })
        return answers.map((answer) =>
          answer._tag === "Admitted"
            ? { ...answer, creditsLeft: Math.max(0, balance.left - firstIndexes.credits) }
            : answer
        )
      })
  }),
  3: (store, tables) => ({
    end: (requests, options) =>
      Effect.suspend(() => {
        for (const { outcome, reservation } of requests) {
          const entry = tables.entries.get(reservation.entry)
          const balance = tables.months.get(makeMonthId(reservation.account, reservation.month))
          if (
            entry?.state === "released" && outcome._tag === "Settle" && balance !== undefined &&
            balance.used + balance.reserved + entry.credits <= balance.cap
          ) {
            Object.assign(entry, { state: "reserved", endedAt: null })
            balance.reserved += entry.credits
          }
        }
        return store.end(requests, options)
      })
  }),
  4: (store, tables) => ({
    end: (requests, options) =>
      Effect.suspend(() => {
        const usageBefore = new Map([...tables.usage].map(([id, line]) => [id, { ...line }]))
        return Effect.tap(store.end(requests, options), () =>
          Effect.sync(() => {
            if (requests.length < 3) return
            for (const [id, line] of usageBefore) tables.usage.set(id, line)
          }))
      })
  }),
  5: (store) => ({
    end: (requests, options) =>
      Effect.flatMap(resolveNow(options), (now) => store.end(requests, { ...options, at: now - 60_000 }))
  }),
  6: (store, tables) => ({
    end: (requests, options) =>
      Effect.tap(
        store.end(requests, options),
        (endings) =>
          Effect.map(resolveNow(options), (now) =>
            requests.forEach(({ outcome, reservation: { account, credits, entry, month } }, i) => {
              const [from, to] = [
                tables.months.get(makeMonthId(account, month)),
                tables.months.get(makeMonthId(account, monthOf(now)))
              ]
              if (
                endings[i]?._tag !== "Ended" || outcome._tag !== "Settle" || from === to || from === undefined ||
                to === undefined
              ) {
                return
              }
              from.used -= credits
              to.used += credits
              tables.entries.set(entry, { ...tables.entries.get(entry)!, month: to.month })
            }))
      )
  }),
  7: (store, tables) => ({
    changePlan: (account, plan, options) =>
      Effect.flatMap(resolveNow(options), (now) => {
        const row = tables.months.get(makeMonthId(account, monthOf(now)))
        const before = { ...row }
        return Effect.tap(store.changePlan(account, plan, options), () =>
          Effect.sync(() => {
            if (row !== undefined) Object.assign(row, before)
          }))
      })
  }),
  8: (store, tables) => ({
    reserve: (requests, options) =>
      store.reserve(
        requests.map((request) => {
          const settled = [...tables.entries.values()].some((entry) =>
            entry.account === request.account && entry.idempotencyKey === request.idempotency?.key &&
            entry.state === "settled"
          )
          return settled ? { ...request, idempotency: null } : request
        }),
        options
      )
  }),
  9: (store) => ({
    end: (requests, options) =>
      Effect.map(
        store.end(requests, options),
        (endings) =>
          endings.map((ending) => ending._tag === "AlreadyEnded" ? { ...ending, outcome: "expired" } : ending)
      )
  }),
  /** A store that checks the quota of an account and a tool only for their first request in a batch. */
  10: (store) => ({
    reserve: (requests, options) =>
      Effect.gen(function*() {
        const firstIndexes = new Map<string, number>()
        requests.forEach(({ account, tool }, i) => {
          if (!firstIndexes.has(`${account}/${tool}`)) firstIndexes.set(`${account}/${tool}`, i)
        })
        return yield* store.reserve(
          requests.map((request, i) =>
            firstIndexes.get(`${request.account}/${request.tool}`) === i ? request : { ...request, quota: undefined }
          ),
          options
        )
      })
  }),
  /** A store that expires reservations by a clock that is a minute fast. */
  12: (store) => ({
    expire: (limit, options) =>
      Effect.flatMap(resolveNow(options), (now) => store.expire(limit, { ...options, at: now + 60_000 }))
  }),
  /** A store that creates the credits of a grant without an entry. */
  13: (store, tables) => ({
    adjust: (request, options) =>
      Effect.tap(store.adjust(request, options), (answer) =>
        Effect.sync(() => {
          if (answer._tag === "Adjusted" && request.kind === "grant") {
            tables.adjustments.delete(answer.adjustments[0]!.id)
          }
        }))
  }),
  /** A store that stores the entry of a negative correction, and keeps the credits. */
  "13, destroyed": (store, tables) => ({
    adjust: (request, options) =>
      Effect.tap(store.adjust(request, options), (answer) =>
        Effect.sync(() => {
          if (answer._tag !== "Adjusted" || answer.adjustments[0]!.amount > 0) return
          const { account, amount, month } = answer.adjustments[0]!
          const row = tables.months.get(makeMonthId(account, month))!
          Object.assign(row, { adjusted: row.adjusted - amount, cap: row.cap - amount })
        }))
  }),
  /** A store that grants the credits of several months in the first month. */
  "13, months": (store, tables) => ({
    adjust: (request, options) =>
      Effect.tap(store.adjust(request, options), (answer) =>
        Effect.sync(() => {
          if (answer._tag !== "Adjusted") return
          const [first, ...later] = answer.adjustments
          const firstRow = tables.months.get(makeMonthId(first!.account, first!.month))!
          for (const adjustment of later) {
            const row = tables.months.get(makeMonthId(adjustment.account, adjustment.month))!
            Object.assign(row, { adjusted: row.adjusted - adjustment.amount })
            Object.assign(firstRow, {
              adjusted: firstRow.adjusted + adjustment.amount,
              cap: firstRow.cap + adjustment.amount
            })
            tables.adjustments.set(adjustment.id, { ...adjustment, month: first!.month })
          }
        }))
  }),
  /** A store that forgets that a call was refunded. */
  14: (store, tables) => ({
    adjust: (request, options) =>
      Effect.suspend(() => {
        const hidden = [...tables.adjustments].filter(([, { call }]) =>
          request.kind === "refund" && call?.entry === request.call.entry
        )
        for (const [id, adjustment] of hidden) tables.adjustments.set(id, { ...adjustment, call: null })
        return Effect.ensuring(
          store.adjust(request, options),
          Effect.sync(() => {
            for (const [id, adjustment] of hidden) tables.adjustments.set(id, adjustment)
          })
        )
      })
  }),
  /** A store that refunds more credits than the call was charged. */
  "14, amount": (store, tables) => ({
    adjust: (request, options) =>
      Effect.flatMap(store.adjust(request, options), (answer) => {
        if (answer._tag !== "ExceedsCharge" || request.kind !== "refund") return Effect.succeed(answer)
        const entry = tables.entries.get(request.call.entry)!
        tables.entries.set(entry.id, { ...entry, credits: request.amount! })
        return Effect.ensuring(
          store.adjust(request, options),
          Effect.sync(() => tables.entries.set(entry.id, entry))
        )
      })
  }),
  /** A store that refunds a call that was released. */
  "14, uncharged": (store, tables) => ({
    adjust: (request, options) =>
      Effect.suspend(() => {
        const entry = request.kind === "refund" ? tables.entries.get(request.call.entry) : undefined
        if (entry?.state !== "released") return store.adjust(request, options)
        entry.state = "settled"
        return Effect.ensuring(store.adjust(request, options), Effect.sync(() => entry.state = "released"))
      })
  }),
  /** A store that takes credits that are used or reserved, without permission. */
  15: (store) => ({
    adjust: (request, options) =>
      store.adjust(request.kind === "correction" ? { ...request, allowNegative: true } : request, options)
  }),
  /** A store whose changes of plans delete the adjusted credits. */
  "7, adjusted": (store, tables) => ({
    changePlan: (account, plan, options) =>
      Effect.tap(store.changePlan(account, plan, options), () =>
        Effect.sync(() => {
          for (const row of tables.months.values()) {
            if (row.account === account) Object.assign(row, { adjusted: 0 })
          }
        }))
  }),
  ...keyLimitMutants,
  ...chargeMutants,
  "4, by caller": (store) => ({
    usage: (account, month, options) =>
      Effect.map(store.usage(account, month, options), (usage) =>
        usage === null ? null : {
          ...usage,
          callers: usage.callers.map((line) =>
            line.caller.kind === "session" ? { ...line, caller: { kind: "task" as const } } : line
          )
        })
  }),
  "6, by day": (store, tables) => ({
    end: (requests, options) =>
      Effect.flatMap(resolveNow(options), (now) =>
        Effect.suspend(() => {
          const entries = requests.flatMap(({ reservation }) => tables.entries.get(reservation.entry) ?? [])
          const moved = entries.map((entry) => ({ ...entry, reservedAt: Math.max(entry.reservedAt, dayOf(now)) }))
          for (const entry of moved) if (monthOf(entry.reservedAt) === entry.month) tables.entries.set(entry.id, entry)
          return Effect.ensuring(
            store.end(requests, options),
            Effect.sync(() => {
              for (const { id, reservedAt } of entries) {
                tables.entries.set(id, { ...tables.entries.get(id)!, reservedAt })
              }
            })
          )
        }))
  })
}

/** Provides the in-memory ledger store with one broken rule, which a correct test suite detects. */
export const mutantLedgerStore = (rule: LedgerMutant): Layer.Layer<LedgerStore, never, LedgerStore | MemoryState> =>
  Layer.effect(
    LedgerStore,
    Effect.gen(function*() {
      const store = yield* LedgerStore
      return LedgerStore.of({ ...store, ...mutants[rule](store, yield* MemoryState) })
    })
  )
