import type { Interval } from "@tapeline/core/market"
import * as fc from "fast-check"

/* The possible steps of two collectors, their sources and the passage of time. */

/** Days since `first`, within four months. */
const days = [0, 1, 30, 31, 32, 45, 61, 62, 80, 92, 93, 100] as const
const first = Date.UTC(2026, 7, 1)
/**
 * The run's instant at index `place`: the first instant of its day for an even index, and 1 ms later for an odd one.
 */
export const instant = (place: number): number => first + days[place]! * 86_400_000 + (place % 2)
export const instants = days.length

/** The last subject is never written. */
export const subjects = 4

const place = fc.nat(days.length - 1)
const value = fc.oneof(fc.constantFrom(0.1, 0.2, -1e-7, 1e15, null), fc.integer({ min: 0, max: 3 }))

/** Intervals between the run's instants, without empty ones. */
const intervals: fc.Arbitrary<ReadonlyArray<Interval>> = fc.array(fc.tuple(place, place), { maxLength: 3 }).map((all) =>
  all.flatMap(([a, b]) => a === b ? [] : [{ from: instant(Math.min(a, b)), to: instant(Math.max(a, b)) }])
)

const places = fc.uniqueArray(place, { maxLength: 5 }).map((all) => all.sort((a, b) => a - b))

const source = fc.constantFrom("a", "b", "a+b")

const covering = fc.record({ covers: intervals, lost: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, intervals) })

const series = fc.record({
  subject: fc.nat(subjects - 2),
  source,
  rows: places.chain((times) =>
    fc.array(fc.tuple(value, value), { minLength: times.length, maxLength: times.length }).map((values) =>
      times.map((time, i) => ({ time: instant(time), buyUsd: values[i]![0], sellUsd: values[i]![1], trades: 1 }))
    )
  ),
  covering
})

const event = fc.record({
  id: fc.nat(4),
  time: place.map(instant),
  subjects: fc.uniqueArray(fc.nat(subjects - 2), { maxLength: 3 }),
  source,
  label: fc.constantFrom("long", "short", null),
  document: fc.constantFrom(null, "{}", JSON.stringify("돌파 \0")),
  price: value,
  sizeUsd: value
})

const document = fc.record({
  key: fc.nat(3),
  time: place.map(instant),
  source,
  document: fc.constantFrom("{}", "[1]", JSON.stringify("«вход»"))
})

/** The collector that acts, under its last lead. */
const who = fc.constantFrom(0 as const, 1 as const)

const write = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      _tag: fc.constant("Points" as const),
      who,
      series: fc.uniqueArray(series, { minLength: 1, maxLength: 3, selector: ({ subject }) => subject })
    })
  },
  {
    weight: 3,
    arbitrary: fc.record({
      _tag: fc.constant("Events" as const),
      who,
      events: fc.uniqueArray(event, { maxLength: 3, selector: ({ id }) => id }),
      removed: fc.uniqueArray(fc.nat(4), { maxLength: 1 }),
      removedUnder: fc.constantFrom<ReadonlyArray<number>>([], [], [], [0], [1]),
      covering: fc.uniqueArray(fc.record({ subject: fc.nat(subjects - 2), covering }), {
        maxLength: 2,
        selector: ({ subject }) => subject
      })
    })
  },
  {
    weight: 1,
    arbitrary: fc.record({
      _tag: fc.constant("Documents" as const),
      who,
      documents: fc.uniqueArray(document, { maxLength: 3, selector: ({ key }) => key }),
      now: fc.option(place.map(instant)),
      removed: fc.uniqueArray(fc.nat(3), { maxLength: 1 })
    })
  }
)

export type WriteStep = typeof write extends fc.Arbitrary<infer A> ? A : never

const lead = fc.record({ _tag: fc.constant("Lead" as const), who })

export const step = fc.oneof(
  { weight: 9, arbitrary: write },
  // Repeats the last write, as if its response had been lost.
  { weight: 2, arbitrary: fc.record({ _tag: fc.constant("Again" as const) }) },
  { weight: 1, arbitrary: lead },
  // A collector pauses for longer than its lease.
  { weight: 1, arbitrary: fc.record({ _tag: fc.constant("Pause" as const) }) },
  { weight: 1, arbitrary: fc.record({ _tag: fc.constant("Resign" as const), who }) },
  {
    weight: 1,
    arbitrary: fc.record({
      _tag: fc.constant("Prune" as const),
      shape: fc.constantFrom("points" as const, "events" as const, "documents" as const),
      before: place.map((one) => instant(one) + 3_600_000)
    })
  }
)

export type Step = typeof step extends fc.Arbitrary<infer A> ? A : never
