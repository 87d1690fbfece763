import { RateLimitStore } from "@tapeline/core"
import { Clock, Effect, Layer } from "effect"

interface Window {
  readonly endsAt: number
  readonly taken: number
}

/**
 * Stores rate limits in the memory of one process, for the accounts of the last minute only. Each `take` is one
 * synchronous step, so no other `take` runs between its read and its write.
 */
export const ForgettingWindowStore: Layer.Layer<RateLimitStore> = Layer.sync(RateLimitStore, () => {
  const windows = new Map<number, Window>()
  let nextSweep = 0

  const sweep = (now: number, windowMs: number) => {
    if (now < nextSweep) return
    nextSweep = now + windowMs
    for (const [account, window] of windows) if (window.endsAt <= now) windows.delete(account)
  }

  return RateLimitStore.of({
    take: ({ account, limit, windowMs }) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        sweep(now, windowMs)
        const window = windows.get(account)
        const open = window !== undefined && window.endsAt > now ? window : { endsAt: now + windowMs, taken: 0 }
        const allowed = open.taken < limit
        const taken = allowed ? open.taken + 1 : open.taken
        windows.set(account, { endsAt: open.endsAt, taken })
        return { isAllowed: allowed, remaining: Math.max(0, limit - taken), resetMs: open.endsAt - now }
      })
  })
})
