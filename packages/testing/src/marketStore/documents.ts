import { assert } from "@effect/vitest"
import { documentsKinds, marketBounds, MarketStoreRefusal, Superseded } from "@tapeline/core/market/store"
import { Effect } from "effect"
import { at, type Check, newFence, newName, on } from "./fixtures.ts"

const kind = documentsKinds.orderBooks
const row = (key: string, i: number, document: string) => ({ key, time: at(i), source: "test", document })
const read = (keys: ReadonlyArray<string>) => on((store) => store.documents({ kind, keys }))

export const documents: ReadonlyArray<Check> = [
  [
    "the newest document is kept by key; what is older changes nothing, nor does the same again",
    Effect.gen(function*() {
      const fence = yield* newFence
      const [a, b] = [newName("돌"), newName("k")]
      const write = (...documents: ReadonlyArray<ReturnType<typeof row>>) =>
        Effect.map(on((store) => store.writeDocuments({ kind, fence, documents })), ({ changed }) => changed)
      const text = JSON.stringify({ text: "\0 \ud800 돌파 🚀 \\ \"" })
      assert.strictEqual(yield* write(row(a, 2, text), row(b, 5, "[]")), 2)
      assert.strictEqual(yield* write(row(a, 2, text)), 0)
      assert.strictEqual(yield* write(row(a, 1, "[1]"), row(b, 5, "[2]")), 1)
      assert.deepStrictEqual(
        yield* read([b, a, newName("k")]),
        new Map([[b, row(b, 5, "[2]")], [a, row(a, 2, text)]])
      )
      const all = yield* on((store) => store.documents({ kind }))
      assert.isTrue([a, b].every((key) => all.has(key)))
      const other = yield* on((store) => store.documents({ kind: documentsKinds.futures, keys: [a] }))
      assert.strictEqual(other.size, 0)
      const { changed } = yield* on((store) =>
        store.writeDocuments({ kind, fence, documents: [], removed: [a, newName("k")] })
      )
      assert.strictEqual(changed, 1)
      assert.deepStrictEqual([...(yield* read([a, b])).keys()], [b])
    })
  ],

  [
    "what a clock told that was ahead of the writer's is replaced by what is told now, and by no older one otherwise",
    Effect.gen(function*() {
      const fence = yield* newFence
      const [a, b] = [newName("k"), newName("k")]
      const write = (now: number, ...documents: ReadonlyArray<ReturnType<typeof row>>) =>
        Effect.map(
          on((store) => store.writeDocuments({ kind, fence, documents, now: at(now) })),
          ({ changed }) => changed
        )
      assert.strictEqual(yield* write(9, row(a, 9, "[]"), row(b, 2, "[]")), 2)
      assert.strictEqual(yield* write(9, row(a, 3, "[1]")), 0)
      assert.strictEqual(yield* write(3, row(a, 3, "[1]"), row(b, 1, "[1]")), 1)
      assert.strictEqual(yield* write(3, row(a, 3, "[1]")), 0)
      assert.strictEqual(yield* write(4, row(a, 4, "[2]")), 1)
      assert.deepStrictEqual(yield* read([a, b]), new Map([[a, row(a, 4, "[2]")], [b, row(b, 2, "[]")]]))
      const refused = yield* Effect.flip(
        on((store) => store.writeDocuments({ kind, fence, documents: [], now: Number.NaN }))
      )
      assert.include(refused.message, "whole milliseconds")
    })
  ],

  [
    "documents are written whole, under a fence, and what is mistaken is refused",
    Effect.gen(function*() {
      const fence = yield* newFence
      const [a, b] = [newName("k"), newName("k")]
      const write = (
        documents: ReadonlyArray<ReturnType<typeof row>>,
        by = fence
      ) => Effect.flip(on((store) => store.writeDocuments({ kind, fence: by, documents })))
      assert.include((yield* write([row(a, 1, "[]"), row(b, 1, "\0")])).message, "write it as JSON")
      assert.instanceOf(yield* write([row(a, 1, "[]"), row(a, 2, "[]")]), MarketStoreRefusal)
      assert.instanceOf(yield* write([row("", 1, "[]")]), MarketStoreRefusal)
      assert.instanceOf(yield* write([{ ...row(a, 1, "[]"), time: Number.NaN }]), MarketStoreRefusal)
      assert.instanceOf(yield* write([row(a, 1, "[]")], { ...fence, epoch: fence.epoch + 1 }), Superseded)
      assert.strictEqual((yield* read([a, b])).size, 0)
    })
  ],

  [
    "a store that is full is told from a write that is wrong, and takes others",
    Effect.gen(function*() {
      const fence = yield* newFence
      const key = newName("k")
      const write = (documents: ReadonlyArray<ReturnType<typeof row>>) =>
        Effect.result(on((store) => store.writeDocuments({ kind, fence, documents })))
      const isFull = (written: Effect.Success<ReturnType<typeof write>>) =>
        written._tag === "Failure" && written.failure._tag === "MarketStoreRefusal" ? written.failure.isFull : "taken"
      const many = Array.from({ length: marketBounds.sources + 1 }, (_, i) => (
        { ...row(`${key}${i}`, 1, "[]"), source: `s${i}` }
      ))
      assert.strictEqual(isFull(yield* write(many)), true)
      assert.isUndefined(isFull(yield* write([row(key, 1, "\0")])))
      assert.strictEqual(isFull(yield* write([row(key, 1, "[]")])), "taken")
      assert.deepStrictEqual([...(yield* read([key, `${key}0`])).keys()], [key])
    })
  ]
]
