import { assert, describe, it } from "@effect/vitest"
import { Compute, type ComputeError, ComputeOwner, type Job, runHere } from "@tapeline/core/engine"
import { Cause, Effect, Exit, Fiber, type Layer, Logger } from "effect"
import * as fc from "fast-check"
import {
  begun,
  crash,
  giveFunction,
  halve,
  mayEnd,
  meet,
  spin,
  sumUp,
  swallow,
  takeAnything,
  throwing,
  throwingMore
} from "./computeJobs.ts"

/** The module that exports the suite's jobs as `jobs`, for an adapter's threads. */
export const computeJobs: string = new URL(
  import.meta.url.endsWith(".ts") ? "./computeJobs.ts" : "./computeJobs.js",
  import.meta.url
).href

/** The options of an adapter in a test. */
export interface ComputeUnderTest {
  /** The number of jobs that run at once. */
  readonly workers: number
  /** The maximum number of waiting jobs. */
  readonly maxWaiting: number
  readonly limitMs: number
}

const run = <I, O>(job: Job<I, O>, input: I): Effect.Effect<O, ComputeError> =>
  Effect.flatMap(Compute, (compute) => compute.run(job, input))

const newMeeting = () => new Int32Array(new SharedArrayBuffer(8))

/** Waits until the job of this meeting runs. */
const untilBegun = (meeting: Int32Array) =>
  Effect.promise(async () => {
    await Atomics.waitAsync(meeting, begun, 0).value
  })

const letEnd = (meeting: Int32Array) =>
  Effect.sync(() => {
    Atomics.store(meeting, mayEnd, 1)
    Atomics.notify(meeting, mayEnd)
  })

const add = { at: new Date(0), values: Float64Array.of(1, 2), note: undefined }

/** Checks that a worker is free by running a short job. */
const assertFree = Effect.map(run(sumUp, add), ({ total }) => assert.strictEqual(total, 3))

type On = <A, E>(test: Effect.Effect<A, E>, options?: Partial<ComputeUnderTest>) => Effect.Effect<A, E>

const inAnyThread = (on: On): void => {
  it.live("gives what the job gives in this thread", () =>
    on(
      Effect.gen(function*() {
        const compute = yield* Compute
        const sampled = fc.sample(
          fc.tuple(fc.date({ noInvalidDate: true }), fc.float64Array(), fc.option(fc.string(), { nil: undefined })),
          20
        )
        for (const [at, values, note] of sampled) {
          const input = { at, values, note }
          assert.deepStrictEqual(yield* compute.run(sumUp, input), runHere(sumUp, input))
        }
        const many = yield* Effect.forEach(Array.from({ length: 4 }, (_, i) => i), (i) =>
          compute.run(sumUp, { ...add, values: Float64Array.of(i) }), { concurrency: "unbounded" })
        assert.deepStrictEqual(
          many.map(({ total }) =>
            total
          ),
          [0, 1, 2, 3]
        )
      }),
      { maxWaiting: 8 }
    ))

  const bugs = [
    ["throws", run(throwing, "a bug"), "a bug"],
    ["throws what cannot be cloned", run(throwingMore, "another bug"), "another bug"],
    ["breaks the schema of its output", run(halve, 3), "integer"],
    ["gives what cannot be cloned", run(giveFunction, "x"), "could not be cloned"],
    ["is given what cannot be cloned", run(takeAnything, () => "x"), "could not be cloned"]
  ] as const
  it.live("takes a job for a bug that throws or cannot be cloned, with its message, and the next job runs", () =>
    on(Effect.gen(function*() {
      for (const [what, asked, message] of bugs) {
        const exit = yield* Effect.exit(asked)
        assert(Exit.isFailure(exit) && Cause.hasDies(exit.cause), what)
        const defect = Cause.squash(exit.cause)
        assert.instanceOf(defect, Error, what)
        assert.include(defect.message, message, what)
        yield* assertFree
      }
    })))
}

const inThreadsOfTheirOwn = (on: On): void => {
  it.live("refuses what may not even wait, at once, and begins what waits in its order", () =>
    on(
      Effect.gen(function*() {
        const [first, second] = [newMeeting(), newMeeting()]
        const running = yield* Effect.forkChild(run(meet, first), { startImmediately: true })
        yield* untilBegun(first)
        const waiting = yield* Effect.forkChild(run(meet, second), { startImmediately: true })
        const busy = yield* Effect.flip(run(sumUp, add))
        assert(busy._tag === "ComputeBusy")
        assert.include(busy.message, sumUp.name)
        assert.strictEqual(Atomics.load(second, begun), 0)
        yield* letEnd(first)
        assert.strictEqual(yield* Fiber.join(running), "met")
        yield* untilBegun(second)
        yield* letEnd(second)
        assert.strictEqual(yield* Fiber.join(waiting), "met")
        yield* assertFree
      }),
      { maxWaiting: 1 }
    ))
}

