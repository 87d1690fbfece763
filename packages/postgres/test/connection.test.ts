import { PgClient } from "@effect/sql-pg"
import { assert, describe, it, layer } from "@effect/vitest"
import { StoreUnavailable } from "@tapeline/core/engine"
import { describeFailure, layerPostgres } from "@tapeline/postgres"
import { skipWithoutOpenssl } from "@tapeline/testing/programs"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { inject } from "vitest"
import { mapSqlErrors } from "../src/errors.ts"
import { makeFreshDatabase } from "./support/databases.ts"
import { makeProxy, makeTcpServer, makeTlsServer, startTlsServer } from "./support/faultyServers.ts"

class OwnTlsServer extends Context.Service<OwnTlsServer, Effect.Success<typeof startTlsServer>>()("test/Own") {}

const runParallel = <A, E, R>(times: number, effect: Effect.Effect<A, E, R>) =>
  Effect.all(Array.from({ length: times }, () => effect), { concurrency: "unbounded" })

const encrypted = (url: string) =>
  Effect.flatMap(
    PgClient.PgClient,
    (sql) => sql<{ ssl: boolean }>`select ssl from pg_stat_ssl where pid = pg_backend_pid()`
  ).pipe(
    Effect.map(([row]) => row!.ssl),
    Effect.provide(layerPostgres({ url, pooled: false }), { local: true })
  )

/** Returns the failure of a statement as it is logged, and checks that no text contains the password. */
const readConnectionError = Effect.fnUntraced(function*(url: string) {
  const failed = yield* Effect.flip(encrypted(url))
  const logged = yield* Effect.flip(mapSqlErrors("test")(Effect.fail(failed)))
  for (const text of [describeFailure(failed), String(logged), String(logged.cause)]) {
    assert.notInclude(text, "sesame")
    assert.notInclude(text, "\n")
  }
  return describeFailure(failed)
})

describe("an unusable database address", () => {
  it.effect("stops the start with an error that says what to change and quotes no value", () =>
    Effect.gen(function*() {
      for (
        const [query, expectedMessage] of [
          ["sslmode=sesame", "sslmode must be one of disable, prefer, require, verify-ca, verify-full"],
          ["sslmod=require", "begins with \"ssl\""],
          ["sslmode=require&sslrootcert=/sesame", "the file of sslrootcert cannot be read (ENOENT)"],
          ["sslmode=require&sslcert=/sesame", "sslcert and sslkey must be set together"],
          ["sslmode=require&sslrootcert=system", "requires sslmode=verify-full"],
          ["port=sesame", "port"],
          ["host=sesame,other&port=1,2&target_session_attrs=read-write", "it names several hosts"]
        ]
      ) {
        const buildWithQuery = Layer.build(layerPostgres({ url: `postgres://u:sesame@127.0.0.1:1/d?${query}` }))
        const error = yield* Effect.flip(Effect.scoped(buildWithQuery))
        assert.strictEqual(error._tag, "InvalidDatabaseUrl")
        assert.include(error.message, expectedMessage!)
        assert.notInclude(error.message, "sesame")
      }
    }))
})

describe("an address without a PostgreSQL server", () => {
  it.live("is described by the server's behaviour", () =>
    Effect.gen(function*() {
      const at = (port: number, query = "") => `postgres://u:sesame@127.0.0.1:${port}/d?connect_timeout=1&${query}`
      const serverWithoutTls = yield* makeTcpServer((socket) => void socket.once("data", () => socket.write("N")))
      assert.include(yield* readConnectionError(at(serverWithoutTls.port, "sslmode=require")), "does not support TLS")
      const web = yield* makeTcpServer((socket) => void socket.once("data", () => socket.end("HTTP/1.1 400\r\n\r\n")))
      assert.include(yield* readConnectionError(at(web.port)), "does not use PostgreSQL's protocol")
      const silent = yield* makeTcpServer(() => undefined)
      assert.include(yield* readConnectionError(at(silent.port)), "no response in time")
      const closing = yield* makeTcpServer((socket) => void socket.destroy())
      assert.include(yield* readConnectionError(at(closing.port)), "the connection was closed")
      assert.include(yield* readConnectionError(at(1)), "the connection was refused")
      assert.include(yield* readConnectionError("postgres://u:sesame@no-such-host.invalid/d"), "host")
    }))
})

