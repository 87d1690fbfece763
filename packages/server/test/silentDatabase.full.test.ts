import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { connect } from "node:net"
import { makeProxy, makeTcpServer } from "../../postgres/test/support/faultyServers.ts"
import { startServer } from "./support/process.ts"
import { callGetPrice, createAccount, getUsage, pollUntil, sendRequest, testSettings } from "./support/service.ts"
import { migratedPostgres } from "./support/testDatabases.ts"

describe("A database that stops responding", () => {
  it.live("makes /readyz return 503 within 2 s and calls within 10 s; both recover automatically", () =>
    Effect.gen(function*() {
      const database = yield* migratedPostgres
      const wire = yield* makeProxy(new URL(database.environment["DATABASE_URL"]!))
      const url = new URL(database.environment["DATABASE_URL"]!)
      url.port = String(wire.port)
      const server = yield* startServer({ ...testSettings, ...database.environment, DATABASE_URL: url.href })
      const { key } = yield* createAccount(server, "pro")
      assert.strictEqual((yield* callGetPrice(server, key)).status, 200)
      yield* pollUntil("readiness", sendRequest(server, "GET", "/readyz"), ({ status }) => status === 200)

      // From now on, existing connections pass no data, but new connections work.
      for (const socket of wire.sockets) socket.unpipe().pause()
      // The delay of requests that need no database is caused by the machine, not by the server.
      let delayMs = 0
      yield* Effect.forkScoped(Effect.forever(Effect.gen(function*() {
        const sent = performance.now()
        yield* sendRequest(server, "GET", "/healthz")
        delayMs += performance.now() - sent
        yield* Effect.sleep(20)
      })))
      const clock = () => performance.now() - delayMs
      // A check that began before the database became silent can still succeed.
      const untilNotReady = Effect.gen(function*() {
        for (;;) {
          const sent = clock()
          const { status } = yield* sendRequest(server, "GET", "/readyz")
          if (status !== 200) return { status, tookMs: clock() - sent }
        }
      })
      const sent = clock()
      const timedCall = Effect.map(
        callGetPrice(server, key, { "idempotency-key": "silent" }),
        ({ status }) => ({ status, tookMs: clock() - sent })
      )
      const [ready, call] = yield* Effect.all([untilNotReady, timedCall], { concurrency: 2 })
      assert.strictEqual(ready.status, 503)
      assert.isBelow(ready.tookMs, 2_000)
      assert.strictEqual(call.status, 503)
      assert.isBelow(call.tookMs, 10_000)

      yield* pollUntil("readiness", sendRequest(server, "GET", "/readyz"), ({ status }) => status === 200)
      const retriedCall = yield* pollUntil(
        "the call's answer",
        callGetPrice(server, key, { "idempotency-key": "silent" }),
        ({ status }) => status === 200
      )
      assert.strictEqual(retriedCall.body.credits_used, 1)
      const { credits } = yield* getUsage(server, key)
      assert.deepStrictEqual([credits.used, credits.reserved], [2, 0])
    }))

  it.live("does not delay a stop beyond 10 s", () =>
    Effect.gen(function*() {
      const silentDatabase = yield* migratedPostgres
      const url = new URL(silentDatabase.environment["DATABASE_URL"]!)
      const database = { host: url.hostname, port: Number(url.port) }
      let isSilent = false
      const wire = yield* makeTcpServer((near) => {
        if (isSilent) return
        const far = connect(database)
        near.on("close", () => far.destroy()).pipe(far)
        far.on("error", () => near.destroy()).on("close", () => near.destroy()).pipe(near)
      })
      url.port = String(wire.port)
      const server = yield* startServer({ ...testSettings, ...silentDatabase.environment, DATABASE_URL: url.href })
      const { key } = yield* createAccount(server, "pro")
      yield* pollUntil("readiness", sendRequest(server, "GET", "/readyz"), ({ status }) => status === 200)
      isSilent = true
      for (const socket of wire.sockets) socket.unpipe().pause()
      yield* Effect.forkScoped(Effect.exit(callGetPrice(server, key)))
      const stopped = performance.now()
      server.signal("SIGTERM")
      const { signal } = yield* server.awaitExit
      assert.isNull(signal)
      assert.isBelow(performance.now() - stopped, 10_000)
    }))
})
