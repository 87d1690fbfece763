import { assert, it } from "@effect/vitest"
import {
  type Coin,
  CoinDerivatives,
  CoinPrices,
  dayMs,
  DerivedDays,
  type DerivedDaysService,
  DerivedStore,
  hourMs,
  NoData,
  readValue,
  Recomputation,
  recompute,
  type RecomputeProgress,
  SocialFeed
} from "@tapeline/core"
import { MarketStore, MarketStoreRefusal } from "@tapeline/core/market/store"
import { makeMemoryDerivedDays, MemoryMarketStore } from "@tapeline/testing"
import { isFullRun } from "@tapeline/testing/fullRun"
import { seed } from "@tapeline/testing/seed"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { makeFakeMarket, now } from "../tools/fakeMarket.ts"

const today = Math.floor(now / dayMs) * dayMs
const from = today - (isFullRun ? 40 : 10) * dayMs

/** A store of derived days whose content a test can read and change. */
const watchedDays = () => {
  const rows = new Map<string, { readonly revision: string; readonly until: number; readonly hex: string }>()
  let inner = makeMemoryDerivedDays()
  const service: DerivedDaysService = {
    get: (query) => inner.get(query),
    put: (query) =>
      Effect.tap(inner.put(query), () =>
        Effect.sync(() => {
          for (const { bytes, day, until } of query.days) {
            const hex = Buffer.from(bytes).toString("hex")
            rows.set(`${query.rule} ${query.series} ${day}`, { revision: query.revision, until, hex })
          }
        }))
  }
  return {
    service,
    content: () => [...rows].sort(([a], [b]) => a < b ? -1 : 1),
    loseRows: () => {
      rows.clear()
      inner = makeMemoryDerivedDays()
    }
  }
}

const silent = (): Effect.Effect<void> => Effect.void

const run = (onProgress: (progress: RecomputeProgress) => Effect.Effect<void> = silent, holder = "one") =>
  recompute({ from, holder, onProgress })

const withMarket = <A, E>(
  use: (days: ReturnType<typeof watchedDays>) => Effect.Effect<A, E, Recomputation | MarketStore | DerivedStore>
) =>
  Effect.suspend(() => {
    const days = watchedDays()
    const market = makeFakeMarket()
    return Effect.andThen(TestClock.setTime(now), use(days)).pipe(
      Effect.provide(Layer.fresh(
        Layer.mergeAll(Recomputation.layer, DerivedStore.layer, MemoryMarketStore).pipe(
          Layer.provide(market.layer),
          Layer.provide(Layer.succeed(DerivedDays, days.service))
        )
      ))
    )
  })

/** Stops a recomputation after `parts` parts, or returns its result if it ends earlier. */
const stoppedAfter = Effect.fnUntraced(function*(parts: number, computed: Set<string>) {
  const isReached = yield* Deferred.make<void>()
  const running = yield* Effect.forkChild(run(({ resumed, done, part }) => {
    if (part !== null) {
      const { from, rule, series } = part
      const name = `${rule} ${series} ${from}`
      assert.isFalse(computed.has(name), `${name} is computed once`)
      computed.add(name)
    }
    return done - resumed < parts ? Effect.void : Effect.andThen(Deferred.succeed(isReached, undefined), Effect.never)
  }))
  yield* Effect.raceFirst(Deferred.await(isReached), Effect.asVoid(Fiber.await(running)))
  const exit = running.pollUnsafe()
  yield* Fiber.interrupt(running)
  return exit?._tag === "Success" ? exit.value : undefined
})

