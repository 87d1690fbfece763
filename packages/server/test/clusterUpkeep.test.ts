import { assert, it } from "@effect/vitest"
import { ClusterTiming, layerClusterRunner } from "@tapeline/cluster"
import { layerEngine, Toolbox } from "@tapeline/core"
import { GenerationLog, GenerationRunner, GenerationStore, layerAdvance } from "@tapeline/core/agent"
import { layerMigrations, layerPostgres, PgStores } from "@tapeline/postgres"
import { begin, newAccount } from "@tapeline/testing/agent/fixtures"
import { cue, over, say, ScriptedModel } from "@tapeline/testing/agent/ScriptedModel"
import { Deferred, Effect, Layer, Logger } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { pruneOnce } from "../../cluster/src/prune.ts"
import { onPostgres, postgres } from "./support/places.ts"
import { eventually } from "./support/service.ts"

/** Runs of many processes on a database, with so few connections as the server gives them. */
const runs = (url: string, model: ScriptedModel) =>
  Layer.provide(layerClusterRunner({ nodes: "many" }), layerPostgres({ url, maxConnections: 2 })).pipe(
    Layer.provideMerge(layerAdvance),
    Layer.provideMerge(layerEngine({ toolbox: Toolbox.layer([]) })),
    Layer.provide(model.layer),
    Layer.provide(Layer.succeed(ClusterTiming, { expireMs: 5_000, lookEveryMs: 100, stopWithinMs: 500 })),
    Layer.provideMerge(PgStores),
    Layer.provideMerge(layerMigrations),
    Layer.provideMerge(layerPostgres({ url }))
  )

/** Returns once a generation's log is over. */
const closed = (generation: number) =>
  Effect.scoped(Effect.gen(function*() {
    const [store, log] = yield* Effect.all([GenerationStore, GenerationLog])
    const { woken } = yield* log.listen(generation)
    while ((yield* store.find(generation))?.state !== "closed") yield* woken
  }))

const count = (what: string) =>
  Effect.map(
    Effect.flatMap(SqlClient, (sql) =>
      sql.unsafe<{ readonly count: number }>(`select count(*)::int as count from ${what}`)),
    ([row]) =>
      row?.count
  )

onPostgres("The tables of the cluster", () => {
  it.live(
    "may be out of reach for long: one that is woken meanwhile, however often, is placed once",
    () =>
      Effect.gen(function*() {
        const { environment: { DATABASE_URL: url = "" }, sql } = yield* postgres
        yield* sql((client) => client`create view tapeline_cluster_messages as select 1 as id`)
        const refused = yield* Deferred.make<void>()
        let warnings = 0
        const logger = Logger.make(({ message }) => {
          if (!String(message).includes("cannot be entered yet")) return
          // More often than there are connections.
          if (++warnings === 5) Deferred.doneUnsafe(refused, Effect.void)
        })
        yield* Effect.gen(function*() {
          const { wake } = yield* GenerationRunner
          const { id } = yield* begin(yield* newAccount)
          yield* wake(id)
          yield* wake(id)
          yield* Deferred.await(refused)
          yield* wake(id)
          yield* sql((client) => client`drop view tapeline_cluster_messages`)
          yield* closed(id)
          assert.strictEqual(yield* count("tapeline_cluster_messages where tag = 'run'"), 1)
        }).pipe(
          Effect.provide(runs(url, new ScriptedModel(() => [say("42"), over]))),
          Effect.provide(Logger.layer([logger]))
        )
      }),
    60_000
  )

  it.live(
    "are pruned of what is over, all of it and by several at once, and of nothing else",
    () =>
      Effect.gen(function*() {
        const { environment: { DATABASE_URL: url = "" } } = yield* postgres
        const [asked, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const wait = Effect.andThen(Deferred.succeed(asked, undefined), Deferred.await(goOn))
        const model = new ScriptedModel((_, n) => n === 0 ? [say("42"), over] : [cue(wait), say("42"), over])
        yield* Effect.gen(function*() {
          const { wake } = yield* GenerationRunner
          const [over, live] = [yield* begin(yield* newAccount), yield* begin(yield* newAccount)]
          yield* wake(over.id)
          yield* closed(over.id)
          const client = yield* SqlClient
          // The engine notes a little later that it is over.
          const left = Effect.provideService(count("tapeline_cluster_messages where not processed"), SqlClient, client)
          yield* eventually("the end", left, (count) => count === 0)
          yield* wake(live.id)
          yield* Deferred.await(asked)
          const messages = "tapeline_cluster_messages"
          const ofLive = yield* count(`${messages} where not processed`)
          assert.isAbove(ofLive ?? 0, 0)
          // As those of many answers that ended long ago.
          yield* client.unsafe(
            `insert into ${messages} (id, shard_id, entity_type, entity_id, kind, processed, request_id)
          select n, 'default:1', 'Workflow/Old', n::text, 0, true, n from generate_series(1, 2500) as n`
          )
          yield* client.unsafe(
            "insert into tapeline_cluster_replies (id, request_id, payload) select n, n, '{}' from generate_series(1, 2500) as n"
          )
          yield* Effect.all([pruneOnce(), pruneOnce()], { concurrency: 2 })
          assert.strictEqual(yield* count(`${messages} where entity_type = 'Workflow/Old'`), 0)
          assert.strictEqual(yield* count("tapeline_cluster_replies where id <= 2500"), 0)
          // What ended just now is kept, until it is a day old.
          assert.isAbove((yield* count(`${messages} where processed`)) ?? 0, 0)
          yield* pruneOnce(-60_000)
          assert.strictEqual(yield* count(`${messages} where processed`), 0)
          assert.strictEqual(yield* count(`${messages} where not processed`), ofLive)
          yield* Deferred.succeed(goOn, undefined)
          yield* closed(live.id)
        }).pipe(Effect.provide(runs(url, model)))
      }),
    60_000
  )
})
