import { assert, layer } from "@effect/vitest"
import { Failpoints, Sessions } from "@tapeline/core"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { layerTestServer, sendRequest } from "./testServer.ts"
import { cookieFrom, samePageHeaders, signInNewUser } from "./testSession.ts"

/** Synchronizes the test with a call that is being charged: the call completes `here` and waits for `open`. */
const gate: { here?: Deferred.Deferred<void>; open?: Deferred.Deferred<void> } = {}

const hooks = Layer.succeed(Failpoints, (point) =>
  Effect.suspend(() => {
    const { here, open } = gate
    if (point !== "before:end" || here === undefined || open === undefined) return Effect.void
    delete gate.here
    return Effect.andThen(Deferred.succeed(here, undefined), Deferred.await(open))
  }))

/** A call of a session with an old text. The call is admitted and then waits. */
const slowCall = Effect.fnUntraced(function*(cookie: string) {
  const [here, open] = yield* Effect.all([Deferred.make<void>(), Deferred.make<void>()])
  Object.assign(gate, { here, open })
  const call = yield* Effect.forkChild(
    sendRequest("POST", "/v1/tools/test_price", { body: { coin: "BTC" }, headers: { ...samePageHeaders, cookie } })
  )
  yield* Deferred.await(here)
  return { end: Effect.andThen(Deferred.succeed(open, undefined), Fiber.join(call)) }
})

layer(layerTestServer().pipe(Layer.provide(hooks)))("an answer that is slow", (it) => {
  it.effect("brings no text that is older than the one that its browser was given meanwhile", () =>
    Effect.gen(function*() {
      const { account, ask, jar } = yield* signInNewUser()
      yield* TestClock.adjust("16 minutes")
      const slow = yield* slowCall(jar.cookie)
      const stale = jar.cookie
      yield* TestClock.adjust("61 seconds")
      yield* ask("GET", "/v1/usage")
      assert.notStrictEqual(jar.cookie, stale, "a quick one is given the next text")
      assert.strictEqual((yield* ask("GET", "/v1/account")).status, 200, "and shows it")
      const late = yield* slow.end
      jar.cookie = cookieFrom(late) ?? jar.cookie
      yield* TestClock.adjust("61 seconds")
      assert.strictEqual((yield* ask("GET", "/v1/account")).status, 200)
      const [session] = yield* (yield* Sessions).sessions(account.id, { after: 0, limit: 1 })
      assert.isNull(session!.ended)
    }))

  it.effect("brings the next text where none was given meanwhile", () =>
    Effect.gen(function*() {
      const { ask, jar } = yield* signInNewUser()
      yield* TestClock.adjust("16 minutes")
      const stale = jar.cookie
      const slow = yield* slowCall(stale)
      yield* TestClock.adjust("30 seconds")
      const late = yield* slow.end
      assert.isString(cookieFrom(late))
      assert.notStrictEqual(cookieFrom(late), stale)
      jar.cookie = cookieFrom(late)!
      yield* ask("GET", "/v1/account")
      yield* TestClock.adjust("61 seconds")
      assert.strictEqual((yield* ask("GET", "/v1/account")).status, 200)
    }))

  it.effect("of a session that was ended meanwhile brings nothing", () =>
    Effect.gen(function*() {
      const { ask, jar } = yield* signInNewUser()
      yield* TestClock.adjust("16 minutes")
      const slow = yield* slowCall(jar.cookie)
      const out = yield* ask("POST", "/v1/account/sign-out")
      assert.match(out.headers.get("set-cookie")!, /^tapeline_session=; Path=\/; Max-Age=0; /)
      assert.isUndefined(cookieFrom(yield* slow.end))
    }))
})
