import { RateLimitStore } from "@tapeline/core"
import { Clock, Effect, Layer } from "effect"

interface Window {
  readonly endsAt: number
  readonly taken: number
}

/**
 * Stores rate limits in the memory of one process, for the callers of the last minute only. Each `take` is one
 * synchronous step, so no other `take` runs between its read and its write.
 */
export const ForgettingWindowStore: Layer.Layer<RateLimitStore> = Layer.sync(RateLimitStore, () => {
  const windows = new Map<string, Window>()
  let nextSweep = 0

  const sweep = (now: number, windowMs: number) => {
    if (now < nextSweep) return
    nextSweep = now + windowMs
    for (const [id, window] of windows) if (window.endsAt <= now) windows.delete(id)
  }

  return RateLimitStore.of({
    take: ({ account, key, limit, windowMs }) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        sweep(now, windowMs)
        const id = key === undefined ? `account ${account}` : `key ${key}`
        const window = windows.get(id)
        const open = window !== undefined && window.endsAt > now ? window : { endsAt: now + windowMs, taken: 0 }
        const allowed = open.taken < limit
        const taken = allowed ? open.taken + 1 : open.taken
        windows.set(id, { endsAt: open.endsAt, taken })
        return { isAllowed: allowed, remaining: Math.max(0, limit - taken), resetMs: open.endsAt - now }
      })
  })
})
