import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { AttemptLimits } from "../src/callers/callerLimits.ts"
import { makeBrowser, makeFakeProvider, publicUrl } from "./fakeProvider.ts"
import { layerTestServer } from "./testServer.ts"

const start = "/v1/account/openid"
const callback = "/v1/account/openid/callback"
const rejectionPath = (reason: string) => `/app/sign-in?refused=${reason}`

const provider = makeFakeProvider()
/** The limits let the first two invalid callbacks reach the provider without delay. */
const two = Layer.succeed(AttemptLimits, { maxPerAddress: 2, maxTotal: 2, window: "5 minutes" })

layer(
  layerTestServer([], {}, { corsOrigins: [], publicUrl, trustedProxies: 1 }, provider.layer).pipe(Layer.provide(two)),
  {
    excludeTestServices: true
  }
)("a flood of invalid OpenID callbacks", (it) => {
  const sendInvalid = Effect.fnUntraced(function*(address: string) {
    const at = makeBrowser()
    const state = new URL((yield* at.visit(start)).location!).searchParams.get("state")
    return (yield* at.visit(`${callback}?code=a&state=${state}`, { "x-forwarded-for": address })).location
  })
  const invalid = sendInvalid("10.0.0.1")
  const signIn = Effect.fnUntraced(
    function*(at: ReturnType<typeof makeBrowser>, subject: string, address = "10.0.0.1") {
      const { location } = yield* at.visit(start)
      const url = callback + provider.makeCallbackQuery(location!, subject)
      assert.strictEqual((yield* at.visit(url, { "x-forwarded-for": address })).location, "/app/")
    }
  )

  it.effect("delays a valid callback from the same address while two invalid callbacks wait", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* Effect.replicateEffect(invalid, 2), [
        rejectionPath("unsound"),
        rejectionPath("unsound")
      ])
      const before = performance.now()
      const flood = yield* Effect.forkChild(Effect.replicateEffect(invalid, 2, { concurrency: 2, discard: true }))
      yield* signIn(makeBrowser(), "ada")
      yield* Fiber.join(flood)
      // Three callbacks exceed the limit, and wait for 200, 400 and 600 ms.
      assert.isAtLeast(performance.now() - before, 590)
      assert.strictEqual(provider.authenticationCount, 5)
    }))

  it.effect("shares one turn among all IPv6 networks of a site", () =>
    Effect.gen(function*() {
      const before = provider.authenticationCount
      const flood = yield* Effect.forkChild(
        Effect.forEach(Array.from({ length: 20 }, (_, n) => `2001:db8:5:${n + 1}::1`), sendInvalid, {
          concurrency: "unbounded"
        })
      )
      yield* Effect.sleep("100 millis")
      yield* signIn(makeBrowser(), "eve", "10.0.0.2")
      assert.isBelow(provider.authenticationCount, before + 12)
      yield* Fiber.interrupt(flood)
    }))

  it.effect("does not delay a browser that signed in before", () =>
    Effect.gen(function*() {
      const known = makeBrowser()
      yield* signIn(known, "lin")
      const tokenRequests = provider.authenticationCount
      const flood = yield* Effect.forkChild(Effect.replicateEffect(invalid, 4, { concurrency: 4, discard: true }))
      yield* Effect.sleep("100 millis")
      yield* signIn(known, "lin")
      assert.isBelow(provider.authenticationCount, tokenRequests + 5)
      yield* Fiber.interrupt(flood)
    }))
})

const lowLimits = Layer.succeed(AttemptLimits, { maxPerAddress: 3, maxTotal: 8, window: "5 minutes" })
const limited = makeFakeProvider()

layer(layerTestServer([], {}, { corsOrigins: [], publicUrl }, limited.layer).pipe(Layer.provide(lowLimits)))(
  "the limit of failed OpenID callbacks",
  (it) => {
    it.effect("rejects an address after its failures, and does not count successful sign-ins", () =>
      Effect.gen(function*() {
        const one = makeBrowser()
        for (let i = 0; i < 5; i++) {
          const { location } = yield* one.visit(start)
          assert.strictEqual(
            (yield* one.visit(callback + limited.makeCallbackQuery(location!, "ada"))).location,
            "/app/"
          )
        }
        // Any page can make a browser request the callback, for example as the URL of an image.
        for (let i = 0; i < 10; i++) {
          assert.strictEqual((yield* one.visit(`${callback}?code=a&state=${i}`)).location, rejectionPath("elsewhere"))
        }
        const sendInvalidCallback = Effect.gen(function*() {
          const state = new URL((yield* one.visit(start)).location!).searchParams.get("state")
          return (yield* one.visit(`${callback}?code=a&state=${state}`)).location
        })
        for (let i = 0; i < 3; i++) assert.strictEqual(yield* sendInvalidCallback, rejectionPath("unsound"))
        assert.strictEqual(yield* sendInvalidCallback, rejectionPath("attempts"))
        const { location } = yield* one.visit(start)
        assert.strictEqual((yield* one.visit(callback + limited.makeCallbackQuery(location!, "ada"))).location, "/app/")
        yield* TestClock.adjust("5 minutes")
        assert.strictEqual(yield* sendInvalidCallback, rejectionPath("unsound"))
      }))

    it.effect("does not count a denied consent as a failed attempt", () =>
      Effect.gen(function*() {
        yield* TestClock.adjust("10 minutes")
        const one = makeBrowser()
        const answer = Effect.fnUntraced(function*(query: string) {
          const state = new URL((yield* one.visit(start)).location!).searchParams.get("state")
          return (yield* one.visit(`${callback}?${query}&state=${state}`)).location
        })
        for (let i = 0; i < 4; i++) assert.strictEqual(yield* answer("error=access_denied"), rejectionPath("denied"))
        for (let i = 0; i < 3; i++) assert.strictEqual(yield* answer("code=a"), rejectionPath("unsound"))
        assert.strictEqual(yield* answer("code=a"), rejectionPath("attempts"))
      }))
  }
)
