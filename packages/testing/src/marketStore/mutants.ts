import { MarketStore, type SeriesRecord, type SeriesWrite } from "@tapeline/core/market/store"
import { Effect } from "effect"

type Store = MarketStore["Service"]

const mapRecords = (store: Store, change: (record: SeriesRecord, subject: string) => SeriesRecord): Partial<Store> => ({
  points: (query) =>
    Effect.map(
      store.points(query),
      (all) => new Map([...all].map(([subject, one]) => [subject, { ...one, record: change(one.record, subject) }]))
    )
})

const bypassFence = (store: Store, epochs: Map<string, number>) => ({
  acquireLeadership: (query: Parameters<Store["acquireLeadership"]>[0]) =>
    Effect.tap(
      store.acquireLeadership(query),
      (leadership) => Effect.sync(() => leadership._tag === "Leads" && epochs.set(query.source, leadership.fence.epoch))
    ),
  fence: <W extends { readonly fence: { readonly source: string; readonly epoch: number } }>(write: W): W => ({
    ...write,
    fence: { ...write.fence, epoch: epochs.get(write.fence.source) ?? write.fence.epoch }
  })
})

const typedSeriesMapper = <Column extends string>(change: (series: SeriesWrite<Column>) => SeriesWrite<Column>) =>
  change

/** Market stores that each break one rule of the contract. The name of each mutant describes the broken rule. */
const mutants = {
  "accepts writes of any holder": (store) => {
    const { acquireLeadership, fence } = bypassFence(store, new Map())
    return { acquireLeadership, writePoints: (write) => store.writePoints(fence(write)) }
  },
  "has two leaders at once": (store) => {
    const fences = new Map<string, { readonly source: string; readonly epoch: number }>()
    return {
      acquireLeadership: (query) =>
        Effect.map(store.acquireLeadership(query), (leadership) => {
          if (leadership._tag === "Leads") fences.set(query.source, leadership.fence)
          return { _tag: "Leads" as const, fence: fences.get(query.source)! }
        })
    }
  },
  "ignores resignations": () => ({ resignLeadership: () => Effect.void }),
  "loses null values": (store) => ({
    points: (query) =>
      Effect.map(store.points(query), (all) =>
        new Map([...all].map(([subject, one]) => [subject, {
          ...one,
          points: one.points.map((point) => {
            const numbers = Object.entries(point).map(([name, value]) => [name, value ?? 0])
            return { ...point, ...Object.fromEntries(numbers) }
          })
        }])))
  }),
  "keeps the first row of each time": (store) => ({
    writePoints: (write) =>
      Effect.gen(function*() {
        const { kind, series } = write
        const names = series.map(({ subject }) => subject)
        const known = yield* store.points({ kind, subjects: names, from: 0, to: 4e12 })
        const keepNewRows = typedSeriesMapper<keyof typeof kind.columns & string>((one) => ({
          ...one,
          rows: one.rows.filter(({ time }) => !known.get(one.subject)?.points.some((point) => point.time === time))
        }))
        return yield* store.writePoints({ ...write, series: series.map(keepNewRows) })
      })
  }),
  "counts unchanged rows as changed": (store) => ({
    writePoints: (write) =>
      Effect.as(store.writePoints(write), {
        changed: write.series.reduce((sum, { rows }) => sum + rows.length, 0)
      })
  }),
  "returns a new revision at each read": (store) => {
    let revisionCount = 0
    return mapRecords(store, (record) => ({ ...record, revision: `${++revisionCount}` }))
  },
  "never changes a revision": (store) => mapRecords(store, (record, subject) => ({ ...record, revision: subject })),
  "reuses revisions": (store) => {
    const revisionsBySubject = new Map<string, Array<string>>()
    return mapRecords(store, (record, subject) => {
      const known = revisionsBySubject.get(subject) ?? []
      if (!known.includes(record.revision)) known.push(record.revision)
      revisionsBySubject.set(subject, known)
      return { ...record, revision: `${subject} ${known.indexOf(record.revision) % 3}` }
    })
  },
  "reports a watermark beyond a gap": (store) => ({
    points: (query) =>
      Effect.map(store.points(query), (all) =>
        new Map([...all].map(([subject, one]) => {
          const last = one.points.at(-1)?.time ?? 0
          const record = { ...one.record, contiguousUntil: Math.max(one.record.contiguousUntil, last) }
          return [subject, { ...one, record }]
        })))
  }),
  "forgets lost intervals": (store) => ({
    writePoints: (write) => store.writePoints({ ...write, series: write.series.map((one) => ({ ...one, lost: [] })) })
  }),
  "reports lost intervals as covered": (store) => ({
    gaps: (query) =>
      Effect.map(
        store.gaps(query),
        (all) => new Map([...all].map(([subject, { missing }]) => [subject, { missing, lost: [] }]))
      )
  }),
  "does not move events": (store) => ({
    writeEvents: (write) =>
      store.writeEvents({
        ...write,
        events: write.events.map((event) => ({ ...event, time: Math.min(event.time, Date.UTC(2026, 8, 15)) }))
      })
  }),
  "stores an event only for its first subject": (store) => ({
    writeEvents: (write) =>
      store.writeEvents({
        ...write,
        events: write.events.map((event) => ({ ...event, subjects: event.subjects.slice(0, 1) }))
      })
  }),
  "removes nothing": (store) => ({
    writeEvents: ({ removed: _, ...write }) => store.writeEvents(write)
  }),
  "removes only by complete ids": (store) => ({
    writeEvents: ({ removedUnder: _, ...write }) => store.writeEvents(write)
  }),
  "accepts an older document": (store) => ({
    writeDocuments: (write) =>
      Effect.andThen(
        store.writeDocuments({ ...write, documents: [], removed: write.documents.map(({ key }) => key) }),
        store.writeDocuments(write)
      )
  }),
  "keeps a document from the future": (store) => ({
    writeDocuments: ({ now: _, ...write }) => store.writeDocuments(write)
  }),
  "counts only the returned events": (store) => ({
    events: (query) =>
      Effect.map(store.events(query), (read) => ({
        ...read,
        tallies: read.tallies.map((tally) => ({ ...tally, count: Math.min(tally.count, query.limit) }))
      }))
  }),
  "prunes one month too many": (store) => ({
    prune: (query) =>
      Effect.map(store.prune({ ...query, before: query.before + 31 * 86_400_000 }), () => ({ keptFrom: query.before }))
  }),
  "prunes nothing": (store) => ({
    prune: ({ before, kind }) => Effect.map(store.prune({ kind, before: 0 }), () => ({ keptFrom: before }))
  })
} satisfies Record<string, (store: Store) => Partial<Store>>

export type MarketMutant = keyof typeof mutants

// The type cast is needed, because `Object.keys` returns strings and not the names of `mutants`.
export const marketMutants = Object.keys(mutants) as ReadonlyArray<MarketMutant>

export const mutantMarketStore = (store: Store, mutant: MarketMutant): Store => ({
  ...store,
  ...mutants[mutant](store)
})
