// Tests that rows of another venue are requested again from the preferred venue after its recovery.
import { assert, it } from "@effect/vitest"
import { type SourceFailure, StoreUnavailable } from "@tapeline/core/engine"
import { type Candle, dayMs, hourMs, type Interval, minuteMs, SourceUnavailable } from "@tapeline/core/market"
import { MarketStore, type Point, type PointsKind, pointsKinds } from "@tapeline/core/market/store"
import { MemoryMarketStore } from "@tapeline/testing"
import { isFullRun } from "@tapeline/testing/fullRun"
import { Clock, Context, Effect, Exit, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import type { MarketReport } from "../../src/collect/MarketHealth.ts"
import { mergePreferredRows } from "../../src/collect/preferredVenueCollector.ts"
import {
  layerCollectors,
  MarketHealth,
  perpetualCollectors,
  type PerpetualVenue,
  SourceHealth,
  spotCollectors,
  type SpotVenue,
  trackedCoins
} from "../../src/index.ts"
import { type PerpetualRow, unknownRecord } from "../../src/perpetuals/PerpetualVenue.ts"

const fineMs = 5 * minuteMs
const start = Date.parse("2026-11-20T12:34:50.000Z")
const retentionMs = 30 * dayMs
const coins = trackedCoins.filter(({ coin }) => coin === "BTC")

class Venue {
  failure: SourceFailure | undefined
  readonly name: string
  requestCount = 0

  constructor(name: string) {
    this.name = name
  }

  respond<A>(value: (now: number) => A): Effect.Effect<A, SourceUnavailable> {
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      this.requestCount++
      const { failure, name: source } = this
      const retryable = failure !== "blocked"
      return failure === undefined
        ? Effect.succeed(value(now))
        : Effect.fail(new SourceUnavailable({ source, failure, reason: "as told", retryable }))
    })
  }
}

const timesOf = ({ from, to }: Interval, stepMs: number): ReadonlyArray<number> =>
  Array.from({ length: Math.max(0, Math.ceil((to - from) / stepMs)) }, (_, i) => from + i * stepMs)

/** A venue that provides the past rows of one month. Only the first venue provides open interest. */
const perpetuals = (venue: Venue, level: number, isFirst: boolean): PerpetualVenue => {
  const interest = (time: number) => isFirst ? { openInterest: time / hourMs, openInterestUsd: time / minuteMs } : {}
  const makePastRow = (time: number): PerpetualRow => ({
    ...unknownRecord,
    time,
    ...interest(time),
    longShortRatio: level
  })
  const now = (time: number): PerpetualRow => ({
    ...makePastRow(time),
    fundingRate: level / 1_000,
    fundingIntervalHours: 8,
    markPrice: 100 * level,
    indexPrice: 101 * level
  })
  return {
    name: venue.name,
    listings: venue.respond(() => new Map([["BTC", 0]])),
    snapshot: (_, at) => venue.respond(() => new Map([["BTC", now(at)]])),
    history: (_, { from, to }) =>
      venue.respond((currentTime) => ({
        until: to,
        rows: timesOf({ from, to }, fineMs).filter((time) => time >= currentTime - retentionMs).map(makePastRow)
      })),
    fundingPayments: (_, { to }) => venue.respond(() => ({ rows: [], until: to })),
    takerFlow: (_, { from, to }) =>
      venue.respond(() => ({
        until: to,
        rows: timesOf({ from, to }, fineMs).map((time) => ({ time, buyUsd: level, sellUsd: level }))
      }))
  }
}

const spot = (venue: Venue, isFirst: boolean): SpotVenue => ({
  name: venue.name,
  maxCandles: 1_000,
  symbolOf: (coin) => `${coin}USDT`,
  markets: venue.respond(() => ({
    rows: [{ coin: "BTC", isTrading: true, symbol: "BTCUSDT", quote: "USDT" }],
    unreadable: []
  })),
  fetchOpeningTime: () => venue.respond(() => 0),
  candles: ({ from, interval, to }) =>
    venue.respond((now) => ({
      date: now,
      receivedAt: now,
      value: timesOf({ from, to }, interval === "1m" ? minuteMs : fineMs).map((time): Candle => ({
        time,
        open: 1,
        high: 2,
        low: 1,
        close: 2,
        volume: 3,
        quoteVolume: 4,
        takerBuyVolume: isFirst ? 1 : null,
        closed: true
      }))
    })),
  tickers: () => venue.respond(() => [])
})

