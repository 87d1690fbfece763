import { LedgerStore, monthOf } from "@tapeline/core/credits"
import { Effect, Layer } from "effect"
import { MemoryState, monthId } from "../memory/MemoryState.ts"

type Store = LedgerStore["Service"]
type Tables = MemoryState["Service"]

/** A store with one rule of the ledger broken; by the rule's number. */
const breaks: Readonly<Record<1 | 2 | 3 | 4 | 5 | 6 | 7 | 8, (store: Store, tables: Tables) => Partial<Store>>> = {
  /** Admits one credit too many. */
  1: (store, tables) => ({
    reserve: (requests) =>
      Effect.suspend(() => {
        const raise = (by: number) => {
          for (const row of tables.months.values()) {
            row.allotted += by
            row.cap += by
          }
        }
        raise(1)
        return Effect.map(Effect.ensuring(store.reserve(requests), Effect.sync(() => raise(-1))), (answers) =>
          // It hides what it does: what it says is what an honest store would say, as far as that goes.
          answers.map((answer, i) => {
            const row = tables.months.get(monthId(requests[i]!.account, monthOf(requests[i]!.now)))
            if (answer._tag === "Admitted") return { ...answer, creditsLeft: Math.max(0, answer.creditsLeft - 1) }
            return answer._tag === "Refused" && row !== undefined
              ? { ...answer, creditsLeft: Math.max(0, answer.creditsLeft - 1), allotted: row.allotted }
              : answer
          }))
      })
  }),
  /** Reads what is left, thinks for a moment, and writes without looking again. */
  2: (store, tables) => ({
    reserve: (requests) =>
      Effect.gen(function*() {
        const first = requests[0]!
        const books = yield* store.books(first.account, monthOf(first.now))
        yield* Effect.yieldNow
        if (requests.length > 1 || books === null || books.left < first.credits) return yield* store.reserve(requests)
        const row = tables.months.get(monthId(first.account, monthOf(first.now)))
        if (row === undefined) return yield* store.reserve(requests)
        const { allotted, cap } = row
        Object.assign(row, { allotted: allotted + 100, cap: cap + 100 })
        const answers = yield* store.reserve(requests)
        Object.assign(row, { allotted, cap: Math.max(cap, row.used + row.reserved) })
        return answers.map((answer) =>
          answer._tag === "Admitted" ? { ...answer, creditsLeft: Math.max(0, books.left - first.credits) } : answer
        )
      })
  }),
  /** Ends what has ended before once more. */
  3: (store, tables) => ({
    end: (requests) =>
      Effect.suspend(() => {
        for (const { outcome, reservation } of requests) {
          const entry = tables.entries.get(reservation.entry)
          const books = tables.months.get(monthId(reservation.account, reservation.month))
          if (
            entry?.state === "released" && outcome._tag === "Settle" && books !== undefined &&
            books.used + books.reserved + entry.credits <= books.cap
          ) {
            Object.assign(entry, { state: "reserved", endedAt: null })
            books.reserved += entry.credits
          }
        }
        return store.end(requests)
      })
  }),
  /** Forgets the usage by tool now and then. */
  4: (store, tables) => ({
    end: (requests) =>
      Effect.suspend(() => {
        const lines = new Map([...tables.usage].map(([id, line]) => [id, { ...line }]))
        return Effect.tap(store.end(requests), () =>
          Effect.sync(() => {
            if (requests.length < 3) return
            for (const [id, line] of lines) tables.usage.set(id, line)
          }))
      })
  }),
  /** Charges what has lapsed. */
  5: (store) => ({
    end: (requests) => store.end(requests.map((request) => ({ ...request, now: request.now - 60_000 })))
  }),
  /** Charges the month in which a call ends. */
  6: (store, tables) => ({
    end: (requests) =>
      Effect.tap(
        store.end(requests),
        (endings) =>
          Effect.sync(() =>
            requests.forEach(({ now, outcome, reservation: { account, credits, entry, month } }, i) => {
              const [from, to] = [
                tables.months.get(monthId(account, month)),
                tables.months.get(monthId(account, monthOf(now)))
              ]
              if (
                endings[i]?._tag !== "Ended" || outcome._tag !== "Settle" || from === to || from === undefined ||
                to === undefined
              ) return
              from.used -= credits
              to.used += credits
              tables.entries.set(entry, { ...tables.entries.get(entry)!, month: to.month })
            })
          )
      )
  }),
  /** Leaves the allotment as it was until the month turns. */
  7: (store, tables) => ({
    changePlan: (account, plan, month) =>
      Effect.suspend(() => {
        const row = tables.months.get(monthId(account, month))
        const before = { ...row }
        return Effect.tap(store.changePlan(account, plan, month), () =>
          Effect.sync(() => {
            if (row !== undefined) Object.assign(row, before)
          }))
      })
  }),
  /** Charges a repeat again once the first call was settled. */
  8: (store, tables) => ({
    reserve: (requests) =>
      store.reserve(requests.map((request) => {
        const settled = [...tables.entries.values()].some((entry) =>
          entry.account === request.account && entry.idempotencyKey === request.idempotency?.key &&
          entry.state === "settled"
        )
        return settled ? { ...request, idempotency: null } : request
      }))
  })
}

export type Rule = keyof typeof breaks

export const ledgerRules: ReadonlyArray<Rule> = [1, 2, 3, 4, 5, 6, 7, 8]

/** The memory store with one rule broken. A proof of the ledger that does not catch it proves nothing. */
export const mutantLedgerStore = (rule: Rule): Layer.Layer<LedgerStore, never, LedgerStore | MemoryState> =>
  Layer.effect(
    LedgerStore,
    Effect.gen(function*() {
      const store = yield* LedgerStore
      return LedgerStore.of({ ...store, ...breaks[rule](store, yield* MemoryState) })
    })
  )
