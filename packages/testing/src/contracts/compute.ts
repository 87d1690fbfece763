import { assert, describe, it } from "@effect/vitest"
import { Compute, type ComputeError, ComputeOwner, type Job, runInThisThread } from "@tapeline/core/engine"
import { Cause, Effect, Exit, Fiber, type Layer, Logger } from "effect"
import * as fc from "fast-check"
import {
  acceptAnything,
  exhaustMemory,
  exitProcess,
  mayEndIndex,
  returnFraction,
  returnFunction,
  spinForever,
  startIndex,
  sumUp,
  throwError,
  throwUncloneableCause,
  waitForRelease
} from "./computeJobs.ts"

/**
 * The URL of the module that exports the jobs of the contract tests as `jobs`. The threads of a `Compute` adapter must
 * load this module.
 */
export const computeJobs: string = new URL(
  import.meta.url.endsWith(".ts") ? "./computeJobs.ts" : "./computeJobs.js",
  import.meta.url
).href

/** The options of a `Compute` adapter in a test. */
export interface ComputeUnderTest {
  readonly workers: number
  readonly maxQueuedJobs: number
  readonly timeoutMs: number
}

const run = <I, O>(job: Job<I, O>, input: I): Effect.Effect<O, ComputeError> =>
  Effect.flatMap(Compute, (compute) => compute.run(job, input))

const makeMeeting = () => new Int32Array(new SharedArrayBuffer(8))

const awaitStart = (meeting: Int32Array) =>
  Effect.promise(async () => {
    await Atomics.waitAsync(meeting, startIndex, 0).value
  })

const allowEnd = (meeting: Int32Array) =>
  Effect.sync(() => {
    Atomics.store(meeting, mayEndIndex, 1)
    Atomics.notify(meeting, mayEndIndex)
  })

const sumInput = { at: new Date(0), values: Float64Array.of(1, 2), note: undefined }

const assertFree = Effect.map(run(sumUp, sumInput), ({ total }) => assert.strictEqual(total, 3))

type WithCompute = <A, E>(test: Effect.Effect<A, E>, options?: Partial<ComputeUnderTest>) => Effect.Effect<A, E>

const testResults = (withCompute: WithCompute): void => {
  it.live("returns the same result as the job in this thread", () =>
    withCompute(
      Effect.gen(function*() {
        const compute = yield* Compute
        const sampled = fc.sample(
          fc.tuple(fc.date({ noInvalidDate: true }), fc.float64Array(), fc.option(fc.string(), { nil: undefined })),
          20
        )
        for (const [at, values, note] of sampled) {
          const input = { at, values, note }
          assert.deepStrictEqual(yield* compute.run(sumUp, input), runInThisThread(sumUp, input))
        }
        const sumsOfParts = yield* Effect.forEach(Array.from({ length: 4 }, (_, i) => i), (i) =>
          compute.run(sumUp, { ...sumInput, values: Float64Array.of(i) }), { concurrency: "unbounded" })
        assert.deepStrictEqual(
          sumsOfParts.map(({ total }) =>
            total
          ),
          [0, 1, 2, 3]
        )
      }),
      { maxQueuedJobs: 8 }
    ))

  const bugs = [
    ["throws", run(throwError, "a bug"), "a bug"],
    ["throws a value that cannot be cloned", run(throwUncloneableCause, "another bug"), "another bug"],
    ["returns a value that violates its output schema", run(returnFraction, 3), "integer"],
    ["returns a value that cannot be cloned", run(returnFunction, "x"), "could not be cloned"],
    ["receives a value that cannot be cloned", run(acceptAnything, () => "x"), "could not be cloned"]
  ] as const
  it.live("dies with the message of a job that throws or cannot be cloned, and runs the next job", () =>
    withCompute(Effect.gen(function*() {
      for (const [description, job, message] of bugs) {
        const exit = yield* Effect.exit(job)
        assert(Exit.isFailure(exit) && Cause.hasDies(exit.cause), description)
        const defect = Cause.squash(exit.cause)
        assert.instanceOf(defect, Error, description)
        assert.include(defect.message, message, description)
        yield* assertFree
      }
    })))
}

const testQueue = (withCompute: WithCompute): void => {
  it.live("rejects a job at once if the queue is full, and runs queued jobs in order", () =>
    withCompute(
      Effect.gen(function*() {
        const [first, second] = [makeMeeting(), makeMeeting()]
        const running = yield* Effect.forkChild(run(waitForRelease, first), { startImmediately: true })
        yield* awaitStart(first)
        const waiting = yield* Effect.forkChild(run(waitForRelease, second), { startImmediately: true })
        const busyError = yield* Effect.flip(run(sumUp, sumInput))
        assert(busyError._tag === "ComputeBusy")
        assert.include(busyError.message, sumUp.name)
        assert.strictEqual(Atomics.load(second, startIndex), 0)
        yield* allowEnd(first)
        assert.strictEqual(yield* Fiber.join(running), "met")
        yield* awaitStart(second)
        yield* allowEnd(second)
        assert.strictEqual(yield* Fiber.join(waiting), "met")
        yield* assertFree
      }),
      { maxQueuedJobs: 1 }
    ))
}

