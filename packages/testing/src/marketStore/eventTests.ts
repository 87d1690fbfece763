import { assert } from "@effect/vitest"
import { type EventRow, eventsKinds, type MarketStore, MarketStoreRefusal } from "@tapeline/core/market/store"
import { Effect } from "effect"
import {
  type Check,
  fiveMinutesMs,
  makeName,
  makePost,
  readPostRecord,
  readPosts,
  stepInterval,
  takeNewLead,
  timeOfStep,
  useStore,
  writePosts
} from "./fixtures.ts"

const readIds = (subject: string | undefined, from = 0, to = 288, limit = 100) =>
  Effect.map(readPosts(subject, from, to, limit), ({ events }) => events.map(({ id }) => id))

export const eventWriteChecks: ReadonlyArray<Check> = [
  [
    "stores an event once for all its subjects, and a repeated write changes nothing",
    Effect.gen(function*() {
      const fence = yield* takeNewLead
      const [a, b, x, y, z] = [makeName(), makeName(), makeName("id"), makeName("id"), makeName("id")]
      const document = JSON.stringify({ text: "돌파 «вход» \" \\ 🚀 \0 \ud800", n: 9_007_199_254_740_993n.toString() })
      const events = [
        makePost(x, 1, [a, b], { document, sentiment: 0.1 }),
        makePost(y, 1, [a], { label: null, document: null }),
        makePost(z, 2, [])
      ]
      const coverage = [{ subject: a, covers: [stepInterval(0, 5)] }]
      assert.strictEqual((yield* writePosts(fence, events, { covering: coverage })).changed, 4)
      const record = yield* readPostRecord(a)
      assert.strictEqual(record.contiguousUntil, timeOfStep(5))
      assert.strictEqual((yield* readPostRecord(b)).contiguousUntil, 0)
      assert.strictEqual((yield* writePosts(fence, events, { covering: coverage })).changed, 0)
      assert.deepStrictEqual(yield* readPostRecord(a), record)
      const { events: posts } = yield* readPosts(a)
      assert.deepStrictEqual(posts, [
        { id: x, time: timeOfStep(1), source: "test", label: "ann", document, sentiment: 0.1 },
        { id: y, time: timeOfStep(1), source: "test", label: null, document: null, sentiment: null }
      ])
      assert.deepStrictEqual(yield* readIds(b), [x])
      const all = yield* readIds(undefined, 0, 288, 10_000)
      for (const id of [x, y, z]) assert.lengthOf(all.filter((one) => one === id), 1)
    })
  ],

  [
    "changes the revisions of all old and new subjects when an event changes, moves or is removed",
    Effect.gen(function*() {
      const fence = yield* takeNewLead
      const [a, b, c, id] = [makeName(), makeName(), makeName(), makeName("id")]
      const coverage = [a, b, c].map((subject) => ({ subject, covers: [stepInterval(0, 50)] }))
      yield* writePosts(fence, [makePost(id, 10, [a, b])], { covering: coverage })
      const revisions = Effect.forEach(
        [a, b, c],
        (subject) => Effect.map(readPostRecord(subject), (one) => one.revision)
      )
      const assertRevisionChanges = Effect.fnUntraced(function*(
        expected: ReadonlyArray<boolean>,
        write: Effect.Effect<unknown, unknown, MarketStore>
      ) {
        const before = yield* revisions
        yield* write
        const after = yield* revisions
        assert.deepStrictEqual(after.map((revision, i) => revision !== before[i]), expected)
      })
      yield* assertRevisionChanges(
        [true, true, false],
        writePosts(fence, [makePost(id, 10, [a, b], { document: "[1]" })])
      )
      // The event moves to another month, and a second write moves the event back to a time before the watermark.
      yield* assertRevisionChanges([true, true, false], writePosts(fence, [makePost(id, 288 * 20, [a, b])]))
      assert.deepStrictEqual(yield* readIds(a), [])
      assert.deepStrictEqual(yield* readIds(a, 0, 288 * 30), [id])
      yield* assertRevisionChanges(
        [false, false, false],
        writePosts(fence, [makePost(id, 288 * 20, [a, b], { label: "bob" })])
      )
      yield* assertRevisionChanges([true, true, false], writePosts(fence, [makePost(id, 20, [a, b])]))
      yield* assertRevisionChanges([true, true, true], writePosts(fence, [makePost(id, 20, [c])]))
      assert.deepStrictEqual(yield* Effect.forEach([a, b, c], (one) => readIds(one)), [[], [], [id]])
      yield* assertRevisionChanges([false, false, true], writePosts(fence, [], { removed: [id, makeName("id")] }))
      assert.deepStrictEqual(yield* readIds(c), [])
      yield* assertRevisionChanges([false, false, false], writePosts(fence, [], { removed: [id] }))
    })
  ],

  [
    "removes all events under an id prefix, and no others",
    Effect.gen(function*() {
      const fence = yield* takeNewLead
      const [a, b, idPrefix] = [makeName(), makeName(), makeName("id")]
      const prefix = `${idPrefix}/`
      const coverage = [a, b].map((subject) => ({ subject, covers: [stepInterval(0, 50)] }))
      const ids = [`${idPrefix}/1`, `${idPrefix}/2`, `${idPrefix}/`, `${idPrefix}//`, `${idPrefix}/\uffee🚀`]
      const others = [
        idPrefix,
        `${idPrefix}0`,
        `${idPrefix}.`,
        `${idPrefix}0/1`,
        `x${idPrefix}/1`,
        `${idPrefix}%/1`,
        `${idPrefix.toUpperCase()}/1`
      ]
      const events = [...ids, ...others].map((id, i) => makePost(id, i * 288, [a]))
      yield* writePosts(fence, [...events, makePost(`${idPrefix}/b`, 3, [b])], { covering: coverage })
      const before = yield* readPostRecord(a)
      // An event of the same write is kept, even if its id has the removed prefix.
      const { changed } = yield* writePosts(fence, [makePost(`${idPrefix}/1`, 7, [a])], {
        removedUnder: [prefix, prefix]
      })
      assert.strictEqual(changed, ids.length + 1)
      assert.sameMembers([...yield* readIds(a, 0, 288 * 30)], [`${idPrefix}/1`, ...others])
      assert.deepStrictEqual(yield* readIds(b), [])
      assert.notStrictEqual((yield* readPostRecord(a)).revision, before.revision)
      const after = yield* readPostRecord(a)
      assert.strictEqual((yield* writePosts(fence, [], { removedUnder: [makeName("id") + "/"] })).changed, 0)
      assert.deepStrictEqual(yield* readPostRecord(a), after)
      for (const beginning of ["", "/\0/", idPrefix]) {
        const error = yield* Effect.flip(writePosts(fence, [], { removedUnder: [beginning] }))
        assert.instanceOf(error, MarketStoreRefusal)
      }
    })
  ],

  [
    "compares ids by every character, and sorts them by code point",
    Effect.gen(function*() {
      const [fence, a] = [yield* takeNewLead, makeName()]
      const prefix = makeName("id")
      const ids = ["9007199254740992", "9007199254740993", "A", "a", "a ", "a_", "é", "ê", "\uffee", "🚀"].map((id) =>
        prefix + id
      )
      yield* writePosts(fence, ids.toReversed().map((id) => makePost(id, 3, [a])))
      assert.deepStrictEqual(yield* readIds(a), ids)
    })
  ],

  [
    "rejects an invalid event with a message that says what to change, and writes nothing",
    Effect.gen(function*() {
      const [fence, a, id] = [yield* takeNewLead, makeName(), makeName("id")]
      const invalidRows: ReadonlyArray<readonly [string, Partial<EventRow<"sentiment">>]> = [
        ["NUL", { id: "a\0b" }],
        ["an unpaired surrogate", { id: "\ud800" }],
        ["must have 1 to 256", { id: "" }],
        ["NUL", { label: "a\0b" }],
        ["write it as JSON", { document: "a\0b" }],
        ["shorten it", { document: "é".repeat(600_000) }],
        ["occurs twice", { subjects: [a, a] }],
        ["at most 50", { subjects: Array.from({ length: 51 }, (_, i) => `S${i}`) }],
        ["printable", { subjects: ["a b"] }],
        ["check its unit", { time: 1_732_000_000 }],
        ["write a finite number", { sentiment: Number.NaN }]
      ]
      for (const [text, part] of invalidRows) {
        const error = yield* Effect.flip(
          writePosts(fence, [makePost(makeName("id"), 1, [a]), makePost(id, 2, [a], part)])
        )
        assert.instanceOf(error, MarketStoreRefusal)
        assert.include(error.message, text)
      }
      const duplicateError = yield* Effect.flip(writePosts(fence, [makePost(id, 1, [a])], { removed: [id] }))
      assert.include(duplicateError.message, "occurs twice")
      assert.deepStrictEqual(yield* readIds(a), [])
      assert.isUndefined(yield* readPostRecord(a))
    })
  ]
]

