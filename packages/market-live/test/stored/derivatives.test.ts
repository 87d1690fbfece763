import { assert, layer as withLayer } from "@effect/vitest"
import { CoinDerivatives, hourMs, minuteMs, type PerpetualPoint, readValue } from "@tapeline/core/market"
import { eventsKinds, MarketStore, type PointsKind, pointsKinds } from "@tapeline/core/market/store"
import { MemoryMarketStore } from "@tapeline/testing"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { storedCoinDerivatives } from "../../src/stored/coinDerivatives.ts"
import { coinDocument, futuresDocument } from "../../src/stored/documents.ts"

const hour = Date.parse("2026-11-20T16:00:00.000Z")
const at = (minutes: number): number => hour + minutes * minuteMs

const market = Layer.provideMerge(
  storedCoinDerivatives({ venues: ["whole", "sampler"], completeTapes: ["whole"] }),
  MemoryMarketStore
)

const point = (time: number) => ({
  time,
  fundingRate: 1e-4,
  fundingIntervalHours: 8,
  openInterest: null,
  openInterestUsd: null,
  longShortRatio: null,
  markPrice: 10,
  indexPrice: 10
})

const list = Effect.fnUntraced(function*(coin: string) {
  const store = yield* MarketStore
  const leadership = yield* store.acquireLeadership({ source: coin, holder: "test", ttlMs: hourMs })
  if (leadership._tag !== "Leads") return yield* Effect.die(new Error("another process leads"))
  const facts = { name: coin, sector: "layer1", circulatingSupply: null, maxSupply: null, listedAt: 0 }
  const row = coinDocument.encodeRow({ key: coin, time: hour, source: "lister" }, {
    ...facts,
    delistedAt: null,
    isStablecoin: false
  })
  yield* store.writeDocuments({ kind: coinDocument.kind, fence: leadership.fence, documents: [row] })
  return { store, fence: leadership.fence }
})

type Check = readonly [title: string, check: Effect.Effect<void, unknown, Layer.Success<typeof market>>]

