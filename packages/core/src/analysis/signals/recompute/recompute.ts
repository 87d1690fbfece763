import { Clock, Effect, Option, Ref, Schema } from "effect"
import type { StoreUnavailable } from "../../../engine/store/StoreUnavailable.ts"
import type { MarketStoreRefusal, Superseded } from "../../../market/store/errors.ts"
import { documentsKinds } from "../../../market/store/kinds.ts"
import { MarketStore } from "../../../market/store/MarketStore.ts"
import type { Fence } from "../../../market/store/writes.ts"
import { hourMs } from "../../../market/timeframe.ts"
import type { DerivedDaysUnavailable } from "../DerivedDays.ts"
import type { DerivedError } from "../derivedError.ts"
import { digestOf } from "../remembered/digest.ts"
import { rules } from "../rules.ts"
import { type DerivedPart, Recomputation } from "./Recomputation.ts"

/** Another process runs the same recomputation. It holds the lead, so this process does not start. */
export class RecomputedElsewhere extends Schema.TaggedError<RecomputedElsewhere>()("RecomputedElsewhere", {
  holder: Schema.String
}) {
  override get message(): string {
    return `another process recomputes, or was killed within the last half minute (${this.holder}). Wait for it, or stop ` +
      "it, and start again: what it has done is not done twice"
  }
}

/** The progress of a recomputation. */
export interface RecomputeProgress {
  /** The last computed part. Null before the first one. */
  readonly part: DerivedPart | null
  readonly done: number
  readonly all: number
  /** The number of done parts that an earlier, interrupted run computed. */
  readonly before: number
}

export interface RecomputeReport {
  /** The first requested UTC day with recorded data, and the last hour. */
  readonly from: number
  readonly to: number
  readonly parts: number
  readonly days: number
  /** The digest of all values. Equal only if all values are exactly equal. */
  readonly digest: string
  /** The number of parts whose raw series changed again at the end. Their values are recomputed on request. */
  readonly changing: number
}

const source = "recomputation"
const key = "derived"
const leaseMs = 30_000
/** The interval at which progress is saved. A killed run loses at most this much work. */
const noteEveryMs = 2_000
/** The maximum number of passes over the parts. Later passes recompute parts whose data changed meanwhile. */
const rounds = 4

const Done = Schema.Struct({
  id: Schema.String,
  revision: Schema.String,
  digest: Schema.String,
  days: Schema.Finite
})

const Notes = Schema.Struct({
  rules: Schema.String,
  from: Schema.Finite,
  to: Schema.Finite,
  done: Schema.Array(Done)
})
type Notes = typeof Notes.Type

const NotesText = Schema.fromJsonString(Notes)
const readNotes = Schema.decodeUnknownOption(NotesText)
const writeNotes = Schema.encodeSync(NotesText)

const idOf = ({ from, rule, series, to }: DerivedPart): string => `${rule} ${series} ${from} ${to}`

const isOneOf = (parts: ReadonlyArray<DerivedPart>) => {
  const ids = new Set(parts.map(idOf))
  return ({ id }: typeof Done.Type): boolean => ids.has(id)
}

/** Returns the parts that an earlier run computed and that are still stored. */
const stillDone = (
  { isStored }: Recomputation["Service"],
  parts: ReadonlyArray<DerivedPart>,
  done: ReadonlyArray<typeof Done.Type>
) => {
  const byId = new Map(done.map((one) => [one.id, one]))
  const known = parts.flatMap((part) => {
    const one = byId.get(idOf(part))
    return one === undefined ? [] : [{ part, one }]
  })
  return Effect.map(
    Effect.filter(known, ({ one, part }) => isStored(part, one)),
    (stored) => stored.map(({ one }) => one)
  )
}

/** Another rule version gives other values, so parts of other versions count as not done. */
const rulesNow = Object.values(rules).join(" ")

type Store = MarketStore["Service"]
type Failed =
  | RecomputedElsewhere
  | DerivedError
  | DerivedDaysUnavailable
  | Superseded
  | MarketStoreRefusal
  | StoreUnavailable

/** Returns the notes of an interrupted run with the same `from` and rules. Notes of another run are ignored. */
const notesOf = Effect.fnUntraced(function*(store: Store, from: number) {
  const row = (yield* store.documents({ kind: documentsKinds.recomputations, keys: [key] })).get(key)
  const notes = row === undefined ? Option.none<Notes>() : readNotes(row.document)
  return Option.filter(notes, (one) => one.from === from && one.rules === rulesNow)
})

const keepNotes = (store: Store, fence: Fence, notes: Notes) =>
  Effect.flatMap(Clock.currentTimeMillis, (time) =>
    store.writeDocuments({
      kind: documentsKinds.recomputations,
      fence,
      documents: [{ key, time, source, document: writeNotes(notes) }],
      now: time
    }))

/**
 * With very many parts, the notes exceed the size limit of a document. Progress is then lost at an interruption, and
 * nothing else is affected. Logs this once.
 */
const toldOnce = () => {
  let isTold = false
  return ({ message }: MarketStoreRefusal): Effect.Effect<void> => {
    if (isTold) return Effect.void
    isTold = true
    return Effect.logWarning("What is done from now on is done again by who goes on after a stop", message)
  }
}