it.effect("stores the same days after every run, whether or not days were stored before", () =>
  withMarket((days) =>
    Effect.gen(function*() {
      const progressReports: Array<RecomputeProgress> = []
      const first = yield* run((progress) => Effect.sync(() => void progressReports.push(progress)))
      const content = days.content()
      assert.isAbove(content.length, isFullRun ? 100 : 40)
      assert.strictEqual(first.days, content.length)
      assert.deepStrictEqual(
        progressReports.map(({ done }) => done),
        Array.from({ length: first.parts + 1 }, (_, i) => i)
      )
      assert.isTrue(progressReports.every(({ total, resumed }) => total === first.parts && resumed === 0))
      for (const rule of ["score/", "regime/", "fear_greed/"]) {
        assert.isTrue(content.some(([name]) => name.startsWith(rule)), rule)
      }

      assert.deepStrictEqual(yield* run(), first)
      assert.deepStrictEqual(days.content(), content)
      days.loseRows()
      assert.deepStrictEqual(yield* run(), first)
      assert.deepStrictEqual(days.content(), content)
      assert.strictEqual(first.changedParts, 0)
    })
  ))

it.effect("finishes if its progress notes are longer than the store accepts", () =>
  withMarket((days) =>
    Effect.gen(function*() {
      const store = yield* MarketStore
      const narrow: MarketStore["Service"] = {
        ...store,
        writeDocuments: (write) =>
          write.documents.length === 0
            ? store.writeDocuments(write)
            : Effect.fail(new MarketStoreRefusal({ subject: write.kind.name, reason: "a document is too long" }))
      }
      const report = yield* Effect.provideService(run(() => TestClock.adjust("3 seconds")), MarketStore, narrow)
      assert.strictEqual(report.days, days.content().length)
      assert.isAbove(report.days, isFullRun ? 100 : 40)
    })
  ))

it.effect("stores the days that the service would have computed", () =>
  withMarket((days) =>
    Effect.gen(function*() {
      const hours = isFullRun ? 500 : 300
      const read = Effect.gen(function*() {
        const derived = yield* DerivedStore
        return {
          history: yield* readValue(derived.scoreHistory({ coin: "ETH", hours })),
          regime: yield* readValue(derived.regime),
          signals: yield* readValue(derived.signals({ hours })),
          fearGreed: yield* readValue(derived.fearGreed(30))
        }
      })
      yield* run()
      const content = days.content()
      const shared = yield* read
      const separateAnswer = yield* Effect.provide(
        read,
        Layer.fresh(Layer.provide(DerivedStore.layer, makeFakeMarket().layer))
      )
      assert.deepStrictEqual(shared, separateAnswer)
      const later = new Map(days.content())
      for (const [name, row] of content) assert.deepStrictEqual(later.get(name), row, name)
    })
  ))

it.effect("resumes after any interruption, and has the same result", () =>
  Effect.gen(function*() {
    const fullRun = yield* withMarket((days) => Effect.map(run(), (report) => ({ report, content: days.content() })))
    let state = seed
    const draw = (below: number): number => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
      return 1 + state % below
    }
    for (let round = 0; round < (isFullRun ? 20 : 1); round++) {
      yield* withMarket((days) =>
        Effect.gen(function*() {
          let stops = 0
          const computed = new Set<string>()
          let report = yield* stoppedAfter(draw(fullRun.report.parts - 1), computed)
          while (report === undefined && stops < 100) {
            stops++
            report = yield* stoppedAfter(draw(Math.ceil(fullRun.report.parts / 2)), computed)
          }
          assert.deepStrictEqual(report, fullRun.report)
          assert.isAbove(stops, 0)
          assert.deepStrictEqual(days.content(), fullRun.content)
        })
      )
    }
  }))

it.effect.runIf(isFullRun)(
  "recomputes parts whose days the database lost since the interruption",
  () =>
    Effect.gen(function*() {
      const fullRun = yield* withMarket((days) => Effect.map(run(), (report) => ({ report, content: days.content() })))
      yield* withMarket((days) =>
        Effect.gen(function*() {
          yield* stoppedAfter(fullRun.report.parts - 1, new Set())
          days.loseRows()
          assert.deepStrictEqual(yield* run(), fullRun.report)
          assert.deepStrictEqual(days.content(), fullRun.content)
        })
      )
    })
)

