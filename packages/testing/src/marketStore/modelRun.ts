import { mapClock } from "@tapeline/core"
import {
  documentsKinds,
  eventsKinds,
  type Fence,
  MarketStore,
  pointsKinds,
  type SeriesRecord,
  type WriteResult
} from "@tapeline/core/market/store"
import { Clock, Context, Effect, Layer } from "effect"
import * as fc from "fast-check"
import { MemoryMarketStore } from "../memory/MemoryMarketStore.ts"
import { makeName } from "./fixtures.ts"
import { getInstant, instantCount, type Step, stepArbitrary, subjectCount, type WriteStep } from "./modelSteps.ts"

/* Random writes of two collectors that lead in turn, in comparison with a memory store that has no other data. */

type Store = MarketStore["Service"]

const kinds = { points: pointsKinds.dexActivity, events: eventsKinds.liquidations, documents: documentsKinds.futures }
const dayMs = 86_400_000
const leaseMs = 60_000
const wholeInterval = { from: getInstant(0) - dayMs, to: getInstant(instantCount - 1) + dayMs }

/** Returns a function that numbers revisions in the order in which they first appear. */
const makeRevisionNaming = () => {
  const names = new Map<string, number>()
  return (revision: string): number => {
    const known = names.get(revision) ?? names.size
    names.set(revision, known)
    return known
  }
}

/** A store in a model run. Each store of the run has its own names, fences and revisions. */
interface StoreView {
  readonly store: Store
  readonly advance: (ms: number) => Effect.Effect<unknown, unknown>
  readonly source: string
  readonly getName: (n: number) => string
  /** Returns the id of event `n`. Even and odd `n` have different prefixes of the id. */
  readonly getEventId: (n: number) => string
  readonly parseIndex: (name: string) => number
  readonly isOwn: (name: string) => boolean
  readonly fences: [Fence, Fence]
  readonly nameRevision: (record: SeriesRecord) => Omit<SeriesRecord, "revision"> & { readonly revision: number }
  /** The subjects of the run. The last subject never has data. */
  readonly allSubjects: ReadonlyArray<string>
}

const makeStoreView = (store: Store, advance: StoreView["advance"]): StoreView => {
  const [source, run] = [makeName("s"), makeName("r")]
  const getName = (n: number): string => `${run}.${n}`
  const revision = makeRevisionNaming()
  return {
    store,
    advance,
    source,
    getName,
    getEventId: (n) => `${getName(n % 2)}/${n}`,
    parseIndex: (name) => Number(/\d+$/.exec(name)?.[0]),
    isOwn: (name) => name.startsWith(`${run}.`),
    fences: [{ source, epoch: 0 }, { source, epoch: 0 }],
    nameRevision: ({ revision: text, ...rest }) => ({ ...rest, revision: revision(text) }),
    allSubjects: Array.from({ length: subjectCount }, (_, i) => getName(i))
  }
}

const sendWrite = (
  { getEventId, fences, getName, store }: StoreView,
  write: WriteStep
): ReturnType<Store["writePoints"]> => {
  const fence = fences[write.collector]
  switch (write._tag) {
    case "Points":
      return store.writePoints({
        kind: kinds.points,
        fence,
        series: write.series.map(({ covering, subject, ...one }) => ({
          ...one,
          ...covering,
          subject: getName(subject)
        }))
      })
    case "Events":
      return store.writeEvents({
        kind: kinds.events,
        fence,
        events: write.events.map((event) => ({
          ...event,
          id: getEventId(event.id),
          subjects: event.subjects.map(getName)
        })),
        removed: write.removed.filter((id) => !write.events.some((event) => event.id === id)).map(getEventId),
        removedUnder: write.removedUnder.map((n) => `${getName(n)}/`),
        covering: write.covering.map(({ covering, subject }) => ({ ...covering, subject: getName(subject) }))
      })
    case "Documents":
      return store.writeDocuments({
        kind: kinds.documents,
        fence,
        documents: write.documents.map((one) => ({ ...one, key: getName(one.key) })),
        ...(write.now === null ? {} : { now: write.now }),
        removed: write.removed.filter((key) => !write.documents.some((one) => one.key === key)).map(getName)
      })
  }
}