const testOwners = (withCompute: WithCompute): void => {
  it.live("takes owners in turn, and admits an owner without jobs to a full queue", () =>
    withCompute(
      Effect.gen(function*() {
        const [running, next, last, others] = [makeMeeting(), makeMeeting(), makeMeeting(), makeMeeting()]
        const start = (owner: number, meeting: Int32Array) =>
          Effect.forkChild(Effect.provideService(run(waitForRelease, meeting), ComputeOwner, owner), {
            startImmediately: true
          })
        const first = yield* start(1, running)
        yield* awaitStart(running)
        const waiting = [yield* start(1, next), yield* start(1, last)]
        const busyError = yield* Effect.flip(Effect.provideService(run(sumUp, sumInput), ComputeOwner, 1))
        assert.strictEqual(busyError._tag, "ComputeBusy")
        const other = yield* start(2, others)
        yield* allowEnd(running)
        yield* allowEnd(next)
        yield* awaitStart(others)
        assert.strictEqual(Atomics.load(last, startIndex), 0)
        yield* allowEnd(others)
        yield* allowEnd(last)
        for (const fiber of [first, ...waiting, other]) assert.strictEqual(yield* Fiber.join(fiber), "met")
        yield* assertFree
      }),
      { maxQueuedJobs: 2 }
    ))
}

const testLimits = (withCompute: WithCompute): void => {
  it.live("ends a job at its time limit", () =>
    withCompute(
      Effect.gen(function*() {
        const timeoutError = yield* Effect.flip(run(spinForever, makeMeeting()))
        assert(timeoutError._tag === "ComputeTimeout")
        assert.include(timeoutError.message, spinForever.name)
        assert.deepStrictEqual([timeoutError.job, timeoutError.limitMs, timeoutError.toolFailure.code], [
          spinForever.name,
          1_000,
          "timeout"
        ])
        yield* assertFree
      }),
      { timeoutMs: 1_000 }
    ))

  it.live("frees the worker of an interrupted caller, and drops its queued jobs", () =>
    withCompute(
      Effect.gen(function*() {
        const [meeting, never] = [makeMeeting(), makeMeeting()]
        const running = yield* Effect.forkChild(run(spinForever, meeting), { startImmediately: true })
        yield* awaitStart(meeting)
        const waiting = yield* Effect.forkChild(run(waitForRelease, never), { startImmediately: true })
        yield* Fiber.interrupt(waiting)
        yield* Fiber.interrupt(running)
        yield* assertFree
        assert.strictEqual(Atomics.load(never, startIndex), 0)
      }),
      { maxQueuedJobs: 1 }
    ))

  for (const job of [exitProcess, exhaustMemory]) {
    it.live(`survives a job that crashes its worker: ${job.name}`, () =>
      withCompute(
        Effect.gen(function*() {
          const meeting = makeMeeting()
          const otherJob = yield* Effect.forkChild(run(waitForRelease, meeting), { startImmediately: true })
          yield* awaitStart(meeting)
          const crashError = yield* Effect.flip(run(job, "x"))
          assert(crashError._tag === "ComputeCrashed")
          assert.include(crashError.message, job.name)
          yield* allowEnd(meeting)
          assert.strictEqual(yield* Fiber.join(otherJob), "met")
          yield* Effect.all([assertFree, assertFree], { concurrency: 2 })
        }),
        { workers: 2 }
      ), 60_000)
  }
}

/** Defines the contract tests of `Compute`. If `hasOwnThreads` is false, the tests of threads are omitted. */
export const computeContract = (
  name: string,
  layerOf: (options: ComputeUnderTest) => Layer.Layer<never>,
  { hasOwnThreads }: { readonly hasOwnThreads: boolean }
): void => {
  describe(`Compute: ${name}`, () => {
    const withCompute: WithCompute = (test, options = {}) =>
      test.pipe(Effect.provide([
        layerOf({ workers: 1, maxQueuedJobs: 4, timeoutMs: 60_000, ...options }),
        // The logs about the failing jobs of the contract tests are discarded.
        Logger.layer([])
      ]))

    testResults(withCompute)
    if (!hasOwnThreads) return
    testQueue(withCompute)
    testOwners(withCompute)
    testLimits(withCompute)
  })
}
