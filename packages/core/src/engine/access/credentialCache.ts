import { Clock, Effect } from "effect"
import type { StoreUnavailable } from "../store/errors.ts"
import type { Principal } from "./account.ts"

/** A cached result of an authentication. */
export interface CachedCredential {
  readonly principal: Principal
}

/** A cache of authenticated keys or sessions, by their text. */
export const makeCredentialCache = <A extends CachedCredential>(capacity: number) => {
  // In order of use as soon as the cache is more than half full. Then the first entry is the least recently used.
  const entries = new Map<string, A>()
  let invalidations = 0
  return {
    get: (text: string) => entries.get(text),
    /** The number of invalidations so far. A look-up is not cached if this number changed while the look-up ran. */
    invalidationCount: () => invalidations,
    add: (text: string, entry: A) => {
      entries.set(text, entry)
      if (entries.size > capacity) entries.delete(entries.keys().next().value!)
    },
    /** Marks an entry as used. Returns false if the entry was removed in the meantime. */
    markUsed: (text: string, entry: A): boolean => {
      if (entries.get(text) !== entry) return false
      // Up to half of the capacity, no eviction is near, so the cost of keeping the order is avoided.
      if (entries.size * 2 > capacity) {
        entries.delete(text)
        entries.set(text, entry)
      }
      return true
    },
    /** Removes the entries of an account, or all entries if null. */
    invalidate: (account: number | null) => {
      invalidations++
      if (account === null) return entries.clear()
      for (const [text, entry] of entries) if (entry.principal.account === account) entries.delete(text)
    }
  }
}

/** Writes when ids were last used, in ms before now. Returns the ids that were locked and not written. */
type RecordLastUses = (agoMs: ReadonlyMap<number, number>) => Effect.Effect<ReadonlyArray<number>, StoreUnavailable>

/** Collects when keys or sessions were last used, by the monotonic clock, until the times are written. */
export const makeLastUses = (recordLastUses: RecordLastUses) => {
  const usedAt = new Map<number, bigint>()
  const flush = Effect.flatMap(Clock.monotonicTimeNanos, (now) => {
    if (usedAt.size === 0) return Effect.void
    const batch = new Map(usedAt)
    usedAt.clear()
    // Uses that were not written are kept for the next write, unless the id was used again in the meantime.
    const keepForRetry = (id: number) => void usedAt.set(id, usedAt.get(id) ?? batch.get(id)!)
    const agesMs = new Map([...batch].map(([id, at]) => [id, Number((now - at) / 1_000_000n)]))
    return Effect.match(recordLastUses(agesMs), {
      onFailure: () => [...batch.keys()].forEach(keepForRetry),
      onSuccess: (locked) => locked.forEach(keepForRetry)
    })
  })
  return { add: (id: number, at: bigint) => void usedAt.set(id, at), write: flush }
}