/**
 * The write that fails while a collector replaces rows: the write of the rows, or the final write of their coverage.
 */
interface InjectedFault {
  round: "rows" | "covers" | null
  /** Whether the write fails before it is executed, or afterwards, so that only the response is lost. */
  when: "before" | "after"
  met: number
}

const unavailableError = new StoreUnavailable({ store: "memory", cause: "as told" })

const makeFaultyStore = (store: MarketStore["Service"], fault: InjectedFault): MarketStore["Service"] => ({
  ...store,
  writePoints: (write) =>
    Effect.suspend(() => {
      const { round, when } = fault
      const isRows = write.series.every(({ covers = [], rows }) => rows.length > 0 && covers.length === 0)
      const isCovers = write.series.every(({ rows, subject }) => rows.length === 0 && subject.startsWith("binance:"))
      if ((round === "rows" && !isRows) || (round === "covers" && !isCovers) || round === null) {
        return store.writePoints(write)
      }
      fault.met++
      return when === "before"
        ? Effect.fail(unavailableError)
        : Effect.andThen(store.writePoints(write), Effect.fail(unavailableError))
    })
})

const setUp = Effect.gen(function*() {
  yield* TestClock.setTime(start)
  const [first, other] = [new Venue("binance"), new Venue("bybit")]
  const store = Context.get(yield* Layer.build(MemoryMarketStore), MarketStore)
  const fault: InjectedFault = { round: null, when: "before", met: 0 }
  const process = Effect.fnUntraced(function*(holder: string) {
    const scope = yield* Scope.make()
    const collectors = [
      ...perpetualCollectors([perpetuals(first, 4, true), perpetuals(other, 1, false)], { derivativeDays: 5 }),
      ...spotCollectors([spot(first, true), spot(other, false)], coins, {
        candleDays: 5,
        priceDays: 1,
        includeFacts: false
      })
    ]
    const layer = layerCollectors(collectors, { holder }).pipe(
      Layer.provideMerge(Layer.provide(MarketHealth.layer, SourceHealth.layer)),
      Layer.provide(Layer.succeed(MarketStore, makeFaultyStore(store, fault)))
    )
    const context = yield* Layer.buildWithScope(layer, scope)
    return { report: Context.get(context, MarketHealth).report, stop: Scope.close(scope, Exit.void) }
  })
  const pointsOf = <Column extends string>(kind: PointsKind<Column>, back: number) =>
    Effect.gen(function*() {
      const now = yield* Clock.currentTimeMillis
      const interval = { from: Math.ceil((now - back) / fineMs) * fineMs, to: now - 20 * minuteMs }
      const read = yield* store.points({ kind, subjects: ["BTC"], ...interval })
      // Ignores the snapshot that a process takes at its start, because its time is not a multiple of the step.
      const points: ReadonlyArray<Point<Column>> = (read.get("BTC")?.points ?? []).filter(({ time }) =>
        time % fineMs === 0
      )
      assert.lengthOf(points, timesOf(interval, fineMs).length, kind.name)
      return points
    })
  return { first, other, store, fault, process, pointsOf }
})

const isWhole = Effect.fnUntraced(
  function*({ pointsOf }: Effect.Success<typeof setUp>, back: number) {
    for (const { openInterest, openInterestUsd, time } of yield* pointsOf(pointsKinds.perpetuals, back)) {
      assert.deepStrictEqual([openInterest, openInterestUsd], [time / hourMs, time / minuteMs])
    }
    for (const { source, takerBuyVolume } of yield* pointsOf(pointsKinds.candles, back)) {
      assert.deepStrictEqual([source, takerBuyVolume], ["binance", 1])
    }
    for (const { buyUsd, source } of yield* pointsOf(pointsKinds.takerFlow, back)) {
      assert.deepStrictEqual([source, buyUsd], ["binance", 4])
    }
  }
)

