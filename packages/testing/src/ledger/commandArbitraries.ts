import type { Actor } from "@tapeline/core/engine"
import fc from "fast-check"
import type { Auditor } from "./auditor.ts"

export const minute = 60_000
export const day = 1_440 * minute

/**
 * The actors that make reservations in a model run. The keys 0, 1 and 2 are the keys of the account. The other
 * key ids are far above the ids that a store assigns.
 */
export const actors = [
  { _tag: "Key", key: 0 },
  { _tag: "Key", key: 1 },
  { _tag: "Key", key: 2 },
  { _tag: "Key", key: 900_000_001 },
  { _tag: "Key", key: 900_000_002 },
  { _tag: "Session", session: 1 },
  { _tag: "Session", session: 2 },
  { _tag: "Task", task: 2 }
] as const

export const accountArbitrary = fc.nat({ max: 2 })

export const idempotencyArbitrary = fc.record({
  key: fc.constantFrom("a", "b", "c"),
  fingerprint: fc.constantFrom("one", "one", "one", "two"),
  retentionMs: fc.constantFrom(5 * minute, day)
})

/** Returns the actor of a request. The keys 0, 1 and 2 become the keys of the account. */
export const makeActor = (auditor: Auditor, account: number, actor: Actor): Actor =>
  actor._tag === "Key" && actor.key < 3 ? { ...actor, key: auditor.keysOf(account)[actor.key]?.id ?? 1 } : actor
