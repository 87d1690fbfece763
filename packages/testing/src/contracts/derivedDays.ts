import { assert, layer as withLayer } from "@effect/vitest"
import { DerivedDays, type DerivedDaysService, type DerivedStore, type StoredDay } from "@tapeline/core/analysis"
import { Effect, Exit, Fiber, type Layer, Logger, Queue } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { type BackfilledVenue, makeBackfilledVenue } from "../market/backfilledVenue.ts"
import {
  derivedQuestions,
  type FaultyDerivedDays,
  makeDerivedEngine,
  makeFaultyDerivedDays,
  type StoreBehaviour
} from "../market/derivedEngine.ts"

const dayMs = 86_400_000
const hourMs = 3_600_000
const midnight = Date.UTC(2026, 10, 20)

let seriesCount = 0
const newSeries = () => ({ rule: "score/2", series: `S${++seriesCount}-${Date.now()}`, revision: "r1" })

const makeDay = (i: number, hours = 24, size = 40): StoredDay => ({
  day: midnight + i * dayMs,
  until: midnight + i * dayMs + hours * hourMs,
  bytes: Uint8Array.from({ length: size }, (_, at) => (at * 31 + i * 7 + hours) % 256)
})

const wholeRange = { from: midnight - 1_000 * dayMs, to: midnight + 1_000 * dayMs }

const toComparable = (days: ReadonlyArray<StoredDay>) =>
  days.map(({ bytes, day, until }) => ({ day, until, bytes: [...bytes] }))

/** A step of a random run. In each run, every engine must return the results of a fresh computation. */
type Step =
  | { readonly _tag: "query"; readonly engine: number; readonly question: number; readonly coin: number }
  | { readonly _tag: "wait"; readonly hours: number }
  | {
    readonly _tag: "change"
    readonly coin: number
    readonly ago: number
    readonly hours: number
    readonly isLost: boolean
  }
  | { readonly _tag: "lag"; readonly minutes: number }
  | { readonly _tag: "store behaviour"; readonly behaviour: StoreBehaviour }
  | { readonly _tag: "restart"; readonly engine: number }

/** Generates the index of a coin. Coins 0 and 1 have a perpetual future, and coin 6 has none. */
const coinIndex = fc.constantFrom(0, 0, 1, 6)

const queryStep = fc.record({
  _tag: fc.constant("query" as const),
  engine: fc.nat(2),
  question: fc.nat(derivedQuestions.length - 1),
  coin: coinIndex
})
const waitStep = fc.record({ _tag: fc.constant("wait" as const), hours: fc.integer({ min: 1, max: 30 }) })
const changeStep = fc.record({
  _tag: fc.constant("change" as const),
  coin: coinIndex,
  ago: fc.integer({ min: 1, max: 60 }),
  hours: fc.integer({ min: 1, max: 40 }),
  isLost: fc.boolean()
})
const lagStep = fc.record({ _tag: fc.constant("lag" as const), minutes: fc.constantFrom(0, 45, 200) })
const storeBehaviourStep = fc.record({
  _tag: fc.constant("store behaviour" as const),
  behaviour: fc.constantFrom<StoreBehaviour>("well", "well", "fails", "dies", "silent", "garbles", "forgets")
})
const restartStep = fc.record({ _tag: fc.constant("restart" as const), engine: fc.nat(2) })

const beforeAndAfter = <A extends Step>(event: fc.Arbitrary<A>): fc.Arbitrary<ReadonlyArray<Step>> =>
  fc.tuple(queryStep, event, fc.nat(2)).map(([question, step, engine]) => [question, step, { ...question, engine }])

/** Generates steps that query twice: before and after late data arrives. */
const lateData = fc.tuple(queryStep, fc.integer({ min: 1, max: 5 })).map(([question, hours]): ReadonlyArray<Step> => [
  { _tag: "lag", minutes: 200 },
  { _tag: "wait", hours },
  question,
  { _tag: "lag", minutes: 0 },
  question
])

const singleStep = <A extends Step>(step: fc.Arbitrary<A>): fc.Arbitrary<ReadonlyArray<Step>> =>
  step.map((one) => [one])
const stepsArbitrary = fc.array(
  fc.oneof(
    { arbitrary: singleStep(queryStep), weight: 4 },
    { arbitrary: beforeAndAfter(changeStep), weight: 4 },
    { arbitrary: beforeAndAfter(restartStep), weight: 2 },
    { arbitrary: lateData, weight: 1 },
    { arbitrary: singleStep(waitStep), weight: 2 },
    { arbitrary: singleStep(lagStep), weight: 1 },
    { arbitrary: singleStep(storeBehaviourStep), weight: 2 }
  ),
  { minLength: 10, maxLength: 30 }
).map((parts) => parts.flat())

