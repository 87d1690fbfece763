import { NodeHttpServer } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { layerEngine, StoreUnavailable, Toolbox } from "@tapeline/core"
import { GenerationRunner } from "@tapeline/core/agent"
import { AdminToken, Draining, layerRoutes, makeNodeServer, serve } from "@tapeline/http"
import { MemoryStores } from "@tapeline/testing"
import { Effect, Layer, Redacted, Stream } from "effect"
import { HttpServer } from "effect/http"
import { Redis, RedisError } from "effect/persistence/Redis"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlConnection, SqlError, Statement } from "effect/sql"
import { layerReadiness } from "../src/layers.ts"
import { adminToken, sendRequest } from "./support/service.ts"

const unavailableStore: { name: string | undefined } = { name: undefined }

const unlessUnavailable = <A, E>(name: string, answer: A, failure: () => E): Effect.Effect<A, E> =>
  Effect.suspend(() => unavailableStore.name === name ? Effect.fail(failure()) : Effect.succeed(answer))

const rows = unlessUnavailable(
  "database",
  [{ there: true, latest: 1_000_000 }],
  () => new SqlError.SqlError({ reason: new SqlError.ConnectionError({ cause: new Error("ECONNREFUSED") }) })
)

const connection: SqlConnection.Connection = {
  execute: () => rows,
  executeRaw: () => rows,
  executeStream: () => Stream.empty,
  executeValues: () => Effect.succeed([]),
  executeValuesUnprepared: () => Effect.succeed([]),
  executeUnprepared: () => rows
}

const layerDatabase = Layer.effect(
  SqlClient.SqlClient,
  SqlClient.make({
    acquirer: Effect.succeed(connection),
    compiler: Statement.makeCompilerSqlite(),
    spanAttributes: [],
    driver: "postgres"
  })
).pipe(Layer.provide(Reactivity.layer))

const layerCluster = Layer.mock(GenerationRunner)({
  ready: unlessUnavailable(
    "cluster",
    undefined,
    () => new StoreUnavailable({ store: "cluster", cause: new Error("no shards") })
  )
})

const layerRedis = Layer.mock(Redis)({
  eval: () => () => Effect.die("no scripts"),
  // The cast is safe, because the caller of a command knows the type of its reply.
  send: () => unlessUnavailable("Redis", "PONG" as never, () => new RedisError({ cause: new Error("ECONNREFUSED") }))
})

const server = serve(layerRoutes({ corsOrigins: [] })).pipe(
  Layer.provideMerge(NodeHttpServer.layer(() => makeNodeServer(), { host: "127.0.0.1", port: 0 })),
  Layer.provide(Layer.succeed(AdminToken, Redacted.make(adminToken))),
  Layer.provide(layerReadiness),
  Layer.provide([layerDatabase, layerCluster, layerRedis, Draining.layer]),
  Layer.provide(layerEngine({ toolbox: Toolbox.layer([]) })),
  Layer.provide(MemoryStores)
)

it.live("/readyz returns 503 with the name of the unavailable dependency: database, cluster or Redis", () =>
  Effect.gen(function*() {
    const address = HttpServer.formatAddress((yield* HttpServer.HttpServer).address)
    for (const name of ["database", "cluster", "Redis"]) {
      unavailableStore.name = name
      const { body, status } = yield* sendRequest({ address }, "GET", "/readyz")
      assert.deepStrictEqual([status, body.code], [503, "unavailable"])
      assert.include(body.detail, `\`${name}\``)
    }
    unavailableStore.name = undefined
    assert.strictEqual((yield* sendRequest({ address }, "GET", "/readyz")).status, 200)
  }).pipe(Effect.provide(server)))
