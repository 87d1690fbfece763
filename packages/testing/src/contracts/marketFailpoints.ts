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
  at,
  leadOf,
  newName,
  on,
  post,
  postRecord,
  rates,
  readPosts,
  readRates,
  recordOf,
  span,
  writePosts,
  writeRates
} from "../marketStore/fixtures.ts"

class Armed extends Context.Service<Armed, { point: MarketFailpoint | null }>()(
  "@tapeline/testing/contracts/marketFailpoints/Armed"
) {
  static readonly layer = Layer.sync(Armed, () => ({ point: null }))
  /** Fails once at the armed point. */
  static readonly hook: Layer.Layer<never, never, Armed> = Layer.effect(
    MarketStoreFailpoints,
    Effect.map(Armed, (armed) => (point: MarketFailpoint) =>
      Effect.suspend(() => {
        if (point !== armed.point) return Effect.void
        armed.point = null
        return Effect.fail(new StoreUnavailable({ store: "MarketStore", cause: new Error(`died at ${point}`) }))
      }))
  )
}

interface Names {
  readonly source: string
  readonly subject: string
  readonly id: string
}

const old = { kind: pointsKinds.impliedVolatilities, time: Date.UTC(2019, 5) }
const books = documentsKinds.orderBooks

/** One turn of a collector, up to a failure. Returns how many rows each write changed. */
const goOn = Effect.fnUntraced(function*({ id, source, subject }: Names) {
  const fence = yield* leadOf(source, "collector")
  const covered = { covers: [span(1, 4)], lost: [span(4, 5)] }
  const points = yield* writeRates(fence, subject, rates([1, 2, 3]), covered)
  // A correction before the watermark.
  const mended = yield* writeRates(fence, subject, rates([2], () => 9))
  const events = yield* writePosts(fence, [post(id, 2, [subject])], { covering: [{ subject, ...covered }] })
  const document = { key: id, time: at(1), source: "test", document: "[]" }
  const documents = yield* on((store) => store.writeDocuments({ kind: books, fence, documents: [document] }))
  yield* on((store) => store.prune({ kind: old.kind, before: Date.UTC(2020, 1) }))
  yield* on((store) => store.resign(fence))
  return [points, mended, events, documents].map(({ changed }) => changed)
})

const prepared = Effect.gen(function*() {
  const names = { source: newName("s"), subject: newName(), id: newName("id") }
  const fence = yield* leadOf(names.source, "collector")
  const series = [{ subject: names.subject, source: "test", rows: [{ time: old.time, ivPct: 1 }] }]
  yield* on((store) => store.writePoints({ kind: old.kind, fence, series }))
  return names
})

const state = Effect.fnUntraced(function*({ id, subject }: Names) {
  const pruned = yield* on((store) => store.points({ kind: old.kind, subjects: [subject], from: 0, to: at(300) }))
  return {
    rates: yield* readRates(subject),
    record: yield* recordOf(subject),
    posts: (yield* readPosts(subject)).events.map((event) => event.id),
    postRecord: yield* postRecord(subject),
    documents: [...(yield* on((store) => store.documents({ kind: books, keys: [id] }))).keys()],
    old: pruned.get(subject)?.points
  }
})

/**
 * The contract tests of a process that dies at any durable write. After another process repeats the work, everything is
 * stored exactly once.
 */
export const marketFailpointContract = <E>(
  name: string,
  make: (failpoints: Layer.Layer<never, never, Armed>) => Layer.Layer<MarketStore, E, Armed>
): void =>
  withLayer(make(Armed.hook).pipe(Layer.provideMerge(Armed.layer)), { excludeTestServices: true, timeout: 60_000 })(
    `failpoints of market series: ${name}`,
    (it) => {
      it.effect("a collector's turn is done once, wherever its process dies", () =>
        Effect.gen(function*() {
          const armed = yield* Armed
          for (const point of marketFailpoints) {
            const names = yield* prepared
            armed.point = point
            assert.instanceOf(yield* Effect.flip(goOn(names)), StoreUnavailable, point)
            yield* goOn(names)
            const found = yield* state(names)
            assert.deepStrictEqual(found.rates, [[1, 1, "test"], [2, 9, "test"], [3, 3, "test"]], point)
            assert.deepStrictEqual([found.posts, found.documents, found.old], [[names.id], [names.id], []], point)
            assert.strictEqual(found.record.contiguousUntil, at(5), point)
            assert.strictEqual(found.postRecord.contiguousUntil, at(5), point)
          }
        }))

      it.effect("a write whose answer was lost changes nothing when it is done again, and no revision either", () =>
        Effect.gen(function*() {
          const armed = yield* Armed
          const { source, subject } = yield* prepared
          const fence = yield* leadOf(source, "collector")
          const write = writeRates(fence, subject, rates([1, 2]), { covers: [span(0, 3)] })
          armed.point = "after:points"
          yield* Effect.flip(write)
          const record = yield* recordOf(subject)
          assert.deepStrictEqual(yield* write, { changed: 0 })
          assert.deepStrictEqual(yield* recordOf(subject), record)
          // The failed write changed nothing.
          armed.point = "within:points"
          yield* Effect.flip(writeRates(fence, subject, rates([1], () => 5), { covers: [span(3, 4)] }))
          assert.deepStrictEqual(yield* recordOf(subject), record)
          assert.deepStrictEqual(yield* write, { changed: 0 })
        }))
    }
  )