it.effect("backfills completely after the first venue was blocked for a minute at the first start", () =>
  Effect.gen(function*() {
    const market = yield* setUp
    market.first.failure = "blocked"
    const { report } = yield* market.process("one")
    yield* TestClock.adjust("1 minute")
    assert.isAbove(market.other.requestCount, 5)
    market.first.failure = undefined
    yield* TestClock.adjust("30 minutes")
    yield* isWhole(market, 4 * dayMs)
    const { collectorsBySource: [collector] } = yield* report
    for (const { missingMs, name } of collector!.collectors) assert.isAtMost(missingMs, 20 * minuteMs, name)
  }).pipe(Effect.scoped))

it.effect.runIf(isFullRun)(
  "adds the first venue's data to the other venue's records after a block of hours",
  () =>
    Effect.gen(function*() {
      const market = yield* setUp
      const before = yield* market.process("one")
      yield* TestClock.adjust("1 hour")
      const blocked = start + hourMs
      market.first.failure = "blocked"
      yield* TestClock.adjust("3 hours")
      yield* before.stop
      yield* market.process("two")
      yield* TestClock.adjust("1 hour")
      const pointsInOutage = yield* market.pointsOf(pointsKinds.perpetuals, 4 * hourMs)
      assert.isTrue(pointsInOutage.every(({ openInterest, source }) => openInterest === null && source === "bybit"))
      market.first.failure = undefined
      yield* TestClock.adjust("2 hours")
      yield* isWhole(market, 4 * dayMs)
      const all = yield* market.pointsOf(pointsKinds.perpetuals, 7 * hourMs)
      const mixedRows = all.filter(({ source }) => source === "binance+bybit")
      assert.isAbove(mixedRows.length, 3.8 * 12)
      for (const { fundingRate, indexPrice, longShortRatio, markPrice, time } of mixedRows) {
        assert.isAbove(time, blocked - fineMs)
        assert.deepStrictEqual([fundingRate, markPrice, indexPrice, longShortRatio], [0.001, 100, 101, 4])
      }
      const { requestCount } = market.first
      yield* TestClock.adjust("10 minutes")
      assert.isBelow(market.first.requestCount - requestCount, 60)
    }).pipe(Effect.scoped)
)

it.effect("loses no repeated rows if the store fails between the rows and their coverage", () =>
  Effect.forEach(
    (["rows", "covers"] as const).flatMap((round) =>
      (["before", "after"] as const).flatMap((when) => [true, false].map((isKilled) => ({ round, when, isKilled })))
      // The usual test run covers two of the eight cases.
    ).filter(({ isKilled, round, when }) =>
      isFullRun || ((round === "covers") === isKilled && (when === "before") === isKilled)
    ),
    ({ isKilled, ...failing }) =>
      Effect.gen(function*() {
        const market = yield* setUp
        market.first.failure = "blocked"
        const one = yield* market.process("one")
        yield* TestClock.adjust("10 minutes")
        Object.assign(market.fault, failing)
        market.first.failure = undefined
        yield* TestClock.adjust("10 minutes")
        assert.isAbove(market.fault.met, 0, JSON.stringify(failing))
        if (isKilled) {
          yield* one.stop
          yield* market.process("two")
        }
        market.fault.round = null
        yield* TestClock.adjust("30 minutes")
        yield* isWhole(market, 4 * dayMs)
      }).pipe(Effect.scoped),
    { discard: true }
  ))

