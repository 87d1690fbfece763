import {
  type Fence,
  type Generation,
  GenerationFailpoints,
  GenerationStore,
  type GenerationWrite,
  withGenerationFailpoints
} from "@tapeline/core/agent"
import { type Busy, StoreUnavailable } from "@tapeline/core/engine"
import { Clock, Effect, Layer } from "effect"
import { throughJson } from "./agentTables.ts"
import * as changes from "./generationChanges.ts"
import { MemoryState } from "./MemoryState.ts"

type Store = GenerationStore["Service"]

/** How often, and at which interval in ms, an end is retried while the month is locked. */
const tries = { times: 100, afterMs: 20 } as const

const monthHeld = new StoreUnavailable({
  store: "GenerationStore",
  cause: new Error("The month of the reservation was locked for too long")
})

const isBusy = (answer: object | null): answer is Busy => answer !== null && "_tag" in answer

/** Retries while the month is locked. */
const untilFree = <A extends object | null>(
  once: Effect.Effect<A | Busy, StoreUnavailable>,
  times: number = tries.times
): Effect.Effect<A, StoreUnavailable> =>
  Effect.flatMap(once, (answer): Effect.Effect<A, StoreUnavailable> => {
    if (!isBusy(answer)) return Effect.succeed(answer)
    return times === 0 ? Effect.fail(monthHeld) : Effect.delay(untilFree(once, times - 1), tries.afterMs)
  })

const reads = ({ generations }: MemoryState["Service"]["agent"], now: () => number) => {
  const copies = (found: ReadonlyArray<Generation>) => found.map((generation) => structuredClone(generation))
  const all = () => [...generations.values()]
  return {
    find: (id) => Effect.sync(() => structuredClone(generations.get(id)?.generation ?? null)),
    byKey: (account, key) =>
      Effect.sync(() => {
        const found = all().findLast((row) => row.idempotencyKey === key && row.generation.account === account)
        return structuredClone(found?.generation ?? null)
      }),
    running: (account, conversation) =>
      Effect.sync(() => {
        const found = all().find(({ generation }) =>
          generation.conversation === conversation && generation.account === account && generation.state === "running"
        )
        return structuredClone(found?.generation ?? null)
      }),
    abandoned: ({ limit, staleMs, untakenMs }) =>
      Effect.sync(() =>
        copies(
          all().map(({ generation }) => generation)
            .filter(({ epoch, renewedAt, state }) =>
              state === "running" && renewedAt <= now() - (epoch === 0 ? untakenMs : staleMs)
            )
            .sort((a, b) => a.renewedAt - b.renewedAt || a.id - b.id)
            .slice(0, limit)
        )
      ),
    steps: (id) => Effect.sync(() => throughJson(generations.get(id)?.steps ?? []))
  } satisfies Partial<Store>
}

/**
 * `GenerationStore` over `MemoryState`, with whose ledger it shares transactions. Its time is the clock of its
 * construction, like a database's clock.
 */
export const MemoryGenerationStore: Layer.Layer<GenerationStore, never, MemoryState> = Layer.effect(
  GenerationStore,
  Effect.gen(function*() {
    const [state, clock, hook] = yield* Effect.all([MemoryState, Clock.Clock, GenerationFailpoints])
    const tables = state.agent
    const now = () => clock.currentTimeMillisUnsafe()
    /** Runs one synchronous step. An exception is a defect and leaves everything unchanged. */
    const step = <A>(name: GenerationWrite, act: () => A) => withGenerationFailpoints(hook, name)(Effect.sync(act))
    /** Runs a step that also ends the reservation. */
    const ending = <A extends object | null>(name: "end" | "endAnyway", act: () => A | Busy) =>
      withGenerationFailpoints(hook, name)(untilFree(Effect.andThen(hook(`within:${name}`), Effect.sync(act))))
    /** Then wakes the log's readers if events were appended. */
    const waking = <A, E>(generation: number, write: Effect.Effect<A, E>, did: (answer: A) => boolean) =>
      Effect.tap(write, (answer) => Effect.sync(() => did(answer) ? tables.wakes.wake(generation) : undefined))
    const appending = (fence: Fence, count: number, write: Effect.Effect<boolean, StoreUnavailable>) =>
      waking(fence.generation, write, (held) => held && count > 0)
    return GenerationStore.of({
      ...reads(tables, now),
      start: (request) => step("start", () => changes.start(state, request, now())),
      take: (id, staleMs, epochs = 1) => step("take", () => changes.take(tables, id, { epochs, staleMs, now: now() })),
      append: (fence, events) =>
        appending(fence, events.length, step("append", () => changes.write(tables, fence, [], events, now()))),
      store: (fence, steps, events) =>
        appending(fence, events.length, step("store", () => changes.write(tables, fence, steps, events, now()))),
      renew: (fence) => step("renew", () => changes.write(tables, fence, [], [], now())),
      end: (fence, end) =>
        waking(
          fence.generation,
          ending("end", () => changes.endHeld(state, fence, end, now())),
          ({ held }) => held
        ),
      endAnyway: (id, end) =>
        waking(id, ending("endAnyway", () => changes.endAnyway(state, id, end, now())), (done) => done !== null),
      close: (id, questions) =>
        waking(id, step("close", () => changes.close(tables, id, questions)), (closed) => closed),
      sweep: (options) =>
        Effect.map(step("sweep", () => changes.sweep(tables, options, now())), ({ count, over }) => {
          over.forEach((id) => tables.wakes.wake(id))
          return count
        })
    })
  })
)
