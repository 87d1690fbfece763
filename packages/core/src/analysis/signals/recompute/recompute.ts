import { Clock, Effect, Option, Ref, Schema } from "effect"
import type { StoreUnavailable } from "../../../engine/store/errors.ts"
import type { MarketStoreRefusal, Superseded } from "../../../market/store/errors.ts"
import { documentsKinds } from "../../../market/store/kinds.ts"
import { MarketStore } from "../../../market/store/MarketStore.ts"
import type { Fence } from "../../../market/store/writes.ts"
import { hourMs } from "../../../market/timeframe.ts"
import { makeDigest } from "../dayCache/digest.ts"
import type { DerivedDaysUnavailable } from "../DerivedDays.ts"
import type { DerivedError } from "../derivedError.ts"
import { rules } from "../rules.ts"
import { type DerivedPart, Recomputation } from "./Recomputation.ts"

/** The error of a process that cannot recompute because another process already recomputes. */
export class RecomputedElsewhere extends Schema.TaggedError<RecomputedElsewhere>()("RecomputedElsewhere", {
  holder: Schema.String
}) {
  override get message(): string {
    return `another process is recomputing, or was killed within the last half minute (${this.holder}). Wait for it or stop ` +
      "it, then start again: finished parts are not repeated"
  }
}

/** The progress of a recomputation of derived data. */
export interface RecomputeProgress {
  /** The last computed part, or null before the first part. */
  readonly part: DerivedPart | null
  readonly done: number
  readonly total: number
  /** The number of parts that this run takes over from an earlier, interrupted run. */
  readonly resumed: number
}

export interface RecomputeReport {
  /** The first requested UTC day with recorded data, in epoch ms. */
  readonly from: number
  readonly to: number
  readonly parts: number
  readonly days: number
  /** The digest of all values. Equal digests mean exactly equal values. */
  readonly digest: string
  /**
   * The number of parts whose raw data changed again after the last pass. A read of a changed part computes its values
   * again.
   */
  readonly changedParts: number
}

const source = "recomputation"
const key = "derived"
const leaseMs = 30_000
/** The interval at which progress is saved, in ms. A killed run loses at most the work of one interval. */
const saveIntervalMs = 2_000
/** The maximum number of passes over the parts. Another pass is needed if data change during a pass. */
const maxPasses = 4

const DonePart = Schema.Struct({
  id: Schema.String,
  revision: Schema.String,
  digest: Schema.String,
  days: Schema.Finite
})

const SavedProgress = Schema.Struct({
  rules: Schema.String,
  from: Schema.Finite,
  to: Schema.Finite,
  done: Schema.Array(DonePart)
})
type SavedProgress = typeof SavedProgress.Type

const SavedProgressJson = Schema.fromJsonString(SavedProgress)
const decodeProgress = Schema.decodeUnknownOption(SavedProgressJson)
const encodeProgress = Schema.encodeSync(SavedProgressJson)

const makePartId = ({ from, rule, series, to }: DerivedPart): string => `${rule} ${series} ${from} ${to}`

const makePartTest = (parts: ReadonlyArray<DerivedPart>) => {
  const ids = new Set(parts.map(makePartId))
  return ({ id }: typeof DonePart.Type): boolean => ids.has(id)
}

/** Returns the parts that an earlier run computed and that are still stored. */
const filterStoredParts = (
  { isStored }: Recomputation["Service"],
  parts: ReadonlyArray<DerivedPart>,
  done: ReadonlyArray<typeof DonePart.Type>
) => {
  const byId = new Map(done.map((one) => [one.id, one]))
  const known = parts.flatMap((part) => {
    const one = byId.get(makePartId(part))
    return one === undefined ? [] : [{ part, one }]
  })
  return Effect.map(
    Effect.filter(known, ({ one, part }) => isStored(part, one)),
    (stored) => stored.map(({ one }) => one)
  )
}

/** The versions of all rules. Parts that were saved with other rule versions are computed again. */
const currentRules = Object.values(rules).join(" ")

type Store = MarketStore["Service"]
type RecomputeFailure =
  | RecomputedElsewhere
  | DerivedError
  | DerivedDaysUnavailable
  | Superseded
  | MarketStoreRefusal
  | StoreUnavailable

/** Returns the saved progress of an earlier run that had the same `from` and the same rule versions. */
const readSavedProgress = Effect.fnUntraced(function*(store: Store, from: number) {
  const row = (yield* store.documents({ kind: documentsKinds.recomputations, keys: [key] })).get(key)
  const savedProgress = row === undefined ? Option.none<SavedProgress>() : decodeProgress(row.document)
  return Option.filter(savedProgress, (saved) => saved.from === from && saved.rules === currentRules)
})

const saveProgress = (store: Store, fence: Fence, progress: SavedProgress) =>
  Effect.flatMap(Clock.currentTimeMillis, (time) =>
    store.writeDocuments({
      kind: documentsKinds.recomputations,
      fence,
      documents: [{ key, time, source, document: encodeProgress(progress) }],
      now: time
    }))

/** Creates a function that logs once that the saved progress exceeds the size limit of a document. */
const makeLogOnce = () => {
  let isLogged = false
  return ({ message }: MarketStoreRefusal): Effect.Effect<void> => {
    if (isLogged) return Effect.void
    isLogged = true
    return Effect.logWarning(
      "Progress cannot be saved any more; a restart repeats the parts that finish from now on",
      message
    )
  }
}

const deleteSavedProgress = (store: Store, fence: Fence) =>
  store.writeDocuments({ kind: documentsKinds.recomputations, fence, documents: [], removed: [key] })

