import { assert, it as test, layer } from "@effect/vitest"
import { createKeyedAccount } from "@tapeline/testing"
import { Effect, Exit, Fiber, Latch, Result } from "effect"
import { TestClock } from "effect/testing"
import { LargeBodyQueue, Upload } from "../src/question/LargeBodyQueue.ts"
import { layerTestServer, sendRequest } from "./testServer.ts"

layer(layerTestServer(), { excludeTestServices: true })("the validation of requests", (it) => {
  it.effect("distinguishes invalid JSON, JSON that is no object, and a duplicate name", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      const rejectedBodies = [
        [`{"coin":`, /not JSON/],
        [`["BTC"]`, /must be one JSON object/],
        [`{"coin":"BTC","coin":"ETH"}`, /`coin` twice/],
        [`{"mode":{"a":1,"\\u0061":2}}`, /`a` twice/]
      ] as const
      for (const [body, detail] of rejectedBodies) {
        const answer = yield* sendRequest("POST", "/v1/tools/test_price", { key, body })
        assert.strictEqual(answer.body.code, "invalid_body", body)
        assert.match(answer.body.detail, detail)
      }
      for (const charset of ["utf-16", `"latin1"`, "utf-80"]) {
        const headers = { "content-type": `application/json; a=b; charset=${charset}` }
        const answer = yield* sendRequest("POST", "/v1/tools/test_price", { key, body: { coin: "BTC" }, headers })
        assert.strictEqual(answer.body.code, "unsupported_media_type", charset)
      }
      const response = yield* sendRequest("POST", "/v1/tools/test_price", {
        key,
        body: { coin: "BTC" },
        headers: { "content-type": `application/json;charset="UTF-8"; a=b` }
      })
      assert.strictEqual(response.body.credits_left, 59_999)
    }))

  it.effect("lists the first fifty issues and counts the rest", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      const names = Array.from({ length: 5_000 }, (_, i) => `f${i}`)
      const body = { coin: "BTC", ...Object.fromEntries(names.map((name) => [name, 1])) }
      const { body: { detail, issues: reportedIssues }, text } = yield* sendRequest("POST", "/v1/tools/test_price", {
        key,
        body
      })
      assert.strictEqual(detail, "5000 arguments are invalid; see `issues`.")
      assert.strictEqual(reportedIssues.length, 51)
      assert.deepStrictEqual(reportedIssues.at(-1), { path: [], message: "There are 4950 more issues." })
      assert.isBelow(text.length, 20_000)
      const nul = yield* sendRequest("POST", "/v1/tools/test_price", {
        key,
        body: Object.fromEntries(names.slice(0, 60).map((name) => [name, "\0"]))
      })
      assert.strictEqual(nul.body.detail, "60 arguments are invalid; see `issues`.")
      const query = names.slice(0, 60).map((name) => `${name}=1`).join("&")
      const { body: { issues } } = yield* sendRequest("GET", `/v1/usage?${query}`, { key })
      assert.strictEqual(issues.length, 51)
    }))

  it.effect("lists the known arguments for an unknown one, and counts arguments, not issues", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      const unknown = yield* sendRequest("POST", "/v1/tools/test_price", { key, body: { coin: "BTC", coins: "BTC" } })
      const message = "Unknown field; known fields: coin, hours, mode."
      assert.deepStrictEqual(unknown.body.issues, [{ path: ["coins"], message }])
      assert.match(unknown.body.detail, /^One argument/)
      const outOfCredits = yield* sendRequest("POST", "/v1/tools/test_korea", { key, body: { coin: "BTC" } })
      assert.deepStrictEqual(outOfCredits.body.issues, [
        { path: ["coin"], message: "Unknown field; no fields are allowed here." }
      ])
      const endless = yield* sendRequest("POST", "/v1/tools/test_price", { key, body: `{"coin":"BTC","hours":1e400}` })
      assert.isAbove(endless.body.issues.length, 1)
      assert.match(endless.body.detail, /^One argument/)
      const fraction = yield* sendRequest("POST", "/v1/tools/test_price", { key, body: { coin: "BTC", hours: "24" } })
      assert.strictEqual(fraction.body.issues[0].message, "Expected an integer.")
    }))

  it.effect("describes the expected format of a month", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      const rejection = yield* sendRequest("GET", "/v1/usage?month=2026-13", { key })
      assert.deepStrictEqual(rejection.body.issues, [
        { path: ["month"], message: "Expected a month in the form YYYY-MM, such as 2026-11." }
      ])
    }))
})

