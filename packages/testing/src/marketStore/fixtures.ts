import { minuteMs } from "@tapeline/core/market"
import {
  type CoverageUpdate,
  type EventRow,
  eventsKinds,
  type Fence,
  MarketStore,
  type PointRow,
  pointsKinds
} from "@tapeline/core/market/store"
import { Effect } from "effect"

/** A test of a market store: a title, and an effect that succeeds if the test passes. */
export type Check = readonly [title: string, test: Effect.Effect<void, unknown, MarketStore>]

/** Midnight UTC of a day in the middle of a month. */
export const dayStart = Date.UTC(2026, 10, 18)
export const fiveMinutesMs = 5 * minuteMs
/** Returns the time of the five-minute step `i` of the day. */
export const timeOfStep = (i: number): number => dayStart + i * fiveMinutesMs
/** Returns the interval between two five-minute steps of the day. */
export const stepInterval = (from: number, to: number) => ({ from: timeOfStep(from), to: timeOfStep(to) })

let nameCount = 0
/** Returns a name that no other test uses. Names are in ascending order of their creation. */
export const makeName = (prefix = "T"): string => `${prefix}${String(++nameCount).padStart(6, "0")}-${process.pid}`

export const useStore = <A, E>(callback: (store: MarketStore["Service"]) => Effect.Effect<A, E>) =>
  Effect.flatMap(MarketStore, callback)

/** Acquires the leadership of a source. The test fails if another holder has the leadership. */
export const takeLead = (source: string, holder = makeName("h"), ttlMs = 60_000) =>
  Effect.flatMap(
    useStore((store) => store.acquireLeadership({ source, holder, ttlMs })),
    (leadership) =>
      leadership._tag === "Leads"
        ? Effect.succeed(leadership.fence)
        : Effect.die(new Error(`${leadership.holder} already leads the source`))
  )

export const takeNewLead = Effect.suspend(() => takeLead(makeName("s")))

/** Creates exchange rates at the given five-minute steps of the day. */
export const makeRates = (steps: ReadonlyArray<number>, value: (i: number) => number | null = (i) => i) =>
  steps.map((i) => ({ time: timeOfStep(i), rate: value(i) }))

export const writeRates = (
  fence: Fence,
  subject: string,
  rows: ReadonlyArray<PointRow<"rate">>,
  coverage: CoverageUpdate = {},
  source = "test"
) =>
  useStore((store) =>
    store.writePoints({ kind: pointsKinds.fxRates, fence, series: [{ subject, source, rows, ...coverage }] })
  )

export const findRecord = (subject: string) =>
  Effect.map(
    useStore((store) => store.records({ kind: pointsKinds.fxRates, subjects: [subject] })),
    (all) => all.get(subject)
  )

export const readRecord = (subject: string) =>
  Effect.flatMap(
    findRecord(subject),
    (record) => record === undefined ? Effect.die(new Error(`${subject} has no record`)) : Effect.succeed(record)
  )

export const readGaps = (subject: string, from: number, to: number) =>
  Effect.map(
    useStore((store) => store.gaps({ kind: pointsKinds.fxRates, subjects: [subject], ...stepInterval(from, to) })),
    (all) => all.get(subject)!
  )

export const readRates = (subject: string, from = 0, to = 288) =>
  Effect.map(
    useStore((store) => store.points({ kind: pointsKinds.fxRates, subjects: [subject], ...stepInterval(from, to) })),
    (all) =>
      (all.get(subject)?.points ?? []).map(({ rate, source, time }) =>
        [(time - dayStart) / fiveMinutesMs, rate, source] as const
      )
  )

type PostRow = EventRow<"sentiment">

export const makePost = (
  id: string,
  i: number,
  subjects: ReadonlyArray<string>,
  overrides: Partial<PostRow> = {}
): PostRow => ({
  id,
  time: timeOfStep(i),
  subjects,
  source: "test",
  label: "ann",
  document: "{}",
  sentiment: null,
  ...overrides
})

export const writePosts = (
  fence: Fence,
  events: ReadonlyArray<PostRow>,
  overrides: {
    readonly removed?: ReadonlyArray<string>
    readonly removedUnder?: ReadonlyArray<string>
    readonly covering?: ReadonlyArray<CoverageUpdate & { readonly subject: string }>
  } = {}
) => useStore((store) => store.writeEvents({ kind: eventsKinds.posts, fence, events, ...overrides }))

export const readPosts = (subject: string | undefined, from = 0, to = 288, limit = 100) =>
  useStore((store) =>
    store.events({
      kind: eventsKinds.posts,
      ...(subject === undefined ? {} : { subject }),
      ...stepInterval(from, to),
      limit
    })
  )

export const readPostRecord = (subject: string) =>
  Effect.map(
    useStore((store) => store.records({ kind: eventsKinds.posts, subjects: [subject] })),
    (all) => all.get(subject)!
  )
