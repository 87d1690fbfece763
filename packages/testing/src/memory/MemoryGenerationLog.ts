import { GenerationLog } from "@tapeline/core/agent"
import { Effect, Layer } from "effect"
import { MemoryState } from "./MemoryState.ts"

/** Provides `GenerationLog` over `MemoryState`. */
export const MemoryGenerationLog: Layer.Layer<GenerationLog, never, MemoryState> = Layer.effect(
  GenerationLog,
  Effect.map(MemoryState, ({ agent: { generations, notices } }) =>
    GenerationLog.of({
      read: (id, after, limit) =>
        Effect.sync(() => {
          const row = generations.get(id)
          if (row === undefined) return { events: [], isEnded: true }
          const events = row.events.filter(({ n }) => n > after).slice(0, limit)
          const lastNumber = events.at(-1)?.n ?? after
          const isComplete = events.length < limit || lastNumber >= row.generation.nextN - 1
          const isClosed = row.generation.state === "closed" || !row.hasLog
          return { events: events.map((event) => ({ ...event })), isEnded: isClosed && isComplete }
        }),
      listen: (id) => notices.listen(id)
    }))
)
