import { assert } from "@effect/vitest"
import { coveredAtMost, lostAtMost, type MarketStore, MarketStoreRefusal } from "@tapeline/core/market/store"
import { Effect } from "effect"
import { at, type Check, gapsOf, newFence, newName, rates, recordedOf, recordOf, span, writeRates } from "./fixtures.ts"

export const covering: ReadonlyArray<Check> = [
  [
    "the mark goes on over what is covered or lost without a hole, and stands before one",
    Effect.gen(function*() {
      const [fence, subject] = [yield* newFence, newName()]
      const write = (covers: ReadonlyArray<[number, number]>, lost: ReadonlyArray<[number, number]> = []) =>
        writeRates(fence, subject, [], {
          covers: covers.map(([from, to]) => span(from, to)),
          lost: lost.map(([from, to]) => span(from, to))
        })
      const mark = Effect.map(recordOf(subject), ({ contiguousUntil }) => contiguousUntil)
      assert.isUndefined(yield* recordedOf(subject))
      yield* write([[10, 12]])
      assert.strictEqual(yield* mark, at(12))
      assert.strictEqual((yield* recordOf(subject)).since, at(10))
      yield* write([[15, 18]])
      assert.strictEqual(yield* mark, at(12))
      assert.deepStrictEqual(yield* gapsOf(subject, 0, 20), {
        lost: [],
        missing: [span(0, 10), span(12, 15), span(18, 20)]
      })
      yield* write([], [[13, 15]])
      assert.strictEqual(yield* mark, at(12))
      yield* write([[12, 13]])
      assert.strictEqual(yield* mark, at(18))
      assert.deepStrictEqual(yield* gapsOf(subject, 11, 16), { lost: [span(13, 15)], missing: [] })
      // Lost data is found after all.
      yield* write([[13, 14]])
      assert.deepStrictEqual((yield* gapsOf(subject, 0, 18)).lost, [span(14, 15)])
      // A recorded interval is reported as lost.
      yield* write([], [[10, 20]])
      assert.deepStrictEqual((yield* gapsOf(subject, 0, 30)).lost, [span(14, 15), span(18, 20)])
      assert.strictEqual(yield* mark, at(20))
    })
  ],

  [
    "what is filled in before the beginning never takes the mark back",
    Effect.gen(function*() {
      const [fence, subject] = [yield* newFence, newName()]
      const cover = (from: number, to: number) => writeRates(fence, subject, [], { covers: [span(from, to)] })
      const told = Effect.map(recordOf(subject), ({ contiguousUntil, since }) => [since, contiguousUntil])
      yield* cover(100, 110)
      yield* cover(50, 60)
      assert.deepStrictEqual(yield* told, [at(100), at(110)])
      assert.deepStrictEqual((yield* gapsOf(subject, 50, 110)).missing, [span(60, 100)])
      yield* cover(90, 100)
      assert.deepStrictEqual(yield* told, [at(90), at(110)])
      yield* cover(60, 90)
      assert.deepStrictEqual(yield* told, [at(50), at(110)])
    })
  ],

  [
    "a revision changes with what lies below the mark, and with nothing else, and is never told again",
    Effect.gen(function*() {
      const [fence, subject] = [yield* newFence, newName()]
      const seen = new Set<string>()
      const revision = Effect.map(recordOf(subject), (record) => record.revision)
      let last = ""
      const is = Effect.fnUntraced(function*(changes: boolean, write: Effect.Effect<unknown, unknown, MarketStore>) {
        yield* write
        const found = yield* revision
        if (changes) {
          assert.isFalse(seen.has(found), "a revision that was in use")
          seen.add(found)
          last = found
        }
        assert.strictEqual(found, last)
      })
      const put = (places: ReadonlyArray<number>, covers: readonly [number, number], value?: (i: number) => number) =>
        writeRates(fence, subject, rates(places, value), { covers: [span(...covers)] })
      yield* is(true, put([10, 11], [10, 12]))
      // Continued data, a repeated write, and data beyond a hole.
      yield* is(false, put([12], [12, 13]))
      yield* is(false, put([10, 11, 12], [10, 13]))
      yield* is(false, put([20], [20, 21]))
      yield* is(false, writeRates(fence, subject, rates([20], () => 5)))
      yield* is(false, writeRates(fence, subject, [], { lost: [span(30, 31)] }))
      // A correction, a correction by another source, a late row, and new knowledge of the past.
      yield* is(true, put([11], [10, 12], () => 7))
      yield* is(true, writeRates(fence, subject, rates([11], () => 7), {}, "other"))
      yield* is(true, writeRates(fence, subject, rates([2])))
      yield* is(true, writeRates(fence, subject, [], { covers: [span(2, 3)] }))
      yield* is(true, writeRates(fence, subject, [], { lost: [span(3, 4)] }))
      yield* is(false, writeRates(fence, subject, [], { lost: [span(3, 4), span(11, 12)] }))
      yield* is(true, writeRates(fence, subject, [], { covers: [span(3, 4)] }))
      // The hole closes, so the data beyond it is now before the watermark.
      yield* is(false, put([], [13, 20]))
      assert.strictEqual((yield* recordOf(subject)).contiguousUntil, at(21))
      yield* is(true, writeRates(fence, subject, rates([20], () => 6)))
      // A write to another subject changes nothing.
      yield* is(false, writeRates(fence, newName(), rates([10]), { covers: [span(10, 11)] }))
    })
  ],

  [
    "what has rows has a record, whether anything is covered or not",
    Effect.gen(function*() {
      const [fence, subject] = [yield* newFence, newName()]
      yield* writeRates(fence, subject, [])
      assert.isUndefined(yield* recordedOf(subject))
      yield* writeRates(fence, subject, rates([5]), {}, "b+a")
      yield* writeRates(fence, subject, rates([6]), {}, "c")
      const { contiguousUntil, since, sources } = yield* recordOf(subject)
      assert.deepStrictEqual({ contiguousUntil, since, sources }, {
        contiguousUntil: 0,
        since: null,
        sources: ["a", "b", "c"]
      })
      assert.deepStrictEqual(yield* gapsOf(newName(), 3, 4), { lost: [], missing: [span(3, 4)] })
    })
  ],

  [
    "intervals are bounded: the oldest losses become one, and holes that nobody fills are refused",
    Effect.gen(function*() {
      const [fence, subject, scattered] = [yield* newFence, newName(), newName()]
      const minute = (i: number) => ({ from: day0 + i * 2, to: day0 + i * 2 + 1 })
      const between = (i: number) => ({ from: day0 + i * 2 + 1, to: day0 + i * 2 + 2 })
      const day0 = at(0)
      for (let i = 0; i < lostAtMost + 200; i += 100) {
        const places = Array.from({ length: 100 }, (_, n) => i + n)
        yield* writeRates(fence, subject, [], { lost: places.map(minute), covers: places.map(between) })
      }
      const { lost, missing } = yield* gapsOf(subject, 0, 1)
      assert.lengthOf(lost, lostAtMost)
      assert.deepStrictEqual(lost[0], { from: day0, to: day0 + 401 })
      assert.deepStrictEqual(missing, [{ from: day0 + 2 * (lostAtMost + 200), to: at(1) }])
      assert.strictEqual((yield* recordOf(subject)).contiguousUntil, day0 + 2 * (lostAtMost + 200))
      for (let i = 0; i < coveredAtMost; i += 1_000) {
        const places = Array.from({ length: 1_000 }, (_, n) => i + n)
        yield* writeRates(fence, scattered, [], { covers: places.map(minute) })
      }
      const refused = yield* Effect.flip(
        writeRates(fence, scattered, rates([5]), { covers: [minute(coveredAtMost)] })
      )
      assert.instanceOf(refused, MarketStoreRefusal)
      assert.include(refused.message, "fill the holes")
      assert.deepStrictEqual((yield* gapsOf(scattered, 5, 6)).missing, [span(5, 6)])
    })
  ]
]
