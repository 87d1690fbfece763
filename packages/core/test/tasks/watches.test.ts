import { assert, it } from "@effect/vitest"
import { DerivedStore, layerEngine, pickTools, Toolbox, ToolCaller, tools } from "@tapeline/core"
import { CoinPrices, StoredEquities } from "@tapeline/core/market"
import { makeSeriesReader, seriesKey, TaskStore, type WatchOp, type WatchSpec } from "@tapeline/core/personal"
import { getScore, getVwap } from "@tapeline/core/specifications"
import { createKeyedAccount, MemoryStores } from "@tapeline/testing"
import { isFullRun } from "@tapeline/testing/fullRun"
import { Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { makeAgentEngine } from "../agent/agentEngine.ts"
import { makeFakeMarket, now } from "../tools/fakeMarket.ts"
import {
  advanceClock,
  advanceUntilSettled,
  CrashSimulator,
  createTestTask,
  makeAnsweringModel,
  makePriceWatch,
  makeStores,
  readReports,
  startNode,
  TestMarket
} from "./testNodes.ts"

const runs = isFullRun ? 60 : 3

const minuteMs = 60_000
const begin = Math.floor(now / minuteMs) * minuteMs
const minutes = 45

const ops = ["gt", "gte", "lt", "lte", "cross_above", "cross_below"] as const

/** An action of the user on the watch, half a minute after the end of a minute. */
const watchAction = fc.oneof(
  fc.record({
    at: fc.integer({ min: 2, max: minutes - 3 }),
    kind: fc.constantFrom("pause" as const, "resume" as const)
  }),
  fc.record({
    at: fc.integer({ min: 2, max: minutes - 3 }),
    kind: fc.constant("edit" as const),
    op: fc.constantFrom(...ops),
    value: fc.integer({ min: 98, max: 102 })
  })
)
const priceScenario = fc.record({
  /** A price path around 100, one step per minute. A null means that the price is unknown. */
  steps: fc.array(fc.option(fc.integer({ min: -2, max: 2 }), { freq: 8 }), { minLength: minutes, maxLength: minutes }),
  op: fc.constantFrom(...ops),
  maxRuns: fc.constantFrom(null, 1, 3),
  actions: fc.array(watchAction, { maxLength: 4 }).map((actions) =>
    actions.toSorted((a, b) => a.at - b.at).filter(({ at }, i, all) => at !== all[i - 1]?.at)
  )
})
type PriceScenario = typeof priceScenario extends fc.Arbitrary<infer A> ? A : never

const isTrue = (op: WatchOp, level: number, before: number | null, value: number): boolean =>
  op === "gt" ?
    value > level
    : op === "gte" ?
    value >= level
    : op === "lt" ?
    value < level
    : op === "lte" ?
    value <= level
    : before !== null && (op === "cross_above" ? before <= level && value > level : before >= level && value < level)

const priceOf = ({ steps }: PriceScenario) => (minute: number): number | null => {
  const step = steps[minute]
  return step === null || step === undefined ? null : 100 + step
}

/** Returns the minutes in which the watch fires if every minute is evaluated at its end. */
const expectedOf = (scenario: PriceScenario): ReadonlyArray<number> => {
  const valueAt = priceOf(scenario)
  const fired: Array<number> = []
  let { op } = scenario
  let level = 100
  let [isActive, isArmed] = [true, true]
  let before = valueAt(0)
  const rearm = (minute: number) => {
    isArmed = true
    before = valueAt(minute)
  }
  for (let minute = 1; minute < minutes; minute++) {
    const value = valueAt(minute)
    if (isActive && value !== null && fired.length !== scenario.maxRuns) {
      const isMet = isTrue(op, level, before, value)
      if (isMet && isArmed) fired.push(minute)
      isArmed = !isMet
      before = value
    }
    const hasUsedAllRuns = fired.length === scenario.maxRuns
    for (const action of scenario.actions.filter(({ at }) => at === minute)) {
      if (hasUsedAllRuns) continue
      if (action.kind === "pause") isActive = false
      else if (action.kind === "resume" && !isActive) {
        isActive = true
        rearm(minute)
      } else if (action.kind === "edit" && (action.op !== op || action.value !== level)) {
        op = action.op
        level = action.value
        rearm(minute)
      }
    }
  }
  return fired
}

const fires = (scenario: PriceScenario) => {
  const market = new TestMarket()
  const valueAt = priceOf(scenario)
  market.priceAt = (_, end) => valueAt((end - begin) / minuteMs)
  return Effect.gen(function*() {
    const { account: { id: account }, record: { id: key } } = yield* createKeyedAccount()
    const task = yield* createTestTask({ account, key }, makePriceWatch(scenario.op, 100), {
      maxRuns: scenario.maxRuns
    })
    const store = yield* TaskStore
    for (const name of ["a", "b"]) yield* startNode(name, market, { sweepIntervalMs: 12_000, cooldownMs: 0 })
    for (let minute = 1; minute < minutes; minute++) {
      yield* advanceClock(minuteMs, { stepMs: 15_000 })
      for (const [i, action] of scenario.actions.filter(({ at }) => at === minute).entries()) {
        const change = action.kind === "edit"
          ? { trigger: makePriceWatch(action.op, action.value) }
          : { status: action.kind === "pause" ? "paused" as const : "active" as const }
        yield* Effect.ignore(store.write(account, `${minute} ${i}`, { _tag: "Update", id: task.id, key, ...change }))
      }
    }
    yield* advanceUntilSettled
    const { notifications } = yield* readReports(account)
    const fired = notifications.map(({ body }) =>
      (Date.parse(`${/\d{4}-\d\d-\d\d \d\d:\d\d/u.exec(body)![0]}Z`) - begin) / minuteMs
    )
    assert.deepStrictEqual(fired, expectedOf(scenario))
  }).pipe(Effect.provide(
    makeAgentEngine(makeAnsweringModel()).pipe(
      Layer.provideMerge(makeStores(new CrashSimulator())),
      Layer.provide(Layer.effectDiscard(TestClock.setTime(now)))
    ),
    { local: true }
  ))
}

/**
 * The price crosses the level in every other minute. Because of these prices, the first minute after the creation or a
 * restart is a crossing.
 */
const crossing: PriceScenario = {
  steps: Array.from({ length: minutes }, (_, minute) => minute % 2 === 0 ? -1 : 1),
  op: "cross_above",
  maxRuns: null,
  actions: [{ at: 5, kind: "pause" }, { at: 6, kind: "resume" }, { at: 10, kind: "edit", op: "cross_above", value: 99 }]
}

it.effect(
  "fires in exactly the expected minutes for random prices and edits, over two processes",
  () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(
          priceScenario,
          (one) => Effect.runPromise(Effect.provide(fires(one), [TestClock.layer(), Logger.layer([])]))
        ),
        { numRuns: runs, examples: [[crossing]] }
      )
    ),
  { timeout: 600_000 }
)

