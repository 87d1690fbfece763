import { assert, layer as withLayer } from "@effect/vitest"
import { DerivedDays, type DerivedDaysService, type DerivedStore, type StoredDay } from "@tapeline/core/analysis"
import { Effect, Exit, Fiber, type Layer, Logger, Queue } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { type BackfilledVenue, makeBackfilledVenue } from "../market/backfilledVenue.ts"
import {
  derivedEngine,
  derivedQuestions,
  type Temper,
  type TemperedStore,
  temperedStore
} from "../market/derivedEngine.ts"

const dayMs = 86_400_000
const hourMs = 3_600_000
const midnight = Date.UTC(2026, 10, 20)

let used = 0
/** A series that no other test uses. */
const newSeries = () => ({ rule: "score/2", series: `S${++used}-${Date.now()}`, revision: "r1" })

const dayOf = (i: number, hours = 24, size = 40): StoredDay => ({
  day: midnight + i * dayMs,
  until: midnight + i * dayMs + hours * hourMs,
  bytes: Uint8Array.from({ length: size }, (_, at) => (at * 31 + i * 7 + hours) % 256)
})

const everything = { from: midnight - 1_000 * dayMs, to: midnight + 1_000 * dayMs }

/** Converts bytes to numbers, because adapters may return different kinds of arrays. */
const plain = (days: ReadonlyArray<StoredDay>) =>
  days.map(({ bytes, day, until }) => ({ day, until, bytes: [...bytes] }))

/** One step of a run in which engines must answer like a fresh computation. */
type Step =
  | { readonly _tag: "ask"; readonly engine: number; readonly question: number; readonly coin: number }
  | { readonly _tag: "wait"; readonly hours: number }
  | {
    readonly _tag: "change"
    readonly coin: number
    readonly ago: number
    readonly hours: number
    readonly lost: boolean
  }
  | { readonly _tag: "lag"; readonly minutes: number }
  | { readonly _tag: "temper"; readonly temper: Temper }
  | { readonly _tag: "restart"; readonly engine: number }

/** The market's two coins, and a coin without a perpetual. */
const someCoin = fc.constantFrom(0, 0, 1, 6)

const ask = fc.record({
  _tag: fc.constant("ask" as const),
  engine: fc.nat(2),
  question: fc.nat(derivedQuestions.length - 1),
  coin: someCoin
})
const wait = fc.record({ _tag: fc.constant("wait" as const), hours: fc.integer({ min: 1, max: 30 }) })
const change = fc.record({
  _tag: fc.constant("change" as const),
  coin: someCoin,
  ago: fc.integer({ min: 1, max: 60 }),
  hours: fc.integer({ min: 1, max: 40 }),
  lost: fc.boolean()
})
const lag = fc.record({ _tag: fc.constant("lag" as const), minutes: fc.constantFrom(0, 45, 200) })
const temper = fc.record({
  _tag: fc.constant("temper" as const),
  temper: fc.constantFrom<Temper>("well", "well", "fails", "dies", "silent", "garbles", "forgets")
})
const restart = fc.record({ _tag: fc.constant("restart" as const), engine: fc.nat(2) })

/** The same question before and after an event. */
const around = <A extends Step>(happens: fc.Arbitrary<A>): fc.Arbitrary<ReadonlyArray<Step>> =>
  fc.tuple(ask, happens, fc.nat(2)).map(([asked, step, engine]) => [asked, step, { ...asked, engine }])

/** A question while recorded data lags, and again after it has arrived. */
const late = fc.tuple(ask, fc.integer({ min: 1, max: 5 })).map(([asked, hours]): ReadonlyArray<Step> => [
  { _tag: "lag", minutes: 200 },
  { _tag: "wait", hours },
  asked,
  { _tag: "lag", minutes: 0 },
  asked
])

const alone = <A extends Step>(step: fc.Arbitrary<A>): fc.Arbitrary<ReadonlyArray<Step>> => step.map((one) => [one])
const steps = fc.array(
  fc.oneof(
    { arbitrary: alone(ask), weight: 4 },
    { arbitrary: around(change), weight: 4 },
    { arbitrary: around(restart), weight: 2 },
    { arbitrary: late, weight: 1 },
    { arbitrary: alone(wait), weight: 2 },
    { arbitrary: alone(lag), weight: 1 },
    { arbitrary: alone(temper), weight: 2 }
  ),
  { minLength: 10, maxLength: 30 }
).map((parts) => parts.flat())

