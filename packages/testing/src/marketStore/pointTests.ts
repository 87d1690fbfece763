import { assert } from "@effect/vitest"
import { MarketStore, marketStoreLimits, MarketStoreRefusal, pointsKinds } from "@tapeline/core/market/store"
import { Effect } from "effect"
import {
  type Check,
  dayStart,
  findRecord,
  fiveMinutesMs,
  makeName,
  makeRates,
  readRates,
  stepInterval,
  takeNewLead,
  timeOfStep,
  useStore,
  writeRates
} from "./fixtures.ts"

const candleFields = { open: 1, high: 3, low: 0.5, close: 2, volume: 10, quoteVolume: 20, takerBuyVolume: 5 }

export const writeChecks: ReadonlyArray<Check> = [
  [
    "stores rows to the last digit and nulls as nulls, and a repeated write changes nothing",
    Effect.gen(function*() {
      const [fence, subject] = [yield* takeNewLead, makeName()]
      const numbers = [0.1, -1e-300, 1.7976931348623157e308, 5e-324, 2 ** 53 + 2, null, 0]
      const rows = makeRates(numbers.map((_, i) => i), (i) => numbers[i]!)
      const before = yield* writeRates(fence, subject, rows, { covers: [stepInterval(0, 9)] })
      assert.strictEqual(before.changed, rows.length)
      const record = yield* findRecord(subject)
      assert.deepStrictEqual((yield* readRates(subject)).map(([, rate]) => rate), numbers)
      for (const sameRows of [rows, rows.slice(2, 5), []]) {
        assert.strictEqual((yield* writeRates(fence, subject, sameRows, { covers: [stepInterval(0, 9)] })).changed, 0)
      }
      assert.deepStrictEqual(yield* findRecord(subject), record)
    })
  ],

  [
    "replaces the row of the same time with its source, also a number with null",
    Effect.gen(function*() {
      const [fence, subject] = [yield* takeNewLead, makeName()]
      yield* writeRates(fence, subject, makeRates([1, 2, 3]))
      const { changed } = yield* writeRates(fence, subject, makeRates([2, 3, 4], (i) => i === 3 ? null : i), {}, "late")
      assert.strictEqual(changed, 3)
      assert.deepStrictEqual(yield* readRates(subject), [[1, 1, "test"], [2, 2, "late"], [3, null, "late"], [
        4,
        4,
        "late"
      ]])
    })
  ],

  [
    "writes many subjects atomically",
    Effect.gen(function*() {
      const fence = yield* takeNewLead
      const [validSubject, invalidSubject] = [makeName(), makeName()]
      const write = (value: number) =>
        useStore((store) =>
          store.writePoints({
            kind: pointsKinds.candles,
            fence,
            series: [
              {
                subject: validSubject,
                source: "test",
                rows: [{ ...candleFields, time: timeOfStep(1) }],
                covers: [stepInterval(1, 2)]
              },
              {
                subject: invalidSubject,
                source: "test",
                rows: [{ ...candleFields, close: value, time: timeOfStep(1) }]
              }
            ]
          })
        )
      const kind = pointsKinds.candles
      const writeError = yield* Effect.flip(write(Number.NaN))
      assert.instanceOf(writeError, MarketStoreRefusal)
      assert.include(writeError.message, `close of ${invalidSubject} at ${timeOfStep(1)} is NaN`)
      const records = useStore((store) => store.records({ kind, subjects: [validSubject, invalidSubject] }))
      assert.strictEqual((yield* records).size, 0)
      assert.strictEqual((yield* write(2)).changed, 2)
      assert.deepStrictEqual([...(yield* records).keys()].sort(), [validSubject, invalidSubject].sort())
      const read = yield* useStore((store) =>
        store.points({ kind, subjects: [invalidSubject], from: dayStart, to: timeOfStep(2) })
      )
      assert.deepStrictEqual(read.get(invalidSubject)?.points, [{
        ...candleFields,
        time: timeOfStep(1),
        source: "test"
      }])
    })
  ],

  [
    "stores all concurrent writes to the same subjects",
    Effect.gen(function*() {
      const fence = yield* takeNewLead
      const subjects = Array.from({ length: 12 }, () => makeName())
      const writes = Array.from({ length: 12 }, (_, n) =>
        useStore((store) =>
          store.writePoints({
            kind: pointsKinds.fxRates,
            fence,
            series: subjects.map((_, i) => ({
              subject: subjects[(i * 5 + n) % subjects.length]!,
              source: "test",
              rows: makeRates([n]),
              covers: [stepInterval(n, n + 1)]
            }))
          })
        ))
      yield* Effect.all(writes, { concurrency: "unbounded" })
      const read = yield* useStore((store) =>
        store.points({ kind: pointsKinds.fxRates, subjects, ...stepInterval(0, 20) })
      )
      for (const subject of subjects) {
        const { points, record } = read.get(subject)!
        assert.deepStrictEqual(points.map(({ rate }) => rate), subjects.map((_, i) => i))
        assert.strictEqual(record.contiguousUntil, timeOfStep(12))
      }
    })
  ],

  [
    "stores and returns rows of many months and years",
    Effect.gen(function*() {
      const [fence, subject] = [yield* takeNewLead, makeName()]
      const times = [
        Date.UTC(2009, 0),
        Date.UTC(2024, 1, 29),
        Date.UTC(2025, 11, 31, 23, 59),
        Date.UTC(2026, 0),
        timeOfStep(0)
      ]
      yield* writeRates(fence, subject, times.map((time, rate) => ({ time, rate })))
      const read = yield* useStore((store) =>
        store.points({ kind: pointsKinds.fxRates, subjects: [subject], from: times[0]!, to: timeOfStep(1) })
      )
      assert.deepStrictEqual(read.get(subject)?.points.map(({ time }) => time), times)
    })
  ],

  [
    "rejects invalid rows with a message that says what to change, and writes nothing",
    Effect.gen(function*() {
      const [fence, subject] = [yield* takeNewLead, makeName()]
      const assertRefused = Effect.fnUntraced(function*(text: string, ...[rows, covering, source]: WriteArguments) {
        const error = yield* Effect.flip(writeRates(fence, subject, rows, covering, source))
        assert.instanceOf(error, MarketStoreRefusal)
        assert.include(error.message, text)
      })
      const years = { from: Date.UTC(2009, 0), to: Date.UTC(2100, 0) }
      for (const rate of [Number.NaN, Infinity, -Infinity]) {
        yield* assertRefused("write a finite number", [{ time: dayStart, rate }])
      }
      yield* assertRefused("are not in ascending order", makeRates([2, 1]))
      yield* assertRefused("are not in ascending order", makeRates([2, 2]))
      for (const time of [dayStart / 1_000, dayStart * 1_000, dayStart + 0.5, Number.NaN, -1, years.to]) {
        yield* assertRefused("check its unit", [{ time, rate: 1 }])
        yield* assertRefused("check its unit", [], { covers: [{ from: time, to: years.to }] })
      }
      yield* assertRefused("is empty", [], { lost: [{ from: dayStart, to: dayStart }] })
      yield* assertRefused("is empty", [], { covers: [{ from: dayStart, to: Infinity }] })
      yield* assertRefused("names of letters", makeRates([1]), {}, "two words")
      yield* assertRefused(
        "too many",
        Array.from({ length: marketStoreLimits.maxRowsPerWrite + 1 }, (_, i) => ({
          time: dayStart + i,
          rate: 1
        }))
      )
      yield* assertRefused("months", Array.from({ length: 60 }, (_, i) => ({ time: Date.UTC(2020, i), rate: 1 })))
      yield* assertRefused("intervals", [], {
        covers: Array.from({ length: 1_001 }, (_, i) => ({ from: dayStart + i, to: dayStart + i + 1 }))
      })
      for (const name of ["", "two words", "a\0b", "가", "x".repeat(65)]) {
        const error = yield* Effect.flip(writeRates(fence, name, makeRates([1])))
        assert.include(error.message, "printable")
      }
      assert.isUndefined(yield* findRecord(subject))
      const duplicateSeries = [1, 2].map((i) => ({ subject, source: "test", rows: makeRates([i]) }))
      const error = yield* Effect.flip(
        useStore((store) => store.writePoints({ kind: pointsKinds.fxRates, fence, series: duplicateSeries }))
      )
      assert.include(error.message, "occurs twice")
    })
  ]
]

