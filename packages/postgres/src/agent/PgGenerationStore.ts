import { PgClient } from "@effect/sql-pg"
import {
  type Fence,
  type GenerationEvent,
  GenerationFailpoints,
  GenerationStore,
  type GenerationWrite,
  type StoredStep,
  withGenerationFailpoints
} from "@tapeline/core/agent"
import { LedgerStore, type StoreUnavailable } from "@tapeline/core/engine"
import { Effect, Layer } from "effect"
import { makeAside } from "../connection/SideSessions.ts"
import { unavailable } from "../errors.ts"
import { patiently } from "../patiently.ts"
import { closeOnce, endAnywayOnce, endOnce } from "./ending.ts"
import { GenerationChannel } from "./GenerationChannel.ts"
import { reading, takeOnce } from "./running.ts"
import { startOnce } from "./starting.ts"
import { sweepOnce } from "./sweeping.ts"
import { fencedWrites } from "./writing.ts"

type Steps = ReadonlyArray<StoredStep>
type Events = ReadonlyArray<GenerationEvent>

/** `GenerationStore` on PostgreSQL or PGlite. The ledger's endings are part of its transactions. */
export const PgGenerationStore: Layer.Layer<
  GenerationStore,
  never,
  PgClient.PgClient | LedgerStore | GenerationChannel
> = Layer.effect(
  GenerationStore,
  Effect.gen(function*() {
    const [sql, ledger, { tell: appended }] = yield* Effect.all([PgClient.PgClient, LedgerStore, GenerationChannel])
    const [aside, hook] = yield* Effect.all([makeAside, GenerationFailpoints])
    const guard = unavailable("GenerationStore")
    const change = patiently("GenerationStore")
    const commit = yield* fencedWrites(sql, guard)
    const named = <A>(name: GenerationWrite, write: Effect.Effect<A, StoreUnavailable>) =>
      withGenerationFailpoints(hook, name)(write)
    /**
     * Runs a write, and then notifies readers of the appended events. `upTo` returns the number of the last event, or
     * null without events.
     */
    const telling = <A>(
      generation: number,
      write: Effect.Effect<A, StoreUnavailable>,
      upTo: (answer: A) => number | null
    ) =>
      Effect.tap(write, (answer) => {
        const n = upTo(answer)
        return n === null ? Effect.void : appended(generation, n)
      })
    const held = Effect.map((n: number | null) => n !== null)
    const ends = (name: "end" | "endAnyway") => ({ sql, ledger, within: () => hook(`within:${name}`) })
    const write = (name: "append" | "store" | "renew", fence: Fence, steps: Steps, events: Events) =>
      telling(
        fence.generation,
        named(name, change(commit({ fence, steps, events }))),
        (n) => events.length === 0 ? null : n
      ).pipe(held)
    return GenerationStore.of({
      ...reading(sql, guard),
      start: (request) => named("start", change(startOnce(sql, request), { again: true })),
      take: (generation, staleMs, epochs = 1) => named("take", change(takeOnce(sql, generation, staleMs, epochs))),
      append: (fence, events) => write("append", fence, [], events),
      store: (fence, steps, events) => write("store", fence, steps, events),
      renew: (fence) => write("renew", fence, [], []),
      end: (fence, end) =>
        telling(
          fence.generation,
          named("end", change(endOnce(ends("end"), fence, end))),
          (ended) => ended === null ? null : ended.generation.nextN - 1
        ).pipe(Effect.map((ended) => ({ held: ended !== null, answer: ended?.answer ?? null }))),
      endAnyway: (generation, end) =>
        telling(
          generation,
          named("endAnyway", change(endAnywayOnce(ends("endAnyway"), generation, end))),
          (ended) => ended === null ? null : ended.nextN - 1
        ),
      close: (generation, questions) =>
        telling(generation, named("close", change(closeOnce(sql, generation, questions))), (n) => n).pipe(held),
      sweep: (options) =>
        named("sweep", guard(sweepOnce(aside.run, options))).pipe(
          Effect.tap(({ over }) => Effect.forEach(over, (generation) => appended(generation, 0), { discard: true })),
          Effect.map(({ count }) => count)
        )
    })
  })
)