/** Answers a question that may wait for a silent store: advances the time until the answer arrives. */
const patiently = Effect.fnUntraced(function*<A, E>(question: Effect.Effect<A, E>) {
  const asked = yield* Effect.forkChild(Effect.exit(question))
  for (let turn = 0; turn < 20_000 && asked.pollUnsafe() === undefined; turn++) {
    yield* Effect.yieldNow
    if (turn % 20 === 19) yield* TestClock.adjust("300 millis")
  }
  return yield* Fiber.join(asked)
})

const told = (exit: Exit.Exit<unknown, unknown>): unknown => Exit.isSuccess(exit) ? exit.value : String(exit.cause)

interface Run {
  readonly venue: BackfilledVenue
  readonly tempered: TemperedStore
  readonly engines: Array<DerivedStore["Service"]>
}

/** The third engine has no store, and keeps the days that it computed itself. */
const storeOf = (engine: number, { store }: TemperedStore) => engine === 2 ? {} : { store }

const take = Effect.fnUntraced(function*({ engines, tempered, venue }: Run, step: Step) {
  const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
  switch (step._tag) {
    case "wait":
      return yield* TestClock.adjust(step.hours * hourMs)
    case "change": {
      const from = Math.floor(now / hourMs - step.ago) * hourMs
      const change = step.lost ? venue.lose : venue.correct
      return change(venue.coins[step.coin]!, { from, to: Math.min(from + step.hours * hourMs, now) })
    }
    case "lag":
      return venue.lag(step.minutes * 60_000)
    case "temper":
      return tempered.set(step.temper)
    case "restart":
      engines[step.engine] = yield* derivedEngine(venue.layer, { ...storeOf(step.engine, tempered), bytes: 200_000 })
      return
    case "ask": {
      const question = derivedQuestions[step.question]!
      const coin = venue.coins[step.coin]!
      const answer = told(yield* patiently(question(engines[step.engine]!, coin)))
      const oracle = yield* derivedEngine(venue.layer, { bytes: 0 })
      assert.deepStrictEqual(answer, told(yield* Effect.exit(question(oracle, coin))))
    }
  }
})

/** Runs steps over three engines, two of which share a store. Compares each answer with a fresh computation. */
const follow = (inner: DerivedDaysService, all: ReadonlyArray<Step>) =>
  Effect.gen(function*() {
    yield* TestClock.setTime(midnight + 10 * hourMs + 20 * 60_000)
    const venue = makeBackfilledVenue(7)
    const tempered = yield* temperedStore(inner)
    const engines = yield* Effect.forEach([0, 1, 2], (i) => derivedEngine(venue.layer, storeOf(i, tempered)))
    const run: Run = { venue, tempered, engines }
    for (const step of all) yield* take(run, step)
  }).pipe(Effect.scoped, Effect.provide([TestClock.layer(), Logger.layer([])]))

/** A promise of the store with its test. */
type Check = readonly [title: string, run: (store: DerivedDaysService) => Effect.Effect<void, unknown>]

