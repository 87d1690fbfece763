import { assert, it } from "@effect/vitest"
import { Compute, defaultPlans, DerivedStore, layerEngine, Toolbox, ToolCaller, tools } from "@tapeline/core"
import type { Job } from "@tapeline/core/engine"
import { backtestSpecifications } from "@tapeline/core/specifications"
import { SimMarket } from "@tapeline/market-sim"
import { layerComputePool, layerSimulatedMarket, simulatedReadsModule } from "@tapeline/server"
import { createKeyedAccount, MemoryStores } from "@tapeline/testing"
import { computeContract, computeJobs } from "@tapeline/testing/contracts/compute"
import {
  acceptAnything,
  exitProcess,
  mayEndIndex,
  returnFraction,
  spinForever,
  startIndex,
  throwError,
  waitForRelease
} from "@tapeline/testing/contracts/computeJobs"
import { isFullRun } from "@tapeline/testing/fullRun"
import { Cause, Effect, Exit, Fiber, Layer, Logger, Scope } from "effect"
import { TestClock } from "effect/testing"
import type { Worker } from "node:worker_threads"

computeContract(
  "worker threads",
  (options) => layerComputePool({ ...options, heapMb: 64, modules: [computeJobs] }),
  { hasOwnThreads: true }
)

it.live.runIf(isFullRun)("hit rates are the same in worker threads", () =>
  Effect.gen(function*() {
    const hitRates = Effect.flatMap(DerivedStore, (derived) => derived.hitRates({ coin: "BTC" }))
    const market = SimMarket.layer({ seed: 7 })
    const localRates = yield* Effect.provide(hitRates, Layer.provide(DerivedStore.layer, market))
    const threadRates = yield* Effect.provide(
      hitRates,
      Layer.fresh(DerivedStore.layer).pipe(Layer.provide([market, layerComputePool({ workers: 1 })]))
    )
    assert.isAbove(localRates.value.signals, 0)
    // The results may differ if a new hour began between the two reads.
    if (localRates.value.until === threadRates.value.until) assert.deepStrictEqual(threadRates, localRates)
  }))

it.effect.runIf(isFullRun)(
  "backtests are the same in worker threads, including series of the market",
  () =>
    Effect.gen(function*() {
      // The clock is set before any periodic work starts.
      yield* TestClock.setTime(Date.parse("2026-11-20T15:33:22.517Z"))
      const answers = Effect.gen(function*() {
        const caller = yield* ToolCaller
        const { principal } = yield* createKeyedAccount({ plan: "pro" })
        return yield* Effect.forEach(backtestSpecifications, ({ example, name }) =>
          Effect.map(
            caller.call({ principal, name, arguments: { ...example, bars: 400 } }),
            ({ envelope, failure }) => ({ failure, data: envelope.data })
          ))
      })
      const over = (compute: Layer.Layer<never>) =>
        Effect.provide(
          answers,
          Layer.fresh(layerEngine({ toolbox: Toolbox.layer(tools), plans: defaultPlans })).pipe(
            Layer.provide(Layer.fresh(DerivedStore.layer)),
            Layer.provide(Layer.fresh(layerSimulatedMarket(7))),
            Layer.provideMerge(MemoryStores),
            Layer.provide(compute)
          )
        )
      const inThread = yield* over(Layer.empty)
      for (const { failure } of inThread) assert.isNull(failure)
      assert.deepStrictEqual(yield* over(layerComputePool({ workers: 1, modules: [simulatedReadsModule] })), inThread)
    })
)

const newMeeting = () => new Int32Array(new SharedArrayBuffer(8))
const run = <I, O>(job: Job<I, O>, input: I) => Effect.flatMap(Compute, (compute) => compute.run(job, input))
const awaitStart = (meeting: Int32Array) =>
  Effect.promise(async () => {
    await Atomics.waitAsync(meeting, startIndex, 0).value
  })
const allowEnd = (meeting: Int32Array) =>
  Effect.sync(() => {
    Atomics.store(meeting, mayEndIndex, 1)
    Atomics.notify(meeting, mayEndIndex)
  })

const watchThreads = Effect.acquireRelease(
  Effect.sync(() => {
    const threads: Array<Worker> = []
    const addThread = (thread: Worker) => void threads.push(thread)
    process.on("worker", addThread)
    return { threads, addThread }
  }),
  ({ addThread }) => Effect.sync(() => process.off("worker", addThread))
)

const untilEnded = (thread: Worker) =>
  Effect.callback<void>((resume) => {
    if (thread.threadId === -1) return resume(Effect.void)
    thread.once("exit", () => resume(Effect.void))
  })

it.live("worker threads end with their layer in any state, and no thread starts after it", () =>
  Effect.gen(function*() {
    const { threads } = yield* watchThreads
    const layer = yield* Scope.make()
    const pool = yield* Layer.buildWithScope(layerComputePool({ workers: 2, modules: [computeJobs] }), layer)
    const failing = (meeting: Int32Array) => Effect.provideContext(Effect.flip(run(spinForever, meeting)), pool)
    const [runs, starts, waits, lateMeeting] = [newMeeting(), newMeeting(), newMeeting(), newMeeting()]
    const running = yield* Effect.forkChild(failing(runs), { startImmediately: true })
    yield* awaitStart(runs)
    const starting = yield* Effect.forkChild(failing(starts), { startImmediately: true })
    const waiting = yield* Effect.forkChild(failing(waits), { startImmediately: true })
    yield* Scope.close(layer, Exit.void)
    for (const fiber of [running, starting, waiting]) {
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "ComputeCrashed")
    }
    assert.strictEqual((yield* failing(lateMeeting))._tag, "ComputeCrashed")
    assert.strictEqual(threads.length, 2)
    yield* Effect.forEach(threads, untilEnded)
    for (const meeting of [starts, waits, lateMeeting]) assert.strictEqual(Atomics.load(meeting, startIndex), 0)
  }))

