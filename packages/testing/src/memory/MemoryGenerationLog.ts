import { GenerationLog } from "@tapeline/core/agent"
import { Effect, Layer } from "effect"
import { MemoryState } from "./MemoryState.ts"

/** `GenerationLog` over `MemoryState`. */
export const MemoryGenerationLog: Layer.Layer<GenerationLog, never, MemoryState> = Layer.effect(
  GenerationLog,
  Effect.map(MemoryState, ({ agent: { generations, wakes } }) =>
    GenerationLog.of({
      read: (id, after, limit) =>
        Effect.sync(() => {
          const row = generations.get(id)
          if (row === undefined) return { events: [], ended: true }
          const events = row.events.filter(({ n }) => n > after).slice(0, limit)
          const last = events.at(-1)?.n ?? after
          const whole = events.length < limit || last >= row.generation.nextN - 1
          const over = row.generation.state === "closed" || !row.logged
          return { events: events.map((event) => ({ ...event })), ended: over && whole }
        }),
      listen: (id) => wakes.listen(id)
    }))
)
