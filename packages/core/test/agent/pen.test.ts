import { assert, it } from "@effect/vitest"
import { GenerationStore } from "@tapeline/core/agent"
import { MemoryStores } from "@tapeline/testing"
import { begin, endOf, newAccount } from "@tapeline/testing/agent/fixtures"
import { Clock, Effect } from "effect"
import { makePen } from "../../src/agent/run/Pen.ts"

it.effect("finds a cancel that another process stored at the same millisecond as the last write", () =>
  Effect.gen(function*() {
    const store = yield* GenerationStore
    const { conversation, id } = yield* begin(yield* newAccount)
    const generation = yield* store.take(id, 0)
    assert(generation !== null)
    const pen = makePen(store, generation, yield* Clock.currentTimeMillis, Effect.never)
    yield* pen.confirm
    yield* store.endAnyway(id, () => endOf(conversation, { outcome: "cancelled" }))
    assert.strictEqual((yield* Effect.flip(pen.confirm))._tag, "FenceLost")
  }).pipe(Effect.provide(MemoryStores)))
