import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { makeReadinessCheck } from "../../cluster/src/shardReadiness.ts"

it.effect("is not ready for 15 s after the process joined without a shard, and after it lost its last shard", () =>
  Effect.gen(function*() {
    const state = { renews: true, holds: false, joined: false }
    const ready = makeReadinessCheck(() =>
      state.joined ? { renewsShards: () => state.renews, holdsShard: () => state.holds } : undefined
    )
    const isReady = Effect.isSuccess(ready)
    assert.isFalse(yield* isReady)
    yield* TestClock.adjust("1 minute")
    assert.isFalse(yield* isReady)
    state.joined = true
    assert.isFalse(yield* isReady)
    yield* TestClock.adjust("14 seconds")
    assert.isFalse(yield* isReady)
    yield* TestClock.adjust("1 second")
    // A process that has no shard for 15 seconds assumes that the cluster has more processes than shards, and becomes
    // ready.
    assert.isTrue(yield* isReady)
    state.holds = true
    assert.isTrue(yield* isReady)
    yield* TestClock.adjust("1 hour")
    state.holds = false
    assert.isFalse(yield* isReady)
    yield* TestClock.adjust("14 seconds")
    assert.isFalse(yield* isReady)
    yield* TestClock.adjust("1 second")
    assert.isTrue(yield* isReady)
    state.renews = false
    assert.isFalse(yield* isReady)
  }))
