import { Clock, Data, Effect, Fiber, Schedule } from "effect"
import type { StoreUnavailable } from "../../engine/store/errors.ts"
import type { GenerationEvent } from "../event.ts"
import type { Generation, StoredStep } from "../generation.ts"
import type { GenerationEnd, GenerationStore } from "../GenerationStore.ts"

/**
 * The error of a runner that lost its generation: another process runs the generation, or the generation has ended.
 * Further writes of this runner change nothing.
 */
export class FenceLost extends Data.TaggedError("FenceLost") {}

/** The schedule of retries while a store is unavailable: exponential from 50 ms, then every second. */
const retryPolicy = {
  schedule: Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced("1 second")]),
  times: 35,
  while: ({ _tag }: { readonly _tag: string }) => _tag === "StoreUnavailable"
} as const

export const retryWhileUnavailable = <A, E extends { readonly _tag: string }, R>(
  work: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => Effect.retry(work, retryPolicy)

/**
 * The maximum duration of one check in `confirmHeld`, in ms. A slower check is repeated, because the process may have
 * been suspended during the check.
 */
const maxConfirmationMs = 1_000
/**
 * The maximum number of checks in `confirmHeld`. If all checks are slow, the store itself is probably slow, so the run
 * continues.
 */
const maxConfirmations = 3

/** Writes to a generation on behalf of its current runner. */
export interface FencedWriter {
  readonly write: (
    steps: ReadonlyArray<StoredStep>,
    events: ReadonlyArray<GenerationEvent>
  ) => Effect.Effect<void, FenceLost | StoreUnavailable>
  /**
   * Ends the generation and runs `onEnded`. After an interruption, the end and `onEnded` continue until `StopLimit`
   * completes. If the store does not confirm the end in time, another process takes the generation and ends it.
   */
  readonly end: (end: GenerationEnd, onEnded: Effect.Effect<void>) => Effect.Effect<void, FenceLost | StoreUnavailable>
  /** Renews the generation, or returns false if the runner has lost the generation. */
  readonly renew: Effect.Effect<boolean, StoreUnavailable>
  /**
   * Checks in the store whether the runner still holds the generation. `confirm` must precede each action that cannot
   * be undone.
   */
  readonly confirm: Effect.Effect<void, FenceLost | StoreUnavailable>
}

/**
 * Checks in the store whether the runner holds the generation, and repeats a check that took too long. `ageMs` returns
 * the time since the start of the last request that confirmed the runner; the time is negative if the clock was set
 * back.
 */
const confirmHeld = Effect.fnUntraced(function*(
  ageMs: Effect.Effect<number>,
  isHeld: Effect.Effect<boolean, StoreUnavailable>
): Effect.fn.Return<void, FenceLost | StoreUnavailable> {
  for (let count = 0; count < maxConfirmations; count++) {
    if (!(yield* retryWhileUnavailable(isHeld))) return yield* new FenceLost()
    const age = yield* ageMs
    if (age >= 0 && age < maxConfirmationMs) return
  }
})

/** Runs `work`. If the caller is interrupted, `work` continues until it ends or `limit` completes. */
const completeWithin = <A, E>(work: Effect.Effect<A, E>, limit: Effect.Effect<void>): Effect.Effect<A, E> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.withFiber(({ context }) => {
      const fiber = Effect.runForkWith(context)(work)
      return Effect.onInterrupt(restore(Fiber.join(fiber)), () =>
        Effect.andThen(
          Effect.raceFirst(Fiber.await(fiber), limit),
          Effect.sync(() => fiber.interruptUnsafe())
        ))
    })
  )

/** Checks whether the store contains a write of `count` events that the store has rejected or has not confirmed. */
const verifyWrite = Effect.fnUntraced(function*(
  store: GenerationStore["Service"],
  { epoch, id, nextN }: Pick<Generation, "epoch" | "id" | "nextN">,
  count: number,
  error: StoreUnavailable | null
): Effect.fn.Return<void, FenceLost | StoreUnavailable> {
  const row = yield* store.find(id)
  if (row === null || row.epoch !== epoch) return yield* new FenceLost()
  if (row.nextN === nextN + count) return
  if (row.state !== "running") return yield* new FenceLost()
  // The store may still be processing an unconfirmed write, and a retry of the write is harmless.
  if (row.nextN === nextN && error !== null) return yield* error
  return yield* Effect.die(new Error(`generation ${id} was written by another process than its runner`))
})

/**
 * Creates the object through which a runner writes to a generation. Each write contains the number of the next event,
 * so that the store applies a retried write only once. `takenAt` is the time at which the runner requested the
 * generation from the store.
 */
export const makeFencedWriter = (
  store: GenerationStore["Service"],
  generation: Generation,
  takenAt: number,
  stopLimit: Effect.Effect<void>
): FencedWriter => {
  const { epoch, id } = generation
  let { nextN } = generation
  /** The start time of the last request that confirmed that the runner holds the generation, in epoch ms. */
  let heldAt = takenAt

  const trackHeld = <A, E>(request: Effect.Effect<A, E>, isGranted: (answer: A) => boolean): Effect.Effect<A, E> =>
    Effect.flatMap(
      Clock.currentTimeMillis,
      (requestedAt) =>
        Effect.tap(request, (answer) => Effect.sync(() => void (heldAt = isGranted(answer) ? requestedAt : heldAt)))
    )

  const writeOnce = (count: number, write: Effect.Effect<boolean, StoreUnavailable>) =>
    trackHeld(write, (held) => held).pipe(
      Effect.matchEffect({
        onFailure: (doubt) => verifyWrite(store, { epoch, id, nextN }, count, doubt),
        onSuccess: (held) => held ? Effect.void : verifyWrite(store, { epoch, id, nextN }, count, null)
      }),
      Effect.tap(() => Effect.sync(() => void (nextN += count)))
    )

  const renew = trackHeld(Effect.suspend(() => store.renew({ generation: id, epoch })), (held) => held)

  /** Returns whether the runner holds the generation, or has ended a generation that is not closed yet. */
  const isHeld = Effect.flatMap(renew, (held) =>
    held
      ? Effect.succeed(true)
      : trackHeld(
        Effect.map(store.find(id), (row) => row?.epoch === epoch && row.state === "ended"),
        (ended) => ended
      ))

  const fence = () => ({ generation: id, epoch, nextN })

  return {
    write: (steps, events) =>
      steps.length === 0 && events.length === 0
        ? Effect.void
        : retryWhileUnavailable(writeOnce(
          events.length,
          Effect.suspend(() =>
            steps.length === 0 ? store.append(fence(), events) : store.storeSteps(fence(), steps, events)
          )
        )),
    end: (end, onEnded) =>
      retryWhileUnavailable(completeWithin(
        Effect.andThen(
          writeOnce(
            end.events({ _tag: "Ended", creditsLeft: 0 }).length,
            Effect.suspend(() => Effect.map(store.end(fence(), end), ({ held }) => held))
          ),
          onEnded
        ),
        stopLimit
      )),
    renew,
    confirm: confirmHeld(Effect.map(Clock.currentTimeMillis, (now) => now - heldAt), isHeld)
  }
}
