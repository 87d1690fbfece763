import { assert, it } from "@effect/vitest"
import { GenerationStore } from "@tapeline/core/agent"
import { MemoryStores } from "@tapeline/testing"
import { makeEnd, newAccount, startNewGeneration } from "@tapeline/testing/agent/fixtures"
import { Clock, Effect } from "effect"
import { makeFencedWriter } from "../../src/agent/run/FencedWriter.ts"

it.effect("detects a cancel that another process stored in the same millisecond as the last write", () =>
  Effect.gen(function*() {
    const store = yield* GenerationStore
    const { conversation, id } = yield* startNewGeneration(yield* newAccount)
    const generation = yield* store.take(id, 0)
    assert(generation !== null)
    const fencedWriter = makeFencedWriter(store, generation, yield* Clock.currentTimeMillis, Effect.never)
    yield* fencedWriter.confirm
    yield* store.forceEnd(id, () => makeEnd(conversation, { outcome: "cancelled" }))
    assert.strictEqual((yield* Effect.flip(fencedWriter.confirm))._tag, "FenceLost")
  }).pipe(Effect.provide(MemoryStores)))
