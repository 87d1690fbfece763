import { assert, it } from "@effect/vitest"
import { ClusterTiming } from "@tapeline/cluster"
import { Effect, Exit, Fiber, Layer } from "effect"
import { PersistenceError } from "effect/cluster/ClusterError"
import { Runner } from "effect/cluster/Runner"
import * as RunnerAddress from "effect/cluster/RunnerAddress"
import * as RunnerStorage from "effect/cluster/RunnerStorage"
import * as ShardId from "effect/cluster/ShardId"
import { TestClock } from "effect/testing"
import { ShardRenewals } from "../../cluster/src/ShardRenewals.ts"

const address = RunnerAddress.make("here", 1)
const shards = [ShardId.make("default", 1)]

/** A storage whose lock operations, or all operations, can be made to fail or to hang. */
const observed = (fails: { locks: boolean; all: boolean; hangs?: boolean }) => {
  const storage = Layer.effect(
    RunnerStorage.RunnerStorage,
    Effect.map(RunnerStorage.RunnerStorage, (memory) => {
      const failWithPersistenceError = Effect.fail(new PersistenceError({ cause: "away" }))
      return {
        ...memory,
        refresh: (at: RunnerAddress.RunnerAddress, ids: Iterable<ShardId.ShardId>) =>
          Effect.suspend(() =>
            fails.hangs === true
              ? Effect.never
              : fails.all || (fails.locks && Array.from(ids).length > 0)
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

/** Renews the shards every second, as `Sharding` does. After a failed renewal, the next renewal contains no shards. */
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

it.effect.each(
  [
    { what: "fails", fault: { all: true } },
    { what: "does not end", fault: { hangs: true } }
  ] as const
)("keeps the shards for two thirds of their lease if a renewal $what", ({ fault }) => {
  const fails = { locks: false, all: false, hangs: false }
  return Effect.gen(function*() {
    const storage = yield* RunnerStorage.RunnerStorage
    yield* storage.refresh(address, shards)
    Object.assign(fails, fault)
    // The lease lasts 3 s. The cluster gives up all shards if a renewal takes 1 s.
    yield* TestClock.adjust("1 second")
    const inTime = yield* Effect.forkChild(storage.refresh(address, shards), { startImmediately: true })
    yield* TestClock.adjust("750 millis")
    assert.deepStrictEqual(inTime.pollUnsafe(), Exit.succeed(shards))
    yield* TestClock.adjust("250 millis")
    const tooLate = yield* Effect.forkChild(storage.refresh(address, shards), { startImmediately: true })
    yield* TestClock.adjust("999 millis")
    const exit = tooLate.pollUnsafe()
    assert.isFalse(exit !== undefined && Exit.isSuccess(exit))
    yield* Fiber.interrupt(tooLate)
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

const runnerAt = (host: string) => Runner.make({ address: RunnerAddress.make(host, 1), groups: ["default"], weight: 1 })

/** Returns for each registered process whether it may hold shards. */
const readHealth = Effect.gen(function*() {
  const storage = yield* RunnerStorage.RunnerStorage
  return Object.fromEntries((yield* storage.getRunners).map(([{ address }, healthy]) => [address.host, healthy]))
})

it.effect("registers a new process without shards until it is steady, if another process can hold the shards", () =>
  Effect.gen(function*() {
    const storage = yield* RunnerStorage.RunnerStorage
    yield* TestClock.adjust("1 second")
    yield* storage.register(runnerAt("living"), true)
    yield* storage.register(runnerAt("new"), true)
    assert.deepStrictEqual(yield* readHealth, { living: true, new: false })
    yield* TestClock.adjust("999 millis")
    assert.deepStrictEqual(yield* readHealth, { living: true, new: false })
    yield* TestClock.adjust("1 millis")
    assert.deepStrictEqual(yield* readHealth, { living: true, new: true })
    yield* storage.register(runnerAt("later"), true)
    assert.deepStrictEqual(yield* readHealth, { living: true, new: true, later: true })
  }).pipe(Effect.provide(observed({ locks: false, all: false }))))

it.effect("registers a new process with shards at once, if no other process can hold the shards", () =>
  Effect.gen(function*() {
    const storage = yield* RunnerStorage.RunnerStorage
    yield* storage.register(runnerAt("frozen"), false)
    yield* storage.register(runnerAt("new"), true)
    assert.deepStrictEqual(yield* readHealth, { frozen: false, new: true })
  }).pipe(Effect.provide(observed({ locks: false, all: false }))))
