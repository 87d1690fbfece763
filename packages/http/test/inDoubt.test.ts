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

layer(layerTestServer().pipe(Layer.provide(failpoints)))("a call that is charged after it ran", (it) => {
  const call = (key: string, idempotencyKey: string | null, coin = "BTC") =>
    sendRequest("POST", "/v1/tools/test_pure", {
      key,
      body: { coin },
      headers: idempotencyKey === null ? {} : { "idempotency-key": idempotencyKey }
    })
  const creditsOf = (key: string) => Effect.map(sendRequest("GET", "/v1/usage", { key }), ({ body }) => body.credits)

  /** Returns the key of an account with one settled call, whose credits the process therefore knows. */
  const createCaller = Effect.gen(function*() {
    Object.assign(failure, { times: 0, interrupts: false })
    const { key } = yield* createKeyedAccount({ plan: "lite" })
    assert.strictEqual((yield* call(key, null)).body.credits_left, 9_999)
    return key
  })

  it.effect("writes nothing before it runs, and returns the credits that are left", () =>
    Effect.gen(function*() {
      const key = yield* createCaller
      Object.assign(failure, { at: "before:reserve", times: Infinity })
      const first = yield* call(key, "first")
      const second = yield* call(key, null)
      assert.deepStrictEqual(
        [first, second].map(({ body, status }) => [status, body.credits_used, body.credits_left, body.data]),
        [[200, 1, 9_998, { coin: "BTC", price: 100_000 }], [200, 1, 9_997, { coin: "BTC", price: 100_000 }]]
      )
      assert.notStrictEqual(first.headers.get("tapeline-call-id"), second.headers.get("tapeline-call-id"))
      const replayed = yield* call(key, "first")
      assert.deepStrictEqual([replayed.text, replayed.headers.get("idempotent-replayed")], [first.text, "true"])
      const unknown = yield* call(key, null, "NOPE")
      assert.deepStrictEqual(
        [unknown.body.credits_used, unknown.body.credits_left, unknown.body.data.error.code],
        [0, 9_997, "unknown_symbol"]
      )
      failure.times = 0
      assert.deepStrictEqual(yield* creditsOf(key), {
        allotted: 10_000,
        adjusted: 0,
        used: 3,
        reserved: 0,
        left: 9_997
      })
    }))

  it.effect("returns the result, charged once, if only the response of the charge was lost", () =>
    Effect.gen(function*() {
      const key = yield* createCaller
      Object.assign(failure, { at: "after:charge", times: 1 })
      const first = yield* inTime(call(key, "lost"))
      assert.isBelow(failure.times, 1, "the ledger's response was lost")
      assert.deepStrictEqual([first.status, first.body.credits_left], [200, 9_998])
      const retriedCall = yield* call(key, "lost")
      assert.deepStrictEqual([retriedCall.text, retriedCall.headers.get("idempotent-replayed")], [first.text, "true"])
      assert.strictEqual((yield* creditsOf(key)).used, 2)
    }))

  it.effect("returns 503 saying that the call may have been charged, and charges a repeat once", () =>
    Effect.gen(function*() {
      for (const at of ["before:charge", "after:charge"] as const) {
        const key = yield* createCaller
        Object.assign(failure, { at, times: Infinity })
        const chargeInDoubt = yield* inTime(call(key, "doubt"))
        assert.deepStrictEqual([chargeInDoubt.status, chargeInDoubt.body.code], [503, "unavailable"])
        assert.match(chargeInDoubt.body.detail, /may have been charged/)
        assert.isUndefined(chargeInDoubt.body.data)
        failure.times = 0
        const retriedCall = yield* call(key, "doubt")
        assert.deepStrictEqual(
          [retriedCall.status, retriedCall.headers.get("idempotent-replayed")],
          [200, at === "after:charge" ? "true" : null]
        )
        assert.strictEqual((yield* creditsOf(key)).used, 2)
      }
    }))
})