it.effect.runIf(isFullRun)(
  "marks rows as missing during a block, and as lost once the first venue drops them",
  () =>
    Effect.gen(function*() {
      const market = yield* setUp
      const before = yield* market.process("one")
      yield* TestClock.adjust("10 minutes")
      market.first.failure = "blocked"
      yield* TestClock.adjust("2 hours")
      const findSecondCollector = (all: MarketReport) =>
        all.collectorsBySource[0]?.collectors.find(({ name }) => name === "perpetualsAgain") ??
          assert.fail("there is no such collector")
      const reportBefore = findSecondCollector(yield* before.report)
      assert.strictEqual(reportBefore.lastFault?.failure, "blocked")
      assert.deepStrictEqual([Math.round(reportBefore.missingMs / hourMs), reportBefore.lostMs], [2, 0])
      yield* before.stop
      yield* TestClock.setTime(start + 31 * dayMs)
      const { report } = yield* market.process("one")
      yield* TestClock.adjust("10 minutes")
      assert.isAbove(findSecondCollector(yield* report).lostMs, 1.9 * hourMs)
      const block = { from: start + 15 * minuteMs, to: start + 2 * hourMs }
      const subjects = ["BTC", "binance:BTC"]
      const gaps = yield* market.store.gaps({ kind: pointsKinds.perpetuals, subjects, ...block })
      assert.deepStrictEqual(subjects.map((subject) => gaps.get(subject)), [
        { lost: [], missing: [] },
        { lost: [block], missing: [] }
      ])
    }).pipe(Effect.scoped)
)

it.effect("requests rows again that an older version stored from another venue", () =>
  Effect.gen(function*() {
    const market = yield* setUp
    const kind = pointsKinds.perpetuals
    const leadership = yield* market.store.acquireLeadership({ source: "binance", holder: "old", ttlMs: minuteMs })
    if (leadership._tag !== "Leads") return assert.fail("the test must lead")
    const all = {
      from: Math.floor(start / fineMs) * fineMs - 4 * dayMs,
      to: Math.floor(start / fineMs) * fineMs - hourMs
    }
    const middle = all.from + 2 * dayMs
    const write = (source: string, interval: Interval, row: Partial<PerpetualRow>) =>
      market.store.writePoints({
        kind,
        fence: leadership.fence,
        series: [{
          subject: "BTC",
          source,
          covers: [interval],
          rows: timesOf(interval, fineMs).map((time) => ({ ...unknownRecord, markPrice: 7, ...row, time }))
        }]
      })
    yield* write("binance", { from: all.from, to: middle }, { openInterest: 5, openInterestUsd: 6, longShortRatio: 4 })
    yield* write("bybit", { from: middle, to: all.to }, {})
    yield* market.store.resignLeadership(leadership.fence)
    yield* market.process("new")
    yield* TestClock.adjust("30 minutes")
    for (const { markPrice, openInterest, source, time } of yield* market.pointsOf(kind, 4 * dayMs - hourMs)) {
      if (time >= all.to) continue
      const expectedRow = time < middle ? ["binance", 5, 7] : ["binance+bybit", time / hourMs, 7]
      assert.deepStrictEqual([source, openInterest, markPrice], expectedRow)
    }
  }).pipe(Effect.scoped))

const columns = ["a", "b"] as const
const value = fc.option(fc.integer({ min: 0, max: 3 }))
const row = fc.record({ a: value, b: value })
const rowsOf = <A extends object>(one: fc.Arbitrary<A>) =>
  fc.array(fc.tuple(fc.nat(6), one), { maxLength: 7 }).map((all) =>
    Array.from(new Map(all), ([time, row]) => ({ time, ...row })).sort((x, y) => x.time - y.time)
  )

it("merges preferred rows without losing a number, and changes nothing when repeated", () => {
  const point = fc.record({ a: value, b: value, source: fc.constantFrom("one", "two", "two+three", "one+two") })
  fc.assert(fc.property(rowsOf(point), rowsOf(row), (storedRows, rows) => {
    const parts = mergePreferredRows(columns, storedRows, { source: "one", rows })
    const after = new Map<number, Point<"a" | "b">>(storedRows.map((one) => [one.time, one]))
    for (const part of parts) for (const one of part.rows) after.set(one.time, { ...one, source: part.source })
    for (const old of storedRows) {
      const now = after.get(old.time)!
      for (const column of columns) {
        if (old[column] !== null) assert.isNotNull(now[column])
        if (old.source.startsWith("one") && old[column] !== null) assert.strictEqual(now[column], old[column])
      }
    }
    for (const row of rows) {
      for (const column of columns) if (row[column] !== null) assert.isNotNull(after.get(row.time)![column])
    }
    assert.deepStrictEqual(mergePreferredRows(columns, [...after.values()], { source: "one", rows }), [])
  }))
})
