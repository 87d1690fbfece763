import {
  checkDocuments,
  checkEvents,
  checkLead,
  checkPoints,
  checkQuery,
  coveragePruned,
  type DocumentsKind,
  type EventsKind,
  type Fence,
  isForgotten,
  type Lead,
  marketBounds,
  MarketStore,
  MarketStoreFailpoints,
  type MarketStoreRefusal,
  type MarketWrite,
  type PointsKind,
  spanOf,
  Superseded,
  tooMany,
  withMarketFailpoints
} from "@tapeline/core/market/store"
import { Clock, Effect, Layer } from "effect"
import { readDocuments, readEvents, readFolded, readLatest, readPoints, readTallies } from "./marketReading.ts"
import { emptyMarketTables, gapsOf, kindTables, type MarketTables, recordOf, subjectsOf } from "./marketTables.ts"
import { putDocuments, putEvents, putPoints } from "./marketWriting.ts"

/** Leads of sources, by the layer's clock. */
const leading = ({ leases }: MarketTables, now: () => number) => ({
  ask: Effect.fnUntraced(function*(
    { holder, source, ttlMs }: Parameters<MarketStore["Service"]["lead"]>[0]
  ): Effect.fn.Return<Lead, MarketStoreRefusal> {
    const lease = leases.get(source)
    const at = now()
    const isLed = lease !== undefined && lease.until > at && lease.until <= at + marketBounds.leaseMs
    if (isLed && lease.holder !== holder) {
      return { _tag: "Follows", holder: lease.holder, leftMs: lease.until - at }
    }
    if (lease === undefined && leases.size >= marketBounds.leads) {
      return yield* tooMany(`the lead of ${source}`, "leads", marketBounds.leads)
    }
    const epoch = lease === undefined ? 1 : lease.holder === holder ? lease.epoch : lease.epoch + 1
    leases.set(source, { holder, epoch, until: at + ttlMs })
    return { _tag: "Leads", fence: { source, epoch } }
  }),
  resign: ({ epoch, source }: Fence) =>
    Effect.sync(() => {
      const lease = leases.get(source)
      if (lease?.epoch === epoch) lease.until = Math.min(lease.until, now())
    }),
  under: ({ epoch, source }: Fence) =>
    Effect.suspend(() => leases.get(source)?.epoch === epoch ? Effect.void : Effect.fail(new Superseded({ source })))
})

/** Removes old data. Returns the time from which data is kept. */
const forget = (tables: MarketTables, kind: PointsKind | EventsKind | DocumentsKind, before: number): number => {
  const own = kindTables(tables, kind.name)
  if (kind.shape === "documents") {
    for (const { key, time } of own.documents.values()) if (time < before) own.documents.delete(key)
    return before
  }
  const cut = spanOf(kind.span, before).from
  for (const [subject, row] of own.series) {
    if (row.coverage.first === null || row.coverage.first >= cut) continue
    const revision = isForgotten(row.coverage, cut) ? crypto.randomUUID() : row.revision
    own.series.set(subject, { ...row, coverage: coveragePruned(row.coverage, cut), revision })
  }
  for (const rows of own.points.values()) for (const time of rows.keys()) if (time < cut) rows.delete(time)
  for (const { id, time } of own.events.values()) if (time < cut) own.events.delete(id)
  return cut
}

/** `MarketStore` in memory, a new store for each built layer. Its time is the layer's clock. */
export const MemoryMarketStore: Layer.Layer<MarketStore> = Layer.effect(
  MarketStore,
  Effect.gen(function*() {
    const [clock, hook] = yield* Effect.all([Clock.Clock, MarketStoreFailpoints])
    const tables = emptyMarketTables()
    const leads = leading(tables, () => clock.currentTimeMillisUnsafe())
    const named = withMarketFailpoints(hook)
    const fenced = <A, E>(
      name: MarketWrite & ("points" | "events" | "documents"),
      fence: Fence,
      put: Effect.Effect<A, E>
    ) => named(name, Effect.andThen(hook(`within:${name}`), Effect.andThen(leads.under(fence), put)))
    const series = (kind: string, subjects: ReadonlyArray<string> | undefined) => {
      const own = kindTables(tables, kind)
      return new Map(subjectsOf(own, subjects).map((subject) => [subject, recordOf(own.series.get(subject)!)]))
    }
    return {
      lead: (query) => Effect.andThen(checkLead(query), named("lead", leads.ask(query))),
      resign: (fence) => named("resign", leads.resign(fence)),
      writePoints: (write) =>
        Effect.andThen(checkPoints(write), fenced("points", write.fence, putPoints(tables, write))),
      writeEvents: (write) =>
        Effect.andThen(checkEvents(write), fenced("events", write.fence, putEvents(tables, write))),
      writeDocuments: (write) =>
        Effect.andThen(checkDocuments(write), fenced("documents", write.fence, putDocuments(tables, write))),
      points: (query) => readPoints(tables, query),
      folded: (query) => readFolded(tables, query),
      latest: (query) => readLatest(tables, query),
      events: (query) => readEvents(tables, query),
      tallies: (query) => readTallies(tables, query),
      documents: (query) => readDocuments(tables, query),
      recorded: ({ kind, subjects }) => Effect.sync(() => series(kind.name, subjects)),
      gaps: ({ kind, subjects, ...interval }) =>
        Effect.andThen(
          checkQuery(kind.name, interval, 0),
          Effect.sync(() => {
            const own = kindTables(tables, kind.name)
            return new Map(subjects.map((subject) => [subject, gapsOf(own, subject, interval)]))
          })
        ),
      prune: ({ before, kind }) =>
        Effect.andThen(
          checkQuery(kind.name, { from: before, to: before }, 0),
          named(
            "prune",
            Effect.andThen(hook("within:prune"), Effect.sync(() => ({ keptFrom: forget(tables, kind, before) })))
          )
        )
    }
  })
)
