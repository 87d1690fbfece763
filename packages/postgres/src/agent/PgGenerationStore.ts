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
import { makeBackgroundPool } from "../connection/sessions.ts"
import { mapSqlErrors } from "../errors.ts"
import { makeLockRetry } from "../rowLocks.ts"
import { makeFencedWriter } from "./fencedWrites.ts"
import { GenerationChannel } from "./GenerationChannel.ts"
import { attemptClose, attemptEnd, attemptForcedEnd } from "./generationEnd.ts"
import { attemptTake, makeReadMethods } from "./generationReads.ts"
import { attemptStart } from "./generationStart.ts"
import { sweepGenerations } from "./generationSweep.ts"

type Steps = ReadonlyArray<StoredStep>
type Events = ReadonlyArray<GenerationEvent>

/**
 * Implements `GenerationStore` with PostgreSQL or PGlite. The ledger settles a reservation within the transaction that
 * ends the generation.
 */
export const PgGenerationStore: Layer.Layer<
  GenerationStore,
  never,
  PgClient.PgClient | LedgerStore | GenerationChannel
> = Layer.effect(
  GenerationStore,
  Effect.gen(function*() {
    const [sql, ledger, { notify: notifyAppended }] = yield* Effect.all([
      PgClient.PgClient,
      LedgerStore,
      GenerationChannel
    ])
    const [backgroundPool, failpoints] = yield* Effect.all([makeBackgroundPool, GenerationFailpoints])
    const mapErrors = mapSqlErrors("GenerationStore")
    const runChange = makeLockRetry("GenerationStore")
    const commitFencedWrite = yield* makeFencedWriter(sql, mapErrors)
    const withWriteFailpoints = <A>(name: GenerationWrite, write: Effect.Effect<A, StoreUnavailable>) =>
      withGenerationFailpoints(failpoints, name)(write)
    /**
     * Runs a write, and then notifies the readers of the generation's events. If `lastEventOf` returns null, the write
     * appended no event, and no reader is notified.
     */
    const notifyAfterWrite = <A>(
      generation: number,
      write: Effect.Effect<A, StoreUnavailable>,
      lastEventOf: (answer: A) => number | null
    ) =>
      Effect.tap(write, (answer) => {
        const n = lastEventOf(answer)
        return n === null ? Effect.void : notifyAppended(generation, n)
      })
    const toFenceHeld = Effect.map((n: number | null) => n !== null)
    const makeEndContext = (name: "end" | "endAnyway") => ({
      sql,
      ledger,
      runFailpoint: () => failpoints(`within:${name}`)
    })
    const write = (name: "append" | "store" | "renew", fence: Fence, steps: Steps, events: Events) =>
      notifyAfterWrite(
        fence.generation,
        withWriteFailpoints(name, runChange(commitFencedWrite({ fence, steps, events }))),
        (n) => events.length === 0 ? null : n
      ).pipe(toFenceHeld)
    return GenerationStore.of({
      ...makeReadMethods(sql, mapErrors),
      start: (request) =>
        withWriteFailpoints("start", runChange(attemptStart(sql, request), { retriesConflicts: true })),
      take: (generation, staleMs, epochs = 1) =>
        withWriteFailpoints("take", runChange(attemptTake(sql, generation, staleMs, epochs))),
      append: (fence, events) => write("append", fence, [], events),
      storeSteps: (fence, steps, events) => write("store", fence, steps, events),
      renew: (fence) => write("renew", fence, [], []),
      end: (fence, end) =>
        notifyAfterWrite(
          fence.generation,
          withWriteFailpoints("end", runChange(attemptEnd(makeEndContext("end"), fence, end))),
          (ended) => ended === null ? null : ended.generation.nextN - 1
        ).pipe(Effect.map((ended) => ({ held: ended !== null, answer: ended?.answer ?? null }))),
      forceEnd: (generation, end) =>
        notifyAfterWrite(
          generation,
          withWriteFailpoints("endAnyway", runChange(attemptForcedEnd(makeEndContext("endAnyway"), generation, end))),
          (ended) => ended === null ? null : ended.nextN - 1
        ),
      close: (generation, questions) =>
        notifyAfterWrite(
          generation,
          withWriteFailpoints("close", runChange(attemptClose(sql, generation, questions))),
          (n) => n
        ).pipe(toFenceHeld),
      sweep: (options) =>
        withWriteFailpoints("sweep", mapErrors(sweepGenerations(backgroundPool.run, options))).pipe(
          Effect.tap(({ finished }) =>
            Effect.forEach(finished, (generation) => notifyAppended(generation, 0), { discard: true })
          ),
          Effect.map(({ count }) => count)
        )
    })
  })
)
