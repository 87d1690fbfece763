import type { LedgerStore } from "@tapeline/core/engine"
import { Effect } from "effect"
import type { KeyMonthRow, MemoryState } from "../memory/MemoryState.ts"

type Store = LedgerStore["Service"]
type Tables = MemoryState["Service"]

const copyKeyMonths = ({ keyMonths }: Tables) => new Map([...keyMonths].map(([id, row]) => [id, { ...row }]))

/** Runs an effect, and then restores the reserved credits that the existing rows of keys had before. */
const keepReserved = <A, E>(tables: Tables, effect: Effect.Effect<A, E>) =>
  Effect.suspend(() => {
    const before = copyKeyMonths(tables)
    return Effect.tap(effect, () =>
      Effect.sync(() => {
        for (const [id, row] of tables.keyMonths) {
          const reserved = before.get(id)?.reserved ?? row.reserved
          // A row that violates the store's own check would end the run with another error than the auditor's.
          if (reserved + row.used <= row.cap) row.reserved = reserved
        }
      }))
  })

const changeCredits = (tables: Tables, change: (row: KeyMonthRow) => number) => {
  for (const row of tables.keyMonths.values()) {
    const by = change(row)
    row.credits += by
    row.cap += by
  }
}

/** The ledger mutants that break the rule about the credits of keys. */
export const keyLimitMutants = {
  /** A store that admits a request for one credit more than the key has left. */
  16: (store: Store, tables: Tables): Partial<Store> => ({
    reserve: (requests, options) =>
      Effect.suspend(() => {
        changeCredits(tables, () => 1)
        return Effect.ensuring(store.reserve(requests, options), Effect.sync(() => changeCredits(tables, () => -1)))
      })
  }),
  /** A store that does not count what a key used before its limit. */
  "16, forgotten": (store: Store, tables: Tables): Partial<Store> => ({
    limitKey: (key, credits, options) =>
      Effect.tap(store.limitKey(key, credits, options), () =>
        Effect.sync(() => {
          const row = [...tables.keyMonths.values()].find((one) => one.key === tables.keys.get(key)?.firstKey)
          if (row !== undefined) row.used = 0
        }))
  }),
  /** A store that does not return the credits of a released reservation to the key. */
  "16, released": (store: Store, tables: Tables): Partial<Store> => ({
    end: (requests, options) =>
      requests.every(({ outcome }) => outcome._tag === "Release")
        ? keepReserved(tables, store.end(requests, options))
        : store.end(requests, options)
  }),
  /** A store that does not return the credits of an expired reservation to the key. */
  "16, expired": (store: Store, tables: Tables): Partial<Store> => ({
    expire: (limit, options) => keepReserved(tables, store.expire(limit, options))
  }),
  /** A store that limits only the first key of a chain of rotations. */
  "16, successor": (store: Store, tables: Tables): Partial<Store> => ({
    reserve: (requests, options) =>
      Effect.suspend(() => {
        const successors = [...tables.keys.values()].filter(({ firstKey, id }) => firstKey !== id)
        for (const key of successors) tables.keys.set(key.id, { ...key, firstKey: key.id })
        return Effect.ensuring(
          store.reserve(requests, options),
          Effect.sync(() => {
            for (const { firstKey, id } of successors) tables.keys.set(id, { ...tables.keys.get(id)!, firstKey })
          })
        )
      })
  })
} as const
