import { assert, it } from "@effect/vitest"
import type { Interval } from "@tapeline/core/market"
import {
  clipRanges,
  type Coverage,
  emptyCoverage,
  gapsIn,
  isContentChanged,
  isPrunedBelowWatermark,
  maxLostIntervals,
  pruneCoverage,
  subtractRanges,
  toRanges,
  unionRanges,
  updateCoverage
} from "@tapeline/core/market/store"
import { isFullRun } from "@tapeline/testing/fullRun"
import * as fc from "fast-check"

const runs = isFullRun ? 20_000 : 2_000
const end = 24

const interval = fc.tuple(fc.nat(end), fc.nat(end)).map(([a, b]): Interval => ({
  from: Math.min(a, b),
  to: Math.max(a, b)
}))
const some = fc.array(interval, { maxLength: 4 })

const instants = (intervals: ReadonlyArray<Interval>): ReadonlySet<number> =>
  new Set(intervals.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, i) => from + i)))

const list = (set: Iterable<number>): ReadonlyArray<number> => [...set].sort((a, b) => a - b)

it("range operations match set operations on instants", () => {
  fc.assert(
    fc.property(some, some, interval, (one, other, part) => {
      const [a, b] = [toRanges(one), toRanges(other)]
      const [as, bs] = [instants(one), instants(other)]
      for (const [i, { from, to }] of a.entries()) {
        assert.isBelow(from, to)
        if (i > 0) assert.isAbove(from, a[i - 1]!.to)
      }
      assert.deepStrictEqual(list(instants(a)), list(as))
      assert.deepStrictEqual(unionRanges(a, b), toRanges([...one, ...other]))
      assert.deepStrictEqual(list(instants(subtractRanges(a, b))), list(as).filter((time) => !bs.has(time)))
      const parts = list(as).filter((time) => time >= part.from && time < part.to)
      assert.deepStrictEqual(list(instants(clipRanges(a, part))), parts)
    }),
    { numRuns: runs }
  )
})

interface ReportedCoverage {
  readonly covered: ReadonlySet<number>
  readonly lost: ReadonlySet<number>
}

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ _tag: fc.constant("touch" as const), covers: some, lost: some }) },
  { weight: 1, arbitrary: fc.record({ _tag: fc.constant("prune" as const), cutTime: fc.nat(end) }) }
)

const afterTime = (set: ReadonlySet<number>, cutTime: number) => new Set([...set].filter((time) => time >= cutTime))

const follow = (
  { covered, lost }: ReportedCoverage,
  one: typeof step extends fc.Arbitrary<infer A> ? A : never
): ReportedCoverage => {
  if (one._tag === "prune") return { covered: afterTime(covered, one.cutTime), lost: afterTime(lost, one.cutTime) }
  const all = new Set([...covered, ...instants(one.covers)])
  return { covered: all, lost: new Set([...lost, ...instants(one.lost)].filter((time) => !all.has(time))) }
}

const below = ({ covered, lost }: ReportedCoverage, mark: number): string =>
  JSON.stringify([covered, lost].map((set) => list(set).filter((time) => time < mark)))

it("coverage matches the reported instants, and detects every change below the watermark", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
      let [known, reported, mark]: [Coverage, ReportedCoverage, number] = [emptyCoverage, {
        covered: new Set(),
        lost: new Set()
      }, 0]
      for (const one of steps) {
        const before = { known, reported }
        known = one._tag === "prune"
          ? pruneCoverage(known, one.cutTime)
          : updateCoverage(known, { covers: one.covers, lost: one.lost, firstRowAt: null })
        reported = follow(reported, one)
        assert.deepStrictEqual(list(instants(known.covered)), list(reported.covered))
        assert.deepStrictEqual(list(instants(known.lost)), list(reported.lost))
        const isPending = (time: number) => !reported.covered.has(time) && !reported.lost.has(time)
        if (known.since !== null) {
          for (let time = known.since; time < known.watermark; time++) if (isPending(time)) assert.fail(`${time}`)
          assert.isTrue(isPending(known.watermark))
          assert.isTrue(isPending(known.since - 1))
        }
        assert.isAtLeast(known.watermark, mark, "the watermark decreased")
        mark = known.watermark
        const { lost, missing } = gapsIn(known, { from: 0, to: end })
        assert.deepStrictEqual(
          list([...instants(lost), ...instants(missing), ...reported.covered].filter((time) => time < end)),
          Array.from({ length: end }, (_, i) => i)
        )
        const isRevised = one._tag === "prune"
          ? isPrunedBelowWatermark(before.known, one.cutTime)
          : isContentChanged(before.known, known, null)
        if (!isRevised) {
          assert.strictEqual(below(reported, before.known.watermark), below(before.reported, before.known.watermark))
        } else if (one._tag === "touch") {
          assert.notStrictEqual(below(reported, before.known.watermark), below(before.reported, before.known.watermark))
        }
      }
    }),
    { numRuns: runs }
  )
})

it("merges the oldest lost intervals and the data between them if there are too many", () => {
  const lostIntervals = Array.from({ length: maxLostIntervals + 3 }, (_, i) => ({ from: 2 * i, to: 2 * i + 1 }))
  const known = updateCoverage(emptyCoverage, { covers: [{ from: 1, to: 2 }], lost: lostIntervals, firstRowAt: null })
  assert.strictEqual(known.lost.length, maxLostIntervals)
  assert.deepStrictEqual([known.lost[0], known.lost[1]], [{ from: 0, to: 7 }, { from: 8, to: 9 }])
  assert.deepStrictEqual(known.covered, [])
  assert.strictEqual(known.watermark, 7)
})
