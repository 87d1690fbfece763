import { Context } from "effect"

/**
 * How much of what is derived a process remembers, bytes. A hundred coins over the 93 days that hit rates look at take
 * 34 MB: where more are asked for in turns, about the share that fits is found, and the rest is computed again.
 */
export const DerivedMemory = Context.Reference<{ readonly bytes: number }>("@tapeline/core/signals/DerivedMemory", {
  defaultValue: () => ({ bytes: 40 * 1024 * 1024 })
})