const dropNotes = (store: Store, fence: Fence) =>
  store.writeDocuments({ kind: documentsKinds.recomputations, fence, documents: [], removed: [key] })

/** Renews the lead. Fails once another process has it. */
const holding = Effect.fnUntraced(function*(store: Store, holder: string, epoch: number) {
  while (true) {
    yield* Effect.sleep(leaseMs / 3)
    const renewed = yield* Effect.option(store.lead({ source, holder, ttlMs: leaseMs }))
    if (Option.isNone(renewed)) continue
    const { value: lead } = renewed
    if (lead._tag === "Follows") return yield* new RecomputedElsewhere({ holder: lead.holder })
    if (lead.fence.epoch !== epoch) return yield* new RecomputedElsewhere({ holder: "it took over, and ended" })
  }
})

interface Running {
  readonly store: Store
  readonly fence: Fence
  readonly from: number
  readonly tell: (progress: RecomputeProgress) => Effect.Effect<void>
}

const runParts = Effect.fnUntraced(function*(
  { fence, from, store, tell }: Running
): Effect.fn.Return<RecomputeReport, Failed, Recomputation> {
  const recomputation = yield* Recomputation
  const now = Math.floor((yield* Clock.currentTimeMillis) / hourMs) * hourMs
  const earlier = yield* notesOf(store, from)
  const { done: before, to } = Option.getOrElse(earlier, () => ({ done: [], to: now }))
  let parts = yield* recomputation.parts({ from, to })
  const known = yield* stillDone(recomputation, parts, before)
  const done = yield* Ref.make(new Map(known.map((one) => [one.id, one])))
  const doneNow = Effect.map(Ref.get(done), (all) => [...all.values()].filter(isOneOf(parts)))
  const keep = Effect.flatMap(doneNow, (all) => keepNotes(store, fence, { rules: rulesNow, from, to, done: all })).pipe(
    Effect.catchTag("MarketStoreRefusal", toldOnce())
  )
  let keptAt = yield* Clock.currentTimeMillis
  const compute = Effect.fnUntraced(function*(part: DerivedPart) {
    const computed = yield* recomputation.recompute(part)
    const id = idOf(part)
    yield* Ref.update(done, (before) => new Map(before).set(id, { id, ...computed }))
    const time = yield* Clock.currentTimeMillis
    if (time - keptAt >= noteEveryMs) {
      keptAt = time
      yield* keep
    }
    yield* tell({ part, done: (yield* doneNow).length, all: parts.length, before: known.length })
  })

  yield* tell({ part: null, done: known.length, all: parts.length, before: known.length })
  const stale = Effect.fnUntraced(function*() {
    // Days that were backfilled before the first one are parts by now.
    parts = yield* recomputation.parts({ from, to })
    const all = yield* Ref.get(done)
    const current = yield* Effect.forEach(
      parts,
      (part) =>
        Effect.map(recomputation.revision(part), (revision) => all.get(idOf(part))?.revision === revision ? [] : [part])
    )
    return current.flat()
  })
  const work = Effect.gen(function*() {
    const all = yield* Ref.get(done)
    yield* Effect.forEach(parts.filter((part) => !all.has(idOf(part))), compute, { discard: true })
    // Recomputes parts whose data were backfilled or corrected meanwhile.
    let left = yield* stale()
    for (let round = 1; left.length > 0 && round < rounds; round++) {
      yield* Effect.forEach(left, compute, { discard: true })
      left = yield* stale()
    }
    return left.length
  })
  const changing = yield* work.pipe(
    // An interrupted or failed run saves its progress.
    Effect.onExit((exit) => exit._tag === "Success" ? Effect.void : Effect.ignore(Effect.timeout(keep, 2_000)))
  )
  yield* dropNotes(store, fence)
  const all = yield* Ref.get(done)
  // A part that appeared at the very end counts as changing.
  const results = parts.flatMap((part) => all.get(idOf(part)) ?? [])
  return {
    from: parts.length === 0 ? from : Math.min(...parts.map((part) => part.from)),
    to,
    parts: parts.length,
    days: results.reduce((sum, { days }) => sum + days, 0),
    digest: digestOf(results.map(({ digest, id }) => [id, digest])),
    changing
  }
})

/**
 * Recomputes all data derived from a day on, part by part, while the service runs. Only one process does so at a time.
 * It can be stopped at any moment. The next run from the same day continues up to the same hour. Its result equals that
 * of an uninterrupted run.
 *
 * @param from 00:00 UTC of the first day.
 * @param holder identifies this process among all that share the store.
 */
export const recompute = Effect.fnUntraced(function*(
  { from, holder, tell }: {
    readonly from: number
    readonly holder: string
    readonly tell: (progress: RecomputeProgress) => Effect.Effect<void>
  }
): Effect.fn.Return<RecomputeReport, Failed, Recomputation | MarketStore> {
  const store = yield* MarketStore
  const lead = yield* store.lead({ source, holder, ttlMs: leaseMs })
  if (lead._tag === "Follows") return yield* new RecomputedElsewhere({ holder: lead.holder })
  const { fence } = lead
  return yield* Effect.raceFirst(runParts({ store, fence, from, tell }), holding(store, holder, fence.epoch)).pipe(
    Effect.ensuring(Effect.ignore(Effect.timeout(store.resign(fence), 2_000)))
  )
})
