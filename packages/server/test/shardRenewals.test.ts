import { assert, it } from "@effect/vitest"
import { ClusterTiming } from "@tapeline/cluster"
import { Effect, Layer } from "effect"
import { PersistenceError } from "effect/cluster/ClusterError"
import * as RunnerAddress from "effect/cluster/RunnerAddress"
import * as RunnerStorage from "effect/cluster/RunnerStorage"
import * as ShardId from "effect/cluster/ShardId"
import { TestClock } from "effect/testing"
import { ShardRenewals } from "../../cluster/src/ShardRenewals.ts"

const address = RunnerAddress.make("here", 1)
const shards = [ShardId.make("default", 1)]

/** A storage whose lock operations, or all operations, can be made to fail. */
const observed = (fails: { locks: boolean; all: boolean }) => {
  const storage = Layer.effect(
    RunnerStorage.RunnerStorage,
    Effect.map(RunnerStorage.RunnerStorage, (memory) => {
      const failWithPersistenceError = Effect.fail(new PersistenceError({ cause: "away" }))
      return {
        ...memory,
        refresh: (at: RunnerAddress.RunnerAddress, ids: Iterable<ShardId.ShardId>) =>
          Effect.suspend(() =>
            fails.all || (fails.locks && Array.from(ids).length > 0)
              ? failWithPersistenceError
              : memory.refresh(at, ids)
          )
      }
    })
  ).pipe(Layer.provide(RunnerStorage.layerMemory))
  return ShardRenewals.layer.pipe(
    Layer.provide(storage),
    Layer.provide(Layer.succeed(ClusterTiming, { heartbeatTtlMs: 3_000, pollIntervalMs: 1_000, stopTimeoutMs: 500 }))
  )
}

/** Renews every second as `Sharding` does: after a failed renewal, the next renewal is without shards. */
const renew = Effect.fnUntraced(function*(seconds: number) {
  const storage = yield* RunnerStorage.RunnerStorage
  for (let i = 0; i < seconds; i++) {
    const failed = yield* Effect.isFailure(storage.refresh(address, shards))
    if (failed) yield* Effect.ignore(storage.refresh(address, []))
    yield* TestClock.adjust("1 second")
  }
})

it.effect("is not current after the locks have expired without a renewal, although heartbeats succeed", () => {
  const fails = { locks: false, all: false }
  return Effect.gen(function*() {
    const renewals = yield* ShardRenewals
    yield* renew(5)
    fails.locks = true
    yield* renew(2)
    assert.isTrue(renewals.isCurrent())
    yield* renew(2)
    assert.isFalse(renewals.isCurrent())
    fails.locks = false
    yield* renew(1)
    assert.isTrue(renewals.isCurrent())
  }).pipe(Effect.provide(observed(fails)))
})

it.effect("is not current after the process was suspended, until it renews", () =>
  Effect.gen(function*() {
    const renewals = yield* ShardRenewals
    yield* renew(2)
    yield* TestClock.adjust("10 seconds")
    assert.isFalse(renewals.isCurrent())
    yield* renew(1)
    assert.isTrue(renewals.isCurrent())
  }).pipe(Effect.provide(observed({ locks: false, all: false }))))

it.effect("is steady two thirds of a heartbeat's lifetime after the start, and a whole one after an outage", () => {
  const fails = { locks: false, all: false }
  return Effect.gen(function*() {
    const renewals = yield* ShardRenewals
    yield* renew(1)
    assert.isFalse(renewals.isSteady())
    yield* renew(2)
    assert.isTrue(renewals.isSteady())
    fails.all = true
    yield* renew(3)
    assert.isFalse(renewals.isSteady())
    fails.all = false
    yield* renew(2)
    assert.isFalse(renewals.isSteady())
    yield* renew(2)
    assert.isTrue(renewals.isSteady())
  }).pipe(Effect.provide(observed(fails)))
})
