import { assert, describe, it } from "@effect/vitest"
import { ClusterTiming, layerClusterRunner } from "@tapeline/cluster"
import { layerEngine, Toolbox } from "@tapeline/core"
import {
  AgentTiming,
  GenerationLog,
  GenerationRunner,
  GenerationStore,
  layerGenerationExecutor
} from "@tapeline/core/agent"
import { generationHalts, layerMigrations, layerPostgres, PgStores } from "@tapeline/postgres"
import { makeEnd, newAccount, startNewGeneration } from "@tapeline/testing/agent/fixtures"
import { endPart, ScriptedModel, textPart, waitForCue } from "@tapeline/testing/agent/ScriptedModel"
import { isFullRun } from "@tapeline/testing/fullRun"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Logger, Scope } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { deleteOldExecutions } from "../../cluster/src/executionPruning.ts"
import { pollUntil } from "./support/service.ts"
import { migratedPostgres } from "./support/testDatabases.ts"

const runnerOn = (url: string) =>
  Layer.unwrap(Effect.map(generationHalts, (halts) => layerClusterRunner({ nodes: "many", halts }))).pipe(
    Layer.provide(layerPostgres({ url, maxConnections: 2 }))
  )

/** Sweeps are disabled, so that a run reads its row only after a notification. */
const timing = Layer.effect(
  AgentTiming,
  Effect.map(AgentTiming, (defaults) => ({ ...defaults, renewIntervalMs: 3_600_000 }))
)

const layerProcess = (url: string, model: ScriptedModel, pollIntervalMs = 100) =>
  layerGenerationExecutor.pipe(
    Layer.provideMerge(layerEngine({ toolbox: Toolbox.layer([]) })),
    Layer.provide(model.layer),
    Layer.provide(Layer.succeed(ClusterTiming, { heartbeatTtlMs: 5_000, pollIntervalMs, stopTimeoutMs: 500 })),
    Layer.provideMerge(timing),
    Layer.provideMerge(PgStores),
    Layer.provideMerge(layerMigrations),
    Layer.provideMerge(layerPostgres({ url }))
  )

const closeGeneration = (generation: number) =>
  Effect.scoped(Effect.gen(function*() {
    const [store, log] = yield* Effect.all([GenerationStore, GenerationLog])
    const { awaitNotification } = yield* log.listen(generation)
    while ((yield* store.find(generation))?.state !== "closed") yield* awaitNotification
  }))

const count = (query: string) =>
  Effect.map(
    Effect.flatMap(SqlClient, (sql) =>
      sql.unsafe<{ readonly count: number }>(`select count(*)::int as count from ${query}`)),
    ([row]) =>
      row?.count
  )

