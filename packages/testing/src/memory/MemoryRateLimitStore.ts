import { RateLimitStore } from "@tapeline/core/engine"
import { Clock, Effect, Layer } from "effect"
import { MemoryState } from "./MemoryState.ts"

/** Provides `RateLimitStore` over `MemoryState`, with the clock of the calling fiber. */
export const MemoryRateLimitStore: Layer.Layer<RateLimitStore, never, MemoryState> = Layer.effect(
  RateLimitStore,
  Effect.map(MemoryState, ({ windows }) =>
    RateLimitStore.of({
      take: ({ account, key, limit, windowMs }) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const id = key === undefined ? `account ${account}` : `key ${key}`
          let window = windows.get(id)
          if (window === undefined || window.endsAt <= now) {
            window = { endsAt: now + windowMs, taken: 0 }
            windows.set(id, window)
          }
          const isAllowed = window.taken < limit
          if (isAllowed) window.taken++
          return { isAllowed, remaining: Math.max(0, limit - window.taken), resetMs: window.endsAt - now }
        })
    }))
)
