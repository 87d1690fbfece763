import type { Interval } from "@tapeline/core/market"
import * as fc from "fast-check"

/** The days with data in a model run, as numbers of days after `firstDay`. The days lie in four different months. */
const days = [0, 1, 30, 31, 32, 45, 61, 62, 80, 92, 93, 100] as const
const firstDay = Date.UTC(2026, 7, 1)
/**
 * Returns a time on the day with index `dayIndex`. The time is midnight UTC if the index is even, and 1 ms later if the
 * index is odd.
 */
export const getInstant = (dayIndex: number): number => firstDay + days[dayIndex]! * 86_400_000 + (dayIndex % 2)
export const instantCount = days.length

/** The number of subjects of the model run. The last subject never has data. */
export const subjectCount = 4

const indexArbitrary = fc.nat(days.length - 1)
const valueArbitrary = fc.oneof(fc.constantFrom(0.1, 0.2, -1e-7, 1e15, null), fc.integer({ min: 0, max: 3 }))

const intervalsArbitrary: fc.Arbitrary<ReadonlyArray<Interval>> = fc.array(fc.tuple(indexArbitrary, indexArbitrary), {
  maxLength: 3
}).map((all) =>
  all.flatMap(([a, b]) => a === b ? [] : [{ from: getInstant(Math.min(a, b)), to: getInstant(Math.max(a, b)) }])
)

const indicesArbitrary = fc.uniqueArray(indexArbitrary, { maxLength: 5 }).map((all) => all.sort((a, b) => a - b))

const sourceArbitrary = fc.constantFrom("a", "b", "a+b")

const coverageArbitrary = fc.record({
  covers: intervalsArbitrary,
  lost: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, intervalsArbitrary)
})

const seriesArbitrary = fc.record({
  subject: fc.nat(subjectCount - 2),
  source: sourceArbitrary,
  rows: indicesArbitrary.chain((times) =>
    fc.array(fc.tuple(valueArbitrary, valueArbitrary), { minLength: times.length, maxLength: times.length }).map((
      values
    ) => times.map((time, i) => ({ time: getInstant(time), buyUsd: values[i]![0], sellUsd: values[i]![1], trades: 1 })))
  ),
  covering: coverageArbitrary
})

const eventArbitrary = fc.record({
  id: fc.nat(4),
  time: indexArbitrary.map(getInstant),
  subjects: fc.uniqueArray(fc.nat(subjectCount - 2), { maxLength: 3 }),
  source: sourceArbitrary,
  label: fc.constantFrom("long", "short", null),
  document: fc.constantFrom(null, "{}", JSON.stringify("돌파 \0")),
  price: valueArbitrary,
  sizeUsd: valueArbitrary
})

const documentArbitrary = fc.record({
  key: fc.nat(3),
  time: indexArbitrary.map(getInstant),
  source: sourceArbitrary,
  document: fc.constantFrom("{}", "[1]", JSON.stringify("«вход»"))
})

const collectorArbitrary = fc.constantFrom(0 as const, 1 as const)

const writeStepArbitrary = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      _tag: fc.constant("Points" as const),
      collector: collectorArbitrary,
      series: fc.uniqueArray(seriesArbitrary, { minLength: 1, maxLength: 3, selector: ({ subject }) => subject })
    })
  },
  {
    weight: 3,
    arbitrary: fc.record({
      _tag: fc.constant("Events" as const),
      collector: collectorArbitrary,
      events: fc.uniqueArray(eventArbitrary, { maxLength: 3, selector: ({ id }) => id }),
      removed: fc.uniqueArray(fc.nat(4), { maxLength: 1 }),
      removedUnder: fc.constantFrom<ReadonlyArray<number>>([], [], [], [0], [1]),
      covering: fc.uniqueArray(fc.record({ subject: fc.nat(subjectCount - 2), covering: coverageArbitrary }), {
        maxLength: 2,
        selector: ({ subject }) => subject
      })
    })
  },
  {
    weight: 1,
    arbitrary: fc.record({
      _tag: fc.constant("Documents" as const),
      collector: collectorArbitrary,
      documents: fc.uniqueArray(documentArbitrary, { maxLength: 3, selector: ({ key }) => key }),
      now: fc.option(indexArbitrary.map(getInstant)),
      removed: fc.uniqueArray(fc.nat(3), { maxLength: 1 })
    })
  }
)

export type WriteStep = typeof writeStepArbitrary extends fc.Arbitrary<infer A> ? A : never

const leadStepArbitrary = fc.record({ _tag: fc.constant("Lead" as const), collector: collectorArbitrary })

export const stepArbitrary = fc.oneof(
  { weight: 9, arbitrary: writeStepArbitrary },
  // A repetition of the last write, as after a lost response.
  { weight: 2, arbitrary: fc.record({ _tag: fc.constant("Again" as const) }) },
  { weight: 1, arbitrary: leadStepArbitrary },
  // A pause of a collector that is longer than its lease.
  { weight: 1, arbitrary: fc.record({ _tag: fc.constant("Pause" as const) }) },
  { weight: 1, arbitrary: fc.record({ _tag: fc.constant("Resign" as const), collector: collectorArbitrary }) },
  {
    weight: 1,
    arbitrary: fc.record({
      _tag: fc.constant("Prune" as const),
      shape: fc.constantFrom("points" as const, "events" as const, "documents" as const),
      before: indexArbitrary.map((one) => getInstant(one) + 3_600_000)
    })
  }
)

export type Step = typeof stepArbitrary extends fc.Arbitrary<infer A> ? A : never
