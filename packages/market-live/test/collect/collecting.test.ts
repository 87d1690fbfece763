import { assert, it } from "@effect/vitest"
import { StoreUnavailable } from "@tapeline/core/engine"
import { minuteMs } from "@tapeline/core/market"
import { MarketStore, MarketStoreFailpoints, pointsKinds } from "@tapeline/core/market/store"
import { MemoryMarketStore } from "@tapeline/testing"
import { isFullRun } from "@tapeline/testing/fullRun"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { layerCollectors, MarketHealth, SourceHealth } from "../../src/index.ts"
import { findDataErrors, modelCollectors, ModelSource, start, stepMs } from "../support/ModelSource.ts"

const unavailableError = new StoreUnavailable({ store: "memory", cause: "as told" })

class Process {
  readonly #source: ModelSource
  readonly #store: MarketStore["Service"]
  readonly #holder: string
  #scope: Scope.Closeable | undefined
  health: MarketHealth["Service"] | undefined
  /**
   * If true, the process cannot renew its lease. The process continues to write until it detects the loss of the
   * leadership.
   */
  isDisconnected = false
  #killed = false

  constructor(source: ModelSource, store: MarketStore["Service"], holder: string) {
    this.#source = source
    this.#store = store
    this.#holder = holder
  }

  get start(): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      if (this.#scope !== undefined) return
      this.#killed = false
      this.isDisconnected = false
      const scope = yield* Scope.make()
      this.#scope = scope
      const processStore: MarketStore["Service"] = {
        ...this.#store,
        acquireLeadership: (query) =>
          Effect.suspend(() =>
            this.isDisconnected ? Effect.fail(unavailableError) : this.#store.acquireLeadership(query)
          ),
        resignLeadership: (fence) =>
          Effect.suspend(() => this.#killed ? Effect.void : this.#store.resignLeadership(fence))
      }
      const layer = layerCollectors(Object.values(modelCollectors(this.#source)), { holder: this.#holder }).pipe(
        Layer.provideMerge(Layer.provide(MarketHealth.layer, SourceHealth.layer)),
        Layer.provide(Layer.succeed(MarketStore, processStore))
      )
      this.health = Context.get(yield* Layer.buildWithScope(layer, scope), MarketHealth)
    })
  }

  end(reason: "stopped" | "killed"): Effect.Effect<void> {
    return Effect.suspend(() => {
      const scope = this.#scope
      this.#scope = undefined
      this.#killed = reason === "killed"
      return scope === undefined ? Effect.void : Scope.close(scope, Exit.void)
    })
  }
}

/**
 * Failures of the store's writes. With `before`, nothing is written. With `after`, the rows are written, but the
 * response is lost.
 */
const faults = { writes: null as null | "before:points" | "after:points", leads: false }

const store = Layer.provide(
  MemoryMarketStore,
  Layer.succeed(
    MarketStoreFailpoints,
    (point) =>
      point === faults.writes || (faults.leads && point === "before:lead")
        ? Effect.fail(unavailableError)
        : Effect.void
  )
)

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ _tag: fc.constant("pass" as const), minutes: fc.integer({ min: 1, max: 50 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      _tag: fc.constant("source" as const),
      failure: fc.constantFrom(null, null, "unreachable" as const, "malformed" as const, "blocked" as const),
      publishDelayMs: fc.constantFrom(0, 0, 90_000, 1_000_000),
      responseDelayMs: fc.constantFrom(0, 0, 700, 50_000, 400_000),
      unreadable: fc.constantFrom(null, null, "AAA", "CCC")
    })
  },
  {
    weight: 2,
    arbitrary: fc.record({
      _tag: fc.constant("store" as const),
      writes: fc.constantFrom(null, null, "before:points" as const, "after:points" as const),
      leads: fc.constantFrom(false, false, true)
    })
  },
  {
    weight: 3,
    arbitrary: fc.record({
      _tag: fc.constant("process" as const),
      processIndex: fc.nat(1),
      does: fc.constantFrom("start" as const, "stopped" as const, "killed" as const, "disconnected" as const)
    })
  }
)
type Step = typeof step extends fc.Arbitrary<infer A> ? A : never

const kinds = [[pointsKinds.impliedVolatilities, "ivPct"], [pointsKinds.fxRates, "rate"]] as const

/**
 * Asserts that covered data equals the source's data, and that only data which the source can no longer provide counts
 * as lost.
 */
const checked = (source: ModelSource) =>
  Effect.forEach(
    kinds,
    ([kind, column]) =>
      Effect.map(findDataErrors(source, kind, column), (differences) => assert.deepStrictEqual(differences, []))
  )

const restore = (source: ModelSource) =>
  Effect.sync(() => {
    Object.assign(source, { failure: null, publishDelayMs: 0, responseDelayMs: 0, unreadable: null })
    Object.assign(faults, { writes: null, leads: false })
  })

const world = Effect.gen(function*() {
  yield* TestClock.setTime(start + 17_000)
  const source = new ModelSource()
  const marketStore = Context.get(yield* Layer.build(store), MarketStore)
  const processes = ["one", "two"].map((name) => new Process(source, marketStore, name))
  yield* restore(source)
  yield* Effect.addFinalizer(() => Effect.forEach(processes, (one) => one.end("killed"), { discard: true }))
  return { source, marketStore, processes }
})

const run = Effect.fnUntraced(function*(steps: ReadonlyArray<Step>) {
  const { marketStore, processes, source } = yield* world
  yield* processes[0]!.start
  for (const one of steps) {
    if (one._tag === "source") Object.assign(source, { ...one })
    else if (one._tag === "store") Object.assign(faults, { writes: one.writes, leads: one.leads })
    else if (one._tag === "process") {
      const chosenProcess = processes[one.processIndex]!
      if (one.does === "disconnected") chosenProcess.isDisconnected = true
      else yield* one.does === "start" ? chosenProcess.start : chosenProcess.end(one.does)
    } else yield* TestClock.adjust(one.minutes * minuteMs)
    yield* Effect.provideService(checked(source), MarketStore, marketStore)
  }
  yield* restore(source)
  processes[0]!.isDisconnected = false
  yield* processes[0]!.start
  yield* TestClock.adjust(8 * stepMs)
  yield* Effect.provideService(checked(source), MarketStore, marketStore)
  for (const [kind] of kinds) {
    const records = yield* marketStore.records({ kind })
    for (const [subject, { contiguousUntil, since }] of records) {
      const { until = Infinity } = source.subjects.find((known) => known.subject === subject)!
      const currentTime = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
      const due = Math.min(until, Math.floor((currentTime - 2_000) / stepMs) * stepMs)
      assert.isAtLeast(contiguousUntil, due, `${subject} of ${kind.name} is complete again`)
      assert.isNotNull(since)
    }
    assert.isAtLeast(records.size, 2)
  }
})

it("stores exactly what the source has through failures of the source, store and processes", async () => {
  const runs = isFullRun ? 1_000 : 40
  const property = fc.asyncProperty(
    fc.array(step, { maxLength: 25 }),
    (steps) => Effect.runPromise(Effect.scoped(Effect.provide(run(steps), TestClock.layer())))
  )
  // The failure message contains the seed.
  const { failed, ...report } = await fc.check(property, { numRuns: runs })
  assert.isFalse(
    failed,
    `${String(report.errorInstance)} (seed ${report.seed}, path ${report.counterexamplePath}):` +
      JSON.stringify(report.counterexample)
  )
}, 300_000)