/**
 * Runs a query, and advances the test clock until the query ends. If the store never replies, the query ends only
 * because the test clock reaches the engine's time limit.
 */
const awaitAnswer = Effect.fnUntraced(function*<A, E>(question: Effect.Effect<A, E>) {
  const fiber = yield* Effect.forkChild(Effect.exit(question))
  for (let turn = 0; turn < 20_000 && fiber.pollUnsafe() === undefined; turn++) {
    yield* Effect.yieldNow
    if (turn % 20 === 19) yield* TestClock.adjust("300 millis")
  }
  return yield* Fiber.join(fiber)
})

const exitValue = (exit: Exit.Exit<unknown, unknown>): unknown => Exit.isSuccess(exit) ? exit.value : String(exit.cause)

interface ModelRun {
  readonly venue: BackfilledVenue
  readonly faultyStore: FaultyDerivedDays
  readonly engines: Array<DerivedStore["Service"]>
}

/** Returns the store options of engine 0, 1 or 2. Engine 2 has no store, and keeps its computed days in memory. */
const selectStore = (engine: number, { store }: FaultyDerivedDays) => engine === 2 ? {} : { store }

const applyStep = Effect.fnUntraced(function*({ engines, faultyStore, venue }: ModelRun, step: Step) {
  const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
  switch (step._tag) {
    case "wait":
      return yield* TestClock.adjust(step.hours * hourMs)
    case "change": {
      const from = Math.floor(now / hourMs - step.ago) * hourMs
      const applyChange = step.isLost ? venue.removeCandles : venue.correctCandles
      return applyChange(venue.coins[step.coin]!, { from, to: Math.min(from + step.hours * hourMs, now) })
    }
    case "lag":
      return venue.setLag(step.minutes * 60_000)
    case "store behaviour":
      return faultyStore.setBehaviour(step.behaviour)
    case "restart":
      engines[step.engine] = yield* makeDerivedEngine(venue.layer, {
        ...selectStore(step.engine, faultyStore),
        bytes: 200_000
      })
      return
    case "query": {
      const question = derivedQuestions[step.question]!
      const coin = venue.coins[step.coin]!
      const answer = exitValue(yield* awaitAnswer(question(engines[step.engine]!, coin)))
      const oracle = yield* makeDerivedEngine(venue.layer, { bytes: 0 })
      assert.deepStrictEqual(answer, exitValue(yield* Effect.exit(question(oracle, coin))))
    }
  }
})

/**
 * Runs the steps with three engines, and compares every result with a fresh computation. Two of the engines share a
 * store.
 */
const runSteps = (inner: DerivedDaysService, steps: ReadonlyArray<Step>) =>
  Effect.gen(function*() {
    yield* TestClock.setTime(midnight + 10 * hourMs + 20 * 60_000)
    const venue = makeBackfilledVenue(7)
    const faultyStore = yield* makeFaultyDerivedDays(inner)
    const engines = yield* Effect.forEach([0, 1, 2], (i) => makeDerivedEngine(venue.layer, selectStore(i, faultyStore)))
    const run: ModelRun = { venue, faultyStore, engines }
    for (const step of steps) yield* applyStep(run, step)
  }).pipe(Effect.scoped, Effect.provide([TestClock.layer(), Logger.layer([])]))

type Check = readonly [title: string, run: (store: DerivedDaysService) => Effect.Effect<void, unknown>]

