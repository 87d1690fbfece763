import {
  documentsKinds,
  eventsKinds,
  type Fence,
  MarketStore,
  pointsKinds,
  type SeriesRecord,
  type Written
} from "@tapeline/core/market/store"
import { Clock, Context, Effect, Layer } from "effect"
import * as fc from "fast-check"
import { MemoryMarketStore } from "../memory/MemoryMarketStore.ts"
import { newName } from "./fixtures.ts"
import { instant, instants, type Step, step, subjects, type WriteStep } from "./steps.ts"

/*
 * Random writes of two collectors that lead in turn. The tested store is compared with a memory store that has no other
 * data.
 */

type Store = MarketStore["Service"]

const kinds = { points: pointsKinds.dexActivity, events: eventsKinds.liquidations, documents: documentsKinds.futures }
const dayMs = 86_400_000
const leaseMs = 60_000
const whole = { from: instant(0) - dayMs, to: instant(instants - 1) + dayMs }

/** Names revisions by their order of appearance. A repeated revision gets the same name. */
const makeNaming = () => {
  const names = new Map<string, number>()
  return (revision: string): number => {
    const known = names.get(revision) ?? names.size
    names.set(revision, known)
    return known
  }
}

/** A store in the model run, with its own names, leads and revisions. */
interface Side {
  readonly store: Store
  readonly advance: (ms: number) => Effect.Effect<unknown, unknown>
  readonly source: string
  readonly named: (n: number) => string
  /** Event ids with even numbers share a prefix, and so do those with odd numbers. */
  readonly eventNamed: (n: number) => string
  readonly place: (name: string) => number
  /** Whether a name belongs to this run. */
  readonly isOwn: (name: string) => boolean
  /** The last fence of each collector. */
  readonly fences: [Fence, Fence]
  readonly told: (record: SeriesRecord) => Omit<SeriesRecord, "revision"> & { readonly revision: number }
  /** The subjects, including one without data. */
  readonly all: ReadonlyArray<string>
}

const makeSide = (store: Store, advance: Side["advance"]): Side => {
  const [source, run] = [newName("s"), newName("r")]
  const named = (n: number): string => `${run}.${n}`
  const revision = makeNaming()
  return {
    store,
    advance,
    source,
    named,
    eventNamed: (n) => `${named(n % 2)}/${n}`,
    place: (name) => Number(/\d+$/.exec(name)?.[0]),
    isOwn: (name) => name.startsWith(`${run}.`),
    fences: [{ source, epoch: 0 }, { source, epoch: 0 }],
    told: ({ revision: text, ...rest }) => ({ ...rest, revision: revision(text) }),
    all: Array.from({ length: subjects }, (_, i) => named(i))
  }
}

const put = ({ eventNamed, fences, named, store }: Side, asked: WriteStep): ReturnType<Store["writePoints"]> => {
  const fence = fences[asked.who]
  switch (asked._tag) {
    case "Points":
      return store.writePoints({
        kind: kinds.points,
        fence,
        series: asked.series.map(({ covering, subject, ...one }) => ({ ...one, ...covering, subject: named(subject) }))
      })
    case "Events":
      return store.writeEvents({
        kind: kinds.events,
        fence,
        events: asked.events.map((event) => ({
          ...event,
          id: eventNamed(event.id),
          subjects: event.subjects.map(named)
        })),
        removed: asked.removed.filter((id) => !asked.events.some((event) => event.id === id)).map(eventNamed),
        removedUnder: asked.removedUnder.map((n) => `${named(n)}/`),
        covering: asked.covering.map(({ covering, subject }) => ({ ...covering, subject: named(subject) }))
      })
    case "Documents":
      return store.writeDocuments({
        kind: kinds.documents,
        fence,
        documents: asked.documents.map((one) => ({ ...one, key: named(one.key) })),
        ...(asked.now === null ? {} : { now: asked.now }),
        removed: asked.removed.filter((key) => !asked.documents.some((one) => one.key === key)).map(named)
      })
  }
}

const write = (side: Side, asked: WriteStep) =>
  put(side, asked).pipe(
    Effect.map(({ changed }: Written): number | string => changed),
    Effect.catchTag("Superseded", () => Effect.succeed("superseded"))
  )

const lead = Effect.fnUntraced(function*({ fences, source, store }: Side, who: 0 | 1) {
  const given = yield* store.lead({ source, holder: `${who}`, ttlMs: leaseMs })
  if (given._tag === "Follows") return `${given.holder} leads`
  const [before, newest] = [fences[who].epoch, Math.max(...fences.map(({ epoch }) => epoch))]
  fences[who] = given.fence
  const { epoch } = given.fence
  return epoch === before ? "goes on" : epoch > newest ? "leads anew" : "leads with an old epoch"
})

const take = (side: Side, asked: Step, last: WriteStep | null): Effect.Effect<unknown, unknown> => {
  switch (asked._tag) {
    case "Again":
      return last === null ? Effect.void : write(side, last)
    case "Lead":
      return lead(side, asked.who)
    case "Pause":
      return Effect.as(side.advance(2 * leaseMs), null)
    case "Resign":
      return Effect.as(side.store.resign(side.fences[asked.who]), null)
    case "Prune":
      return side.store.prune({ kind: kinds[asked.shape], before: asked.before })
    default:
      return write(side, asked)
  }
}

/** Maps in the order of subjects, because revisions are named in that order. */
const mapped = <A, B>({ place }: Side, map: ReadonlyMap<string, A>, f: (value: A) => B) =>
  [...map].sort(([a], [b]) => place(a) - place(b)).map(([name, value]) => [place(name), f(value)] as const)

