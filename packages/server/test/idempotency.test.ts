import { assert, describe, it } from "@effect/vitest"
import { isFullRun } from "@tapeline/testing/fullRun"
import { Effect, Fiber } from "effect"
import { awaitReservations, awaitUsageWrite, lockUsageDays, slowDownUsageWrites } from "./support/databaseLocks.ts"
import { type ServerProcess, startServer } from "./support/process.ts"
import { callGetPrice, createAccount, getUsage, sendRequest, testSettings } from "./support/service.ts"
import { makeShared } from "./support/sharedFixture.ts"
import { makePglite, migratedPostgres } from "./support/testDatabases.ts"

const makeIdempotencyHeader = (idempotencyKey: string) => ({ "idempotency-key": idempotencyKey })

const repeatsInTurn = (serving: Effect.Effect<ServerProcess>) => {
  it.live("replays the first answer without a charge, rejects another body, and frees the key after a failure", () =>
    Effect.gen(function*() {
      const server = yield* serving
      const { key } = yield* createAccount(server, "pro")
      const first = yield* callGetPrice(server, key, makeIdempotencyHeader("a"))
      assert.strictEqual(first.status, 200)
      assert.isNull(first.headers.get("idempotent-replayed"))
      const ordered = { key, headers: makeIdempotencyHeader("order") }
      const one = yield* sendRequest(server, "POST", "/v1/tools/get_indicators", {
        ...ordered,
        body: { coin: "BTC", tf: "1h" }
      })
      const other = yield* sendRequest(server, "POST", "/v1/tools/get_indicators", {
        ...ordered,
        body: { tf: "1h", coin: "BTC" }
      })
      assert.deepStrictEqual([one.status, other.status], [200, 200])
      assert.strictEqual(other.headers.get("idempotent-replayed"), "true")
      assert.strictEqual(other.text, one.text)
      const creditsBefore = (yield* getUsage(server, key)).credits.used

      const second = yield* callGetPrice(server, key, makeIdempotencyHeader("a"))
      assert.strictEqual(second.headers.get("idempotent-replayed"), "true")
      assert.strictEqual(second.text, first.text)
      for (const [tool, body] of [["get_price", { coin: "ETH" }], ["get_indicators", { coin: "BTC" }]] as const) {
        const keyReusedResponse = yield* sendRequest(server, "POST", `/v1/tools/${tool}`, {
          key,
          body,
          headers: makeIdempotencyHeader("a")
        })
        assert.deepStrictEqual([keyReusedResponse.status, keyReusedResponse.body.code], [400, "idempotency_key_reused"])
      }
      assert.strictEqual((yield* getUsage(server, key)).credits.used, creditsBefore)

      const failed = yield* sendRequest(server, "POST", "/v1/tools/get_price", {
        key,
        body: { coin: "NOCOIN" },
        headers: makeIdempotencyHeader("b")
      })
      assert.deepStrictEqual([failed.status, failed.body.credits_used, failed.body.data.error.code], [
        200,
        0,
        "unknown_symbol"
      ])
      const after = yield* callGetPrice(server, key, makeIdempotencyHeader("b"))
      assert.deepStrictEqual([after.status, after.body.credits_used], [200, 1])
      assert.isNull(after.headers.get("idempotent-replayed"))
      assert.strictEqual((yield* getUsage(server, key)).credits.used, creditsBefore + 1)

      const otherAccount = yield* createAccount(server, "pro")
      assert.isNull(
        (yield* callGetPrice(server, otherAccount.key, makeIdempotencyHeader("a"))).headers.get("idempotent-replayed")
      )
      const long = yield* callGetPrice(server, key, makeIdempotencyHeader("x".repeat(129)))
      assert.deepStrictEqual([long.status, long.body.code], [400, "invalid_arguments"])
    }))
}

