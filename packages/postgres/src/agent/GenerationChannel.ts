import type { PgClient } from "@effect/sql-pg"
import { Context, Layer } from "effect"
import { makeNotices, type Notices } from "../listening/Notices.ts"
import type { PgListener } from "../PgListener.ts"

/** How nodes tell one another of what was appended to logs of generations, by their numbers. */
export class GenerationChannel extends Context.Service<GenerationChannel, Notices>()(
  "@tapeline/postgres/agent/GenerationChannel"
) {
  static readonly layer: Layer.Layer<GenerationChannel, never, PgClient.PgClient | PgListener> = Layer.effect(
    GenerationChannel,
    makeNotices("tapeline_generations")
  )
}
