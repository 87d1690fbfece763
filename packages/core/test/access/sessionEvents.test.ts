import { assert, it } from "@effect/vitest"
import { AdminStore, Sessions } from "@tapeline/core"
import { MemoryStores } from "@tapeline/testing"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

const service = Sessions.layer.pipe(Layer.provideMerge(MemoryStores))

const failures = Effect.flatMap(AdminStore, (store) =>
  Effect.map(
    store.events({ types: ["sign_in.failed"], after: 0, limit: 100 }),
    (events) => events.map(({ account, after }) => ({ account, after }))
  ))

it.layer(service)("failed sign-ins", (it) => {
  it.effect("are recorded as one event every ten minutes, and as no event if no sign-in failed", () =>
    Effect.gen(function*() {
      const sessions = yield* Sessions
      const fail = Effect.ignore(sessions.useLink("tl_link_invented", { device: "" }))
      yield* Effect.replicateEffect(fail, 1_000)
      yield* sessions.countFailure("openid_denied")
      assert.deepStrictEqual(yield* failures, [])
      yield* TestClock.adjust("10 minutes")
      const first = { account: null, after: { link_unknown: 1_000, openid_denied: 1 } }
      assert.deepStrictEqual(yield* failures, [first])
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* failures, [first])
      yield* fail
      yield* TestClock.adjust("10 minutes")
      assert.deepStrictEqual(yield* failures, [first, { account: null, after: { link_unknown: 1 } }])
    }))
})
