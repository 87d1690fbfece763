import { assert, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { TestClock } from "effect/testing"
import { makeFailureLog } from "../../src/engine/credits/unreservedCalls.ts"

const Transaction = Context.Reference<string | null>("test/Transaction", { defaultValue: () => null })

const makeCall = (id: number) =>
  ({ id, account: 1, actor: { _tag: "Key", key: 1 }, tool: "get_price", credits: 1 }) as const

it.effect("records failed calls in batches, and not in the context of a caller", () =>
  Effect.gen(function*() {
    const batches: Array<{ readonly ids: ReadonlyArray<number>; readonly transaction: string | null }> = []
    const record = yield* makeFailureLog((calls) =>
      Effect.map(Transaction, (transaction) => void batches.push({ ids: calls.map(({ id }) => id), transaction }))
    )
    yield* Effect.provideService(record(makeCall(1)), Transaction, "of the caller")
    yield* record(makeCall(2))
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(batches, [{ ids: [1, 2], transaction: null }])
    yield* record(makeCall(3))
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(batches[1], { ids: [3], transaction: null })
  }))