/** The tests of the store. */
const storeChecks: ReadonlyArray<Check> = [
  ["gives what was put, to the last byte, in order, within the half-open interval", (store) =>
    Effect.gen(function*() {
      const series = newSeries()
      const days = [dayOf(2), dayOf(0, 24, 65_536), dayOf(-30_000), dayOf(1, 5, 1)]
      yield* store.put({ ...series, days })
      const all = yield* store.get({ ...series, from: midnight - 40_000 * dayMs, to: midnight + 40_000 * dayMs })
      assert.deepStrictEqual(plain(all), plain([days[2]!, days[1]!, days[3]!, days[0]!]))
      const some = yield* store.get({ ...series, from: midnight, to: midnight + 2 * dayMs })
      assert.deepStrictEqual(plain(some), plain([days[1]!, days[3]!]))
      assert.deepStrictEqual(yield* store.get({ ...series, from: midnight, to: midnight }), [])
      yield* store.put({ ...series, days: [] })
    })],
  ["tells rules, series and revisions apart", (store) =>
    Effect.gen(function*() {
      const series = { ...newSeries(), revision: "~ a'b\"c\\;--%_{}$1" }
      yield* store.put({ ...series, days: [dayOf(0)] })
      for (
        const other of [
          { ...series, rule: "score/3" },
          { ...series, series: series.series.toLowerCase() },
          { ...series, revision: series.revision.toUpperCase() },
          { ...series, revision: `${series.revision} ` }
        ]
      ) assert.deepStrictEqual(yield* store.get({ ...other, ...everything }), [])
      assert.strictEqual((yield* store.get({ ...series, ...everything })).length, 1)
      const long = { rule: "r".repeat(64), series: `${used}`.padStart(64, "s"), revision: "v".repeat(64) }
      yield* store.put({ ...long, days: [dayOf(0)] })
      assert.strictEqual((yield* store.get({ ...long, ...everything })).length, 1)
    })],
  [
    "of one revision keeps the day that is known for longer; another revision takes its place",
    (store) =>
      Effect.gen(function*() {
        const series = newSeries()
        const read = (revision: string) =>
          Effect.map(store.get({ ...series, revision, ...everything }), (days) => days.map(({ until }) => until))
        for (const hours of [3, 9, 5, 9]) yield* store.put({ ...series, days: [dayOf(0, hours), dayOf(1, 24)] })
        const mended = { ...dayOf(1, 24), bytes: Uint8Array.of(1, 2, 3) }
        yield* store.put({ ...series, days: [mended] })
        assert.deepStrictEqual(
          plain(yield* store.get({ ...series, from: mended.day, to: mended.day + 1 })),
          plain([mended])
        )
        assert.deepStrictEqual(yield* read("r1"), [dayOf(0, 9).until, dayOf(1).until])
        yield* store.put({ ...series, revision: "r2", days: [dayOf(0, 2)] })
        assert.deepStrictEqual(yield* read("r2"), [dayOf(0, 2).until])
        assert.deepStrictEqual(yield* read("r1"), [dayOf(1).until])
      })
  ],
  ["takes many days of many series at once, from many at once", (store) =>
    Effect.gen(function*() {
      const all = Array.from({ length: 12 }, newSeries)
      const days = Array.from({ length: 93 }, (_, i) => dayOf(-i, 24, 3_000))
      yield* Effect.forEach([...all, ...all], (series) => store.put({ ...series, days }), {
        concurrency: "unbounded",
        discard: true
      })
      const found = yield* Effect.forEach(all, (series) => store.get({ ...series, ...everything }), {
        concurrency: "unbounded"
      })
      for (const one of found) assert.deepStrictEqual(plain(one), plain(days.toReversed()))
    })]
]

/** Two engines over one store. */
const sharedOnce: Check = [
  "two engines that share it compute each series once between them",
  (store) =>
    Effect.gen(function*() {
      yield* TestClock.setTime(midnight + 10 * hourMs + 20 * 60_000)
      const venue = makeBackfilledVenue(9)
      const tempered = yield* temperedStore(store)
      const ask = (derived: DerivedStore["Service"]) => derived.hitRates({})
      const first = yield* ask(yield* derivedEngine(venue.layer, { store: tempered.store }))
      // One write per coin for its days, and one for the market's regimes.
      for (let i = 0; i < venue.coins.length + 1; i++) yield* Queue.take(tempered.written)
      const computed = new Map(venue.asked)
      const second = yield* ask(yield* derivedEngine(venue.layer, { store: tempered.store }))
      assert.deepStrictEqual(second, first)
      assert.deepStrictEqual(venue.asked, computed)
    }).pipe(Effect.scoped, Effect.provide(TestClock.layer()))
]

/**
 * The contract tests of `DerivedDays`. They check the store itself. They also check that an engine with the store
 * answers like a computation without one, whatever was requested, backfilled, lost, deleted or corrupted before.
 */
export const derivedDaysContract = <E>(
  name: string,
  layer: Layer.Layer<never, E>,
  { runs = 15, timeoutMs = 60_000 }: { readonly timeoutMs?: number; readonly runs?: number } = {}
): void =>
  // A database client has its own timers, so only the tests that advance time use a test clock.
  withLayer(layer, { timeout: timeoutMs, excludeTestServices: true })(`DerivedDays: ${name}`, (it) => {
    for (const [title, run] of [...storeChecks, sharedOnce]) {
      it.effect(title, () => Effect.flatMap(DerivedDays, run), timeoutMs)
    }
    it.effect("who derives over it tells what who computes alone tells, whatever its temper", () =>
      Effect.flatMap(DerivedDays, (store) =>
        Effect.promise(() =>
          fc.assert(
            fc.asyncProperty(steps, (all) =>
              Effect.runPromise(follow(store, all))),
            { numRuns: runs }
          )
        )), timeoutMs)
  })
