import { type LedgerStore, monthOf } from "@tapeline/core/engine"
import { Clock, Effect } from "effect"
import type { MemoryState } from "../memory/MemoryState.ts"

type Store = LedgerStore["Service"]
type Tables = MemoryState["Service"]

/** Runs an effect while the rows have more credits, and restores the credits afterwards. */
const withMoreCredits = <Row extends { cap: number }, A, E>(
  rows: ReadonlyMap<string, Row>,
  change: (row: Row, credits: number) => void,
  effect: Effect.Effect<A, E>
) =>
  Effect.suspend(() => {
    const caps = new Map([...rows].map(([id, { cap }]) => [id, cap]))
    for (const row of rows.values()) {
      change(row, 1_000)
      row.cap += 1_000
    }
    return Effect.ensuring(
      effect,
      Effect.sync(() => {
        for (const [id, cap] of caps) {
          change(rows.get(id)!, -1_000)
          rows.get(id)!.cap = cap
        }
      })
    )
  })

/** The ledger mutants that break the rules about charges without a reservation. */
export const chargeMutants = {
  /** A store that charges a call for which the account has not enough credits. */
  "1, charged": (store: Store, tables: Tables): Partial<Store> => ({
    charge: (requests, options) =>
      withMoreCredits(tables.months, (row, credits) => row.allotted += credits, store.charge(requests, options))
  }),
  /** A store that does not count failed calls. */
  "4, failures": (): Partial<Store> => ({ recordFailures: () => Effect.void }),
  /** A store that charges a call for which the key has not enough credits. */
  "16, charged": (store: Store, tables: Tables): Partial<Store> => ({
    charge: (requests, options) =>
      withMoreCredits(tables.keyMonths, (row, credits) => row.credits += credits, store.charge(requests, options))
  }),
  /** A store that does not search for the id of a repeated request. */
  17: (store: Store, tables: Tables): Partial<Store> => ({
    charge: (requests, options) =>
      store.charge(
        requests.map((request) =>
          request.isRepeated && request.idempotency === null
            ? { ...request, id: ++tables.sequence.last }
            : request
        ),
        options
      )
  }),
  /** A store that searches for the id of a repeated request only in the current month. */
  "17, previous month": (store: Store, tables: Tables): Partial<Store> => ({
    charge: (requests, options) =>
      Effect.flatMap(options?.at === undefined ? Clock.currentTimeMillis : Effect.succeed(options.at), (now) => {
        for (const { id } of requests) {
          if (tables.entries.get(id)?.month !== monthOf(now)) tables.entries.delete(id)
        }
        return store.charge(requests, options)
      })
  }),
  /** A store in which a lapsed reservation can still be settled after its idempotency key has moved. */
  "17, disarming": (store: Store, tables: Tables): Partial<Store> => ({
    charge: (requests, options) =>
      Effect.suspend(() => {
        const before = new Map([...tables.entries].map(([id, { expiresAt }]) => [id, expiresAt]))
        return Effect.tap(store.charge(requests, options), () =>
          Effect.sync(() => {
            for (const [id, expiresAt] of before) tables.entries.get(id)!.expiresAt = expiresAt
          }))
      })
  }),
  /** A store that stores a response without the credits left. */
  "17, credits_left": (store: Store, tables: Tables): Partial<Store> => ({
    charge: (requests, options) =>
      Effect.tap(store.charge(requests, options), (results) =>
        Effect.sync(() => {
          for (const [i, { account, idempotency, response }] of requests.entries()) {
            if (results[i]?._tag !== "Charged" || idempotency === null) continue
            tables.idempotency.get(`${account}/${idempotency.key}`)!.answer = response
          }
        }))
  })
} as const