it.live.runIf(isFullRun)(
  "with `when needed`, a thread starts with the first job, and ends when it is idle",
  () =>
    Effect.gen(function*() {
      const { threads } = yield* watchThreads
      const pool = yield* Layer.build(
        layerComputePool({ workers: 1, startFirstWorker: "when needed", idleMs: 10, modules: [computeJobs] })
      )
      assert.strictEqual(threads.length, 0)
      assert.strictEqual(yield* Effect.provideContext(run(returnFraction, 8), pool), 4)
      assert.strictEqual(threads.length, 1)
      yield* untilEnded(threads[0]!)
    })
)

// The test clock does not advance, because worker threads use the system clock.
it.effect.runIf(isFullRun)(
  "an interrupted job keeps its thread if it ends in time; otherwise the thread is replaced",
  () =>
    Effect.gen(function*() {
      const { threads } = yield* watchThreads
      const left = Effect.fnUntraced(function*(job: typeof waitForRelease, interruptGraceMs: number) {
        const meeting = newMeeting()
        yield* Effect.gen(function*() {
          const caller = yield* Effect.forkChild(run(job, meeting), { startImmediately: true })
          yield* awaitStart(meeting)
          yield* Fiber.interrupt(caller)
          yield* allowEnd(meeting)
          assert.strictEqual(yield* run(returnFraction, 4), 2)
        }).pipe(Effect.provide(layerComputePool({ workers: 1, interruptGraceMs, modules: [computeJobs] })))
        return threads.splice(0).length
      })
      assert.strictEqual(yield* left(waitForRelease, 60_000), 1)
      assert.strictEqual(yield* left(spinForever, 1), 2)
    })
)

it.live("a starting thread takes the next job if its caller is interrupted", () =>
  Effect.gen(function*() {
    const { threads } = yield* watchThreads
    const [otherMeeting, left] = [newMeeting(), newMeeting()]
    yield* Effect.gen(function*() {
      const running = yield* Effect.forkChild(run(waitForRelease, otherMeeting), { startImmediately: true })
      yield* awaitStart(otherMeeting)
      const interruptedRun = yield* Effect.forkChild(run(waitForRelease, left), { startImmediately: true })
      yield* Fiber.interrupt(interruptedRun)
      assert.strictEqual(yield* run(returnFraction, 4), 2)
      yield* allowEnd(otherMeeting)
      assert.strictEqual(yield* Fiber.join(running), "met")
    }).pipe(Effect.provide(layerComputePool({ workers: 2, modules: [computeJobs] })))
    assert.strictEqual(threads.length, 2)
    assert.strictEqual(Atomics.load(left, startIndex), 0)
  }))

it.live("a module without valid jobs fails the start of the layer with the module's name", () =>
  Effect.gen(function*() {
    const exporting = (code: string): string =>
      `data:text/javascript,${encodeURIComponent(`export const jobs = ${code}`)}`
    const invalidModules = [
      ["file:///no/such/jobs.ts", "Cannot find module"],
      ["node:path", "it exports no list named `jobs`"],
      [exporting(`[42]`), "42 is not a job"],
      [exporting(`[{ name: "burn", run: (x) => x }]`), "wrap it with named(burn) from @tapeline/core/engine"],
      [exporting(`["a", "a"].map((name) => ({ name, runEncoded: (x) => x }))`), "two jobs are named a"]
    ] as const
    // Each module needs a new thread, so the usual run checks only two modules.
    for (const [module, expectedReason] of isFullRun ? invalidModules : invalidModules.slice(-2)) {
      const exit = yield* Effect.exit(Layer.build(layerComputePool({ modules: [module] })))
      assert(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      assert.include(Cause.pretty(exit.cause), `The module ${module} exports no jobs`)
      assert.include(Cause.pretty(exit.cause), expectedReason)
    }
  }))

it.live("the log contains the cause of a failed job", () =>
  Effect.gen(function*() {
    const logged: Array<string> = []
    const logger = Logger.make(({ cause, logLevel, message }) =>
      logged.push(`${logLevel} ${String(message)}: ${Cause.pretty(cause)}`)
    )
    yield* Effect.all([Effect.exit(run(throwError, "what is wrong")), Effect.exit(run(exitProcess, "x"))]).pipe(
      Effect.provide([layerComputePool({ workers: 1, modules: [computeJobs] }), Logger.layer([logger])])
    )
    assert.match(logged[0]!, /^Error the job contract_throw failed unexpectedly: Error: what is wrong/)
    assert.match(logged[1]!, /^Error the worker thread of the job contract_crash ended: .*exit code 1/)
    assert.strictEqual(logged.length, 2)
  }))

it.live("a job that cannot be sent to a thread does not keep the process alive", () =>
  Effect.gen(function*() {
    const referenced = () => process.getActiveResourcesInfo().filter((kind) => kind === "MessagePort").length
    const before = referenced()
    yield* Effect.exit(run(acceptAnything, () => "x"))
    assert.strictEqual(referenced(), before)
    yield* run(returnFraction, 4)
    assert.strictEqual(referenced(), before)
  }).pipe(Effect.provide([layerComputePool({ workers: 1, modules: [computeJobs] }), Logger.layer([])])))
