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
import { cloneAsJson } from "./agentTables.ts"
import * as changes from "./generationChanges.ts"
import { MemoryState } from "./MemoryState.ts"

type Store = GenerationStore["Service"]

/** The maximum number of retries for a locked month, and the delay between retries in milliseconds. */
const retryPolicy = { times: 100, afterMs: 20 } as const

const monthLockedError = new StoreUnavailable({
  store: "GenerationStore",
  cause: new Error("The month of the reservation was locked for too long")
})

const isBusy = (answer: object | null): answer is Busy => answer !== null && "_tag" in answer

const retryWhileBusy = <A extends object | null>(
  attempt: Effect.Effect<A | Busy, StoreUnavailable>,
  times: number = retryPolicy.times
): Effect.Effect<A, StoreUnavailable> =>
  Effect.flatMap(attempt, (answer): Effect.Effect<A, StoreUnavailable> => {
    if (!isBusy(answer)) return Effect.succeed(answer)
    return times === 0
      ? Effect.fail(monthLockedError)
      : Effect.delay(retryWhileBusy(attempt, times - 1), retryPolicy.afterMs)
  })

const makeReads = ({ accounts, agent: { generations } }: MemoryState["Service"], now: () => number) => {
  const cloneGenerations = (found: ReadonlyArray<Generation>) => found.map((generation) => structuredClone(generation))
  const getRows = () => [...generations.values()]
  const getRunning = () =>
    getRows().map(({ generation }) => generation).filter(({ state }) => state === "running").sort((a, b) => a.id - b.id)
  return {
    find: (id) => Effect.sync(() => structuredClone(generations.get(id)?.generation ?? null)),
    findByKey: (account, key) =>
      Effect.sync(() => {
        const row = getRows().findLast((row) => row.idempotencyKey === key && row.generation.account === account)
        return structuredClone(row?.generation ?? null)
      }),
    findRunning: (account, conversation) =>
      Effect.sync(() => {
        const row = getRows().find(({ generation }) =>
          generation.conversation === conversation && generation.account === account && generation.state === "running"
        )
        return structuredClone(row?.generation ?? null)
      }),
    listRunning: (account, limit) =>
      Effect.sync(() =>
        cloneGenerations(getRunning().filter((generation) => generation.account === account).slice(0, limit))
      ),
    listInactive: (limit) =>
      Effect.sync(() =>
        cloneGenerations(
          getRunning().filter(({ account }) => (accounts.get(account)?.status ?? "active") !== "active").slice(0, limit)
        )
      ),
    listAbandoned: ({ limit, staleMs, untakenMs }) =>
      Effect.sync(() =>
        cloneGenerations(
          getRows().map(({ generation }) => generation)
            .filter(({ epoch, renewedAt, state }) =>
              state === "running" && renewedAt <= now() - (epoch === 0 ? untakenMs : staleMs)
            )
            .sort((a, b) => a.renewedAt - b.renewedAt || a.id - b.id)
            .slice(0, limit)
        )
      ),
    listSteps: (id) => Effect.sync(() => cloneAsJson(generations.get(id)?.steps ?? []))
  } satisfies Partial<Store>
}

/**
 * Provides `GenerationStore` over `MemoryState`, with one clock for all callers, like a database. One transaction can
 * change generations and the ledger of `MemoryState`.
 */
export const MemoryGenerationStore: Layer.Layer<GenerationStore, never, MemoryState> = Layer.effect(
  GenerationStore,
  Effect.gen(function*() {
    const [state, clock, failpoint] = yield* Effect.all([MemoryState, Clock.Clock, GenerationFailpoints])
    const tables = state.agent
    const now = () => clock.currentTimeMillisUnsafe()
    /** Runs one synchronous step; an exception in the step is a defect and leaves the state unchanged. */
    const runStep = <A>(name: GenerationWrite, act: () => A) =>
      withGenerationFailpoints(failpoint, name)(Effect.sync(act))
    const runEnd = <A extends object | null>(name: "end" | "endAnyway", act: () => A | Busy) =>
      withGenerationFailpoints(failpoint, name)(
        retryWhileBusy(Effect.andThen(failpoint(`within:${name}`), Effect.sync(act)))
      )
    const wakeReadersAfter = <A, E>(
      generation: number,
      write: Effect.Effect<A, E>,
      isChanged: (answer: A) => boolean
    ) =>
      Effect.tap(write, (answer) => Effect.sync(() => isChanged(answer) ? tables.notices.wake(generation) : undefined))
    const appendAndWake = (fence: Fence, count: number, write: Effect.Effect<boolean, StoreUnavailable>) =>
      wakeReadersAfter(fence.generation, write, (isHeld) => isHeld && count > 0)
    return GenerationStore.of({
      ...makeReads(state, now),
      start: (request) => runStep("start", () => changes.startGeneration(state, request, now())),
      take: (id, staleMs, epochs = 1) =>
        runStep("take", () => changes.takeGeneration(tables, id, { epochs, staleMs, now: now() })),
      append: (fence, events) =>
        appendAndWake(
          fence,
          events.length,
          runStep("append", () => changes.writeUnderFence(tables, fence, [], events, now()))
        ),
      storeSteps: (fence, steps, events) =>
        appendAndWake(
          fence,
          events.length,
          runStep("store", () => changes.writeUnderFence(tables, fence, steps, events, now()))
        ),
      renew: (fence) => runStep("renew", () => changes.writeUnderFence(tables, fence, [], [], now())),
      end: (fence, end) =>
        wakeReadersAfter(
          fence.generation,
          runEnd("end", () => changes.endUnderFence(state, fence, end, now())),
          ({ held }) => held
        ),
      forceEnd: (id, end) =>
        wakeReadersAfter(
          id,
          runEnd("endAnyway", () => changes.forceEnd(state, id, end, now())),
          (hasEnded) => hasEnded !== null
        ),
      close: (id, questions) =>
        wakeReadersAfter(
          id,
          runStep("close", () => changes.closeGeneration(tables, id, questions)),
          (isClosed) => isClosed
        ),
      sweep: (options) =>
        Effect.map(runStep("sweep", () => changes.sweepGenerations(tables, options, now())), ({ count, closedIds }) => {
          closedIds.forEach((id) => tables.notices.wake(id))
          return count
        })
    })
  })
)