const writeStep = (testedStore: StoreView, write: WriteStep) =>
  sendWrite(testedStore, write).pipe(
    Effect.map(({ changed }: WriteResult): number | string => changed),
    Effect.catchTag("Superseded", () => Effect.succeed("superseded"))
  )

const takeLead = Effect.fnUntraced(function*({ fences, source, store }: StoreView, collector: 0 | 1) {
  const result = yield* store.acquireLeadership({ source, holder: `${collector}`, ttlMs: leaseMs })
  if (result._tag === "Follows") return `${result.holder} leads`
  const [before, newest] = [fences[collector].epoch, Math.max(...fences.map(({ epoch }) => epoch))]
  fences[collector] = result.fence
  const { epoch } = result.fence
  return epoch === before ? "continues" : epoch > newest ? "leads with a new epoch" : "leads with an old epoch"
})

const applyStep = (
  testedStore: StoreView,
  step: Step,
  lastWrite: WriteStep | null
): Effect.Effect<unknown, unknown> => {
  switch (step._tag) {
    case "Again":
      return lastWrite === null ? Effect.void : writeStep(testedStore, lastWrite)
    case "Lead":
      return takeLead(testedStore, step.collector)
    case "Pause":
      return Effect.as(testedStore.advance(2 * leaseMs), null)
    case "Resign":
      return Effect.as(testedStore.store.resignLeadership(testedStore.fences[step.collector]), null)
    case "Prune":
      return testedStore.store.prune({ kind: kinds[step.shape], before: step.before })
    default:
      return writeStep(testedStore, step)
  }
}

/**
 * Maps the values of a map, sorted by subject. Revisions are numbered in order of appearance, so the order must be the
 * same in every store.
 */
const mapBySubject = <A, B>({ parseIndex }: StoreView, map: ReadonlyMap<string, A>, f: (value: A) => B) =>
  [...map].sort(([a], [b]) => parseIndex(a) - parseIndex(b)).map(([name, value]) =>
    [parseIndex(name), f(value)] as const
  )

const readPointsState = Effect.fnUntraced(function*(testedStore: StoreView) {
  const { allSubjects, store, nameRevision } = testedStore
  const query = { kind: kinds.points, subjects: allSubjects, ...wholeInterval }
  const [read, lastWrite, folded, latest, gaps] = [
    yield* store.points(query),
    yield* store.points({ ...query, last: 2, everyMs: dayMs }),
    yield* store.foldedPoints({ ...query, stepMs: 10 * dayMs }),
    yield* store.latest({ kind: kinds.points, subjects: allSubjects, at: getInstant(6), withinMs: 20 * dayMs }),
    yield* store.gaps(query)
  ]
  return {
    read: mapBySubject(testedStore, read, ({ record, ...rest }) => ({ ...rest, record: nameRevision(record) })),
    last: mapBySubject(testedStore, lastWrite, (one) => one.points),
    folded: mapBySubject(testedStore, folded, (one) => [one.points, one.sources]),
    latest: mapBySubject(testedStore, latest, (one) => one.point),
    gaps: mapBySubject(testedStore, gaps, (one) => one)
  }
})

const readEventsState = Effect.fnUntraced(function*(testedStore: StoreView) {
  const { allSubjects, isOwn, parseIndex, store, nameRevision } = testedStore
  const query = { kind: kinds.events, ...wholeInterval }
  const records = yield* store.records({ kind: kinds.events, subjects: allSubjects })
  const one = yield* store.events({
    ...query,
    subject: allSubjects[0]!,
    limit: 2,
    minimum: { column: "sizeUsd", value: 0 }
  })
  const everything = yield* store.events({ ...query, limit: 100_000 })
  const tallies = yield* store.tallies({ ...query, subjects: allSubjects, stepMs: 20 * dayMs })
  const selectOwn = (list: typeof everything.events) =>
    list.filter(({ id }) => isOwn(id)).map((event) => ({ ...event, id: parseIndex(event.id) }))
  return {
    recorded: mapBySubject(testedStore, records, nameRevision),
    one: { ...one, record: one.record === null ? null : nameRevision(one.record), events: selectOwn(one.events) },
    all: selectOwn(everything.events),
    tallies: mapBySubject(testedStore, tallies, ({ gaps, tallies: counted }) => ({ counted, gaps }))
  }
})

