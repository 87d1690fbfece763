import { RequestWindowStore } from "@tapeline/core/engine"
import { Clock, Effect, Layer } from "effect"
import { MemoryState } from "./MemoryState.ts"

/** `RequestWindowStore` over `MemoryState`. Its time is the `Clock` of Effect. */
export const MemoryRequestWindowStore: Layer.Layer<RequestWindowStore, never, MemoryState> = Layer.effect(
  RequestWindowStore,
  Effect.map(MemoryState, ({ windows }) =>
    RequestWindowStore.of({
      take: ({ account, limit, windowMs }) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          let window = windows.get(account)
          if (window === undefined || window.endsAt <= now) {
            window = { endsAt: now + windowMs, taken: 0 }
            windows.set(account, window)
          }
          const allowed = window.taken < limit
          if (allowed) window.taken++
          return { allowed, remaining: Math.max(0, limit - window.taken), resetMs: window.endsAt - now }
        })
    }))
)
