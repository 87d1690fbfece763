import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { signedIn } from "./browser.ts"
import { layerTestServer } from "./server.ts"

const unattended = { "x-tapeline-unattended": "true" }
const hourly = [
  ["GET", "/v1/usage"],
  ["GET", "/v1/account"],
  ["POST", "/v1/tools/test_price", { coin: "BTC" }]
] as const

layer(layerTestServer())("what a page asks without its user", (it) => {
  it.effect("opens what it opened before, and leaves the session to end 12 hours after its user was there", () =>
    Effect.gen(function*() {
      const { ask, jar } = yield* signedIn()
      const { cookie } = jar
      for (let hour = 1; hour < 12; hour++) {
        yield* TestClock.adjust("1 hour")
        for (const [method, path, body] of hourly) {
          const answer = yield* ask(method, path, { headers: unattended, ...(body === undefined ? {} : { body }) })
          assert.strictEqual(answer.status, 200, `${path} after ${hour} hours`)
        }
      }
      assert.strictEqual(jar.cookie, cookie, "nor is its text replaced")
      const { body } = yield* ask("GET", "/v1/account", { headers: unattended })
      assert.strictEqual(body.session.last_used_at, body.session.created_at)
      yield* TestClock.adjust("1 hour")
      const over = yield* ask("GET", "/v1/usage", { headers: unattended })
      assert.deepStrictEqual([over.status, over.body.code], [401, "session_required"])
    }))

  it.effect("renews the session when the request has no mark, or another value than true, also after marked requests", () =>
    Effect.gen(function*() {
      const marks = [{}, { "x-tapeline-unattended": "false" }, { "x-tapeline-unattended": "" }]
      // All sessions share the hours: an hour of the test clock runs every background job of that hour.
      const users = yield* Effect.forEach(
        marks,
        (headers) => Effect.map(signedIn(), ({ ask, jar }) => ({ headers, ask, jar, cookie: jar.cookie }))
      )
      const away = yield* signedIn()
      const { cookie: firstCookie } = away.jar
      for (const time of ["first", "second"]) {
        yield* TestClock.adjust("11 hours")
        assert.strictEqual((yield* away.ask("GET", "/v1/usage", { headers: unattended })).status, 200, time)
        if (time === "first") assert.strictEqual((yield* away.ask("GET", "/v1/usage")).status, 200)
        for (const { ask, headers } of users) {
          assert.strictEqual((yield* ask("GET", "/v1/usage", { headers })).status, 200, time)
        }
      }
      for (const { cookie, jar } of users) assert.notStrictEqual(jar.cookie, cookie)
      assert.notStrictEqual(away.jar.cookie, firstCookie)
    }))
})
