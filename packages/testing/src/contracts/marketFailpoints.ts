import { assert, layer as withLayer } from "@effect/vitest"
import { StoreUnavailable } from "@tapeline/core/engine"
import {
  documentsKinds,
  type MarketFailpoint,
  marketFailpoints,
  type MarketStore,
  MarketStoreFailpoints,
  pointsKinds
} from "@tapeline/core/market/store"
import { Context, Effect, Layer } from "effect"
import {
  makeName,
  makePost,
  makeRates,
  readPostRecord,
  readPosts,
  readRates,
  readRecord,
  stepInterval,
  takeLead,
  timeOfStep,
  useStore,
  writePosts,
  writeRates
} from "../marketStore/fixtures.ts"

class ArmedFailpoint extends Context.Service<ArmedFailpoint, { point: MarketFailpoint | null }>()(
  "@tapeline/testing/contracts/marketFailpoints/Armed"
) {
  static readonly layer = Layer.sync(ArmedFailpoint, () => ({ point: null }))
  static readonly layerFailpoints: Layer.Layer<never, never, ArmedFailpoint> = Layer.effect(
    MarketStoreFailpoints,
    Effect.map(ArmedFailpoint, (armed) => (point: MarketFailpoint) =>
      Effect.suspend(() => {
        if (point !== armed.point) return Effect.void
        armed.point = null
        return Effect.fail(new StoreUnavailable({ store: "MarketStore", cause: new Error(`died at ${point}`) }))
      }))
  )
}

interface SeriesNames {
  readonly source: string
  readonly subject: string
  readonly id: string
}

const oldPoint = { kind: pointsKinds.impliedVolatilities, time: Date.UTC(2019, 5) }
const orderBooksKind = documentsKinds.orderBooks

/**
 * Runs one round of a market data collector, and returns how many rows each write changed. A failpoint can end the
 * round early.
 */
const runCollector = Effect.fnUntraced(function*({ id, source, subject }: SeriesNames) {
  const fence = yield* takeLead(source, "collector")
  const covered = { covers: [stepInterval(1, 4)], lost: [stepInterval(4, 5)] }
  const points = yield* writeRates(fence, subject, makeRates([1, 2, 3]), covered)
  const corrected = yield* writeRates(fence, subject, makeRates([2], () => 9))
  const events = yield* writePosts(fence, [makePost(id, 2, [subject])], { covering: [{ subject, ...covered }] })
  const document = { key: id, time: timeOfStep(1), source: "test", document: "[]" }
  const documents = yield* useStore((store) =>
    store.writeDocuments({ kind: orderBooksKind, fence, documents: [document] })
  )
  yield* useStore((store) => store.prune({ kind: oldPoint.kind, before: Date.UTC(2020, 1) }))
  yield* useStore((store) => store.resignLeadership(fence))
  return [points, corrected, events, documents].map(({ changed }) => changed)
})

const prepareSeries = Effect.gen(function*() {
  const names = { source: makeName("s"), subject: makeName(), id: makeName("id") }
  const fence = yield* takeLead(names.source, "collector")
  const series = [{ subject: names.subject, source: "test", rows: [{ time: oldPoint.time, ivPct: 1 }] }]
  yield* useStore((store) => store.writePoints({ kind: oldPoint.kind, fence, series }))
  return names
})

const readState = Effect.fnUntraced(function*({ id, subject }: SeriesNames) {
  const pruned = yield* useStore((store) =>
    store.points({ kind: oldPoint.kind, subjects: [subject], from: 0, to: timeOfStep(300) })
  )
  return {
    rates: yield* readRates(subject),
    record: yield* readRecord(subject),
    posts: (yield* readPosts(subject)).events.map((event) => event.id),
    postRecord: yield* readPostRecord(subject),
    documents: [...(yield* useStore((store) => store.documents({ kind: orderBooksKind, keys: [id] }))).keys()],
    old: pruned.get(subject)?.points
  }
})

/**
 * Defines the contract tests of a process that dies during a write of market data. The tests cover every durable write.
 * After another process repeats the work, the store contains each row once.
 */
export const marketFailpointContract = <E>(
  name: string,
  makeLayer: (failpoints: Layer.Layer<never, never, ArmedFailpoint>) => Layer.Layer<MarketStore, E, ArmedFailpoint>
): void =>
  withLayer(makeLayer(ArmedFailpoint.layerFailpoints).pipe(Layer.provideMerge(ArmedFailpoint.layer)), {
    excludeTestServices: true,
    timeout: 60_000
  })(
    `failpoints of market series: ${name}`,
    (it) => {
      it.effect("a collector's turn takes effect once, at whichever write its process dies", () =>
        Effect.gen(function*() {
          const armed = yield* ArmedFailpoint
          for (const point of marketFailpoints) {
            const names = yield* prepareSeries
            armed.point = point
            assert.instanceOf(yield* Effect.flip(runCollector(names)), StoreUnavailable, point)
            yield* runCollector(names)
            const state = yield* readState(names)
            assert.deepStrictEqual(state.rates, [[1, 1, "test"], [2, 9, "test"], [3, 3, "test"]], point)
            assert.deepStrictEqual([state.posts, state.documents, state.old], [[names.id], [names.id], []], point)
            assert.strictEqual(state.record.contiguousUntil, timeOfStep(5), point)
            assert.strictEqual(state.postRecord.contiguousUntil, timeOfStep(5), point)
          }
        }))

      it.effect("a repeated write whose response was lost changes neither data nor revision", () =>
        Effect.gen(function*() {
          const armed = yield* ArmedFailpoint
          const { source, subject } = yield* prepareSeries
          const fence = yield* takeLead(source, "collector")
          const write = writeRates(fence, subject, makeRates([1, 2]), { covers: [stepInterval(0, 3)] })
          armed.point = "after:points"
          yield* Effect.flip(write)
          const record = yield* readRecord(subject)
          assert.deepStrictEqual(yield* write, { changed: 0 })
          assert.deepStrictEqual(yield* readRecord(subject), record)
          armed.point = "within:points"
          yield* Effect.flip(writeRates(fence, subject, makeRates([1], () => 5), { covers: [stepInterval(3, 4)] }))
          assert.deepStrictEqual(yield* readRecord(subject), record)
          assert.deepStrictEqual(yield* write, { changed: 0 })
        }))
    }
  )