test.effect("large bodies are read one per account and four in total; a full queue rejects more", () =>
  Effect.gen(function*() {
    const bodies = new LargeBodyQueue()
    const latch = Latch.makeUnsafe(false)
    const reading: Array<number> = []
    const read = (account: number) =>
      bodies.admit(account, () => Effect.andThen(Effect.sync(() => reading.push(account)), latch.await))
    const ask = (account: number, times: number) =>
      Effect.replicateEffect(Effect.forkChild(Effect.exit(read(account)), { startImmediately: true }), times)
    const first = yield* ask(1, 4)
    assert.strictEqual((yield* Effect.flip(read(1)))._tag, "TooManyLargeBodies")
    assert.deepStrictEqual(reading, [1])
    const others = yield* Effect.forEach([2, 3, 4, 5, 6, 7, 8], (account) => ask(account, 4))
    assert.deepStrictEqual(reading, [1, 2, 3, 4])
    assert.strictEqual((yield* Effect.flip(read(8)))._tag, "TooManyLargeBodies")
    // If a client disconnects, its request leaves the queue even while the request waits.
    yield* Fiber.interrupt(others[6]![3]!)
    const slowResponse = yield* ask(9, 1)
    yield* latch.open
    yield* Effect.forEach([...first, ...others.slice(0, 6).flat(), ...slowResponse], Fiber.join)
    assert.lengthOf(reading.filter((account) => account === 9), 1)
    yield* read(1)
  }))

/**
 * Uploads a body of 32 MiB on its own connection. The upload ends when the body is complete or the server rejects the
 * body.
 */
const upload = (bodies: LargeBodyQueue, account: number, declared: number | "unknown" = limit) =>
  Effect.gen(function*() {
    const connection = { bytesRead: 1_000 }
    const length = declared === "unknown" ? undefined : declared
    const hasSentAll = Latch.makeUnsafe(false)
    const isDone = Effect.as(hasSentAll.await, "whole")
    const admitted = bodies.admit(
      account,
      (request) => bodies.receive(request, new Upload(connection, length, limit), isDone)
    )
    const fiber = yield* Effect.forkChild(Effect.result(admitted), { startImmediately: true })
    return { connection, hasSentAll, fiber }
  })

const limit = 32 * 1024 * 1024

/** Advances the clock by one second, in which each connection receives the given number of KiB. */
const second = (...arrivals: ReadonlyArray<readonly [{ readonly connection: { bytesRead: number } }, number]>) =>
  Effect.suspend(() => {
    for (const [{ connection }, kib] of arrivals) connection.bytesRead += kib * 1024
    return TestClock.adjust("1 second")
  })

type UploadResult = Effect.Success<ReturnType<typeof upload>>

/** Returns the outcome of an upload, or undefined while the upload is in progress. */
const endOf = ({ fiber }: UploadResult) => {
  const exit = fiber.pollUnsafe()
  if (exit === undefined || Exit.isFailure(exit)) return exit
  return Result.isFailure(exit.value) ? exit.value.failure._tag : exit.value.success
}