describe("a server that speaks TLS", skipWithoutOpenssl(), () => {
  layer(Layer.effect(OwnTlsServer, startTlsServer), { excludeTestServices: true, timeout: 60_000 })(
    "a server that speaks TLS",
    (it) => {
      const setUp = Effect.map(OwnTlsServer, ({ certificates, server }) => ({
        certificates,
        url: (parts: { host?: string; user?: string; password?: string; database?: string }, query = "") => {
          const url = new URL(server.url)
          url.hostname = parts.host ?? "127.0.0.1"
          if (parts.user !== undefined) url.username = parts.user
          if (parts.password !== undefined) url.password = parts.password
          if (parts.database !== undefined) url.pathname = `/${parts.database}`
          url.search = query
          return url.href
        }
      }))

      it.effect("is connected as sslmode requires, and its rejections name the reason", () =>
        Effect.gen(function*() {
          const { certificates: { authority, client, otherAuthority }, url } = yield* setUp
          assert.isFalse(yield* encrypted(url({}, "sslmode=disable")))
          for (
            const [host, query] of [
              ["127.0.0.1", ""],
              ["127.0.0.1", "sslmode=prefer"],
              // As in libpq, `require` encrypts the connection but does not check the certificate.
              ["127.0.0.1", "sslmode=require"],
              ["127.0.0.1", `sslmode=verify-ca&sslrootcert=${authority}`],
              // If `sslrootcert` is set, `require` means `verify-ca`.
              ["127.0.0.1", `sslmode=require&sslrootcert=${authority}`],
              ["localhost", `sslmode=verify-full&sslrootcert=${authority}`]
            ]
          ) {
            assert.isTrue(yield* encrypted(url({ host: host! }, query)), query)
          }
          const certified =
            `sslmode=verify-full&sslrootcert=${authority}&sslcert=${client.certificate}&sslkey=${client.key}`
          const sql = Context.get(
            yield* Layer.build(layerPostgres({ url: url({}, "sslmode=require") })),
            PgClient.PgClient
          )
          for (const role of ["certified", "secure", "crowded"]) {
            yield* sql.unsafe(`create role ${role} login password 'sesame'`)
          }
          yield* sql`alter role crowded connection limit 0`
          assert.isTrue(yield* encrypted(url({ host: "localhost", user: "certified", password: "" }, certified)))
          const refusals: ReadonlyArray<readonly [string, string]> = [
            [url({ host: "localhost" }, "sslmode=verify-full"), "unknown authority"],
            [url({ host: "localhost" }, `sslmode=verify-full&sslrootcert=${otherAuthority}`), "authority"],
            [url({}, `sslmode=require&sslrootcert=${otherAuthority}`), "authority"],
            [url({}, `sslmode=verify-full&sslrootcert=${authority}`), "another host"],
            [url({ user: "certified" }, "sslmode=require"), "client certificate"],
            [url({ user: "secure" }, "sslmode=disable"), "without TLS; try sslmode=require"],
            [url({ user: "unlisted" }, "sslmode=require"), "pg_hba.conf of the server has no entry"],
            [url({ user: "ghost" }), "its role does not exist"],
            [url({ password: "sesame-wrong" }), "the password is wrong"],
            [url({ password: "" }), "the address has none"],
            [url({ database: "sesame" }), "its database does not exist"],
            [url({ user: "crowded", password: "sesame" }), "too many connections"]
          ]
          for (const [role, reason] of refusals) assert.include(yield* readConnectionError(role), reason)
        }))

      it.effect("is rejected with the reason if its certificate has expired", () =>
        Effect.gen(function*() {
          const { certificates: { authority, expired } } = yield* setUp
          const { port } = yield* makeTlsServer(expired)
          const url = `postgres://u:sesame@localhost:${port}/d?sslmode=verify-full&sslrootcert=${authority}`
          assert.include(yield* readConnectionError(url), "has expired")
        }))

      it.effect("fails statements within their timeout while it is frozen, and serves them afterwards", () =>
        Effect.gen(function*() {
          const { freeze, server, unfreeze } = yield* OwnTlsServer
          const node = layerPostgres({
            url: `${server.url}?sslmode=require&connect_timeout=1`,
            statementTimeoutMs: 400
          })
          const sql = Context.get(yield* Layer.build(node), PgClient.PgClient)
          const ask = mapSqlErrors("test")(sql<{ one: number }>`select 1 as one`)
          const isLocked = yield* Deferred.make<void>()
          const isFrozen = yield* Deferred.make<void>()
          const transaction = yield* Effect.forkChild(
            sql.withTransaction(
              Deferred.succeed(isLocked, undefined).pipe(
                Effect.andThen(Deferred.await(isFrozen)),
                Effect.andThen(sql`select 2`)
              )
            ).pipe(Effect.exit)
          )
          yield* Deferred.await(isLocked)
          yield* runParallel(50, ask)
          freeze()
          yield* Deferred.succeed(isFrozen, undefined)
          const failed = yield* runParallel(50, Effect.flip(ask))
          assert.isTrue(failed.every((error) => error instanceof StoreUnavailable))
          assert.include(String(failed[0]!.cause), "no response in time")
          assert.isTrue(Exit.isFailure(yield* Fiber.join(transaction)))
          // The new connection gets no response either, so all callers that wait for the connection fail together.
          yield* Effect.timeout(runParallel(12, Effect.flip(ask)), "6 seconds")
          unfreeze()
          assert.strictEqual((yield* Effect.eventually(ask))[0]?.one, 1)
        }))

      it.effect("ends a transaction that its client leaves idle, so that others get its locks", () =>
        Effect.gen(function*() {
          const { server } = yield* OwnTlsServer
          const node = layerPostgres({ url: `${server.url}?sslmode=require`, statementTimeoutMs: 400 })
          const sql = Context.get(yield* Layer.build(node), PgClient.PgClient)
          const locked = yield* Deferred.make<void>()
          const frozenQuery = sql.withTransaction(
            sql`select pg_advisory_xact_lock(1)`.pipe(
              Effect.andThen(Deferred.succeed(locked, undefined)),
              Effect.andThen(Effect.never)
            )
          )
          yield* Effect.forkScoped(frozenQuery)
          yield* Deferred.await(locked)
          const lock = Effect.flatMap(
            sql<{ got: boolean }>`select pg_try_advisory_xact_lock(1) as got`,
            ([row]) => row?.got === true ? Effect.void : Effect.fail("locked")
          )
          yield* Effect.eventually(lock)
        }))
    }
  )

  describe("a network that cuts connections", () => {
    it.live("fails running statements immediately, and the next statement uses a new connection", () =>
      Effect.gen(function*() {
        const { url: direct } = yield* makeFreshDatabase
        const wire = yield* makeProxy(new URL(direct))
        const url = new URL(direct)
        url.port = String(wire.port)
        // Without the network fault, every statement would end before its time limit.
        const node = layerPostgres({ url: url.href, maxConnections: 4, pooled: false, statementTimeoutMs: 60_000 })
        const sql = Context.get(yield* Layer.build(node), PgClient.PgClient)
        const ask = mapSqlErrors("test")(sql`select 1`)
        let [doneCount, rejectedCount] = [0, 0]
        const caller = Effect.forEach(Array.from({ length: 40 }), () =>
          Effect.map(Effect.exit(ask), (exit) => {
            if (Exit.isSuccess(exit)) doneCount++
            else rejectedCount++
            if ((doneCount + rejectedCount) % 50 === 0) {
              ;[...wire.sockets].filter((_, i) => i % 2 === 0).forEach((it) => it.destroy())
            }
          }))
        yield* Effect.all(Array.from({ length: 16 }, () => caller), { concurrency: "unbounded", discard: true })
        const sleepingQuery = yield* Effect.forkChild(Effect.exit(mapSqlErrors("test")(sql`select pg_sleep(50)`)))
        const watcher = Context.get(yield* Layer.build(Layer.fresh(layerPostgres({ url: direct }))), PgClient.PgClient)
        yield* watcher<{ query: string }>`select query from pg_stat_activity
          where query = 'select pg_sleep(50)' and datname = current_database()`.pipe(
          Effect.filterOrFail(({ length }) => length > 0),
          Effect.eventually
        )
        wire.sockets.forEach((socket) => socket.destroy())
        assert.isTrue(Exit.isFailure(yield* Fiber.join(sleepingQuery)))
        assert.strictEqual(doneCount + rejectedCount, 640)
        assert.isAbove(doneCount, 0)
        yield* Effect.eventually(ask)
        assert.isAtMost(wire.sockets.size, 4)
      }))
  })
})

describe("a reserved connection", () => {
  it.live("closes with its scope, and its unfinished statements affect no other statement", () =>
    Effect.gen(function*() {
      const sql = yield* PgClient.PgClient
      const scope = yield* Scope.make()
      const reserved = yield* Scope.provide(sql.reserve, scope)
      const runningStatements = yield* Effect.forEach(
        ["select pg_sleep(0.2)", "select 'queued' as text"],
        (statement) => Effect.forkChild(Effect.exit(reserved.executeRaw(statement, [])), { startImmediately: true })
      )
      yield* Scope.close(scope, Exit.void)
      const texts = ["first", "second", "third"]
      const select = (text: string) => sql`select ${text}::text as text`
      assert.deepStrictEqual(
        yield* Effect.forEach(texts, select, { concurrency: "unbounded" }),
        texts.map((text) => [{ text }])
      )
      assert.isTrue((yield* Fiber.joinAll(runningStatements)).every(Exit.isFailure))
    }).pipe(Effect.provide(layerPostgres({ url: inject("postgres"), maxConnections: 1 }))))
})
