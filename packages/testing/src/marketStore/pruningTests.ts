import { assert } from "@effect/vitest"
import { documentsKinds, eventsKinds, pointsKinds } from "@tapeline/core/market/store"
import { Effect } from "effect"
import { type Check, makeName, takeNewLead, useStore } from "./fixtures.ts"

/** Kinds of market data that no other test uses. */
const [points, events, documents] = [pointsKinds.dexActivity, eventsKinds.articles, documentsKinds.krwListings]

const getMonthStart = (n: number): number => Date.UTC(2026, n)

export const pruningChecks: ReadonlyArray<Check> = [
  [
    "deletes old rows and their coverage by whole months, under a new revision",
    Effect.gen(function*() {
      const fence = yield* takeNewLead
      const [oldSubject, splitSubject, recentSubject, removedSubject, uncoveredSubject] = [
        makeName(),
        makeName(),
        makeName(),
        makeName(),
        makeName()
      ]
      const makeRows = (months: ReadonlyArray<number>) =>
        months.map((n) => ({ time: getMonthStart(n), buyUsd: n, sellUsd: n, trades: n }))
      const makeInterval = (from: number, to: number) => [{ from: getMonthStart(from), to: getMonthStart(to) }]
      yield* useStore((store) =>
        store.writePoints({
          kind: points,
          fence,
          series: [
            {
              subject: oldSubject,
              source: "test",
              rows: makeRows([1, 3, 4]),
              covers: makeInterval(1, 5),
              lost: makeInterval(0, 1)
            },
            {
              subject: splitSubject,
              source: "test",
              rows: makeRows([1, 5]),
              covers: [...makeInterval(1, 2), ...makeInterval(5, 6)]
            },
            { subject: recentSubject, source: "test", rows: makeRows([4]), covers: makeInterval(4, 5) },
            { subject: removedSubject, source: "test", rows: makeRows([1]), covers: makeInterval(1, 2) },
            { subject: uncoveredSubject, source: "test", rows: makeRows([1, 4]) }
          ]
        })
      )
      const readRecords = Effect.map(useStore((store) => store.records({ kind: points })), (all) => all)
      const before = yield* readRecords
      const prune = useStore((store) => store.prune({ kind: points, before: getMonthStart(3) + 86_400_000 * 9 }))
      assert.deepStrictEqual(yield* prune, { keptFrom: getMonthStart(3) })
      const after = yield* readRecords
      const describeChange = (subject: string) => {
        const { contiguousUntil, revision, since } = after.get(subject)!
        return [since, contiguousUntil, revision !== before.get(subject)!.revision]
      }
      assert.deepStrictEqual(describeChange(oldSubject), [getMonthStart(3), getMonthStart(5), true])
      assert.deepStrictEqual(describeChange(splitSubject), [getMonthStart(3), getMonthStart(3), true])
      assert.deepStrictEqual(describeChange(recentSubject), [getMonthStart(4), getMonthStart(5), false])
      assert.deepStrictEqual(describeChange(removedSubject), [getMonthStart(3), getMonthStart(3), true])
      assert.deepStrictEqual(describeChange(uncoveredSubject), [null, 0, false])
      const read = yield* useStore((store) =>
        store.points({ kind: points, from: getMonthStart(0), to: getMonthStart(9) })
      )
      const getMonths = (subject: string) => read.get(subject)!.points.map(({ time }) => new Date(time).getUTCMonth())
      assert.deepStrictEqual(
        [oldSubject, splitSubject, recentSubject, removedSubject, uncoveredSubject].map(getMonths),
        [[3, 4], [5], [4], [], [4]]
      )
      assert.deepStrictEqual(read.get(oldSubject)!.gaps, {
        lost: [],
        missing: [{ from: getMonthStart(0), to: getMonthStart(3) }, { from: getMonthStart(5), to: getMonthStart(9) }]
      })
      assert.deepStrictEqual(yield* prune, { keptFrom: getMonthStart(3) })
      assert.deepStrictEqual(yield* readRecords, after)
      // After the deletion, the store accepts data that is older than the deleted data, and also later data.
      yield* useStore((store) =>
        store.writePoints({
          kind: points,
          fence,
          series: [{ subject: splitSubject, source: "test", rows: makeRows([2, 3, 4]), covers: makeInterval(2, 5) }]
        })
      )
      const recordAfterWrite = (yield* readRecords).get(splitSubject)!
      assert.deepStrictEqual([recordAfterWrite.since, recordAfterWrite.contiguousUntil], [
        getMonthStart(2),
        getMonthStart(6)
      ])
      assert.notStrictEqual(recordAfterWrite.revision, after.get(splitSubject)!.revision)
    })
  ],

  [
    "deletes old events by whole months, and old documents",
    Effect.gen(function*() {
      const fence = yield* takeNewLead
      const [a, id, key] = [makeName(), makeName("id"), makeName("k")]
      const event = (n: number) => ({
        id: `${id}${n}`,
        time: getMonthStart(n) + 1,
        subjects: n % 2 === 0 ? [a] : [],
        source: "test",
        label: null,
        document: null,
        sentiment: null
      })
      const covering = [{ subject: a, covers: [{ from: getMonthStart(0), to: getMonthStart(9) }] }]
      yield* useStore((store) =>
        store.writeEvents({ kind: events, fence, events: [1, 2, 3, 4, 5].map(event), covering })
      )
      assert.deepStrictEqual(yield* useStore((store) => store.prune({ kind: events, before: getMonthStart(4) - 1 })), {
        keptFrom: getMonthStart(3)
      })
      const read = (subject: string | undefined) =>
        Effect.map(
          useStore((store) =>
            store.events({
              kind: events,
              ...(subject === undefined ? {} : { subject }),
              from: getMonthStart(0),
              to: getMonthStart(9),
              limit: 100
            })
          ),
          (page) => page.events.map((one) => one.id.slice(id.length))
        )
      assert.deepStrictEqual(yield* read(a), ["4"])
      assert.deepStrictEqual(yield* read(undefined), ["3", "4", "5"])
      const documentsOf = [1, 2].map((n) => ({
        key: `${key}${n}`,
        time: getMonthStart(n),
        source: "test",
        document: "[]"
      }))
      yield* useStore((store) => store.writeDocuments({ kind: documents, fence, documents: documentsOf }))
      assert.deepStrictEqual(yield* useStore((store) => store.prune({ kind: documents, before: getMonthStart(2) })), {
        keptFrom: getMonthStart(2)
      })
      assert.deepStrictEqual([...(yield* useStore((store) => store.documents({ kind: documents }))).keys()], [
        `${key}2`
      ])
    })
  ]
]