it.effect.runIf(isFullRun)(
  "fires a flickering watch at most once in five minutes, and reports the skipped firings",
  () => {
    const market = new TestMarket()
    market.priceAt = (_, end) => (end - begin) / minuteMs % 2 === 0 ? 99 : 101
    return Effect.gen(function*() {
      const { account: { id: account }, record: { id: key } } = yield* createKeyedAccount()
      const task = yield* createTestTask({ account, key }, makePriceWatch("gt", 100), { maxRuns: null })
      const store = yield* TaskStore
      yield* startNode("a", market, { sweepIntervalMs: 12_000 })
      yield* advanceClock(61 * minuteMs, { stepMs: 15_000 })
      yield* advanceUntilSettled
      const { notifications, messages } = yield* readReports(account)
      // The watch fires at minutes 1, 7, 13 and so on: after each pause, at the first true minute or at once if the
      // condition was met in the pause.
      assert.isAtMost(notifications.length, 12)
      assert.isAtLeast(notifications.length, 10)
      assert.lengthOf(messages, notifications.length)
      // A sweep may run just before or just after the end of a minute, so the number of missed firings may differ by
      // one.
      assert.isTrue(notifications.slice(1).some(({ body }) => body.includes("2 more times")))
      const currentTask = (yield* store.find(account, task.id))!
      assert.isAbove(currentTask.notBefore!, currentTask.updatedAt)
      const change = { _tag: "Update", id: task.id, key, trigger: makePriceWatch("gt", 50) } as const
      yield* store.write(account, "change", change)
      yield* advanceClock(2 * minuteMs, { stepMs: 15_000 })
      yield* advanceUntilSettled
      assert.lengthOf((yield* readReports(account)).notifications, notifications.length + 1)
    }).pipe(Effect.provide(
      makeAgentEngine(makeAnsweringModel()).pipe(
        Layer.provideMerge(makeStores(new CrashSimulator())),
        Layer.provide(Layer.effectDiscard(TestClock.setTime(now)))
      ),
      { local: true }
    ))
  }
)

const specs: ReadonlyArray<WatchSpec> = [
  { metric: "vwap_cross", market: "coin", symbol: "BTC", dir: "above" },
  { metric: "vwap_cross", market: "coin", symbol: "ETH", dir: "below" },
  { metric: "score", market: "coin", symbol: "BTC", op: "gt", value: 0 },
  { metric: "score", market: "coin", symbol: "ETH", op: "gt", value: 0 },
  { metric: "gap", market: "coin", symbol: "*", value: 1 },
  { metric: "gap", market: "coin", symbol: "ETH", value: 1 },
  { metric: "price", market: "coin", symbol: "BTC", op: "gt", value: 1 }
]