const checks: ReadonlyArray<Check> = [
  [
    "returns the last polled record instead of backfilled ones, or reports a running backfill",
    Effect.gen(function*() {
      const port = yield* CoinDerivatives
      const { fence, store } = yield* list("FILL")
      const write = (rows: ReadonlyArray<PerpetualPoint>) =>
        store.writePoints({
          kind: pointsKinds.perpetuals,
          fence,
          series: [{
            subject: "FILL",
            source: "venue",
            rows,
            covers: rows.map(({ time: from }) => ({ from, to: from + 5 * minuteMs }))
          }]
        })
      const filled = (time: number): PerpetualPoint => ({
        ...point(time),
        fundingRate: null,
        fundingIntervalHours: null,
        openInterest: 1,
        markPrice: null,
        indexPrice: null
      })
      yield* TestClock.setTime(at(2))
      yield* write([filled(at(-10)), filled(at(-5))])
      for (const read of [Effect.asVoid(port.perpetual("FILL")), Effect.asVoid(port.perpetuals)]) {
        const failure = yield* Effect.flip(read)
        assert.isTrue(
          failure._tag === "SourceUnavailable" && failure.failure === "filling" && failure.source === "venue" &&
            failure.retryable
        )
      }
      yield* write([point(at(-20)), filled(at(-15))])
      const perpetual = yield* port.perpetual("FILL")
      assert.deepStrictEqual([perpetual.value, perpetual.asOf], [
        { ...point(at(-20)), fundingVenue: "venue", openInterestVenues: ["venue"] },
        at(-20)
      ])
      assert.deepStrictEqual(yield* readValue(port.perpetuals), [{ coin: "FILL", ...point(at(-20)) }])
    })
  ],
  [
    "reports late data as a gap only once it is overdue",
    Effect.gen(function*() {
      const port = yield* CoinDerivatives
      const { fence, store } = yield* list("WAIT")
      const series = { subject: "WAIT", source: "venue" }
      const polled = [-10, -5, 0].map((minutes) => point(at(minutes)))
      // A record covers the time from its own time to the next scheduled record.
      const covers = [{ from: at(-10), to: at(5) }]
      yield* store.writePoints({ kind: pointsKinds.perpetuals, fence, series: [{ ...series, rows: polled, covers }] })
      const query = { coin: "WAIT", stepMs: 5 * minuteMs, from: at(-10), to: at(60) }
      for (const [now, gaps] of [[4, []], [9.9, []], [10, [{ from: at(5), to: at(10) }]]] as const) {
        yield* TestClock.setTime(at(now))
        const history = yield* port.perpetualHistory(query)
        assert.deepStrictEqual(history.value.points, polled)
        assert.deepStrictEqual(history.value.gaps, gaps)
        assert.deepStrictEqual([history.asOf, history.sources], [at(0), ["venue"]])
      }
      const flow = [{ time: at(0), buyUsd: 1, sellUsd: 2 }]
      const over = [{ from: at(0), to: at(5) }]
      yield* store.writePoints({
        kind: pointsKinds.takerFlow,
        fence,
        series: [{ ...series, rows: flow, covers: over }]
      })
      yield* TestClock.setTime(at(14))
      const buckets = yield* port.takerFlow({ ...query, from: at(0) })
      assert.deepStrictEqual(buckets.value, { points: flow, gaps: [] })
      yield* TestClock.setTime(at(15))
      const later = yield* port.takerFlow({ ...query, from: at(0) })
      assert.deepStrictEqual(later.value, { points: flow, gaps: [{ from: at(5), to: at(15) }] })
      // If a gap overlaps a half-hour bucket, the recorded flow of the bucket is a lower bound.
      yield* TestClock.setTime(at(30))
      const half = yield* port.takerFlow({ ...query, from: at(0), stepMs: 30 * minuteMs })
      assert.deepStrictEqual(half.value.points, flow)
      assert.strictEqual(half.asOf, at(30))
    })
  ],

  [
    "returns the earlier watermark of records and payments",
    Effect.gen(function*() {
      const port = yield* CoinDerivatives
      const { fence, store } = yield* list("MARK")
      const write = (kind: PointsKind, to: number) =>
        store.writePoints({
          kind,
          fence,
          series: [{ subject: "MARK", source: "venue", rows: [], covers: [{ from: at(-60), to }] }]
        })
      yield* TestClock.setTime(at(30))
      const mark = Effect.map(readValue(port.watermarks(["MARK"])), (all) => all.get("MARK")?.contiguousUntil)
      assert.isUndefined(yield* mark)
      yield* write(pointsKinds.perpetuals, at(35))
      assert.strictEqual(yield* mark, at(30))
      yield* write(pointsKinds.fundingPrints, at(0))
      assert.strictEqual(yield* mark, at(0))
    })
  ],

  [
    "reports a whole tape only if all its venues are complete, and a gap if none recorded",
    Effect.gen(function*() {
      const port = yield* CoinDerivatives
      const { fence, store } = yield* list("TAPE")
      const kind = eventsKinds.liquidations
      const write = (venue: string, times: ReadonlyArray<number>, covers: ReadonlyArray<readonly [number, number]>) => {
        const subject = `${venue}:TAPE`
        const events = times.map((minutes) => ({
          id: `${venue}:${minutes}`,
          time: at(minutes),
          subjects: [subject],
          source: venue,
          label: "long",
          document: null,
          price: 10,
          sizeUsd: 100
        }))
        const covering = [{ subject, covers: covers.map(([from, to]) => ({ from: at(from), to: at(to) })) }]
        return store.writeEvents({ kind, fence, events, covering })
      }
      yield* TestClock.setTime(at(30))
      const query = { coin: "TAPE", from: at(-10), to: at(60), stepMs: 10 * minuteMs }
      const ask = port.liquidations(query)
      assert.strictEqual((yield* Effect.flip(ask))._tag, "NoData")
      yield* write("whole", [1], [[0, 20]])
      const tape = yield* ask
      assert.deepInclude(tape.value, { count: 1, longUsd: 100, shortUsd: 0, truncated: false, coverage: "whole" })
      assert.deepStrictEqual(tape.value.gaps, [{ from: at(-10), to: at(0) }, { from: at(20), to: at(30) }])
      assert.deepStrictEqual(tape.sources, ["whole"])

      yield* write("sampler", [2, 22], [[-5, 5], [20, 25]])
      const allFutures = yield* ask
      assert.deepInclude(allFutures.value, { count: 3, longUsd: 300, coverage: "sampled" })
      assert.deepStrictEqual(allFutures.value.events.map(({ time }) => time), [at(1), at(2), at(22)])
      assert.deepStrictEqual(allFutures.value.gaps, [{ from: at(-10), to: at(-5) }, { from: at(25), to: at(30) }])
      assert.deepStrictEqual(allFutures.value.steps.map(({ count }) => count), [0, 2, 0, 1, 0])
      assert.deepStrictEqual(allFutures.sources, ["sampler", "whole"])
      const tapeWithoutGap = yield* port.liquidations({ ...query, from: at(6), to: at(16) })
      assert.deepStrictEqual([tapeWithoutGap.value.coverage, tapeWithoutGap.value.gaps, tapeWithoutGap.sources], [
        "whole",
        [],
        ["whole"]
      ])
      const one = yield* port.liquidations({ ...query, limit: 1 })
      assert.deepInclude(one.value, { count: 3, truncated: true })
      assert.deepStrictEqual(one.value.events.map(({ time }) => time), [at(22)])

      yield* write("whole", [], [[-10, 0]])
      const tapeWithGap = yield* port.liquidations({ ...query, from: at(-10), to: at(30) })
      assert.deepInclude(tapeWithGap.value, { coverage: "sampled" })
    })
  ],

  [
    "returns current documents of the last hour, dated at most now",
    Effect.gen(function*() {
      const port = yield* CoinDerivatives
      const { fence, store } = yield* list("DOCS")
      const future = { instrument: "F", time: at(0) + 3_000, expiryAt: at(40), price: 10, indexPrice: 10 }
      const row = futuresDocument.encodeRow({ key: "whole:DOCS", time: at(0) + 3_000, source: "venue" }, [future])
      yield* store.writeDocuments({ kind: futuresDocument.kind, fence, documents: [row] })
      const futures = port.futures("DOCS")
      yield* TestClock.setTime(at(0))
      // The document's time is in the future, because the clock of the writing process is ahead.
      assert.deepStrictEqual(yield* futures, { value: [{ ...future, time: at(0) }], sources: ["venue"], asOf: at(0) })
      // If several venues report a contract, the first venue's record is returned.
      const longFuture = { ...future, instrument: "G", time: at(0), expiryAt: at(30) }
      const other = futuresDocument.encodeRow({ key: "sampler:DOCS", time: at(0), source: "sampler" }, [
        { ...future, time: at(0), price: 11 },
        longFuture
      ])
      yield* store.writeDocuments({ kind: futuresDocument.kind, fence, documents: [other] })
      const listedFutures = yield* futures
      assert.deepStrictEqual([listedFutures.value, listedFutures.sources], [[longFuture, { ...future, time: at(0) }], [
        "sampler",
        "venue"
      ]])
      yield* TestClock.setTime(at(50))
      assert.deepStrictEqual((yield* futures).value, [])
      for (const minutes of [-10, 61]) {
        yield* TestClock.setTime(at(minutes))
        assert.strictEqual((yield* Effect.flip(futures))._tag, "NoData")
      }
      const brokenDocument = { key: "whole:DOCS", time: at(70), source: "venue", document: "{}" }
      yield* store.writeDocuments({ kind: futuresDocument.kind, fence, documents: [brokenDocument] })
      yield* TestClock.setTime(at(71))
      assert.deepInclude(yield* Effect.flip(futures), { _tag: "SourceUnavailable", failure: "malformed" })
    })
  ]
]

withLayer(market)("CoinDerivatives from a growing store", (it) => {
  for (const [title, check] of checks) it.effect(title, () => check)
})