type WriteArguments = [
  rows: Parameters<typeof writeRates>[2],
  covering?: Parameters<typeof writeRates>[3],
  source?: Parameters<typeof writeRates>[4]
]

const kind = pointsKinds.candles
/** The 5-minute candles of a day, with volumes whose sum depends on the order of addition. */
const candles = Array.from({ length: 288 }, (_, i) => ({
  time: timeOfStep(i),
  open: 100 + i,
  high: 101 + i + (i % 7),
  low: 99 + i - (i % 5),
  close: 100.5 + i,
  volume: i % 3 === 0 ? 1e16 : 0.1 * i,
  quoteVolume: i,
  takerBuyVolume: i >= 144 && i % 50 === 0 ? null : 1
}))
const writeCandles = Effect.gen(function*() {
  const [fence, subject] = [yield* takeNewLead, makeName()]
  const series = [{ subject, source: "test", rows: candles, covers: [stepInterval(0, 288)] }]
  yield* useStore((store) => store.writePoints({ kind, fence, series }))
  return subject
})

export const readChecks: ReadonlyArray<Check> = [
  [
    "returns points of an interval, at a fixed step, and the last ones",
    Effect.gen(function*() {
      const subject = yield* writeCandles
      const readSteps = (query: { everyMs?: number; last?: number } & { from: number; to: number }) =>
        Effect.map(
          useStore((store) => store.points({ kind, subjects: [subject, makeName()], ...query })),
          (read) => {
            assert.deepStrictEqual([...read.keys()], [subject])
            return read.get(subject)!.points.map(({ time }) => (time - dayStart) / fiveMinutesMs)
          }
        )
      assert.deepStrictEqual(yield* readSteps(stepInterval(3, 6)), [3, 4, 5])
      assert.deepStrictEqual(yield* readSteps({ from: timeOfStep(3) + 1, to: timeOfStep(6) + 1 }), [4, 5, 6])
      assert.deepStrictEqual(yield* readSteps({ ...stepInterval(1, 100), everyMs: 12 * fiveMinutesMs }), [
        12,
        24,
        36,
        48,
        60,
        72,
        84,
        96
      ])
      assert.deepStrictEqual(yield* readSteps({ ...stepInterval(0, 100), everyMs: 12 * fiveMinutesMs, last: 2 }), [
        84,
        96
      ])
      assert.deepStrictEqual(yield* readSteps({ ...stepInterval(0, 1_000), last: 3 }), [285, 286, 287])
      assert.deepStrictEqual(yield* readSteps(stepInterval(5, 5)), [])
      const long = useStore((store) =>
        store.foldedPoints({ kind, subjects: [subject], ...stepInterval(0, 288), stepMs: 1 })
      )
      assert.include((yield* Effect.flip(long)).message, "longer steps")
      for (
        const invalidSubject of [{ from: 2, to: 1 }, { from: Number.NaN, to: 1 }, { ...stepInterval(0, 1), last: 0 }]
      ) {
        assert.instanceOf(yield* Effect.flip(readSteps(invalidSubject)), MarketStoreRefusal)
      }
    })
  ],

  [
    "merges points into steps, in order and to the last digit",
    Effect.gen(function*() {
      const subject = yield* writeCandles
      const read = yield* useStore((store) =>
        store.foldedPoints({ kind, subjects: [subject], ...stepInterval(6, 290), stepMs: 12 * fiveMinutesMs })
      )
      const { points, record, sources } = read.get(subject)!
      assert.deepStrictEqual(sources, ["test"])
      assert.strictEqual(record.contiguousUntil, timeOfStep(288))
      assert.lengthOf(points, 24)
      for (const [i, point] of points.entries()) {
        const parts = candles.slice(Math.max(6, i * 12), i * 12 + 12)
        const takerVolumes = parts.map(({ takerBuyVolume }) => takerBuyVolume)
        assert.deepStrictEqual(point, {
          time: timeOfStep(i * 12),
          parts: parts.length,
          firstAt: parts[0]!.time,
          lastAt: parts.at(-1)!.time,
          open: parts[0]!.open,
          high: Math.max(...parts.map(({ high }) => high)),
          low: Math.min(...parts.map(({ low }) => low)),
          close: parts.at(-1)!.close,
          volume: parts.reduce((sum, { volume }) => sum + volume, 0),
          quoteVolume: parts.reduce((sum, { quoteVolume }) => sum + quoteVolume, 0),
          takerBuyVolume: takerVolumes.includes(null) ? null : parts.length
        })
      }
    })
  ],

  [
    "merges points of several sources in time order",
    Effect.gen(function*() {
      const [fence, subject] = [yield* takeNewLead, makeName()]
      const names = ["here", "there", "else"]
      for (const source of [...names, ...names].slice(1, 4)) {
        const rows = candles.filter((_, i) => names[i % 3] === source)
        yield* useStore((store) => store.writePoints({ kind, fence, series: [{ subject, source, rows }] }))
      }
      const read = yield* useStore((store) =>
        store.foldedPoints({ kind, subjects: [subject], ...stepInterval(0, 288), stepMs: 12 * fiveMinutesMs })
      )
      const { points, sources } = read.get(subject)!
      assert.sameMembers([...sources], names)
      for (const [i, { close, open, volume }] of points.entries()) {
        const parts = candles.slice(i * 12, i * 12 + 12)
        const sum = parts.reduce((total, part) => total + part.volume, 0)
        assert.deepStrictEqual([open, close, volume], [parts[0]!.open, parts.at(-1)!.close, sum])
      }
    })
  ],

  [
    "returns the newest point of each subject at an instant, up to a maximum age",
    Effect.gen(function*() {
      const [firstSubject, other] = [yield* writeCandles, yield* writeCandles]
      const readLatestTimes = (time: number, withinMs: number) =>
        Effect.map(
          useStore((store) => store.latest({ kind, subjects: [firstSubject, other], at: time, withinMs })),
          (read) => [firstSubject, other].map((subject) => read.get(subject)!.point?.time ?? null)
        )
      assert.deepStrictEqual(yield* readLatestTimes(timeOfStep(7), 0), [timeOfStep(7), timeOfStep(7)])
      assert.deepStrictEqual(yield* readLatestTimes(timeOfStep(7) - 1, fiveMinutesMs), [timeOfStep(6), timeOfStep(6)])
      assert.deepStrictEqual(yield* readLatestTimes(timeOfStep(300), 13 * fiveMinutesMs), [
        timeOfStep(287),
        timeOfStep(287)
      ])
      assert.deepStrictEqual(yield* readLatestTimes(timeOfStep(300), 12 * fiveMinutesMs), [null, null])
      assert.deepStrictEqual(yield* readLatestTimes(timeOfStep(0) - 1, fiveMinutesMs), [null, null])
    })
  ],

  [
    "returns rows, watermark, revision and gaps of one moment",
    Effect.gen(function*() {
      const [fence, subject] = [yield* takeNewLead, makeName()]
      const store = yield* MarketStore
      const read = Effect.map(
        store.points({ kind: pointsKinds.fxRates, subjects: [subject], ...stepInterval(0, 60) }),
        (all) => all.get(subject)
      )
      const steps = Array.from({ length: 50 }, (_, i) => i)
      // Each write contains a row and the interval that the row completes, so readers see the row with its interval or
      // neither.
      const writes = Effect.forEach(
        steps,
        (i) => writeRates(fence, subject, makeRates([i]), { covers: [stepInterval(i, i + 1)] }),
        {
          discard: true
        }
      )
      const reads = Effect.forEach(steps, () => read)
      const [, readResults] = yield* Effect.all([writes, reads], { concurrency: "unbounded" })
      for (const one of readResults) {
        if (one === undefined) continue
        const { gaps, points, record } = one
        assert.strictEqual(record.contiguousUntil, timeOfStep(points.length))
        assert.deepStrictEqual(gaps.missing, [stepInterval(points.length, 60)])
      }
    })
  ]
]