test.effect("a large body times out if it arrives too slowly for its length, or nearly stops", () =>
  Effect.gen(function*() {
    const bodies = new LargeBodyQueue()
    const fit = yield* upload(bodies, 1)
    const pendingUpload = yield* upload(bodies, 2)
    const short = yield* upload(bodies, 3, 1024 * 1024)
    const unknown = yield* upload(bodies, 4, "unknown")
    for (let i = 0; i < 10; i++) yield* second([fit, 300], [pendingUpload, 200], [short, 20], [unknown, 20])
    assert.deepStrictEqual([fit, pendingUpload, short, unknown].map(endOf), [
      undefined,
      "RequestTimeout",
      undefined,
      undefined
    ])
    yield* second([fit, 20_000], [short, 900])
    for (let i = 0; i < 19; i++) yield* second([fit, 1])
    assert.deepStrictEqual([fit, short, unknown].map(endOf), ["RequestTimeout", "RequestTimeout", "RequestTimeout"])
  }))

test.effect("while others wait, the slowest large body is evicted, and the one nearest its end continues", () =>
  Effect.gen(function*() {
    const bodies = new LargeBodyQueue()
    const first = yield* upload(bodies, 1)
    const stalled = yield* upload(bodies, 2)
    const third = yield* upload(bodies, 3)
    const fourth = yield* upload(bodies, 4)
    const slow = [first, stalled, third, fourth]
    yield* second([first, 600], [stalled, 9_000], [third, 700], [fourth, 800])
    yield* second([first, 600], [third, 700], [fourth, 800])
    yield* second([first, 600], [third, 700], [fourth, 800])
    yield* second([first, 600], [third, 700], [fourth, 800])
    assert.deepStrictEqual(slow.map(endOf), [undefined, undefined, undefined, undefined], "no upload waits")
    const ownUpload = yield* upload(bodies, 1)
    yield* second([first, 600], [third, 700], [fourth, 800])
    assert.isUndefined(endOf(stalled))
    yield* Fiber.interrupt(ownUpload.fiber)

    const next = yield* upload(bodies, 5)
    yield* second([first, 600], [third, 700], [fourth, 800])
    assert.deepStrictEqual(
      slow.map(endOf),
      [undefined, "RequestTimeout", undefined, undefined],
      "one eviction per waiting upload"
    )
    yield* next.hasSentAll.open
    yield* second([first, 600], [third, 700], [fourth, 800])
    assert.strictEqual(endOf(next), "whole")
    assert.deepStrictEqual([first, third, fourth].map(endOf), [undefined, undefined, undefined])

    const others = yield* Effect.forEach([6, 7, 8, 9], (account) => upload(bodies, account))
    const arrive = [[first, 600], [third, 700], [fourth, 30_000]] as const
    yield* second(...arrive, ...others.map((one) => [one, 5_000] as const))
    yield* second(...arrive, ...others.map((one) => [one, 5_000] as const))
    yield* second([first, 600], [third, 700], ...others.map((one) => [one, 5_000] as const))
    assert.deepStrictEqual([first, third, fourth].map(endOf), ["RequestTimeout", "RequestTimeout", undefined])
  }))

test.effect("a large body of unknown length is evicted once it exceeds the maximum length", () =>
  Effect.gen(function*() {
    const bodies = new LargeBodyQueue()
    const padded = yield* upload(bodies, 1, "unknown")
    const others = yield* Effect.forEach([2, 3, 4], (account) => upload(bodies, account))
    for (let i = 0; i < 4; i++) yield* second([padded, 10_000], ...others.map((one) => [one, 600] as const))
    const next = yield* upload(bodies, 5)
    yield* second([padded, 10_000], ...others.map((one) => [one, 600] as const))
    assert.deepStrictEqual([padded, ...others].map(endOf), ["RequestTimeout", undefined, undefined, undefined])
    yield* next.hasSentAll.open
    yield* Fiber.join(next.fiber)
  }))

const accounts = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)

