import { assert } from "@effect/vitest"
import {
  type MarketStore,
  MarketStoreRefusal,
  maxCoveredIntervals,
  maxLostIntervals
} from "@tapeline/core/market/store"
import { Effect } from "effect"
import {
  type Check,
  findRecord,
  makeName,
  makeRates,
  readGaps,
  readRecord,
  stepInterval,
  takeNewLead,
  timeOfStep,
  writeRates
} from "./fixtures.ts"

export const coverageChecks: ReadonlyArray<Check> = [
  [
    "the watermark advances over contiguous covered or lost intervals, and stops before a gap",
    Effect.gen(function*() {
      const [fence, subject] = [yield* takeNewLead, makeName()]
      const writeCoverage = (covers: ReadonlyArray<[number, number]>, lost: ReadonlyArray<[number, number]> = []) =>
        writeRates(fence, subject, [], {
          covers: covers.map(([from, to]) => stepInterval(from, to)),
          lost: lost.map(([from, to]) => stepInterval(from, to))
        })
      const readWatermark = Effect.map(readRecord(subject), ({ contiguousUntil }) => contiguousUntil)
      assert.isUndefined(yield* findRecord(subject))
      yield* writeCoverage([[10, 12]])
      assert.strictEqual(yield* readWatermark, timeOfStep(12))
      assert.strictEqual((yield* readRecord(subject)).since, timeOfStep(10))
      yield* writeCoverage([[15, 18]])
      assert.strictEqual(yield* readWatermark, timeOfStep(12))
      assert.deepStrictEqual(yield* readGaps(subject, 0, 20), {
        lost: [],
        missing: [stepInterval(0, 10), stepInterval(12, 15), stepInterval(18, 20)]
      })
      yield* writeCoverage([], [[13, 15]])
      assert.strictEqual(yield* readWatermark, timeOfStep(12))
      yield* writeCoverage([[12, 13]])
      assert.strictEqual(yield* readWatermark, timeOfStep(18))
      assert.deepStrictEqual(yield* readGaps(subject, 11, 16), { lost: [stepInterval(13, 15)], missing: [] })
      yield* writeCoverage([[13, 14]])
      assert.deepStrictEqual((yield* readGaps(subject, 0, 18)).lost, [stepInterval(14, 15)])
      yield* writeCoverage([], [[10, 20]])
      assert.deepStrictEqual((yield* readGaps(subject, 0, 30)).lost, [stepInterval(14, 15), stepInterval(18, 20)])
      assert.strictEqual(yield* readWatermark, timeOfStep(20))
    })
  ],

  [
    "a backfill before the beginning never moves the watermark back",
    Effect.gen(function*() {
      const [fence, subject] = [yield* takeNewLead, makeName()]
      const writeCovered = (from: number, to: number) =>
        writeRates(fence, subject, [], { covers: [stepInterval(from, to)] })
      const readExtent = Effect.map(readRecord(subject), ({ contiguousUntil, since }) => [since, contiguousUntil])
      yield* writeCovered(100, 110)
      yield* writeCovered(50, 60)
      assert.deepStrictEqual(yield* readExtent, [timeOfStep(100), timeOfStep(110)])
      assert.deepStrictEqual((yield* readGaps(subject, 50, 110)).missing, [stepInterval(60, 100)])
      yield* writeCovered(90, 100)
      assert.deepStrictEqual(yield* readExtent, [timeOfStep(90), timeOfStep(110)])
      yield* writeCovered(60, 90)
      assert.deepStrictEqual(yield* readExtent, [timeOfStep(50), timeOfStep(110)])
    })
  ],

  [
    "a revision changes only with data before the watermark, and is never reused",
    Effect.gen(function*() {
      const [fence, subject] = [yield* takeNewLead, makeName()]
      const seenRevisions = new Set<string>()
      const revision = Effect.map(readRecord(subject), (record) => record.revision)
      let lastRevision = ""
      const assertRevisionChange = Effect.fnUntraced(
        function*(isChangeExpected: boolean, write: Effect.Effect<unknown, unknown, MarketStore>) {
          yield* write
          const revisionAfter = yield* revision
          if (isChangeExpected) {
            assert.isFalse(seenRevisions.has(revisionAfter), "a reused revision")
            seenRevisions.add(revisionAfter)
            lastRevision = revisionAfter
          }
          assert.strictEqual(revisionAfter, lastRevision)
        }
      )
      const writeRows = (
        steps: ReadonlyArray<number>,
        covers: readonly [number, number],
        value?: (i: number) => number
      ) => writeRates(fence, subject, makeRates(steps, value), { covers: [stepInterval(...covers)] })
      yield* assertRevisionChange(true, writeRows([10, 11], [10, 12]))
      // The following writes continue the data, repeat a write, or add data after a gap, so the revision stays the
      // same.
      yield* assertRevisionChange(false, writeRows([12], [12, 13]))
      yield* assertRevisionChange(false, writeRows([10, 11, 12], [10, 13]))
      yield* assertRevisionChange(false, writeRows([20], [20, 21]))
      yield* assertRevisionChange(false, writeRates(fence, subject, makeRates([20], () => 5)))
      yield* assertRevisionChange(false, writeRates(fence, subject, [], { lost: [stepInterval(30, 31)] }))
      // The following writes correct data, change its source, add an earlier row, or change coverage of the past, so
      // the revision changes.
      yield* assertRevisionChange(true, writeRows([11], [10, 12], () => 7))
      yield* assertRevisionChange(true, writeRates(fence, subject, makeRates([11], () => 7), {}, "other"))
      yield* assertRevisionChange(true, writeRates(fence, subject, makeRates([2])))
      yield* assertRevisionChange(true, writeRates(fence, subject, [], { covers: [stepInterval(2, 3)] }))
      yield* assertRevisionChange(true, writeRates(fence, subject, [], { lost: [stepInterval(3, 4)] }))
      yield* assertRevisionChange(
        false,
        writeRates(fence, subject, [], { lost: [stepInterval(3, 4), stepInterval(11, 12)] })
      )
      yield* assertRevisionChange(true, writeRates(fence, subject, [], { covers: [stepInterval(3, 4)] }))
      // The write closes the gap, so the data after the gap is now before the watermark.
      yield* assertRevisionChange(false, writeRows([], [13, 20]))
      assert.strictEqual((yield* readRecord(subject)).contiguousUntil, timeOfStep(21))
      yield* assertRevisionChange(true, writeRates(fence, subject, makeRates([20], () => 6)))
      // A write to another subject must not change the revision.
      yield* assertRevisionChange(
        false,
        writeRates(fence, makeName(), makeRates([10]), { covers: [stepInterval(10, 11)] })
      )
    })
  ],

  [
    "a subject with rows has a record, also without coverage",
    Effect.gen(function*() {
      const [fence, subject] = [yield* takeNewLead, makeName()]
      yield* writeRates(fence, subject, [])
      assert.isUndefined(yield* findRecord(subject))
      yield* writeRates(fence, subject, makeRates([5]), {}, "b+a")
      yield* writeRates(fence, subject, makeRates([6]), {}, "c")
      const { contiguousUntil, since, sources } = yield* readRecord(subject)
      assert.deepStrictEqual({ contiguousUntil, since, sources }, {
        contiguousUntil: 0,
        since: null,
        sources: ["a", "b", "c"]
      })
      assert.deepStrictEqual(yield* readGaps(makeName(), 3, 4), { lost: [], missing: [stepInterval(3, 4)] })
    })
  ],

  [
    "intervals are limited: the oldest lost ones are merged, and too many gaps are rejected",
    Effect.gen(function*() {
      const [fence, subject, subjectWithGaps] = [yield* takeNewLead, makeName(), makeName()]
      const firstOfMinute = (i: number) => ({ from: day0 + i * 2, to: day0 + i * 2 + 1 })
      const restOfMinute = (i: number) => ({ from: day0 + i * 2 + 1, to: day0 + i * 2 + 2 })
      const day0 = timeOfStep(0)
      for (let i = 0; i < maxLostIntervals + 200; i += 100) {
        const steps = Array.from({ length: 100 }, (_, n) => i + n)
        yield* writeRates(fence, subject, [], { lost: steps.map(firstOfMinute), covers: steps.map(restOfMinute) })
      }
      const { lost, missing } = yield* readGaps(subject, 0, 1)
      assert.lengthOf(lost, maxLostIntervals)
      assert.deepStrictEqual(lost[0], { from: day0, to: day0 + 401 })
      assert.deepStrictEqual(missing, [{ from: day0 + 2 * (maxLostIntervals + 200), to: timeOfStep(1) }])
      assert.strictEqual((yield* readRecord(subject)).contiguousUntil, day0 + 2 * (maxLostIntervals + 200))
      for (let i = 0; i < maxCoveredIntervals; i += 1_000) {
        const steps = Array.from({ length: 1_000 }, (_, n) => i + n)
        yield* writeRates(fence, subjectWithGaps, [], { covers: steps.map(firstOfMinute) })
      }
      const error = yield* Effect.flip(
        writeRates(fence, subjectWithGaps, makeRates([5]), { covers: [firstOfMinute(maxCoveredIntervals)] })
      )
      assert.instanceOf(error, MarketStoreRefusal)
      assert.include(error.message, "fill the gaps")
      assert.deepStrictEqual((yield* readGaps(subjectWithGaps, 5, 6)).missing, [stepInterval(5, 6)])
    })
  ]
]