/** Renews the leadership of this process. Fails if another process has become the leader. */
const renewLease = Effect.fnUntraced(function*(store: Store, holder: string, epoch: number) {
  while (true) {
    yield* Effect.sleep(leaseMs / 3)
    const renewed = yield* Effect.option(store.acquireLeadership({ source, holder, ttlMs: leaseMs }))
    if (Option.isNone(renewed)) continue
    const { value: lead } = renewed
    if (lead._tag === "Follows") return yield* new RecomputedElsewhere({ holder: lead.holder })
    if (lead.fence.epoch !== epoch) return yield* new RecomputedElsewhere({ holder: "it has already ended" })
  }
})

interface RunContext {
  readonly store: Store
  readonly fence: Fence
  readonly from: number
  readonly onProgress: (progress: RecomputeProgress) => Effect.Effect<void>
}

const runParts = Effect.fnUntraced(function*(
  { fence, from, store, onProgress }: RunContext
): Effect.fn.Return<RecomputeReport, RecomputeFailure, Recomputation> {
  const recomputation = yield* Recomputation
  const now = Math.floor((yield* Clock.currentTimeMillis) / hourMs) * hourMs
  const savedProgress = yield* readSavedProgress(store, from)
  const { done: savedParts, to } = Option.getOrElse(savedProgress, () => ({ done: [], to: now }))
  let parts = yield* recomputation.parts({ from, to })
  const storedParts = yield* filterStoredParts(recomputation, parts, savedParts)
  const done = yield* Ref.make(new Map(storedParts.map((one) => [one.id, one])))
  const getDoneParts = Effect.map(Ref.get(done), (all) => [...all.values()].filter(makePartTest(parts)))
  const save = Effect.flatMap(
    getDoneParts,
    (all) => saveProgress(store, fence, { rules: currentRules, from, to, done: all })
  ).pipe(
    Effect.catchTag("MarketStoreRefusal", makeLogOnce())
  )
  let savedAt = yield* Clock.currentTimeMillis
  const compute = Effect.fnUntraced(function*(part: DerivedPart) {
    const computed = yield* recomputation.recompute(part)
    const id = makePartId(part)
    yield* Ref.update(done, (before) => new Map(before).set(id, { id, ...computed }))
    const time = yield* Clock.currentTimeMillis
    if (time - savedAt >= saveIntervalMs) {
      savedAt = time
      yield* save
    }
    yield* onProgress({ part, done: (yield* getDoneParts).length, total: parts.length, resumed: storedParts.length })
  })

  yield* onProgress({ part: null, done: storedParts.length, total: parts.length, resumed: storedParts.length })
  const findChangedParts = Effect.fnUntraced(function*() {
    // A backfill during the run may have added days before the first part, so the parts are listed again.
    parts = yield* recomputation.parts({ from, to })
    const all = yield* Ref.get(done)
    const current = yield* Effect.forEach(
      parts,
      (part) =>
        Effect.map(
          recomputation.revision(part),
          (revision) => all.get(makePartId(part))?.revision === revision ? [] : [part]
        )
    )
    return current.flat()
  })
  const runPasses = Effect.gen(function*() {
    const all = yield* Ref.get(done)
    yield* Effect.forEach(parts.filter((part) => !all.has(makePartId(part))), compute, { discard: true })
    // Recomputes parts whose data were backfilled or corrected in the meantime.
    let changedParts = yield* findChangedParts()
    for (let pass = 1; changedParts.length > 0 && pass < maxPasses; pass++) {
      yield* Effect.forEach(changedParts, compute, { discard: true })
      changedParts = yield* findChangedParts()
    }
    return changedParts.length
  })
  const changedParts = yield* runPasses.pipe(
    Effect.onExit((exit) => exit._tag === "Success" ? Effect.void : Effect.ignore(Effect.timeout(save, 2_000)))
  )
  yield* deleteSavedProgress(store, fence)
  const all = yield* Ref.get(done)
  // A part that first appeared in the last list has no result and counts as changed.
  const results = parts.flatMap((part) => all.get(makePartId(part)) ?? [])
  return {
    from: parts.length === 0 ? from : Math.min(...parts.map((part) => part.from)),
    to,
    parts: parts.length,
    days: results.reduce((sum, { days }) => sum + days, 0),
    digest: makeDigest(results.map(({ digest, id }) => [id, digest])),
    changedParts
  }
})

/**
 * Recomputes all derived data from a start day while the service runs. The data are recomputed part by part. Only one
 * process can recompute at a time. A recomputation can be stopped at any moment. The next run with the same `from`
 * continues the interrupted run and keeps its end hour.
 *
 * @param from 00:00 UTC of the first day, in epoch ms.
 * @param holder identifies this process among all processes that share the store.
 */
export const recompute = Effect.fnUntraced(function*(
  { from, holder, onProgress }: {
    readonly from: number
    readonly holder: string
    readonly onProgress: (progress: RecomputeProgress) => Effect.Effect<void>
  }
): Effect.fn.Return<RecomputeReport, RecomputeFailure, Recomputation | MarketStore> {
  const store = yield* MarketStore
  const lead = yield* store.acquireLeadership({ source, holder, ttlMs: leaseMs })
  if (lead._tag === "Follows") return yield* new RecomputedElsewhere({ holder: lead.holder })
  const { fence } = lead
  return yield* Effect.raceFirst(runParts({ store, fence, from, onProgress }), renewLease(store, holder, fence.epoch))
    .pipe(
      Effect.ensuring(Effect.ignore(Effect.timeout(store.resignLeadership(fence), 2_000)))
    )
})