it.effect("rejects a concurrent run with the holder's name, and starts again for another day", () =>
  withMarket(Effect.fnUntraced(function*() {
    const hasStarted = yield* Deferred.make<void>()
    const first = yield* Effect.forkChild(
      run(({ done }) => done < 2 ? Effect.void : Effect.andThen(Deferred.succeed(hasStarted, undefined), Effect.never))
    )
    yield* Deferred.await(hasStarted)
    const recomputeError = yield* Effect.flip(run(silent, "two"))
    assert.deepInclude(recomputeError, { _tag: "RecomputedElsewhere", holder: "one" })
    yield* Fiber.interrupt(first)

    const revisionsBefore: Array<number> = []
    const onProgress = ({ resumed }: RecomputeProgress) => Effect.sync(() => void revisionsBefore.push(resumed))
    const later = yield* recompute({ from: from + dayMs, holder: "two", onProgress })
    assert.strictEqual(revisionsBefore[0], 0)
    assert.isBelow(later.days, (yield* run(silent, "two")).days)
  })))

it.effect.runIf(isFullRun)("recomputes data that is corrected during the run", () =>
  Effect.gen(function*() {
    const market = makeFakeMarket()
    const days = watchedDays()
    let revision = "r1"
    const prices = Layer.effect(
      CoinPrices,
      Effect.map(CoinPrices, (inner) =>
        CoinPrices.of({
          ...inner,
          watermarks: (coins) =>
            Effect.map(inner.watermarks(coins), (reading) => ({
              ...reading,
              value: new Map(Array.from(reading.value, ([coin, one]) => [coin, { ...one, revision }]))
            }))
        }))
    )
    const others = Layer.effectContext(Effect.context<CoinDerivatives | SocialFeed>())
    const layer = Layer.merge(
      Recomputation.layer.pipe(Layer.provide(Layer.provide(Layer.merge(others, prices), market.layer))),
      MemoryMarketStore
    ).pipe(Layer.provide(Layer.succeed(DerivedDays, days.service)))
    yield* TestClock.setTime(now)
    const onProgress = ({ total, done }: RecomputeProgress) =>
      Effect.sync(() => {
        if (done === total) revision = "r2"
      })
    const report = yield* Effect.provide(run(onProgress), Layer.fresh(layer))
    assert.strictEqual(report.changedParts, 0)
    const content = days.content()
    const after = yield* Effect.provide(run(), Layer.fresh(layer))
    assert.deepStrictEqual(report, after)
    assert.deepStrictEqual(days.content(), content)
  }))

it.effect.runIf(isFullRun)("has a digest that does not depend on the order of the coins", () =>
  Effect.gen(function*() {
    const recomputed = (order: (coins: ReadonlyArray<Coin>) => ReadonlyArray<Coin>) =>
      Effect.suspend(() => {
        const days = watchedDays()
        const prices = Layer.effect(
          CoinPrices,
          Effect.map(CoinPrices, (inner) =>
            CoinPrices.of({
              ...inner,
              coins: Effect.map(inner.coins, (reading) => ({ ...reading, value: order(reading.value) }))
            }))
        )
        const others = Layer.effectContext(Effect.context<CoinDerivatives | SocialFeed>())
        const series = Layer.provide(Layer.merge(others, prices), makeFakeMarket().layer)
        const layer = Layer.merge(Layer.provide(Recomputation.layer, series), MemoryMarketStore).pipe(
          Layer.provide(Layer.succeed(DerivedDays, days.service))
        )
        return TestClock.setTime(now).pipe(
          Effect.andThen(recompute({ from: today - 3 * dayMs, holder: "one", onProgress: silent })),
          Effect.map((report) => ({ report, content: days.content() })),
          Effect.provide(Layer.fresh(layer))
        )
      })
    const forwards = yield* recomputed((coins) => coins)
    assert.deepStrictEqual(yield* recomputed((coins) => coins.toReversed()), forwards)
  }))

