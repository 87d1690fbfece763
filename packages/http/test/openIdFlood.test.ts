import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { AttemptSettings } from "../src/callers/Attempts.ts"
import { browser, fakeProvider, publicUrl } from "./provider.ts"
import { layerTestServer } from "./server.ts"

const start = "/v1/account/openid"
const callback = "/v1/account/openid/callback"
const refusal = (reason: string) => `/app/sign-in?refused=${reason}`

const provider = fakeProvider()
/** Two invalid answers are sent to the provider without delay. */
const two = Layer.succeed(AttemptSettings, { perAddress: 2, inAll: 2, window: "5 minutes" })

layer(layerTestServer([], {}, { corsOrigins: [], publicUrl }, provider.layer).pipe(Layer.provide(two)), {
  excludeTestServices: true
})("a flood of invalid answers", (it) => {
  const invalid = Effect.gen(function*() {
    const at = browser()
    const state = new URL((yield* at.visit(start)).location!).searchParams.get("state")
    return (yield* at.visit(`${callback}?code=a&state=${state}`)).location
  })
  const signIn = Effect.fnUntraced(function*(at: ReturnType<typeof browser>, subject: string) {
    const { location } = yield* at.visit(start)
    assert.strictEqual((yield* at.visit(callback + provider.vouches(location!, subject))).location, "/app/")
  })

  it.effect("slows valid answers of the same address down, and rejects none of them", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* Effect.replicateEffect(invalid, 2), [refusal("unsound"), refusal("unsound")])
      const before = performance.now()
      const flood = yield* Effect.forkChild(Effect.replicateEffect(invalid, 2, { concurrency: 2, discard: true }))
      yield* signIn(browser(), "ada")
      yield* Fiber.join(flood)
      // Three answers beyond the limit, one every 200 ms.
      assert.isAtLeast(performance.now() - before, 590)
      assert.strictEqual(provider.asked, 5)
    }))

  it.effect("does not delay a browser that signed in before", () =>
    Effect.gen(function*() {
      const known = browser()
      yield* signIn(known, "lin")
      const asked = provider.asked
      const flood = yield* Effect.forkChild(Effect.replicateEffect(invalid, 4, { concurrency: 4, discard: true }))
      yield* Effect.sleep("100 millis")
      yield* signIn(known, "lin")
      // The browser did not wait for the four others.
      assert.isBelow(provider.asked, asked + 5)
      yield* Fiber.interrupt(flood)
    }))
})
