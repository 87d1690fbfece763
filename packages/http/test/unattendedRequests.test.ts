import { assert, layer } from "@effect/vitest"
import { SessionSettings } from "@tapeline/core"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { layerTestServer } from "./testServer.ts"
import { signInNewUser } from "./testSession.ts"

const unattended = { "x-tapeline-unattended": "true" }
const repeated = [
  ["GET", "/v1/usage"],
  ["GET", "/v1/account"],
  ["POST", "/v1/tools/test_price", { coin: "BTC" }]
] as const

/** The timeouts are minutes instead of hours, because the test clock runs every background job of every second. */
const short = Layer.succeed(SessionSettings, {
  ...SessionSettings.defaultValue(),
  idleTimeout: "12 minutes",
  renewAfter: "15 seconds",
  renewalGrace: "1 second",
  trustFor: "1 second",
  lastUseInterval: "1 second"
})

layer(layerTestServer().pipe(Layer.provide(short)))("an unattended request of a page", (it) => {
  it.effect("is authorized by the session, and does not extend the session's idle time", () =>
    Effect.gen(function*() {
      const { ask, jar } = yield* signInNewUser()
      const { cookie } = jar
      for (let minute = 1; minute < 12; minute++) {
        yield* TestClock.adjust("1 minute")
        for (const [method, path, body] of repeated) {
          const answer = yield* ask(method, path, { headers: unattended, ...(body === undefined ? {} : { body }) })
          assert.strictEqual(answer.status, 200, `${path} after ${minute} minutes`)
        }
      }
      assert.strictEqual(jar.cookie, cookie, "the session token is not replaced")
      const { body } = yield* ask("GET", "/v1/account", { headers: unattended })
      assert.strictEqual(body.session.last_used_at, body.session.created_at)
      yield* TestClock.adjust("1 minute")
      const over = yield* ask("GET", "/v1/usage", { headers: unattended })
      assert.deepStrictEqual([over.status, over.body.code], [401, "session_required"])
    }))

  it.effect("renews the session if its mark is missing or not `true`, also after marked requests", () =>
    Effect.gen(function*() {
      const marks = [{}, { "x-tapeline-unattended": "false" }, { "x-tapeline-unattended": "" }]
      const users = yield* Effect.forEach(
        marks,
        (headers) => Effect.map(signInNewUser(), ({ ask, jar }) => ({ headers, ask, jar, cookie: jar.cookie }))
      )
      const userAway = yield* signInNewUser()
      const { cookie: firstCookie } = userAway.jar
      for (const time of ["first", "second"]) {
        yield* TestClock.adjust("11 minutes")
        assert.strictEqual((yield* userAway.ask("GET", "/v1/usage", { headers: unattended })).status, 200, time)
        if (time === "first") assert.strictEqual((yield* userAway.ask("GET", "/v1/usage")).status, 200)
        for (const { ask, headers } of users) {
          assert.strictEqual((yield* ask("GET", "/v1/usage", { headers })).status, 200, time)
        }
      }
      for (const { cookie, jar } of users) assert.notStrictEqual(jar.cookie, cookie)
      assert.notStrictEqual(userAway.jar.cookie, firstCookie)
    }))
})
