import {
  checkDocuments,
  checkEvents,
  checkLead,
  checkPoints,
  checkQuery,
  type DocumentsKind,
  type EventsKind,
  type Fence,
  isPrunedBelowWatermark,
  type LeadershipResult,
  MarketStore,
  MarketStoreFailpoints,
  marketStoreLimits,
  type MarketStoreRefusal,
  type MarketWrite,
  periodOf,
  type PointsKind,
  pruneCoverage,
  storeFull,
  Superseded,
  withMarketFailpoints
} from "@tapeline/core/market/store"
import { Clock, Effect, Layer } from "effect"
import { readDocuments, readEvents, readFolded, readLatest, readPoints, readTallies } from "./marketReads.ts"
import {
  getGaps,
  getKindTables,
  getKnownSubjects,
  getRecord,
  makeMarketTables,
  type MarketTables
} from "./marketTables.ts"
import { applyDocuments, applyEvents, applyPoints } from "./marketWrites.ts"

const makeLeads = ({ leases }: MarketTables, now: () => number) => ({
  takeLead: Effect.fnUntraced(function*(
    { holder, source, ttlMs }: Parameters<MarketStore["Service"]["acquireLeadership"]>[0]
  ): Effect.fn.Return<LeadershipResult, MarketStoreRefusal> {
    const lease = leases.get(source)
    const at = now()
    const isHeld = lease !== undefined && lease.until > at && lease.until <= at + marketStoreLimits.maxLeaseMs
    if (isHeld && lease.holder !== holder) {
      return { _tag: "Follows", holder: lease.holder, remainingMs: lease.until - at }
    }
    if (lease === undefined && leases.size >= marketStoreLimits.maxLeads) {
      return yield* storeFull(`the lead of ${source}`, "leads", marketStoreLimits.maxLeads)
    }
    const epoch = lease === undefined ? 1 : lease.holder === holder ? lease.epoch : lease.epoch + 1
    leases.set(source, { holder, epoch, until: at + ttlMs })
    return { _tag: "Leads", fence: { source, epoch } }
  }),
  resignLeadership: ({ epoch, source }: Fence) =>
    Effect.sync(() => {
      const lease = leases.get(source)
      if (lease?.epoch === epoch) lease.until = Math.min(lease.until, now())
    }),
  requireFence: ({ epoch, source }: Fence) =>
    Effect.suspend(() => leases.get(source)?.epoch === epoch ? Effect.void : Effect.fail(new Superseded({ source })))
})

/** Removes the data of a kind that is older than `before`. Returns the start of the remaining data. */
const removeBefore = (tables: MarketTables, kind: PointsKind | EventsKind | DocumentsKind, before: number): number => {
  const kindRows = getKindTables(tables, kind.name)
  if (kind.shape === "documents") {
    for (const { key, time } of kindRows.documents.values()) if (time < before) kindRows.documents.delete(key)
    return before
  }
  const keptFrom = periodOf(kind.period, before).from
  for (const [subject, row] of kindRows.series) {
    if (row.coverage.firstAt === null || row.coverage.firstAt >= keptFrom) continue
    const revision = isPrunedBelowWatermark(row.coverage, keptFrom) ? crypto.randomUUID() : row.revision
    kindRows.series.set(subject, { ...row, coverage: pruneCoverage(row.coverage, keptFrom), revision })
  }
  for (const rows of kindRows.points.values()) for (const time of rows.keys()) if (time < keptFrom) rows.delete(time)
  for (const { id, time } of kindRows.events.values()) if (time < keptFrom) kindRows.events.delete(id)
  return keptFrom
}

/** Provides `MarketStore` in memory. Each build of the layer creates a new store, which uses the clock of the layer. */
export const MemoryMarketStore: Layer.Layer<MarketStore> = Layer.effect(
  MarketStore,
  Effect.gen(function*() {
    const [clock, failpoint] = yield* Effect.all([Clock.Clock, MarketStoreFailpoints])
    const tables = makeMarketTables()
    const leadershipMethods = makeLeads(tables, () => clock.currentTimeMillisUnsafe())
    const withFailpoints = withMarketFailpoints(failpoint)
    const runFenced = <A, E>(
      name: MarketWrite & ("points" | "events" | "documents"),
      fence: Fence,
      write: Effect.Effect<A, E>
    ) =>
      withFailpoints(
        name,
        Effect.andThen(failpoint(`within:${name}`), Effect.andThen(leadershipMethods.requireFence(fence), write))
      )
    const readRecords = (kind: string, subjects: ReadonlyArray<string> | undefined) => {
      const kindRows = getKindTables(tables, kind)
      return new Map(
        getKnownSubjects(kindRows, subjects).map((subject) => [subject, getRecord(kindRows.series.get(subject)!)])
      )
    }
    return {
      acquireLeadership: (query) =>
        Effect.andThen(checkLead(query), withFailpoints("lead", leadershipMethods.takeLead(query))),
      resignLeadership: (fence) => withFailpoints("resign", leadershipMethods.resignLeadership(fence)),
      writePoints: (write) =>
        Effect.andThen(checkPoints(write), runFenced("points", write.fence, applyPoints(tables, write))),
      writeEvents: (write) =>
        Effect.andThen(checkEvents(write), runFenced("events", write.fence, applyEvents(tables, write))),
      writeDocuments: (write) =>
        Effect.andThen(checkDocuments(write), runFenced("documents", write.fence, applyDocuments(tables, write))),
      points: (query) => readPoints(tables, query),
      foldedPoints: (query) => readFolded(tables, query),
      latest: (query) => readLatest(tables, query),
      events: (query) => readEvents(tables, query),
      tallies: (query) => readTallies(tables, query),
      documents: (query) => readDocuments(tables, query),
      records: ({ kind, subjects }) => Effect.sync(() => readRecords(kind.name, subjects)),
      gaps: ({ kind, subjects, ...interval }) =>
        Effect.andThen(
          checkQuery(kind.name, interval, 0),
          Effect.sync(() => {
            const kindRows = getKindTables(tables, kind.name)
            return new Map(subjects.map((subject) => [subject, getGaps(kindRows, subject, interval)]))
          })
        ),
      prune: ({ before, kind }) =>
        Effect.andThen(
          checkQuery(kind.name, { from: before, to: before }, 0),
          withFailpoints(
            "prune",
            Effect.andThen(
              failpoint("within:prune"),
              Effect.sync(() => ({ keptFrom: removeBefore(tables, kind, before) }))
            )
          )
        )
    }
  })
)