const sharedAmongOwners = (on: On): void => {
  it.live("lets owners take turns, and admits an owner without jobs to a full queue", () =>
    on(
      Effect.gen(function*() {
        const [running, next, last, others] = [newMeeting(), newMeeting(), newMeeting(), newMeeting()]
        const start = (owner: number, meeting: Int32Array) =>
          Effect.forkChild(Effect.provideService(run(meet, meeting), ComputeOwner, owner), { startImmediately: true })
        const first = yield* start(1, running)
        yield* untilBegun(running)
        const waiting = [yield* start(1, next), yield* start(1, last)]
        const busy = yield* Effect.flip(Effect.provideService(run(sumUp, add), ComputeOwner, 1))
        assert.strictEqual(busy._tag, "ComputeBusy")
        const other = yield* start(2, others)
        yield* letEnd(running)
        yield* letEnd(next)
        yield* untilBegun(others)
        assert.strictEqual(Atomics.load(last, begun), 0)
        yield* letEnd(others)
        yield* letEnd(last)
        for (const fiber of [first, ...waiting, other]) assert.strictEqual(yield* Fiber.join(fiber), "met")
        yield* assertFree
      }),
      { maxWaiting: 2 }
    ))
}

const whateverAJobDoes = (on: On): void => {
  it.live("ends a job at its limit", () =>
    on(
      Effect.gen(function*() {
        const late = yield* Effect.flip(run(spin, newMeeting()))
        assert(late._tag === "ComputeTimeout")
        assert.include(late.message, spin.name)
        assert.deepStrictEqual([late.job, late.limitMs, late.toolFailure.code], [spin.name, 1_000, "timeout"])
        yield* assertFree
      }),
      { limitMs: 1_000 }
    ))

  it.live("frees the place of a caller that is interrupted, and drops what it waited for", () =>
    on(
      Effect.gen(function*() {
        const [meeting, never] = [newMeeting(), newMeeting()]
        const running = yield* Effect.forkChild(run(spin, meeting), { startImmediately: true })
        yield* untilBegun(meeting)
        const waiting = yield* Effect.forkChild(run(meet, never), { startImmediately: true })
        yield* Fiber.interrupt(waiting)
        yield* Fiber.interrupt(running)
        yield* assertFree
        assert.strictEqual(Atomics.load(never, begun), 0)
      }),
      { maxWaiting: 1 }
    ))

  for (const job of [crash, swallow]) {
    it.live(`survives a job that ends what runs it: ${job.name}`, () =>
      on(
        Effect.gen(function*() {
          const meeting = newMeeting()
          const beside = yield* Effect.forkChild(run(meet, meeting), { startImmediately: true })
          yield* untilBegun(meeting)
          const crashed = yield* Effect.flip(run(job, "x"))
          assert(crashed._tag === "ComputeCrashed")
          assert.include(crashed.message, job.name)
          yield* letEnd(meeting)
          assert.strictEqual(yield* Fiber.join(beside), "met")
          yield* Effect.all([assertFree, assertFree], { concurrency: 2 })
        }),
        { workers: 2 }
      ), 60_000)
  }
}

/**
 * The contract tests of `Compute`. `layerOf` creates the adapter. An adapter that runs jobs in the caller's thread sets
 * `ownThreads: false` and skips the tests of threads.
 */
export const computeContract = (
  name: string,
  layerOf: (options: ComputeUnderTest) => Layer.Layer<never>,
  { ownThreads }: { readonly ownThreads: boolean }
): void => {
  describe(`Compute: ${name}`, () => {
    const on: On = (test, options = {}) =>
      test.pipe(Effect.provide([
        layerOf({ workers: 1, maxWaiting: 4, limitMs: 60_000, ...options }),
        // Discards the logs about the suite's failing jobs.
        Logger.layer([])
      ]))

    inAnyThread(on)
    if (!ownThreads) return
    inThreadsOfTheirOwn(on)
    sharedAmongOwners(on)
    whateverAJobDoes(on)
  })
}