/** Recomputes a market in which only a part of each coin's candles is recorded. */
const recomputeOf = (
  from: number,
  coins: ReadonlyArray<string>,
  isRecorded: (coin: string, time: number) => boolean,
  onProgress: (progress: RecomputeProgress) => Effect.Effect<void> = silent
) =>
  Effect.suspend(() => {
    const days = watchedDays()
    const prices = Layer.effect(
      CoinPrices,
      Effect.map(CoinPrices, (inner) =>
        CoinPrices.of({
          ...inner,
          candleRange: (query) =>
            Effect.flatMap(inner.candleRange(query), (reading) => {
              const value = reading.value.filter(({ time }) => isRecorded(query.coin, time))
              return value.length === 0
                ? Effect.fail(new NoData({ subject: query.coin, reason: { key: "none_yet" } }))
                : Effect.succeed({ ...reading, value })
            }),
          watermarks: (names) => inner.watermarks(names.filter((name) => coins.includes(name)))
        }))
    )
    const others = Layer.effectContext(Effect.context<CoinDerivatives | SocialFeed>())
    const series = Layer.provide(Layer.merge(others, prices), makeFakeMarket().layer)
    const layer = Layer.merge(Layer.provide(Recomputation.layer, series), MemoryMarketStore).pipe(
      Layer.provide(Layer.succeed(DerivedDays, days.service))
    )
    return TestClock.setTime(now).pipe(
      Effect.andThen(recompute({ from, holder: "one", onProgress })),
      Effect.map((report) => ({ report, content: days.content() })),
      Effect.provide(Layer.fresh(layer))
    )
  })

it.effect.runIf(isFullRun)(
  "starts at each coin's first recorded day if the requested day is earlier",
  () =>
    Effect.gen(function*() {
      const first = new Map([["BTC", today - 12 * dayMs], ["ETH", today - 5 * dayMs], ["SOL", today - 33 * dayMs]])
      const requestedDays = (isFullRun ? [33, 40, 64, 65, 200, 700] : [33, 65, 700]).map((days) => today - days * dayMs)
      const [exact, ...earlier] = yield* Effect.forEach(requestedDays, (day) =>
        // Recording starts in the middle of a day.
        recomputeOf(day, [...first.keys()], (coin, time) => time >= (first.get(coin) ?? Infinity) + 5 * hourMs))
      for (const one of earlier) assert.deepStrictEqual(one, exact)
      assert.strictEqual(exact!.report.from, first.get("SOL"))
      const names = exact!.content.map(([name]) => name.split(" "))
      const oldest = (rule: string, series: string) =>
        Math.min(
          ...names.filter(([its, coins]) => its!.startsWith(rule) && coins === series).map(([, , day]) => Number(day))
        )
      for (const [coin, day] of first) assert.strictEqual(oldest("score/", coin), day, coin)
      assert.strictEqual(oldest("regime/", "market"), first.get("BTC"))
      assert.strictEqual(oldest("fear_greed/", "market"), first.get("BTC"))
      assert.sameMembers([...new Set(names.map(([, series]) => series!))], [...first.keys(), "market"])
    })
)

it.effect.runIf(isFullRun)("computes days that are backfilled during the run", () =>
  Effect.gen(function*() {
    const fullRun = yield* recomputeOf(from, ["BTC"], (_, time) => time >= from + 4 * dayMs)
    let begin = today - 3 * dayMs
    const progressReports: Array<RecomputeProgress> = []
    const filled = yield* recomputeOf(from, ["BTC"], (_, time) => time >= begin, (progress) =>
      Effect.sync(() => {
        progressReports.push(progress)
        if (progress.done === progress.total) begin = from + 4 * dayMs
      }))
    assert.deepStrictEqual(filled, fullRun)
    assert.isTrue(progressReports.every(({ total, done }) => done <= total))
  }))

it.effect("starts at a requested day within an outage, to replace its stored days", () =>
  Effect.gen(function*() {
    const outage = { from: today - 30 * dayMs, to: today - 10 * dayMs }
    const from = today - 20 * dayMs
    const { report } = yield* recomputeOf(from, ["BTC"], (_, time) => time < outage.from || time >= outage.to)
    assert.strictEqual(report.from, from)
  }))

it.effect("computes nothing without records, and reports the requested day", () =>
  Effect.gen(function*() {
    const { content, report } = yield* recomputeOf(from, [], () => false)
    assert.deepStrictEqual(content, [])
    assert.deepInclude(report, { from, parts: 0, days: 0, changedParts: 0 })
  }))
