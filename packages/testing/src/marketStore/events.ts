import { assert } from "@effect/vitest"
import { type EventRow, eventsKinds, type MarketStore, MarketStoreRefusal } from "@tapeline/core/market/store"
import { Effect } from "effect"
import {
  at,
  type Check,
  newFence,
  newName,
  on,
  post,
  postRecord,
  readPosts,
  span,
  step,
  writePosts
} from "./fixtures.ts"

const idsOf = (subject: string | undefined, from = 0, to = 288, limit = 100) =>
  Effect.map(readPosts(subject, from, to, limit), ({ events }) => events.map(({ id }) => id))

export const writingEvents: ReadonlyArray<Check> = [
  [
    "an event is there once, whatever it is about, and the same write again changes nothing",
    Effect.gen(function*() {
      const fence = yield* newFence
      const [a, b, x, y, z] = [newName(), newName(), newName("id"), newName("id"), newName("id")]
      const document = JSON.stringify({ text: "돌파 «вход» \" \\ 🚀 \0 \ud800", n: 9_007_199_254_740_993n.toString() })
      const events = [
        post(x, 1, [a, b], { document, sentiment: 0.1 }),
        post(y, 1, [a], { label: null, document: null }),
        post(z, 2, [])
      ]
      const covering = [{ subject: a, covers: [span(0, 5)] }]
      assert.strictEqual((yield* writePosts(fence, events, { covering })).changed, 4)
      const record = yield* postRecord(a)
      assert.strictEqual(record.contiguousUntil, at(5))
      assert.strictEqual((yield* postRecord(b)).contiguousUntil, 0)
      assert.strictEqual((yield* writePosts(fence, events, { covering })).changed, 0)
      assert.deepStrictEqual(yield* postRecord(a), record)
      const { events: found } = yield* readPosts(a)
      assert.deepStrictEqual(found, [
        { id: x, time: at(1), source: "test", label: "ann", document, sentiment: 0.1 },
        { id: y, time: at(1), source: "test", label: null, document: null, sentiment: null }
      ])
      assert.deepStrictEqual(yield* idsOf(b), [x])
      const all = yield* idsOf(undefined, 0, 288, 10_000)
      for (const id of [x, y, z]) assert.lengthOf(all.filter((one) => one === id), 1)
    })
  ],

  [
    "an event that changes, moves, is about others or goes, is another for all whom it was and is about",
    Effect.gen(function*() {
      const fence = yield* newFence
      const [a, b, c, id] = [newName(), newName(), newName(), newName("id")]
      const covering = [a, b, c].map((subject) => ({ subject, covers: [span(0, 50)] }))
      yield* writePosts(fence, [post(id, 10, [a, b])], { covering })
      const revisions = Effect.forEach([a, b, c], (subject) => Effect.map(postRecord(subject), (one) => one.revision))
      const changes = Effect.fnUntraced(function*(
        expected: ReadonlyArray<boolean>,
        write: Effect.Effect<unknown, unknown, MarketStore>
      ) {
        const before = yield* revisions
        yield* write
        const after = yield* revisions
        assert.deepStrictEqual(after.map((revision, i) => revision !== before[i]), expected)
      })
      yield* changes([true, true, false], writePosts(fence, [post(id, 10, [a, b], { document: "[1]" })]))
      // Moved to another month, and back before the watermark.
      yield* changes([true, true, false], writePosts(fence, [post(id, 288 * 20, [a, b])]))
      assert.deepStrictEqual(yield* idsOf(a), [])
      assert.deepStrictEqual(yield* idsOf(a, 0, 288 * 30), [id])
      yield* changes([false, false, false], writePosts(fence, [post(id, 288 * 20, [a, b], { label: "bob" })]))
      yield* changes([true, true, false], writePosts(fence, [post(id, 20, [a, b])]))
      yield* changes([true, true, true], writePosts(fence, [post(id, 20, [c])]))
      assert.deepStrictEqual(yield* Effect.forEach([a, b, c], (one) => idsOf(one)), [[], [], [id]])
      yield* changes([false, false, true], writePosts(fence, [], { removed: [id, newName("id")] }))
      assert.deepStrictEqual(yield* idsOf(c), [])
      yield* changes([false, false, false], writePosts(fence, [], { removed: [id] }))
    })
  ],

  [
    "events whose ids begin alike are forgotten together, and no others",
    Effect.gen(function*() {
      const fence = yield* newFence
      const [a, b, who] = [newName(), newName(), newName("id")]
      const under = `${who}/`
      const covering = [a, b].map((subject) => ({ subject, covers: [span(0, 50)] }))
      const own = [`${who}/1`, `${who}/2`, `${who}/`, `${who}//`, `${who}/\uffee🚀`]
      const others = [who, `${who}0`, `${who}.`, `${who}0/1`, `x${who}/1`, `${who}%/1`, `${who.toUpperCase()}/1`]
      const events = [...own, ...others].map((id, i) => post(id, i * 288, [a]))
      yield* writePosts(fence, [...events, post(`${who}/b`, 3, [b])], { covering })
      const before = yield* postRecord(a)
      // An event that the same write contains stays.
      const { changed } = yield* writePosts(fence, [post(`${who}/1`, 7, [a])], { removedUnder: [under, under] })
      assert.strictEqual(changed, own.length + 1)
      assert.sameMembers([...yield* idsOf(a, 0, 288 * 30)], [`${who}/1`, ...others])
      assert.deepStrictEqual(yield* idsOf(b), [])
      assert.notStrictEqual((yield* postRecord(a)).revision, before.revision)
      const after = yield* postRecord(a)
      assert.strictEqual((yield* writePosts(fence, [], { removedUnder: [newName("id") + "/"] })).changed, 0)
      assert.deepStrictEqual(yield* postRecord(a), after)
      for (const beginning of ["", "/\0/", who]) {
        const error = yield* Effect.flip(writePosts(fence, [], { removedUnder: [beginning] }))
        assert.instanceOf(error, MarketStoreRefusal)
      }
    })
  ],

  [
    "ids are texts, told apart by every character, in the order of their code points",
    Effect.gen(function*() {
      const [fence, a] = [yield* newFence, newName()]
      const prefix = newName("id")
      const ids = ["9007199254740992", "9007199254740993", "A", "a", "a ", "a_", "é", "ê", "\uffee", "🚀"].map((id) =>
        prefix + id
      )
      yield* writePosts(fence, ids.toReversed().map((id) => post(id, 3, [a])))
      assert.deepStrictEqual(yield* idsOf(a), ids)
    })
  ],

  [
    "what is mistaken in an event is refused with what to change, and nothing is written",
    Effect.gen(function*() {
      const [fence, a, id] = [yield* newFence, newName(), newName("id")]
      const mistakes: ReadonlyArray<readonly [string, Partial<EventRow<"sentiment">>]> = [
        ["NUL", { id: "a\0b" }],
        ["half of a surrogate pair", { id: "\ud800" }],
        ["give 1 to 256", { id: "" }],
        ["NUL", { label: "a\0b" }],
        ["write it as JSON", { document: "a\0b" }],
        ["shorten it", { document: "é".repeat(600_000) }],
        ["is there twice", { subjects: [a, a] }],
        ["at most 50", { subjects: Array.from({ length: 51 }, (_, i) => `S${i}`) }],
        ["printable", { subjects: ["a b"] }],
        ["check its unit", { time: 1_732_000_000 }],
        ["give a finite number", { sentiment: Number.NaN }]
      ]
      for (const [text, part] of mistakes) {
        const error = yield* Effect.flip(writePosts(fence, [post(newName("id"), 1, [a]), post(id, 2, [a], part)]))
        assert.instanceOf(error, MarketStoreRefusal)
        assert.include(error.message, text)
      }
      const twice = yield* Effect.flip(writePosts(fence, [post(id, 1, [a])], { removed: [id] }))
      assert.include(twice.message, "is there twice")
      assert.deepStrictEqual(yield* idsOf(a), [])
      assert.isUndefined(yield* postRecord(a))
    })
  ]
]