const readDocumentsState = (testedStore: StoreView) =>
  Effect.map(
    testedStore.store.documents({ kind: kinds.documents, keys: testedStore.allSubjects }),
    (actual) => mapBySubject(testedStore, actual, ({ key, ...rest }) => ({ ...rest, key: testedStore.parseIndex(key) }))
  )

const readersByShape = { points: readPointsState, events: readEventsState, documents: readDocumentsState }

const readStateAfter = (
  testedStore: StoreView,
  step: Step,
  lastWrite: WriteStep | null
): Effect.Effect<unknown, unknown> => {
  if (step._tag === "Prune") return readersByShape[step.shape](testedStore)
  const write = step._tag === "Again" ? lastWrite : step
  switch (write?._tag) {
    case "Points":
      return readPointsState(testedStore)
    case "Events":
      return readEventsState(testedStore)
    case "Documents":
      return readDocumentsState(testedStore)
    default:
      return Effect.void
  }
}

const toStableJson = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part)

const assertSame = (actual: unknown, expected: unknown, description: string): void => {
  const [a, b] = [toStableJson(actual), toStableJson(expected)]
  if (a !== b) throw new Error(`${description}: got ${a}, expected ${b}`)
}

const makeModelView = Effect.gen(function*() {
  let elapsedMs = 0
  const context = yield* Effect.updateService(
    Effect.scoped(Layer.build(Layer.fresh(MemoryMarketStore))),
    Clock.Clock,
    (clock) => mapClock(clock, () => elapsedMs)
  )
  return makeStoreView(Context.get(context, MarketStore), (ms) => Effect.sync(() => void (elapsedMs += ms)))
})

const runSteps = Effect.fnUntraced(function*(
  store: Store,
  advance: (ms: number) => Effect.Effect<unknown, unknown>,
  steps: ReadonlyArray<Step>
) {
  const [testedStore, model] = [makeStoreView(store, advance), yield* makeModelView]
  let lastWrite: WriteStep | null = null
  for (const [i, one] of [{ _tag: "Lead" as const, collector: 0 as const }, ...steps].entries()) {
    assertSame(
      yield* applyStep(testedStore, one, lastWrite),
      yield* applyStep(model, one, lastWrite),
      `step ${i}, ${one._tag}`
    )
    assertSame(
      yield* readStateAfter(testedStore, one, lastWrite),
      yield* readStateAfter(model, one, lastWrite),
      `after step ${i}, ${one._tag}`
    )
    if (one._tag === "Points" || one._tag === "Events" || one._tag === "Documents") lastWrite = one
  }
  for (const state of Object.values(readersByShape)) {
    assertSame(yield* state(testedStore), yield* state(model), "at the end")
  }
})

/**
 * Runs random steps against a market store and a model. Returns null, or the seed and the first difference between the
 * store and the model.
 */
export const runMarketModel = Effect.fnUntraced(function*(
  store: Store,
  advance: (ms: number) => Effect.Effect<unknown, unknown>,
  { commands = 25, runs, shrink = true, seed = Date.now() % 2 ** 31 }: {
    readonly runs: number
    readonly commands?: number
    readonly seed?: number
    /**
     * Whether to search for the shortest failing sequence of steps. If false, a failing run ends at the first failure.
     */
    readonly shrink?: boolean
  }
) {
  const context = yield* Effect.context<never>()
  const property = fc.asyncProperty(
    fc.array(stepArbitrary, { minLength: 1, maxLength: commands, size: "max" }),
    (steps) => Effect.runPromiseWith(context)(runSteps(store, advance, steps))
  )
  const result = yield* Effect.promise(async () => fc.check(property, { numRuns: runs, seed, endOnFailure: !shrink }))
  return result.failed ? `seed ${seed}: ${String(result.errorInstance)} ${fc.stringify(result.counterexample)}` : null
})
