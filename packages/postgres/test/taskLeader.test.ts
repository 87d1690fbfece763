import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { TaskStore } from "@tapeline/core/personal"
import { PgStores } from "@tapeline/postgres"
import { Effect, Layer } from "effect"
import { makeFreshPostgres } from "./support/databases.ts"

const leaseMs = 15_000

const age = (ms: number) =>
  Effect.flatMap(PgClient.PgClient, (sql) => sql`update task_leader set said_at = said_at - ${String(ms)}::bigint`)

/** Returns the transactions that wrote or locked the row of the leader. */
const readVersion = Effect.flatMap(
  PgClient.PgClient,
  (sql) => sql<{ readonly version: string }>`select xmin::text || '/' || xmax::text as version from task_leader`
)

describe("the leader of tasks", () => {
  it.live("renews its lease after a third of the lease, and no process writes before", () =>
    Effect.gen(function*() {
      const { acquireLeadership } = yield* TaskStore
      assert.isTrue(yield* acquireLeadership("first", leaseMs))
      const acquired = yield* readVersion
      assert.isTrue(yield* acquireLeadership("first", leaseMs))
      assert.isFalse(yield* acquireLeadership("second", leaseMs))
      assert.deepStrictEqual(yield* readVersion, acquired)
      yield* age(leaseMs / 3)
      const aged = yield* readVersion
      assert.isFalse(yield* acquireLeadership("second", leaseMs))
      assert.deepStrictEqual(yield* readVersion, aged)
      assert.isTrue(yield* acquireLeadership("first", leaseMs))
      assert.notDeepEqual(yield* readVersion, aged)
      yield* age(leaseMs)
      assert.isTrue(yield* acquireLeadership("second", leaseMs))
      assert.isFalse(yield* acquireLeadership("first", leaseMs))
    }).pipe(Effect.provide(Layer.provideMerge(PgStores, makeFreshPostgres()))))

  it.live("renews a lease that lies in the future, because the clock of the database was set back", () =>
    Effect.gen(function*() {
      const { acquireLeadership } = yield* TaskStore
      assert.isTrue(yield* acquireLeadership("first", leaseMs))
      yield* age(-3_600_000)
      assert.isTrue(yield* acquireLeadership("first", leaseMs))
      yield* age(leaseMs)
      assert.isTrue(yield* acquireLeadership("second", leaseMs))
    }).pipe(Effect.provide(Layer.provideMerge(PgStores, makeFreshPostgres()))))

  it.live("is one process, if several processes take an expired lease at the same time", () =>
    Effect.gen(function*() {
      const { acquireLeadership } = yield* TaskStore
      const holders = ["first", "second", "third", "fourth"]
      for (let round = 0; round < 5; round++) {
        const leaders = yield* Effect.forEach(holders, (holder) => acquireLeadership(holder, leaseMs), {
          concurrency: "unbounded"
        })
        assert.lengthOf(leaders.filter((isLeader) => isLeader), 1)
        yield* age(leaseMs)
      }
    }).pipe(Effect.provide(Layer.provideMerge(PgStores, makeFreshPostgres()))))
})