const kind = eventsKinds.liquidations
const sizes = [5, 0.1, 0.2, 1e16, 1, 7]
const liquidations = (subject: string, prefix: string) =>
  sizes.map((sizeUsd, i) => ({
    id: `${prefix}${i}`,
    time: at(i * 3) + i,
    subjects: [subject],
    source: i === 5 ? "b" : "a",
    label: i % 2 === 0 ? "long" : "short",
    document: null,
    price: 100 + i,
    sizeUsd
  }))
const written = Effect.gen(function*() {
  const [fence, subject] = [yield* newFence, newName()]
  const covering = [{ subject, covers: [span(0, 9)], lost: [span(9, 10)] }]
  yield* on((store) => store.writeEvents({ kind, fence, events: liquidations(subject, newName("id")), covering }))
  return subject
})

export const readingEvents: ReadonlyArray<Check> = [
  [
    "the newest events come with the sums of all of them",
    Effect.gen(function*() {
      const subject = yield* written
      const { events, gaps, record, sources, tallies } = yield* on((store) =>
        store.events({ kind, subject, ...span(0, 20), limit: 2, least: { column: "sizeUsd", value: 0.2 } })
      )
      assert.deepStrictEqual(events.map(({ label, sizeUsd }) => [label, sizeUsd]), [["long", 1], ["short", 7]])
      assert.deepStrictEqual(gaps, { lost: [span(9, 10)], missing: [span(10, 20)] })
      assert.strictEqual(record?.contiguousUntil, at(10))
      assert.deepStrictEqual(sources, ["a", "b"])
      const known = (count: number) => ({ price: count, sizeUsd: count })
      assert.deepStrictEqual(tallies, [
        {
          time: at(0),
          label: "long",
          count: 3,
          labels: 1,
          sums: { price: 306, sizeUsd: 5 + 0.2 + 1 },
          known: known(3)
        },
        { time: at(0), label: "short", count: 2, labels: 1, sums: { price: 208, sizeUsd: 1e16 + 7 }, known: known(2) }
      ])
      const none = yield* on((store) => store.events({ kind, subject: newName(), ...span(0, 20), limit: 2 }))
      assert.deepStrictEqual(none, {
        record: null,
        gaps: { lost: [], missing: [span(0, 20)] },
        events: [],
        tallies: [],
        sources: []
      })
    })
  ],

  [
    "steps count from the interval's beginning, and those without an event are missing",
    Effect.gen(function*() {
      const subject = yield* written
      const { events, tallies } = yield* on((store) =>
        store.events({ kind, subject, from: at(3), to: at(15) + 4, limit: 0, stepMs: 2 * step })
      )
      assert.deepStrictEqual(events, [])
      assert.deepStrictEqual(
        tallies.map(({ count, label, sums, time }) => [(time - at(0)) / step, label, count, sums.sizeUsd]),
        [[3, "short", 1, 0.1], [5, "long", 1, 0.2], [9, "short", 1, 1e16], [11, "long", 1, 1]]
      )
    })
  ],

  [
    "tallies of many subjects tell events, authors, and sums of what is known",
    Effect.gen(function*() {
      const fence = yield* newFence
      const [a, b, silent] = [newName(), newName(), newName()]
      const posts = [
        post(newName("id"), 1, [a], { sentiment: 0.5 }),
        post(newName("id"), 2, [a, b], { label: "bob" }),
        post(newName("id"), 3, [a], { sentiment: -0.25 }),
        post(newName("id"), 30, [b], { label: null, sentiment: 0 })
      ]
      yield* writePosts(fence, posts, { covering: [{ subject: silent, covers: [span(0, 40)] }] })
      const read = yield* on((store) =>
        store.tallies({
          kind: eventsKinds.posts,
          subjects: [a, b, silent, newName()],
          ...span(0, 36),
          stepMs: 12 * step
        })
      )
      const told = [...read].map(([subject, { tallies }]): readonly [string, unknown] => [
        subject,
        tallies.map(({ count, known, label, labels, sums, time }) => [
          (time - at(0)) / step,
          label,
          count,
          labels,
          sums.sentiment,
          known.sentiment
        ])
      ])
      assert.deepStrictEqual(
        new Map(told),
        new Map<string, unknown>([
          [a, [[0, null, 3, 2, 0.25, 2]]],
          [b, [[0, null, 1, 1, 0, 0], [24, null, 1, 0, 0, 1]]],
          [silent, []]
        ])
      )
      assert.strictEqual(read.get(silent)?.record.contiguousUntil, at(40))
    })
  ]
]