const points = Effect.fnUntraced(function*(side: Side) {
  const { all, store, told } = side
  const query = { kind: kinds.points, subjects: all, ...whole }
  const [read, last, folded, latest, gaps] = [
    yield* store.points(query),
    yield* store.points({ ...query, last: 2, everyMs: dayMs }),
    yield* store.folded({ ...query, stepMs: 10 * dayMs }),
    yield* store.latest({ kind: kinds.points, subjects: all, at: instant(6), withinMs: 20 * dayMs }),
    yield* store.gaps(query)
  ]
  return {
    read: mapped(side, read, ({ record, ...rest }) => ({ ...rest, record: told(record) })),
    last: mapped(side, last, (one) => one.points),
    folded: mapped(side, folded, (one) => [one.points, one.sources]),
    latest: mapped(side, latest, (one) => one.point),
    gaps: mapped(side, gaps, (one) => one)
  }
})

const events = Effect.fnUntraced(function*(side: Side) {
  const { all, isOwn, place, store, told } = side
  const query = { kind: kinds.events, ...whole }
  const recorded = yield* store.recorded({ kind: kinds.events, subjects: all })
  const one = yield* store.events({ ...query, subject: all[0]!, limit: 2, least: { column: "sizeUsd", value: 0 } })
  const everything = yield* store.events({ ...query, limit: 100_000 })
  const tallies = yield* store.tallies({ ...query, subjects: all, stepMs: 20 * dayMs })
  const own = (list: typeof everything.events) =>
    list.filter(({ id }) => isOwn(id)).map((event) => ({ ...event, id: place(event.id) }))
  return {
    recorded: mapped(side, recorded, told),
    one: { ...one, record: one.record === null ? null : told(one.record), events: own(one.events) },
    all: own(everything.events),
    tallies: mapped(side, tallies, ({ gaps, tallies: counted }) => ({ counted, gaps }))
  }
})

const documents = (side: Side) =>
  Effect.map(
    side.store.documents({ kind: kinds.documents, keys: side.all }),
    (found) => mapped(side, found, ({ key, ...rest }) => ({ ...rest, key: side.place(key) }))
  )

const shapes = { points, events, documents }

/** Reads the state that a step may have changed. */
const stateAfter = (side: Side, asked: Step, last: WriteStep | null): Effect.Effect<unknown, unknown> => {
  if (asked._tag === "Prune") return shapes[asked.shape](side)
  const written = asked._tag === "Again" ? last : asked
  switch (written?._tag) {
    case "Points":
      return points(side)
    case "Events":
      return events(side)
    case "Documents":
      return documents(side)
    default:
      return Effect.void
  }
}

const plain = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part)

const same = (found: unknown, expected: unknown, where: string): void => {
  const [a, b] = [plain(found), plain(expected)]
  if (a !== b) throw new Error(`${where}: ${a} where ${b} was expected`)
}

/** A memory store of its own, with its own time. */
const makeModel = Effect.gen(function*() {
  const live = yield* Clock.Clock
  let passed = 0
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: () => passed,
    currentTimeMillis: Effect.sync(() => passed),
    currentTimeNanosUnsafe: () => live.currentTimeNanosUnsafe(),
    currentTimeNanos: live.currentTimeNanos,
    monotonicTimeNanosUnsafe: () => live.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: live.monotonicTimeNanos,
    sleep: (duration) => live.sleep(duration)
  }
  const context = yield* Effect.provideService(
    Effect.scoped(Layer.build(Layer.fresh(MemoryMarketStore))),
    Clock.Clock,
    clock
  )
  return makeSide(Context.get(context, MarketStore), (ms) => Effect.sync(() => void (passed += ms)))
})

const run = Effect.fnUntraced(function*(
  store: Store,
  advance: (ms: number) => Effect.Effect<unknown, unknown>,
  steps: ReadonlyArray<Step>
) {
  const [side, model] = [makeSide(store, advance), yield* makeModel]
  let last: WriteStep | null = null
  for (const [i, one] of [{ _tag: "Lead" as const, who: 0 as const }, ...steps].entries()) {
    same(yield* take(side, one, last), yield* take(model, one, last), `step ${i}, ${one._tag}`)
    same(yield* stateAfter(side, one, last), yield* stateAfter(model, one, last), `after step ${i}, ${one._tag}`)
    if (one._tag === "Points" || one._tag === "Events" || one._tag === "Documents") last = one
  }
  for (const state of Object.values(shapes)) same(yield* state(side), yield* state(model), "at the end")
})

/** Runs the model against a store. Returns null, or the failure with its seed. */
export const runMarketModel = Effect.fnUntraced(function*(
  store: Store,
  advance: (ms: number) => Effect.Effect<unknown, unknown>,
  { commands = 25, runs, shrinks = true, seed = Date.now() % 2 ** 31 }: {
    readonly runs: number
    readonly commands?: number
    readonly seed?: number
    /** Whether to search for the shortest failing commands. False is faster. */
    readonly shrinks?: boolean
  }
) {
  const context = yield* Effect.context<never>()
  const property = fc.asyncProperty(
    fc.array(step, { minLength: 1, maxLength: commands, size: "max" }),
    (steps) => Effect.runPromiseWith(context)(run(store, advance, steps))
  )
  const result = yield* Effect.promise(async () => fc.check(property, { numRuns: runs, seed, endOnFailure: !shrinks }))
  return result.failed ? `seed ${seed}: ${String(result.errorInstance)} ${fc.stringify(result.counterexample)}` : null
})
