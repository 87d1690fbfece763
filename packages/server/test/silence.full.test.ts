import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { connect } from "node:net"
import { listener, wireTo } from "../../postgres/test/support/hostile.ts"
import { postgres } from "./support/places.ts"
import { startServer } from "./support/process.ts"
import { ask, enrol, eventually, getPrice, settings, usage } from "./support/service.ts"

describe("A database that goes silent", () => {
  it.live("is told by /readyz within 2 s and by calls within 10 s, and all heals by itself", () =>
    Effect.gen(function*() {
      const place = yield* postgres
      const wire = yield* wireTo(new URL(place.environment["DATABASE_URL"]!))
      const url = new URL(place.environment["DATABASE_URL"]!)
      url.port = String(wire.port)
      const server = yield* startServer({ ...settings, ...place.environment, DATABASE_URL: url.href })
      const { key } = yield* enrol(server, "pro")
      assert.strictEqual((yield* getPrice(server, key)).status, 200)
      yield* eventually("readiness", ask(server, "GET", "/readyz"), ({ status }) => status === 200)

      // Open connections stay open, but pass no data. New connections work.
      for (const socket of wire.sockets) socket.unpipe().pause()
      const silent = performance.now()
      // The delay of requests that need no database comes from the machine, not from the server.
      let delayMs = 0
      yield* Effect.forkScoped(Effect.forever(Effect.gen(function*() {
        const sent = performance.now()
        yield* ask(server, "GET", "/healthz")
        delayMs += performance.now() - sent
        yield* Effect.sleep(20)
      })))
      const timed = <E>(asking: Effect.Effect<{ readonly status: number }, E>) =>
        Effect.map(asking, ({ status }) => ({ status, afterMs: performance.now() - silent - delayMs }))
      const [ready, call] = yield* Effect.all([
        timed(ask(server, "GET", "/readyz")),
        timed(getPrice(server, key, { "idempotency-key": "silent" }))
      ], { concurrency: 2 })
      assert.strictEqual(ready.status, 503)
      assert.isBelow(ready.afterMs, 2_000)
      assert.strictEqual(call.status, 503)
      assert.isBelow(call.afterMs, 10_000)

      yield* eventually("readiness", ask(server, "GET", "/readyz"), ({ status }) => status === 200)
      const again = yield* eventually(
        "the call's answer",
        getPrice(server, key, { "idempotency-key": "silent" }),
        ({ status }) => status === 200
      )
      assert.strictEqual(again.body.credits_used, 1)
      const { credits } = yield* usage(server, key)
      assert.deepStrictEqual([credits.used, credits.reserved], [2, 0])
    }))

  it.live("does not delay a stop beyond 10 s", () =>
    Effect.gen(function*() {
      const place = yield* postgres
      const url = new URL(place.environment["DATABASE_URL"]!)
      const database = { host: url.hostname, port: Number(url.port) }
      let isSilent = false
      const wire = yield* listener((near) => {
        if (isSilent) return
        const far = connect(database)
        near.on("close", () => far.destroy()).pipe(far)
        far.on("error", () => near.destroy()).on("close", () => near.destroy()).pipe(near)
      })
      url.port = String(wire.port)
      const server = yield* startServer({ ...settings, ...place.environment, DATABASE_URL: url.href })
      const { key } = yield* enrol(server, "pro")
      yield* eventually("readiness", ask(server, "GET", "/readyz"), ({ status }) => status === 200)
      isSilent = true
      for (const socket of wire.sockets) socket.unpipe().pause()
      yield* Effect.forkScoped(Effect.exit(getPrice(server, key)))
      const stopped = performance.now()
      server.signal("SIGTERM")
      const { signal } = yield* server.ended
      assert.isNull(signal)
      assert.isBelow(performance.now() - stopped, 10_000)
    }))
})