const kind = eventsKinds.liquidations
const sizes = [5, 0.1, 0.2, 1e16, 1, 7]
const makeLiquidations = (subject: string, prefix: string) =>
  sizes.map((sizeUsd, i) => ({
    id: `${prefix}${i}`,
    time: timeOfStep(i * 3) + i,
    subjects: [subject],
    source: i === 5 ? "b" : "a",
    label: i % 2 === 0 ? "long" : "short",
    document: null,
    price: 100 + i,
    sizeUsd
  }))
const writeLiquidations = Effect.gen(function*() {
  const [fence, subject] = [yield* takeNewLead, makeName()]
  const covering = [{ subject, covers: [stepInterval(0, 9)], lost: [stepInterval(9, 10)] }]
  yield* useStore((store) =>
    store.writeEvents({ kind, fence, events: makeLiquidations(subject, makeName("id")), covering })
  )
  return subject
})

export const eventReadChecks: ReadonlyArray<Check> = [
  [
    "returns the newest events with the sums over all events",
    Effect.gen(function*() {
      const subject = yield* writeLiquidations
      const { events, gaps, record, sources, tallies } = yield* useStore((store) =>
        store.events({ kind, subject, ...stepInterval(0, 20), limit: 2, minimum: { column: "sizeUsd", value: 0.2 } })
      )
      assert.deepStrictEqual(events.map(({ label, sizeUsd }) => [label, sizeUsd]), [["long", 1], ["short", 7]])
      assert.deepStrictEqual(gaps, { lost: [stepInterval(9, 10)], missing: [stepInterval(10, 20)] })
      assert.strictEqual(record?.contiguousUntil, timeOfStep(10))
      assert.deepStrictEqual(sources, ["a", "b"])
      const countKnown = (count: number) => ({ price: count, sizeUsd: count })
      assert.deepStrictEqual(tallies, [
        {
          time: timeOfStep(0),
          label: "long",
          count: 3,
          labels: 1,
          sums: { price: 306, sizeUsd: 5 + 0.2 + 1 },
          known: countKnown(3)
        },
        {
          time: timeOfStep(0),
          label: "short",
          count: 2,
          labels: 1,
          sums: { price: 208, sizeUsd: 1e16 + 7 },
          known: countKnown(2)
        }
      ])
      const emptyRead = yield* useStore((store) =>
        store.events({ kind, subject: makeName(), ...stepInterval(0, 20), limit: 2 })
      )
      assert.deepStrictEqual(emptyRead, {
        record: null,
        gaps: { lost: [], missing: [stepInterval(0, 20)] },
        events: [],
        tallies: [],
        sources: []
      })
    })
  ],

  [
    "counts steps from the interval's beginning, and omits steps without events",
    Effect.gen(function*() {
      const subject = yield* writeLiquidations
      const { events, tallies } = yield* useStore((store) =>
        store.events({
          kind,
          subject,
          from: timeOfStep(3),
          to: timeOfStep(15) + 4,
          limit: 0,
          stepMs: 2 * fiveMinutesMs
        })
      )
      assert.deepStrictEqual(events, [])
      assert.deepStrictEqual(
        tallies.map((
          { count, label, sums, time }
        ) => [(time - timeOfStep(0)) / fiveMinutesMs, label, count, sums.sizeUsd]),
        [[3, "short", 1, 0.1], [5, "long", 1, 0.2], [9, "short", 1, 1e16], [11, "long", 1, 1]]
      )
    })
  ],

  [
    "tallies events, authors and sums of known values for many subjects",
    Effect.gen(function*() {
      const fence = yield* takeNewLead
      const [a, b, subjectWithoutEvents] = [makeName(), makeName(), makeName()]
      const posts = [
        makePost(makeName("id"), 1, [a], { sentiment: 0.5 }),
        makePost(makeName("id"), 2, [a, b], { label: "bob" }),
        makePost(makeName("id"), 3, [a], { sentiment: -0.25 }),
        makePost(makeName("id"), 30, [b], { label: null, sentiment: 0 })
      ]
      yield* writePosts(fence, posts, { covering: [{ subject: subjectWithoutEvents, covers: [stepInterval(0, 40)] }] })
      const read = yield* useStore((store) =>
        store.tallies({
          kind: eventsKinds.posts,
          subjects: [a, b, subjectWithoutEvents, makeName()],
          ...stepInterval(0, 36),
          stepMs: 12 * fiveMinutesMs
        })
      )
      const readEntries = [...read].map(([subject, { tallies }]): readonly [string, unknown] => [
        subject,
        tallies.map(({ count, known, label, labels, sums, time }) => [
          (time - timeOfStep(0)) / fiveMinutesMs,
          label,
          count,
          labels,
          sums.sentiment,
          known.sentiment
        ])
      ])
      assert.deepStrictEqual(
        new Map(readEntries),
        new Map<string, unknown>([
          [a, [[0, null, 3, 2, 0.25, 2]]],
          [b, [[0, null, 1, 1, 0, 0], [24, null, 1, 0, 0, 1]]],
          [subjectWithoutEvents, []]
        ])
      )
      assert.strictEqual(read.get(subjectWithoutEvents)?.record.contiguousUntil, timeOfStep(40))
    })
  ]
]