const storeChecks: ReadonlyArray<Check> = [
  ["returns the stored days unchanged, in order, within the half-open interval", (store) =>
    Effect.gen(function*() {
      const series = newSeries()
      const days = [makeDay(2), makeDay(0, 24, 65_536), makeDay(-30_000), makeDay(1, 5, 1)]
      yield* store.put({ ...series, days })
      const all = yield* store.get({ ...series, from: midnight - 40_000 * dayMs, to: midnight + 40_000 * dayMs })
      assert.deepStrictEqual(toComparable(all), toComparable([days[2]!, days[1]!, days[3]!, days[0]!]))
      const some = yield* store.get({ ...series, from: midnight, to: midnight + 2 * dayMs })
      assert.deepStrictEqual(toComparable(some), toComparable([days[1]!, days[3]!]))
      assert.deepStrictEqual(yield* store.get({ ...series, from: midnight, to: midnight }), [])
      yield* store.put({ ...series, days: [] })
    })],
  ["separates rules, series and revisions", (store) =>
    Effect.gen(function*() {
      const series = { ...newSeries(), revision: "~ a'b\"c\\;--%_{}$1" }
      yield* store.put({ ...series, days: [makeDay(0)] })
      for (
        const other of [
          { ...series, rule: "score/3" },
          { ...series, series: series.series.toLowerCase() },
          { ...series, revision: series.revision.toUpperCase() },
          { ...series, revision: `${series.revision} ` }
        ]
      ) assert.deepStrictEqual(yield* store.get({ ...other, ...wholeRange }), [])
      assert.strictEqual((yield* store.get({ ...series, ...wholeRange })).length, 1)
      const long = { rule: "r".repeat(64), series: `${seriesCount}`.padStart(64, "s"), revision: "v".repeat(64) }
      yield* store.put({ ...long, days: [makeDay(0)] })
      assert.strictEqual((yield* store.get({ ...long, ...wholeRange })).length, 1)
    })],
  [
    "keeps the day that is known for longer within a revision; a new revision replaces it",
    (store) =>
      Effect.gen(function*() {
        const series = newSeries()
        const read = (revision: string) =>
          Effect.map(store.get({ ...series, revision, ...wholeRange }), (days) => days.map(({ until }) => until))
        for (const hours of [3, 9, 5, 9]) yield* store.put({ ...series, days: [makeDay(0, hours), makeDay(1, 24)] })
        const corrected = { ...makeDay(1, 24), bytes: Uint8Array.of(1, 2, 3) }
        yield* store.put({ ...series, days: [corrected] })
        assert.deepStrictEqual(
          toComparable(yield* store.get({ ...series, from: corrected.day, to: corrected.day + 1 })),
          toComparable([corrected])
        )
        assert.deepStrictEqual(yield* read("r1"), [makeDay(0, 9).until, makeDay(1).until])
        yield* store.put({ ...series, revision: "r2", days: [makeDay(0, 2)] })
        assert.deepStrictEqual(yield* read("r2"), [makeDay(0, 2).until])
        assert.deepStrictEqual(yield* read("r1"), [makeDay(1).until])
      })
  ],
  ["stores many days of many series under concurrent writes", (store) =>
    Effect.gen(function*() {
      const all = Array.from({ length: 12 }, newSeries)
      const days = Array.from({ length: 93 }, (_, i) => makeDay(-i, 24, 3_000))
      yield* Effect.forEach([...all, ...all], (series) => store.put({ ...series, days }), {
        concurrency: "unbounded",
        discard: true
      })
      const results = yield* Effect.forEach(all, (series) => store.get({ ...series, ...wholeRange }), {
        concurrency: "unbounded"
      })
      for (const one of results) assert.deepStrictEqual(toComparable(one), toComparable(days.toReversed()))
    })]
]

const sharedStoreCheck: Check = [
  "lets two engines compute each series only once",
  (store) =>
    Effect.gen(function*() {
      yield* TestClock.setTime(midnight + 10 * hourMs + 20 * 60_000)
      const venue = makeBackfilledVenue(9)
      const faultyStore = yield* makeFaultyDerivedDays(store)
      const readHitRates = (derived: DerivedStore["Service"]) => derived.hitRates({})
      const first = yield* readHitRates(yield* makeDerivedEngine(venue.layer, { store: faultyStore.store }))
      // The engine writes once for the days of each coin, and once for the regimes of the market.
      for (let i = 0; i < venue.coins.length + 1; i++) yield* Queue.take(faultyStore.writtenSeries)
      const computed = new Map(venue.candleReads)
      const second = yield* readHitRates(yield* makeDerivedEngine(venue.layer, { store: faultyStore.store }))
      assert.deepStrictEqual(second, first)
      assert.deepStrictEqual(venue.candleReads, computed)
    }).pipe(Effect.scoped, Effect.provide(TestClock.layer()))
]

/**
 * Defines the contract tests of `DerivedDays`. The results with a store must equal the results without a store, even
 * after backfills and corruption.
 */
export const derivedDaysContract = <E>(
  name: string,
  layer: Layer.Layer<never, E>,
  { runs = 15, timeoutMs = 60_000 }: { readonly timeoutMs?: number; readonly runs?: number } = {}
): void =>
  // A database client needs real timers, so only the tests that advance the time use a test clock.
  withLayer(layer, { timeout: timeoutMs, excludeTestServices: true })(`DerivedDays: ${name}`, (it) => {
    for (const [title, run] of [...storeChecks, sharedStoreCheck]) {
      it.effect(title, () => Effect.flatMap(DerivedDays, run), timeoutMs)
    }
    it.effect("an engine over a store with random faults returns what an engine without a store returns", () =>
      Effect.flatMap(DerivedDays, (store) =>
        Effect.promise(() =>
          fc.assert(
            fc.asyncProperty(stepsArbitrary, (all) =>
              Effect.runPromise(runSteps(store, all))),
            { numRuns: runs }
          )
        )), timeoutMs)
  })
