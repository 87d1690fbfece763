import { assert, it as test, layer } from "@effect/vitest"
import { enrol } from "@tapeline/testing"
import { Effect, Fiber, Latch } from "effect"
import { TestClock } from "effect/testing"
import { LargeBodies } from "../src/question/LargeBodies.ts"
import { keepingPace } from "../src/question/pace.ts"
import { layerTestServer, request } from "./server.ts"

layer(layerTestServer(), { excludeTestServices: true })("what is wrong with a request", (it) => {
  it.effect("a body that is no JSON is told from JSON that is no object, and from an object with a name twice", () =>
    Effect.gen(function*() {
      const { key } = yield* enrol()
      const refused = [
        [`{"coin":`, /not JSON/],
        [`["BTC"]`, /must be one JSON object/],
        [`{"coin":"BTC","coin":"ETH"}`, /`coin` twice/],
        [`{"mode":{"a":1,"\\u0061":2}}`, /`a` twice/]
      ] as const
      for (const [body, detail] of refused) {
        const answer = yield* request("POST", "/v1/tools/test_price", { key, body })
        assert.strictEqual(answer.body.code, "invalid_body", body)
        assert.match(answer.body.detail, detail)
      }
      for (const charset of ["utf-16", `"latin1"`, "utf-80"]) {
        const headers = { "content-type": `application/json; a=b; charset=${charset}` }
        const answer = yield* request("POST", "/v1/tools/test_price", { key, body: { coin: "BTC" }, headers })
        assert.strictEqual(answer.body.code, "unsupported_media_type", charset)
      }
      const answered = yield* request("POST", "/v1/tools/test_price", {
        key,
        body: { coin: "BTC" },
        headers: { "content-type": `application/json;charset="UTF-8"; a=b` }
      })
      // Nothing was charged for any of them.
      assert.strictEqual(answered.body.credits_left, 59_999)
    }))

  it.effect("a refusal lists the first fifty issues and counts the rest", () =>
    Effect.gen(function*() {
      const { key } = yield* enrol()
      const names = Array.from({ length: 5_000 }, (_, i) => `f${i}`)
      const body = { coin: "BTC", ...Object.fromEntries(names.map((name) => [name, 1])) }
      const { body: { issues: told }, text } = yield* request("POST", "/v1/tools/test_price", { key, body })
      assert.strictEqual(told.length, 51)
      assert.deepStrictEqual(told.at(-1), { path: [], message: "There are 4950 more issues." })
      assert.isBelow(text.length, 20_000)
      const query = names.slice(0, 60).map((name) => `${name}=1`).join("&")
      const { body: { issues } } = yield* request("GET", `/v1/usage?${query}`, { key })
      assert.strictEqual(issues.length, 51)
    }))

  it.effect("an argument that is unknown is told the known ones; arguments are counted, not what is wrong with them", () =>
    Effect.gen(function*() {
      const { key } = yield* enrol()
      const unknown = yield* request("POST", "/v1/tools/test_price", { key, body: { coin: "BTC", coins: "BTC" } })
      const message = "There is no such field; known: coin, hours, mode."
      assert.deepStrictEqual(unknown.body.issues, [{ path: ["coins"], message }])
      assert.match(unknown.body.detail, /^One argument/)
      const none = yield* request("POST", "/v1/tools/test_korea", { key, body: { coin: "BTC" } })
      assert.deepStrictEqual(none.body.issues, [
        { path: ["coin"], message: "There is no such field; none is known here." }
      ])
      const endless = yield* request("POST", "/v1/tools/test_price", { key, body: `{"coin":"BTC","hours":1e400}` })
      assert.isAbove(endless.body.issues.length, 1)
      assert.match(endless.body.detail, /^One argument/)
      const fraction = yield* request("POST", "/v1/tools/test_price", { key, body: { coin: "BTC", hours: "24" } })
      assert.strictEqual(fraction.body.issues[0].message, "Expected an integer.")
    }))

  it.effect("a month is asked for in a person's words", () =>
    Effect.gen(function*() {
      const { key } = yield* enrol()
      const refused = yield* request("GET", "/v1/usage?month=2026-13", { key })
      assert.deepStrictEqual(refused.body.issues, [
        { path: ["month"], message: "Expected a month written YYYY-MM, such as 2026-11." }
      ])
    }))
})

test.effect("large bodies are read one of an account at a time and few of all; more than may wait are refused", () =>
  Effect.gen(function*() {
    const bodies = new LargeBodies()
    const gate = Latch.makeUnsafe(false)
    const reading: Array<number> = []
    const read = (account: number) =>
      bodies.admit(account, Effect.andThen(Effect.sync(() => reading.push(account)), gate.await))
    const ask = (account: number, times: number) =>
      Effect.replicateEffect(Effect.forkChild(Effect.exit(read(account)), { startImmediately: true }), times)
    const first = yield* ask(1, 4)
    assert.strictEqual((yield* Effect.flip(read(1)))._tag, "TooManyLargeBodies")
    assert.deepStrictEqual(reading, [1])
    const others = yield* Effect.forEach([2, 3, 4, 5, 6, 7, 8], (account) => ask(account, 4))
    assert.deepStrictEqual(reading, [1, 2, 3, 4])
    assert.strictEqual((yield* Effect.flip(read(9)))._tag, "TooManyLargeBodies")
    // One that hangs up makes room, also in the midst of its wait.
    yield* Fiber.interrupt(others[6]![3]!)
    const late = yield* ask(9, 1)
    yield* gate.open
    yield* Effect.forEach([...first, ...others.slice(0, 6).flat(), ...late], Fiber.join)
    assert.lengthOf(reading.filter((account) => account === 9), 1)
    yield* read(1)
  }))

test.effect("a large body that comes too slowly loses its place to those who wait for it", () =>
  Effect.gen(function*() {
    const bodies = new LargeBodies()
    const connection = { bytesRead: 0 }
    const slow = yield* Effect.forkChild(Effect.flip(bodies.admit(1, keepingPace(connection))), {
      startImmediately: true
    })
    const next = yield* Effect.forkChild(bodies.admit(1, Effect.succeed("read")), { startImmediately: true })
    for (let i = 0; i < 4; i++) {
      connection.bytesRead += 256 * 1024
      yield* TestClock.adjust("10 seconds")
      assert.isUndefined(slow.pollUnsafe(), "it keeps coming")
    }
    connection.bytesRead += 1024
    yield* TestClock.adjust("10 seconds")
    assert.strictEqual((yield* Fiber.join(slow))._tag, "RequestTimeout")
    assert.strictEqual(yield* Fiber.join(next), "read")
  }))