const fake = Layer.suspend(() => makeFakeMarket().layer)
const engine = layerEngine({ toolbox: Toolbox.layer(pickTools(tools, ["get_vwap", "get_score"])) }).pipe(
  Layer.provideMerge(MemoryStores),
  Layer.provideMerge(DerivedStore.layer),
  Layer.provideMerge(fake),
  Layer.provide(Layer.effectDiscard(TestClock.setTime(now)))
)

it.effect("evaluates watches on the values that the tools return for the same instant", () =>
  Effect.gen(function*() {
    const prices = yield* CoinPrices
    const derived = yield* DerivedStore
    // No watch in this test needs the prices of shares.
    const read = makeSeriesReader({ prices, derived, equities: {} as StoredEquities["Service"] })
    const { principal } = yield* createKeyedAccount()
    const caller = yield* ToolCaller
    const span = { after: begin - 80 * minuteMs, until: begin }
    const series = yield* read(specs.map((spec) => ({ spec, after: span.after })), span.until)
    const seriesOf = (i: number) => series.get(seriesKey(specs[i]!))!
    const priceAt = (coin: string, end: number) =>
      Effect.map(prices.priceAt({ coin, time: end }), ({ value }) => value.price)
    for (let end = span.after + 7 * minuteMs; end <= begin; end += 9 * minuteMs) {
      const at = new Date(end).toISOString()
      for (const [i, coin] of [[0, "BTC"], [1, "ETH"]] as const) {
        const { data: { vwap } } = yield* caller.call(getVwap, { principal, arguments: { coin, at } })
        const close = yield* priceAt(coin, end)
        assert.strictEqual(seriesOf(i).valueAt(end), close - vwap)
        assert.deepInclude(seriesOf(i).detailsAt(end, specs[i]!), { vwap })
      }
      for (const [i, coin] of [[2, "BTC"], [3, "ETH"]] as const) {
        const { data: { score } } = yield* caller.call(getScore, { principal, arguments: { coin, at } })
        assert.strictEqual(seriesOf(i).valueAt(end), score)
      }
      const { value: coins } = yield* prices.coins
      let maxConcurrent = 0
      for (const { coin, delistedAt } of coins) {
        if (delistedAt !== null) continue
        const close = yield* priceAt(coin, end)
        let largest = 0
        for (let before = end - 60 * minuteMs; before < end; before += minuteMs) {
          largest = Math.max(largest, Math.abs(100 * (close / (yield* priceAt(coin, before)) - 1)))
        }
        if (coin === "ETH") assert.approximately(seriesOf(5).valueAt(end)!, largest, 1e-9)
        maxConcurrent = Math.max(maxConcurrent, largest)
      }
      assert.approximately(seriesOf(4).valueAt(end)!, maxConcurrent, 1e-9)
      assert.strictEqual(seriesOf(6).valueAt(end), yield* priceAt("BTC", end))
    }
  }).pipe(Effect.provide(engine, { local: true })))

it.effect("measures a move from any of the previous 60 minutes, and names the coins that moved", () =>
  Effect.gen(function*() {
    const market = new TestMarket()
    // ETH is at 110 for only one minute, and XRP falls afterwards.
    market.priceAt = (coin, end) =>
      coin === "ETH" && end === begin ? 110 : coin === "XRP" && end > begin ? 97 : coin === "SOL" ? null : 100
    yield* Effect.gen(function*() {
      const [prices, equities, derived] = yield* Effect.all([CoinPrices, StoredEquities, DerivedStore])
      const all: WatchSpec = { metric: "gap", market: "coin", symbol: "*", value: 3 }
      const ether: WatchSpec = { ...all, symbol: "ETH" }
      const read = makeSeriesReader({ prices, equities, derived })
      const until = begin + 90 * minuteMs
      const series = yield* read([all, ether].map((spec) => ({ spec, after: begin - minuteMs })), until)
      const at = (spec: WatchSpec, minute: number) => series.get(seriesKey(spec))!.valueAt(begin + minute * minuteMs)!
      const [down, up] = [100 * (1 - 100 / 110), 100 * (110 / 100 - 1)]
      for (const [minute, expected] of [[0, up], [1, down], [60, down], [61, 0]] as const) {
        assert.approximately(at(ether, minute), expected, 1e-9, `${minute}`)
      }
      assert.approximately(at(all, 1), down, 1e-9)
      assert.approximately(at(all, 61), 0, 1e-9)
      assert.deepStrictEqual(series.get(seriesKey(all))!.detailsAt(begin + minuteMs, all), {
        moves: [{ symbol: "ETH", move_pct: -9.0909, price: 100 }, { symbol: "XRP", move_pct: -3, price: 97 }],
        moved: 2
      })
    }).pipe(Effect.provide(DerivedStore.layer.pipe(Layer.provideMerge(market.layer)), { local: true }))
  }).pipe(Effect.provide(Layer.effectDiscard(TestClock.setTime(begin + 90 * minuteMs)), { local: true })))