describe("A cluster of many processes", () => {
  it.live.runIf(isFullRun)(
    "places a generation once that was started repeatedly while the tables were unavailable",
    () =>
      Effect.gen(function*() {
        const { environment: { DATABASE_URL: url = "" }, sql } = yield* migratedPostgres
        yield* sql((client) => client`create view tapeline_cluster_messages as select 1 as id`)
        yield* sql((client) =>
          client.unsafe(`alter database ${new URL(url).pathname.slice(1)} set timezone = 'Asia/Seoul'`)
        )
        const isRejected = yield* Deferred.make<void>()
        let warnings = 0
        const logger = Logger.make(({ message }) => {
          if (!String(message).includes("cannot join the cluster yet")) return
          // A fifth warning proves that failed attempts lose no connection, because the process has fewer connections.
          if (++warnings === 5) Deferred.doneUnsafe(isRejected, Effect.void)
        })
        yield* Effect.gen(function*() {
          const { wake } = yield* GenerationRunner
          const { id } = yield* startNewGeneration(yield* newAccount)
          yield* wake(id)
          yield* wake(id)
          yield* Deferred.await(isRejected)
          yield* wake(id)
          yield* sql((client) => client`drop view tapeline_cluster_messages`)
          yield* closeGeneration(id)
          assert.strictEqual(yield* count("tapeline_cluster_messages where tag = 'run'"), 1)
          // The heartbeats are stored in UTC, whatever the time zone of the database is.
          const isHeartbeatOverdue = "abs(extract(epoch from last_heartbeat - (now() at time zone 'UTC'))) > 60"
          assert.strictEqual(yield* count(`tapeline_cluster_runners where ${isHeartbeatOverdue}`), 0)
        }).pipe(
          Effect.provide(
            Layer.provideMerge(runnerOn(url), layerProcess(url, new ScriptedModel(() => [textPart("42"), endPart])))
          ),
          Effect.provide(Logger.layer([logger]))
        )
      }),
    60_000
  )

  it.live(
    "deletes all messages of old executions, also from two processes at once, and no others",
    () =>
      Effect.gen(function*() {
        const { environment: { DATABASE_URL: url = "" } } = yield* migratedPostgres
        const [hasAsked, mayContinue] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const wait = Effect.andThen(Deferred.succeed(hasAsked, undefined), Deferred.await(mayContinue))
        const model = new ScriptedModel((_, n) =>
          n === 0 ? [textPart("42"), endPart] : [waitForCue(wait), textPart("42"), endPart]
        )
        yield* Effect.gen(function*() {
          const { wake } = yield* GenerationRunner
          const [over, live] = [
            yield* startNewGeneration(yield* newAccount),
            yield* startNewGeneration(yield* newAccount)
          ]
          yield* wake(over.id)
          yield* closeGeneration(over.id)
          const client = yield* SqlClient
          const left = Effect.provideService(count("tapeline_cluster_messages where not processed"), SqlClient, client)
          yield* pollUntil("the end", left, (count) => count === 0)
          yield* wake(live.id)
          yield* Deferred.await(hasAsked)
          const messages = "tapeline_cluster_messages"
          const ofLive = yield* count(`${messages} where not processed`)
          assert.isAbove(ofLive ?? 0, 0)
          yield* client.unsafe(
            `insert into ${messages} (id, shard_id, entity_type, entity_id, kind, processed, request_id)
          select n, 'default:1', 'Workflow/Old', n::text, 0, true, n from generate_series(1, 2500) as n`
          )
          yield* client.unsafe(
            "insert into tapeline_cluster_replies (id, request_id, payload) select n, n, '{}' from generate_series(1, 2500) as n"
          )
          yield* Effect.all([deleteOldExecutions(), deleteOldExecutions()], { concurrency: 2 })
          assert.strictEqual(yield* count(`${messages} where entity_type = 'Workflow/Old'`), 0)
          assert.strictEqual(yield* count("tapeline_cluster_replies where id <= 2500"), 0)
          assert.isAbove((yield* count(`${messages} where processed`)) ?? 0, 0)
          yield* deleteOldExecutions(-60_000)
          assert.strictEqual(yield* count(`${messages} where processed`), 0)
          assert.strictEqual(yield* count(`${messages} where not processed`), ofLive)
          yield* Deferred.succeed(mayContinue, undefined)
          yield* closeGeneration(live.id)
        }).pipe(Effect.provide(Layer.provideMerge(runnerOn(url), layerProcess(url, model))))
      }),
    60_000
  )

  /** Starts another process on the same stores. Waits until each of `processes` processes has shards. */
  const joined = Effect.fnUntraced(function*(url: string, processes: number) {
    const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
    const runner = yield* Layer.buildWithScope(Layer.fresh(runnerOn(url)), scope)
    const client = yield* SqlClient
    const holders = count("(select distinct address from tapeline_cluster_locks) as l")
    yield* pollUntil(
      "a share of the shards",
      Effect.orElseSucceed(Effect.provideService(holders, SqlClient, client), () => 0),
      (count) => count === processes
    )
    return { ...Context.get(runner, GenerationRunner), closeNode: Scope.close(scope, Exit.void) }
  })

  it.live.runIf(isFullRun)("moves a run to another process each time its process leaves", () =>
    Effect.gen(function*() {
      const { environment: { DATABASE_URL: url = "" } } = yield* migratedPostgres
      const arrivals = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const model = new ScriptedModel((_, n) =>
        n < 2
          ? [waitForCue(Effect.andThen(Deferred.succeed(arrivals[n]!, undefined), Effect.never))]
          : [textPart("42"), endPart]
      )
      yield* Effect.gen(function*() {
        const first = yield* joined(url, 1)
        const { id } = yield* startNewGeneration(yield* newAccount)
        yield* first.wake(id)
        yield* Deferred.await(arrivals[0]!)
        const second = yield* joined(url, 2)
        yield* first.closeNode
        yield* Deferred.await(arrivals[1]!)
        yield* joined(url, 2)
        yield* second.closeNode
        yield* closeGeneration(id)
      }).pipe(Effect.provide(layerProcess(url, model)))
    }), 60_000)

  it.live.runIf(isFullRun)(
    "moves a run whose process leaves, although the process that requested it is alive",
    () =>
      Effect.gen(function*() {
        const { environment: { DATABASE_URL: url = "" } } = yield* migratedPostgres
        // Shards move between the processes while the questions are sent. With 12 questions, the first process runs at
        // least one question.
        const questions = 12
        const arrivals = yield* Effect.forEach(Array.from({ length: questions }), () => Deferred.make<void>())
        const mayContinue = yield* Deferred.make<void>()
        let abandonedCount = 0
        const model = new ScriptedModel((_, n) => {
          if (n >= questions) return [textPart("42"), endPart]
          const waiting = Effect.andThen(Deferred.succeed(arrivals[n]!, undefined), Deferred.await(mayContinue))
          return [
            waitForCue(Effect.onInterrupt(waiting, () => Effect.sync(() => abandonedCount++))),
            textPart("42"),
            endPart
          ]
        })
        yield* Effect.gen(function*() {
          const first = yield* joined(url, 1)
          const generations = yield* Effect.forEach(arrivals, () => Effect.flatMap(newAccount, startNewGeneration))
          // The second process has just started and has no shards yet, so the first process runs both generations.
          const second = Context.get(yield* Layer.build(Layer.fresh(runnerOn(url))), GenerationRunner)
          assert.isTrue(yield* Effect.isFailure(second.ready))
          yield* Effect.forEach(generations, ({ id }) => second.wake(id))
          yield* Effect.forEach(arrivals, (one) => Deferred.await(one))
          yield* first.closeNode
          // A stopping process waits for the interruption of its runs, but not for long.
          yield* pollUntil("an interrupted run", Effect.sync(() => abandonedCount), (runs) => runs > 0)
          yield* pollUntil("readiness", Effect.isSuccess(second.ready), (ready) => ready)
          yield* Deferred.succeed(mayContinue, undefined)
          yield* Effect.forEach(generations, ({ id }) => closeGeneration(id))
          // Each process looks for other processes every three seconds, so the new process gets its shards only then.
        }).pipe(Effect.provide(layerProcess(url, model, 3_000)))
      }),
    60_000
  )

  it.live(
    "requests the run of a generation only once if sweeps find the generation repeatedly",
    () =>
      Effect.gen(function*() {
        const { environment: { DATABASE_URL: url = "" } } = yield* migratedPostgres
        yield* Effect.gen(function*() {
          yield* joined(url, 1)
          const client = yield* SqlClient
          // The second process has no shards yet, so the first process runs the generations.
          const { wake } = Context.get(yield* Layer.build(Layer.fresh(runnerOn(url))), GenerationRunner)
          const requests = "tapeline_cluster_messages where tag = 'run'"
          const generation = "payload::json ->> 'generation'"
          const wakeAndWait = Effect.fnUntraced(function*(id: number) {
            yield* wake(id, { abandoned: true })
            const stored = Effect.provideService(count(`${requests} and ${generation} = '${id}'`), SqlClient, client)
            yield* pollUntil("a request", stored, (count) => count !== undefined && count > 0)
          })
          const [once, barrier] = [
            yield* startNewGeneration(yield* newAccount),
            yield* startNewGeneration(yield* newAccount)
          ]
          yield* wakeAndWait(once.id)
          yield* wake(once.id, { abandoned: true })
          yield* wakeAndWait(barrier.id)
          // The requests are counted by node, because the process that runs a generation makes its own request.
          const repeated = `${requests} group by ${generation}, payload::json ->> 'node' having count(*) > 1`
          assert.strictEqual(yield* count(`(select from ${repeated}) as r`), 0)
        }).pipe(
          Effect.provide(layerProcess(url, new ScriptedModel(() => [waitForCue(Effect.never)])))
        )
      }),
    60_000
  )

  it.live.runIf(isFullRun)(
    "delivers a halt to the process that runs the generation, also after shards have moved",
    () =>
      Effect.gen(function*() {
        const { environment: { DATABASE_URL: url = "" } } = yield* migratedPostgres
        // With 24 generations, the new process almost certainly receives some of them.
        const runSignals = yield* Effect.forEach(
          Array.from({ length: 24 }),
          () => Effect.all({ hasAsked: Deferred.make<void>(), isInterrupted: Deferred.make<void>() })
        )
        const model = new ScriptedModel((_, n) => {
          const { hasAsked, isInterrupted } = runSignals[n]!
          const awaitForever = Effect.andThen(Deferred.succeed(hasAsked, undefined), Effect.never)
          return [waitForCue(Effect.onInterrupt(awaitForever, () => Deferred.succeed(isInterrupted, undefined)))]
        })
        yield* Effect.gen(function*() {
          const [client, store] = [yield* SqlClient, yield* GenerationStore]
          const first = yield* joined(url, 1)
          const running = yield* Effect.forEach(runSignals, ({ hasAsked }) =>
            Effect.gen(function*() {
              const generation = yield* startNewGeneration(yield* newAccount)
              yield* first.wake(generation.id)
              yield* Deferred.await(hasAsked)
              return generation
            }))
          yield* client.unsafe(
            "create table before_it as select now()::timestamp as t, address from tapeline_cluster_locks limit 1"
          )
          const second = yield* joined(url, 2)
          const moved = Effect.provideService(
            count(`tapeline_cluster_messages join tapeline_cluster_locks l using (shard_id), before_it b
            where tag = 'activity' and l.address <> b.address and last_read >= b.t`),
            SqlClient,
            client
          )
          yield* pollUntil("a run on the second process", moved, (count) => count !== undefined && count > 0)
          for (const { conversation, id } of running) {
            yield* store.forceEnd(id, () => makeEnd(conversation, { outcome: "cancelled" }))
            yield* second.halt(id)
          }
          yield* Effect.forEach(runSignals, ({ isInterrupted }) => Deferred.await(isInterrupted))
        }).pipe(Effect.provide(layerProcess(url, model)))
      }),
    60_000
  )

  it.live.runIf(isFullRun)(
    "is not ready while its locks are unavailable, and holds shards again afterwards",
    () =>
      Effect.gen(function*() {
        const { environment: { DATABASE_URL: url = "" }, sql } = yield* migratedPostgres
        const timing = Layer.succeed(ClusterTiming, { heartbeatTtlMs: 600, pollIntervalMs: 50, stopTimeoutMs: 500 })
        yield* Effect.gen(function*() {
          const { ready, wake } = yield* GenerationRunner
          const readiness = (expected: boolean) =>
            pollUntil(`readiness ${expected}`, Effect.isSuccess(ready), (ready) => ready === expected)
          yield* readiness(true)
          const [locked, unlocked] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
          const lock = (client: SqlClient) =>
            client.withTransaction(
              client`lock table tapeline_cluster_locks in access exclusive mode`.pipe(
                Effect.andThen(Deferred.succeed(locked, undefined)),
                Effect.andThen(Deferred.await(unlocked))
              )
            )
          const holder = yield* Effect.forkChild(sql(lock))
          yield* Deferred.await(locked)
          yield* readiness(false)
          yield* Deferred.succeed(unlocked, undefined)
          yield* Fiber.join(holder)
          yield* readiness(true)
          const { id } = yield* startNewGeneration(yield* newAccount)
          yield* wake(id)
          yield* closeGeneration(id)
        }).pipe(Effect.provide(
          Layer.provideMerge(
            Layer.provide(runnerOn(url), timing),
            layerProcess(url, new ScriptedModel(() => [textPart("42"), endPart]))
          )
        ))
      }),
    60_000
  )
})
