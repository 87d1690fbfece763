import { assert } from "@effect/vitest"
import { documentsKinds, eventsKinds, pointsKinds } from "@tapeline/core/market/store"
import { Effect } from "effect"
import { type Check, newFence, newName, on } from "./fixtures.ts"

/** Kinds that no other test prunes or writes. */
const [points, events, documents] = [pointsKinds.dexActivity, eventsKinds.articles, documentsKinds.krwListings]

const month = (n: number): number => Date.UTC(2026, n)

export const pruning: ReadonlyArray<Check> = [
  [
    "what is older is forgotten by whole months, with what was recorded of it, under another revision",
    Effect.gen(function*() {
      const fence = yield* newFence
      const [old, split, young, gone, bare] = [newName(), newName(), newName(), newName(), newName()]
      const rows = (months: ReadonlyArray<number>) =>
        months.map((n) => ({ time: month(n), buyUsd: n, sellUsd: n, trades: n }))
      const covers = (from: number, to: number) => [{ from: month(from), to: month(to) }]
      yield* on((store) =>
        store.writePoints({
          kind: points,
          fence,
          series: [
            { subject: old, source: "test", rows: rows([1, 3, 4]), covers: covers(1, 5), lost: covers(0, 1) },
            { subject: split, source: "test", rows: rows([1, 5]), covers: [...covers(1, 2), ...covers(5, 6)] },
            { subject: young, source: "test", rows: rows([4]), covers: covers(4, 5) },
            { subject: gone, source: "test", rows: rows([1]), covers: covers(1, 2) },
            { subject: bare, source: "test", rows: rows([1, 4]) }
          ]
        })
      )
      const recorded = Effect.map(on((store) => store.recorded({ kind: points })), (all) => all)
      const before = yield* recorded
      const prune = on((store) => store.prune({ kind: points, before: month(3) + 86_400_000 * 9 }))
      assert.deepStrictEqual(yield* prune, { keptFrom: month(3) })
      const after = yield* recorded
      const told = (subject: string) => {
        const { contiguousUntil, revision, since } = after.get(subject)!
        return [since, contiguousUntil, revision !== before.get(subject)!.revision]
      }
      assert.deepStrictEqual(told(old), [month(3), month(5), true])
      assert.deepStrictEqual(told(split), [month(3), month(3), true])
      assert.deepStrictEqual(told(young), [month(4), month(5), false])
      assert.deepStrictEqual(told(gone), [month(3), month(3), true])
      assert.deepStrictEqual(told(bare), [null, 0, false])
      const read = yield* on((store) => store.points({ kind: points, from: month(0), to: month(9) }))
      const times = (subject: string) => read.get(subject)!.points.map(({ time }) => new Date(time).getUTCMonth())
      assert.deepStrictEqual([old, split, young, gone, bare].map(times), [[3, 4], [5], [4], [], [4]])
      assert.deepStrictEqual(read.get(old)!.gaps, {
        lost: [],
        missing: [{ from: month(0), to: month(3) }, { from: month(5), to: month(9) }]
      })
      assert.deepStrictEqual(yield* prune, { keptFrom: month(3) })
      assert.deepStrictEqual(yield* recorded, after)
      // Late data is accepted, and collection continues from there.
      yield* on((store) =>
        store.writePoints({
          kind: points,
          fence,
          series: [{ subject: split, source: "test", rows: rows([2, 3, 4]), covers: covers(2, 5) }]
        })
      )
      const late = (yield* recorded).get(split)!
      assert.deepStrictEqual([late.since, late.contiguousUntil], [month(2), month(6)])
      assert.notStrictEqual(late.revision, after.get(split)!.revision)
    })
  ],

  [
    "events and documents are forgotten likewise",
    Effect.gen(function*() {
      const fence = yield* newFence
      const [a, id, key] = [newName(), newName("id"), newName("k")]
      const event = (n: number) => ({
        id: `${id}${n}`,
        time: month(n) + 1,
        subjects: n % 2 === 0 ? [a] : [],
        source: "test",
        label: null,
        document: null,
        sentiment: null
      })
      const covering = [{ subject: a, covers: [{ from: month(0), to: month(9) }] }]
      yield* on((store) => store.writeEvents({ kind: events, fence, events: [1, 2, 3, 4, 5].map(event), covering }))
      assert.deepStrictEqual(yield* on((store) => store.prune({ kind: events, before: month(4) - 1 })), {
        keptFrom: month(3)
      })
      const read = (subject: string | undefined) =>
        Effect.map(
          on((store) =>
            store.events({
              kind: events,
              ...(subject === undefined ? {} : { subject }),
              from: month(0),
              to: month(9),
              limit: 100
            })
          ),
          (found) => found.events.map((one) => one.id.slice(id.length))
        )
      assert.deepStrictEqual(yield* read(a), ["4"])
      assert.deepStrictEqual(yield* read(undefined), ["3", "4", "5"])
      const documentsOf = [1, 2].map((n) => ({ key: `${key}${n}`, time: month(n), source: "test", document: "[]" }))
      yield* on((store) => store.writeDocuments({ kind: documents, fence, documents: documentsOf }))
      assert.deepStrictEqual(yield* on((store) => store.prune({ kind: documents, before: month(2) })), {
        keptFrom: month(2)
      })
      assert.deepStrictEqual([...(yield* on((store) => store.documents({ kind: documents }))).keys()], [`${key}2`])
    })
  ]
]