const repeatsAtOnce = (serving: Effect.Effect<ServerProcess>) => {
  it.live("charges one of 50 concurrent repeats, and replays the others or returns 409", () =>
    Effect.gen(function*() {
      const server = yield* serving
      const { key } = yield* createAccount(server, "pro")
      const answers = yield* Effect.forEach(
        Array.from({ length: 50 }),
        () => callGetPrice(server, key, makeIdempotencyHeader("race")),
        {
          concurrency: "unbounded"
        }
      )
      const first = answers.filter(({ headers, status }) =>
        status === 200 && headers.get("idempotent-replayed") === null
      )
      assert.strictEqual(first.length, 1)
      for (const answer of answers) {
        if (answer.status === 200) assert.strictEqual(answer.text, first[0]!.text)
        else assert.deepStrictEqual([answer.status, answer.body.code], [409, "request_in_progress"])
      }
      assert.strictEqual((yield* getUsage(server, key)).credits.used, 1)
    }))
}

const promises = (serving: Effect.Effect<ServerProcess>) => {
  repeatsInTurn(serving)
  repeatsAtOnce(serving)
}

// The store contracts of `packages/postgres` test idempotency keys on PGlite in every run.
describe.runIf(isFullRun)("Idempotency keys: PGlite", () => {
  promises(
    makeShared(Effect.flatMap(makePglite(), (database) => startServer({ ...testSettings, ...database.environment })))
  )
})

describe("Idempotency keys: PostgreSQL", () => {
  const serving = makeShared(Effect.gen(function*() {
    const database = yield* migratedPostgres
    const start = startServer({ ...testSettings, ...database.environment })
    const [serverA, serverB] = yield* Effect.all([start, start], { concurrency: 2 })
    return { database, serverA, serverB }
  }))

  promises(Effect.map(serving, ({ serverA }) => serverA))

  it.live("returns 409 to a repeat at any process while the first call runs, and replays it afterwards", () =>
    Effect.gen(function*() {
      const { serverA, database, serverB } = yield* serving
      const { account, key } = yield* createAccount(serverA, "pro")
      yield* callGetPrice(serverA, key)
      const lock = yield* lockUsageDays(database, account)
      const first = yield* Effect.forkScoped(callGetPrice(serverA, key, makeIdempotencyHeader("slow")))
      yield* awaitReservations(database, 1)
      const repeat = yield* callGetPrice(serverB, key, makeIdempotencyHeader("slow"))
      assert.deepStrictEqual([repeat.status, repeat.body.code], [409, "request_in_progress"])
      assert.strictEqual(repeat.headers.get("retry-after"), "1")
      const other = yield* sendRequest(serverB, "POST", "/v1/tools/get_price", {
        key,
        body: { coin: "ETH" },
        headers: makeIdempotencyHeader("slow")
      })
      assert.deepStrictEqual([other.status, other.body.code], [400, "idempotency_key_reused"])
      yield* lock.release
      const firstResponse = yield* Fiber.join(first)
      const replayed = yield* callGetPrice(serverB, key, makeIdempotencyHeader("slow"))
      assert.strictEqual(replayed.headers.get("idempotent-replayed"), "true")
      assert.strictEqual(replayed.text, firstResponse.text)
      assert.strictEqual((yield* getUsage(serverA, key)).credits.used, 2)
    }))
})

describe.runIf(isFullRun)("A process that is killed between the charge and the response", () => {
  it.live("leaves an answer that a repeat receives without another charge", () =>
    Effect.gen(function*() {
      const database = yield* migratedPostgres
      const environment = { ...testSettings, ...database.environment }
      const server = yield* startServer(environment)
      const { key } = yield* createAccount(server, "pro")
      yield* callGetPrice(server, key)
      yield* slowDownUsageWrites(database)
      const call = yield* Effect.forkScoped(Effect.exit(callGetPrice(server, key, makeIdempotencyHeader("lost"))))
      yield* awaitUsageWrite(database)
      // The database has already received the statement, so the statement is executed although the connection breaks.
      yield* server.kill
      yield* awaitReservations(database, 0)
      assert.strictEqual((yield* Fiber.join(call))._tag, "Failure")
      const next = yield* startServer(environment)
      const repeat = yield* callGetPrice(next, key, makeIdempotencyHeader("lost"))
      assert.deepStrictEqual([repeat.status, repeat.body.credits_used], [200, 1])
      assert.strictEqual(repeat.headers.get("idempotent-replayed"), "true")
      assert.deepStrictEqual((yield* getUsage(next, key)).credits, {
        allotted: 60_000,
        adjusted: 0,
        used: 2,
        reserved: 0,
        left: 59_998
      })
    }))
})