test.effect("a full queue admits a new account by dropping the newest upload of the account with the most", () =>
  Effect.gen(function*() {
    const bodies = new LargeBodyQueue()
    const duplicates = yield* Effect.forEach(
      [1, 2, 3, 4, 5, 6, 7, 8],
      (account) => Effect.forEach([1, 2, 3, 4], () => upload(bodies, account))
    )
    const laterUpload = yield* upload(bodies, 9)
    assert.deepStrictEqual(duplicates[0]!.map(endOf), [undefined, undefined, undefined, "TooManyLargeBodies"])
    assert.deepStrictEqual(
      duplicates.slice(1).flat().map(endOf).filter((end) => end !== undefined),
      [],
      "one upload is dropped for one new upload"
    )
    assert.strictEqual(endOf(yield* upload(bodies, 9)), "TooManyLargeBodies")
    assert.strictEqual(endOf(yield* upload(bodies, 8)), "TooManyLargeBodies")
    const slow = duplicates.flat().map((one) => [one, 20] as const)
    for (let i = 0; i < 3; i++) yield* second(...slow)
    yield* laterUpload.hasSentAll.open
    yield* Effect.yieldNow
    const ends = [...duplicates.flat(), laterUpload].map(endOf)
    assert.isAtMost(ends.filter((end) => end === "RequestTimeout").length, 4 * 2)
    for (let i = 0; i < 4 && endOf(laterUpload) === undefined; i++) yield* second(...slow)
    assert.strictEqual(endOf(laterUpload), "whole")
  }))

test.effect("accounts that return after each eviction cannot keep another account out of a full queue", () =>
  Effect.gen(function*() {
    const bodies = new LargeBodyQueue()
    const attackers = new Map<number, UploadResult>()
    const arrive = Effect.forEach(accounts(1, 40), (account) =>
      Effect.gen(function*() {
        const known = attackers.get(account)
        if (known === undefined || endOf(known) !== undefined) attackers.set(account, yield* upload(bodies, account))
      }))
    // Four uploads are in memory at the same time, and each account keeps its place for two seconds.
    for (let i = 0; i < 24; i++) {
      yield* arrive
      yield* second(...[...attackers.values()].map((one) => [one, 20] as const))
    }
    yield* arrive
    const victim = yield* upload(bodies, 99)
    assert.isUndefined(endOf(victim), "the queue admits the upload")
    yield* victim.hasSentAll.open
    for (let i = 0; i < 3; i++) {
      yield* second(...[...attackers.values()].map((one) => [one, 20] as const))
      yield* arrive
    }
    assert.strictEqual(endOf(victim), "whole")
  }))

test.effect("a full queue ignores a turn that ended a minute ago", () =>
  Effect.gen(function*() {
    const bodies = new LargeBodyQueue()
    const before = yield* upload(bodies, 7)
    yield* before.hasSentAll.open
    yield* Fiber.join(before.fiber)
    yield* TestClock.adjust("60 seconds")
    const uploads = yield* Effect.forEach([...accounts(101, 131), 7], (account) => upload(bodies, account))
    assert.strictEqual(endOf(yield* upload(bodies, 200)), "TooManyLargeBodies")
    assert.isUndefined(endOf(uploads.at(-1)!))
  }))

test.effect("a free place goes to the account whose latest turn began first", () =>
  Effect.gen(function*() {
    const bodies = new LargeBodyQueue()
    const [first, second, ...rest] = yield* Effect.forEach([1, 2, 3, 4], (account) => upload(bodies, account))
    const next = yield* upload(bodies, 5)
    yield* first!.hasSentAll.open
    yield* Fiber.join(first!.fiber)
    const secondUpload = yield* upload(bodies, 1)
    const laterUpload = yield* upload(bodies, 6)
    yield* secondUpload.hasSentAll.open
    yield* second!.hasSentAll.open
    yield* Fiber.join(second!.fiber)
    yield* TestClock.adjust(0)
    assert.isUndefined(endOf(secondUpload), "the newcomer has the place")
    yield* laterUpload.hasSentAll.open
    yield* Effect.forEach([laterUpload, secondUpload], ({ fiber }) => Fiber.join(fiber))
    assert.deepStrictEqual([...rest, next].map(endOf), [undefined, undefined, undefined])
  }))
