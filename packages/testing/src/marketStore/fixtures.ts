import { minuteMs } from "@tapeline/core/market"
import {
  type Covering,
  type EventRow,
  eventsKinds,
  type Fence,
  MarketStore,
  type PointRow,
  pointsKinds
} from "@tapeline/core/market/store"
import { Effect } from "effect"

/** A test of a store: its title and its effect, which must succeed. */
export type Check = readonly [title: string, test: Effect.Effect<void, unknown, MarketStore>]

/** Midnight of a day in the middle of a month. */
export const day = Date.UTC(2026, 10, 18)
export const step = 5 * minuteMs
/** The time of the day's five-minute step `i`. */
export const at = (i: number): number => day + i * step
/** The interval between two five-minute steps of the day. */
export const span = (from: number, to: number) => ({ from: at(from), to: at(to) })

let used = 0
/** Returns a new name of a subject, a source, a holder or a document. Names ascend as text. */
export const newName = (prefix = "T"): string => `${prefix}${String(++used).padStart(6, "0")}-${process.pid}`

export const on = <A, E>(use: (store: MarketStore["Service"]) => Effect.Effect<A, E>) =>
  Effect.flatMap(MarketStore, use)

/** Takes the lead of a source, and fails if another holder has it. */
export const leadOf = (source: string, holder = newName("h"), ttlMs = 60_000) =>
  Effect.flatMap(
    on((store) => store.lead({ source, holder, ttlMs })),
    (lead) => lead._tag === "Leads" ? Effect.succeed(lead.fence) : Effect.die(new Error(`${lead.holder} leads`))
  )

export const newFence = Effect.suspend(() => leadOf(newName("s")))

/** Rates at some five-minute steps of the day, with one column. */
export const rates = (places: ReadonlyArray<number>, value: (i: number) => number | null = (i) => i) =>
  places.map((i) => ({ time: at(i), rate: value(i) }))

/** Writes rows with one column, and their coverage. */
export const writeRates = (
  fence: Fence,
  subject: string,
  rows: ReadonlyArray<PointRow<"rate">>,
  covering: Covering = {},
  source = "test"
) =>
  on((store) =>
    store.writePoints({ kind: pointsKinds.fxRates, fence, series: [{ subject, source, rows, ...covering }] })
  )

export const recordedOf = (subject: string) =>
  Effect.map(
    on((store) => store.recorded({ kind: pointsKinds.fxRates, subjects: [subject] })),
    (all) => all.get(subject)
  )

/** Returns the record of a subject, and fails if it is missing. */
export const recordOf = (subject: string) =>
  Effect.flatMap(
    recordedOf(subject),
    (record) =>
      record === undefined ? Effect.die(new Error(`nothing is recorded of ${subject}`)) : Effect.succeed(record)
  )

export const gapsOf = (subject: string, from: number, to: number) =>
  Effect.map(
    on((store) => store.gaps({ kind: pointsKinds.fxRates, subjects: [subject], ...span(from, to) })),
    (all) => all.get(subject)!
  )

export const readRates = (subject: string, from = 0, to = 288) =>
  Effect.map(
    on((store) => store.points({ kind: pointsKinds.fxRates, subjects: [subject], ...span(from, to) })),
    (all) =>
      (all.get(subject)?.points ?? []).map(({ rate, source, time }) => [(time - day) / step, rate, source] as const)
  )

type Posted = EventRow<"sentiment">

export const post = (id: string, i: number, subjects: ReadonlyArray<string>, rest: Partial<Posted> = {}): Posted => ({
  id,
  time: at(i),
  subjects,
  source: "test",
  label: "ann",
  document: "{}",
  sentiment: null,
  ...rest
})

export const writePosts = (
  fence: Fence,
  events: ReadonlyArray<Posted>,
  rest: {
    readonly removed?: ReadonlyArray<string>
    readonly removedUnder?: ReadonlyArray<string>
    readonly covering?: ReadonlyArray<Covering & { readonly subject: string }>
  } = {}
) => on((store) => store.writeEvents({ kind: eventsKinds.posts, fence, events, ...rest }))

export const readPosts = (subject: string | undefined, from = 0, to = 288, limit = 100) =>
  on((store) =>
    store.events({
      kind: eventsKinds.posts,
      ...(subject === undefined ? {} : { subject }),
      ...span(from, to),
      limit
    })
  )

export const postRecord = (subject: string) =>
  Effect.map(
    on((store) => store.recorded({ kind: eventsKinds.posts, subjects: [subject] })),
    (all) => all.get(subject)!
  )
