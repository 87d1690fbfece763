import { assert, layer } from "@effect/vitest"
import { Failpoints, Sessions } from "@tapeline/core"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { layerTestServer, sendRequest } from "./testServer.ts"
import { cookieFrom, samePageHeaders, signInNewUser } from "./testSession.ts"

/** Stops a call just before it is charged: the call completes `reached`, and then waits for `open`. */
const signals: { reached?: Deferred.Deferred<void>; open?: Deferred.Deferred<void> } = {}

const failpoints = Layer.succeed(Failpoints, (point) =>
  Effect.suspend(() => {
    const { reached, open } = signals
    if (point !== "before:end" || reached === undefined || open === undefined) return Effect.void
    delete signals.reached
    return Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(open))
  }))

/** Calls a tool with an old session token. After its admission, the call waits until `open` succeeds. */
const slowCall = Effect.fnUntraced(function*(cookie: string) {
  const [reached, open] = yield* Effect.all([Deferred.make<void>(), Deferred.make<void>()])
  Object.assign(signals, { reached, open })
  const call = yield* Effect.forkChild(
    sendRequest("POST", "/v1/tools/test_price", { body: { coin: "BTC" }, headers: { ...samePageHeaders, cookie } })
  )
  yield* Deferred.await(reached)
  return { end: Effect.andThen(Deferred.succeed(open, undefined), Fiber.join(call)) }
})

layer(layerTestServer().pipe(Layer.provide(failpoints)))("a slow response", (it) => {
  it.effect("sets no session token that is older than the browser's current one", () =>
    Effect.gen(function*() {
      const { account, ask, jar } = yield* signInNewUser()
      yield* TestClock.adjust("16 minutes")
      const slow = yield* slowCall(jar.cookie)
      const stale = jar.cookie
      yield* TestClock.adjust("61 seconds")
      yield* ask("GET", "/v1/usage")
      assert.notStrictEqual(jar.cookie, stale, "a quick request gets the next token")
      assert.strictEqual((yield* ask("GET", "/v1/account")).status, 200, "the next token is accepted")
      const delayedResponse = yield* slow.end
      jar.cookie = cookieFrom(delayedResponse) ?? jar.cookie
      yield* TestClock.adjust("61 seconds")
      assert.strictEqual((yield* ask("GET", "/v1/account")).status, 200)
      const [session] = yield* (yield* Sessions).sessions(account.id, { after: 0, limit: 1 })
      assert.isNull(session!.ended)
    }))

  it.effect("sets the next session token if no other response set it", () =>
    Effect.gen(function*() {
      const { ask, jar } = yield* signInNewUser()
      yield* TestClock.adjust("16 minutes")
      const stale = jar.cookie
      const slow = yield* slowCall(stale)
      yield* TestClock.adjust("30 seconds")
      const delayedResponse = yield* slow.end
      assert.isString(cookieFrom(delayedResponse))
      assert.notStrictEqual(cookieFrom(delayedResponse), stale)
      jar.cookie = cookieFrom(delayedResponse)!
      yield* ask("GET", "/v1/account")
      yield* TestClock.adjust("61 seconds")
      assert.strictEqual((yield* ask("GET", "/v1/account")).status, 200)
    }))

  it.effect("sets no session token if the session has ended", () =>
    Effect.gen(function*() {
      const { ask, jar } = yield* signInNewUser()
      yield* TestClock.adjust("16 minutes")
      const slow = yield* slowCall(jar.cookie)
      const out = yield* ask("POST", "/v1/account/sign-out")
      assert.match(out.headers.get("set-cookie")!, /^tapeline_session=; Path=\/; Max-Age=0; /)
      assert.isUndefined(cookieFrom(yield* slow.end))
    }))
})
