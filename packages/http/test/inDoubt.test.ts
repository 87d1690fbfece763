import { assert, layer } from "@effect/vitest"
import { Failpoints } from "@tapeline/core"
import { StoreUnavailable } from "@tapeline/core/engine"
import { createKeyedAccount } from "@tapeline/testing"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { layerTestServer, sendRequest } from "./testServer.ts"

/**
 * The point at which the connection to the ledger breaks, and how often. If `interrupts` is true, the call is
 * interrupted at the failpoint, as when the process stops.
 */
const failure = { at: "after:end", times: 0, interrupts: false }

const failpoints = Layer.succeed(Failpoints, (point) =>
  point === failure.at && failure.times-- > 0
    ? failure.interrupts
      ? Effect.interrupt
      : Effect.fail(new StoreUnavailable({ store: "LedgerStore", cause: new Error("cut") }))
    : Effect.void)

/** Advances the server's clock while a request runs on a real socket. */
const inTime = <A, E, R>(operation: Effect.Effect<A, E, R>) =>
  Effect.raceFirst(
    operation,
    Effect.forever(
      Effect.andThen(TestClock.adjust("100 millis"), Effect.promise(() => new Promise((next) => setImmediate(next))))
    )
  )

layer(layerTestServer().pipe(Layer.provide(failpoints)))("a ledger outage while a call is charged", (it) => {
  const call = (key: string, idempotencyKey: string, lang = "en") =>
    sendRequest("POST", "/v1/tools/test_korea", {
      key,
      headers: { "idempotency-key": idempotencyKey, "x-lang": lang }
    })
  const creditsOf = (key: string) => Effect.map(sendRequest("GET", "/v1/usage", { key }), ({ body }) => body.credits)

  it.effect("returns the result, charged once, if only the ledger's response was lost", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      Object.assign(failure, { at: "after:end", times: 1 })
      const first = yield* inTime(call(key, "lost"))
      assert.isBelow(failure.times, 1, "the ledger's response was lost")
      assert.strictEqual(first.status, 200)
      assert.strictEqual(first.body.credits_used, 5)
      assert.deepStrictEqual(yield* creditsOf(key), {
        allotted: 60_000,
        adjusted: 0,
        used: 5,
        reserved: 0,
        left: 59_995
      })
      const retriedCall = yield* call(key, "lost")
      assert.strictEqual(retriedCall.headers.get("idempotent-replayed"), "true")
      assert.strictEqual(retriedCall.text, first.text)
      assert.strictEqual((yield* creditsOf(key)).used, 5)
    }))

  it.effect("returns 503 saying that the call may have been charged, and charges a repeat once", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      for (
        const [lang, message] of [["en", /may have been charged/], ["ko", /차감되었을 수/], [
          "ru",
          /могли быть/
        ]] as const
      ) {
        Object.assign(failure, { at: "after:end", times: Infinity })
        const chargeInDoubt = yield* inTime(call(key, lang, lang))
        assert.deepStrictEqual([chargeInDoubt.status, chargeInDoubt.body.code], [503, "unavailable"])
        assert.match(chargeInDoubt.body.detail, message)
        assert.include(chargeInDoubt.body.detail, "Idempotency-Key")
        assert.strictEqual(chargeInDoubt.headers.get("retry-after"), "1")
        failure.times = 0
        const retriedCall = yield* call(key, lang, lang)
        assert.deepStrictEqual([retriedCall.status, retriedCall.headers.get("idempotent-replayed")], [200, "true"])
      }
      assert.strictEqual((yield* creditsOf(key)).used, 15)
    }))

  it.effect("returns 503 saying that the call was not charged if it was not reserved", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      for (
        const [lang, message] of [["en", /not charged/], ["ko", /차감되지 않/], ["ru", /ничего не списано/]] as const
      ) {
        Object.assign(failure, { at: "before:reserve", times: 1 })
        const rejection = yield* inTime(call(key, "none", lang))
        assert.deepStrictEqual([rejection.status, rejection.body.code], [503, "unavailable"])
        assert.match(rejection.body.detail, message)
      }
      assert.deepStrictEqual(yield* creditsOf(key), {
        allotted: 60_000,
        adjusted: 0,
        used: 0,
        reserved: 0,
        left: 60_000
      })
    }))

  it.effect("returns 503 saying that the call may have been charged if the process ends during it", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      Object.assign(failure, { at: "before:reserve", times: 1, interrupts: true })
      const cutCall = yield* inTime(call(key, "cut"))
      assert.deepStrictEqual([cutCall.status, cutCall.body.code], [503, "unavailable"])
      assert.match(cutCall.body.detail, /interrupted .* may have been charged/)
      assert.strictEqual(cutCall.headers.get("connection"), "close")
      assert.strictEqual(cutCall.headers.get("x-request-id"), cutCall.body.request_id)
    }))
})
