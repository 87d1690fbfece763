import { Clock, Effect } from "effect"
import type { StoreUnavailable } from "../store/StoreUnavailable.ts"
import type { Principal } from "./account.ts"

/** What lets somebody in, as it was found lately. */
export interface Remembered {
  readonly principal: Principal
}

/** What lets in and was seen lately, by its text. */
export const makeMemory = <A extends Remembered>(capacity: number) => {
  // In order of use, once half full: then the first entry is the one unused for longest.
  const entries = new Map<string, A>()
  let changes = 0
  return {
    get: (text: string) => entries.get(text),
    /** Counts what was forgotten of a sudden, so that a look-up that a change overtook is not remembered. */
    changes: () => changes,
    add: (text: string, entry: A) => {
      entries.set(text, entry)
      if (entries.size > capacity) entries.delete(entries.keys().next().value!)
    },
    /** Notes that an entry is used; false when it was forgotten meanwhile. */
    use: (text: string, entry: A): boolean => {
      if (entries.get(text) !== entry) return false
      // While there is room for as many again nobody asks for the order, and keeping it has a price.
      if (entries.size * 2 > capacity) {
        entries.delete(text)
        entries.set(text, entry)
      }
      return true
    },
    /** Forgets what is an account's, or all of it. */
    forget: (account: number | null) => {
      changes++
      if (account === null) return entries.clear()
      for (const [text, entry] of entries) if (entry.principal.account === account) entries.delete(text)
    }
  }
}

/** Notes uses of so many ms ago, and gives back those that somebody holds. */
type Touch = (agoMs: ReadonlyMap<number, number>) => Effect.Effect<ReadonlyArray<number>, StoreUnavailable>

/** When keys or sessions were last used, by a clock that nobody sets, until it is written. */
export const makeUses = (touch: Touch) => {
  const uses = new Map<number, bigint>()
  const write = Effect.flatMap(Clock.monotonicTimeNanos, (now) => {
    if (uses.size === 0) return Effect.void
    const batch = new Map(uses)
    uses.clear()
    // What was not written is written the next time, unless it was used again meanwhile.
    const keep = (id: number) => void uses.set(id, uses.get(id) ?? batch.get(id)!)
    const agoMs = new Map([...batch].map(([id, at]) => [id, Number((now - at) / 1_000_000n)]))
    return Effect.match(touch(agoMs), {
      onFailure: () => [...batch.keys()].forEach(keep),
      onSuccess: (held) => held.forEach(keep)
    })
  })
  return { note: (id: number, at: bigint) => void uses.set(id, at), write }
}
