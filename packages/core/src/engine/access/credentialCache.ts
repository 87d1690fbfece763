import { Clock, Effect } from "effect"
import type { StoreUnavailable } from "../store/errors.ts"
import type { Principal } from "./account.ts"

export interface CachedCredential {
  readonly principal: Principal
}

/**
 * Creates a cache of authenticated keys or sessions. The text of the key or session token identifies the cache entry.
 */
export const makeCredentialCache = <A extends CachedCredential>(capacity: number) => {
  // The entries, ordered by last use once the cache is more than half full. The least recently used entry is first.
  const entries = new Map<string, A>()
  let invalidations = 0
  return {
    get: (text: string) => entries.get(text),
    /**
     * Returns the number of invalidations so far. A look-up that spans an invalidation must not add its result to the
     * cache.
     */
    invalidationCount: () => invalidations,
    add: (text: string, entry: A) => {
      entries.set(text, entry)
      if (entries.size > capacity) entries.delete(entries.keys().next().value!)
    },
    /** Marks a cache entry as used, or returns false if the entry was removed in the meantime. */
    markUsed: (text: string, entry: A): boolean => {
      if (entries.get(text) !== entry) return false
      // While the cache is at most half full, no eviction is near, so the order of last use is not maintained.
      if (entries.size * 2 > capacity) {
        entries.delete(text)
        entries.set(text, entry)
      }
      return true
    },
    /** Removes the cache entries of an account, or all entries if `account` is null. */
    invalidate: (account: number | null) => {
      invalidations++
      if (account === null) return entries.clear()
      for (const [text, entry] of entries) if (entry.principal.account === account) entries.delete(text)
    }
  }
}

/**
 * Records when keys or sessions were last used. `agoMs` maps the id of each used key or session to the time in ms since
 * its last use. Returns the ids of the locked keys or sessions.
 */
type RecordLastUses = (agoMs: ReadonlyMap<number, number>) => Effect.Effect<ReadonlyArray<number>, StoreUnavailable>

/** Collects the times at which keys or sessions were last used, until `write` records the times in the store. */
export const makeLastUses = (recordLastUses: RecordLastUses) => {
  const usedAt = new Map<number, bigint>()
  const flush = Effect.flatMap(Clock.monotonicTimeNanos, (now) => {
    if (usedAt.size === 0) return Effect.void
    const batch = new Map(usedAt)
    usedAt.clear()
    // Uses that the store did not record are kept for the next write, unless a newer use of the same id exists.
    const keepForRetry = (id: number) => void usedAt.set(id, usedAt.get(id) ?? batch.get(id)!)
    const agesMs = new Map([...batch].map(([id, at]) => [id, Number((now - at) / 1_000_000n)]))
    return Effect.match(recordLastUses(agesMs), {
      onFailure: () => [...batch.keys()].forEach(keepForRetry),
      onSuccess: (locked) => locked.forEach(keepForRetry)
    })
  })
  return { add: (id: number, at: bigint) => void usedAt.set(id, at), write: flush }
}
