import { assert } from "@effect/vitest"
import { documentsKinds, marketStoreLimits, MarketStoreRefusal, Superseded } from "@tapeline/core/market/store"
import { Effect } from "effect"
import { type Check, makeName, takeNewLead, timeOfStep, useStore } from "./fixtures.ts"

const kind = documentsKinds.orderBooks
const makeRow = (key: string, i: number, document: string) => ({ key, time: timeOfStep(i), source: "test", document })
const readDocuments = (keys: ReadonlyArray<string>) => useStore((store) => store.documents({ kind, keys }))

export const documentChecks: ReadonlyArray<Check> = [
  [
    "keeps the newest document of a key; an older or repeated one changes nothing",
    Effect.gen(function*() {
      const fence = yield* takeNewLead
      const [a, b] = [makeName("돌"), makeName("k")]
      const writeDocuments = (...documents: ReadonlyArray<ReturnType<typeof makeRow>>) =>
        Effect.map(useStore((store) => store.writeDocuments({ kind, fence, documents })), ({ changed }) => changed)
      const text = JSON.stringify({ text: "\0 \ud800 돌파 🚀 \\ \"" })
      assert.strictEqual(yield* writeDocuments(makeRow(a, 2, text), makeRow(b, 5, "[]")), 2)
      assert.strictEqual(yield* writeDocuments(makeRow(a, 2, text)), 0)
      assert.strictEqual(yield* writeDocuments(makeRow(a, 1, "[1]"), makeRow(b, 5, "[2]")), 1)
      assert.deepStrictEqual(
        yield* readDocuments([b, a, makeName("k")]),
        new Map([[b, makeRow(b, 5, "[2]")], [a, makeRow(a, 2, text)]])
      )
      const all = yield* useStore((store) => store.documents({ kind }))
      assert.isTrue([a, b].every((key) => all.has(key)))
      const other = yield* useStore((store) => store.documents({ kind: documentsKinds.futures, keys: [a] }))
      assert.strictEqual(other.size, 0)
      const { changed } = yield* useStore((store) =>
        store.writeDocuments({ kind, fence, documents: [], removed: [a, makeName("k")] })
      )
      assert.strictEqual(changed, 1)
      assert.deepStrictEqual([...(yield* readDocuments([a, b])).keys()], [b])
    })
  ],

  [
    "replaces a document from the future with a current one, and keeps it from older ones otherwise",
    Effect.gen(function*() {
      const fence = yield* takeNewLead
      const [a, b] = [makeName("k"), makeName("k")]
      const writeDocuments = (now: number, ...documents: ReadonlyArray<ReturnType<typeof makeRow>>) =>
        Effect.map(
          useStore((store) => store.writeDocuments({ kind, fence, documents, now: timeOfStep(now) })),
          ({ changed }) => changed
        )
      assert.strictEqual(yield* writeDocuments(9, makeRow(a, 9, "[]"), makeRow(b, 2, "[]")), 2)
      assert.strictEqual(yield* writeDocuments(9, makeRow(a, 3, "[1]")), 0)
      assert.strictEqual(yield* writeDocuments(3, makeRow(a, 3, "[1]"), makeRow(b, 1, "[1]")), 1)
      assert.strictEqual(yield* writeDocuments(3, makeRow(a, 3, "[1]")), 0)
      assert.strictEqual(yield* writeDocuments(4, makeRow(a, 4, "[2]")), 1)
      assert.deepStrictEqual(
        yield* readDocuments([a, b]),
        new Map([[a, makeRow(a, 4, "[2]")], [b, makeRow(b, 2, "[]")]])
      )
      const error = yield* Effect.flip(
        useStore((store) => store.writeDocuments({ kind, fence, documents: [], now: Number.NaN }))
      )
      assert.include(error.message, "whole milliseconds")
    })
  ],

  [
    "writes documents atomically under a fence, and rejects invalid ones",
    Effect.gen(function*() {
      const fence = yield* takeNewLead
      const [a, b] = [makeName("k"), makeName("k")]
      const writeDocuments = (
        documents: ReadonlyArray<ReturnType<typeof makeRow>>,
        writingFence = fence
      ) => Effect.flip(useStore((store) => store.writeDocuments({ kind, fence: writingFence, documents })))
      assert.include((yield* writeDocuments([makeRow(a, 1, "[]"), makeRow(b, 1, "\0")])).message, "write it as JSON")
      assert.instanceOf(yield* writeDocuments([makeRow(a, 1, "[]"), makeRow(a, 2, "[]")]), MarketStoreRefusal)
      assert.instanceOf(yield* writeDocuments([makeRow("", 1, "[]")]), MarketStoreRefusal)
      assert.instanceOf(yield* writeDocuments([{ ...makeRow(a, 1, "[]"), time: Number.NaN }]), MarketStoreRefusal)
      assert.instanceOf(yield* writeDocuments([makeRow(a, 1, "[]")], { ...fence, epoch: fence.epoch + 1 }), Superseded)
      assert.strictEqual((yield* readDocuments([a, b])).size, 0)
    })
  ],

  [
    "distinguishes a full store from an invalid write, and accepts later writes",
    Effect.gen(function*() {
      const fence = yield* takeNewLead
      const key = makeName("k")
      const writeDocuments = (documents: ReadonlyArray<ReturnType<typeof makeRow>>) =>
        Effect.result(useStore((store) => store.writeDocuments({ kind, fence, documents })))
      const isFull = (writeResult: Effect.Success<ReturnType<typeof writeDocuments>>) =>
        writeResult._tag === "Failure" && writeResult.failure._tag === "MarketStoreRefusal"
          ? writeResult.failure.isFull
          : "taken"
      const tooManySources = Array.from({ length: marketStoreLimits.maxSources + 1 }, (_, i) => (
        { ...makeRow(`${key}${i}`, 1, "[]"), source: `s${i}` }
      ))
      assert.strictEqual(isFull(yield* writeDocuments(tooManySources)), true)
      assert.isUndefined(isFull(yield* writeDocuments([makeRow(key, 1, "\0")])))
      assert.strictEqual(isFull(yield* writeDocuments([makeRow(key, 1, "[]")])), "taken")
      assert.deepStrictEqual([...(yield* readDocuments([key, `${key}0`])).keys()], [key])
    })
  ]
]
