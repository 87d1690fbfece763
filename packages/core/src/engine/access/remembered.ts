import { Clock, Effect } from "effect"
import type { StoreUnavailable } from "../store/StoreUnavailable.ts"
import type { Principal } from "./account.ts"

/** A cached result of an authentication. */
export interface Remembered {
  readonly principal: Principal
}

/** A cache of authenticated keys or sessions, by their text. */
export const makeMemory = <A extends Remembered>(capacity: number) => {
  // In order of use as soon as the cache is more than half full. Then the first entry is the least recently used.
  const entries = new Map<string, A>()
  let changes = 0
  return {
    get: (text: string) => entries.get(text),
    /** The number of invalidations so far. A look-up is not cached if this number changed while the look-up ran. */
    changes: () => changes,
    add: (text: string, entry: A) => {
      entries.set(text, entry)
      if (entries.size > capacity) entries.delete(entries.keys().next().value!)
    },
    /** Marks an entry as used. Returns false if the entry was removed in the meantime. */
    use: (text: string, entry: A): boolean => {
      if (entries.get(text) !== entry) return false
      // Up to half of the capacity, no eviction is near, so the cost of keeping the order is avoided.
      if (entries.size * 2 > capacity) {
        entries.delete(text)
        entries.set(text, entry)
      }
      return true
    },
    /** Removes the entries of an account, or all entries if null. */
    forget: (account: number | null) => {
      changes++
      if (account === null) return entries.clear()
      for (const [text, entry] of entries) if (entry.principal.account === account) entries.delete(text)
    }
  }
}

/** Writes when ids were last used, in ms before now. Returns the ids that were locked and not written. */
type Touch = (agoMs: ReadonlyMap<number, number>) => Effect.Effect<ReadonlyArray<number>, StoreUnavailable>

/** Collects when keys or sessions were last used, by the monotonic clock, until the times are written. */
export const makeUses = (touch: Touch) => {
  const uses = new Map<number, bigint>()
  const write = Effect.flatMap(Clock.monotonicTimeNanos, (now) => {
    if (uses.size === 0) return Effect.void
    const batch = new Map(uses)
    uses.clear()
    // Uses that were not written are kept for the next write, unless the id was used again in the meantime.
    const keep = (id: number) => void uses.set(id, uses.get(id) ?? batch.get(id)!)
    const agoMs = new Map([...batch].map(([id, at]) => [id, Number((now - at) / 1_000_000n)]))
    return Effect.match(touch(agoMs), {
      onFailure: () => [...batch.keys()].forEach(keep),
      onSuccess: (held) => held.forEach(keep)
    })
  })
  return { note: (id: number, at: bigint) => void uses.set(id, at), write }
}
