import { assert, describe, it } from "@effect/vitest"
import { layerRedis, windowKey } from "@tapeline/redis"
import { isFullRun } from "@tapeline/testing/fullRun"
import { Effect } from "effect"
import { Redis } from "effect/persistence/Redis"
import { inject } from "vitest"
import { needsRedis } from "../../redis/test/support/redisServer.ts"
import { type ServerProcess, startServer } from "./support/process.ts"
import {
  callAdminApi,
  callGetPrice,
  createAccount,
  getUsage,
  pollUntil,
  sendRequest,
  type ServerResponse,
  testSettings
} from "./support/service.ts"
import { makeShared } from "./support/sharedFixture.ts"
import { makePglite, migratedPostgres, type TestDatabase } from "./support/testDatabases.ts"

const start = (database: TestDatabase, count: number, extraEnvironment: Readonly<Record<string, string>> = {}) =>
  Effect.all(
    Array.from({ length: count }, () => startServer({ ...testSettings, ...database.environment, ...extraEnvironment })),
    { concurrency: count }
  )

const race = (calls: number, servers: ReadonlyArray<ServerProcess>, keys: ReadonlyArray<string>) =>
  Effect.forEach(
    Array.from({ length: calls }, (_, i) => i),
    (i) => callGetPrice(servers[i % servers.length]!, keys[Math.floor(i / servers.length) % keys.length]!),
    { concurrency: "unbounded" }
  )

const countBy = (answers: ReadonlyArray<ServerResponse>) => {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

const theLastSeven = Effect.fnUntraced(function*(servers: ReadonlyArray<ServerProcess>) {
  const { account, key, keys } = yield* createAccount(servers[0]!, "seven", 2)
  const answers = yield* race(200, servers, keys.map(({ key }) => key))
  assert.deepStrictEqual(countBy(answers), { 200: 7, 402: 193 })
  const admitted = answers.filter(({ status }) => status === 200)
  assert.isTrue(admitted.every(({ body }) => body.credits_used === 1 && body.data.coin === "BTC"))
  assert.deepStrictEqual(admitted.map(({ body }) => body.credits_left).sort((a, b) => a - b), [0, 1, 2, 3, 4, 5, 6])
  for (const { body } of answers.filter(({ status }) => status === 402)) {
    assert.deepStrictEqual([body.code, body.price], ["over_limit", 1])
    assert.deepStrictEqual(body.ways_forward.map((wayForward: { action: string }) => wayForward.action), [
      "upgrade",
      "wait"
    ])
  }
  const books = yield* getUsage(servers[0]!, key)
  assert.deepStrictEqual(books.credits, { allotted: 7, adjusted: 0, used: 7, reserved: 0, left: 0 })
  assert.deepStrictEqual(books.tools, [{ name: "get_price", calls: 7, failed: 0, credits: 7 }])
  return { account, key }
})

const theLastSevenThenMore = Effect.fnUntraced(function*(servers: ReadonlyArray<ServerProcess>) {
  const { account, key } = yield* theLastSeven(servers)
  yield* callAdminApi(servers[0]!, "PATCH", `/accounts/${account}`, { plan: "pro" })
  const { body } = yield* callGetPrice(servers[0]!, key)
  assert.strictEqual(body.credits_left, 59_992)
})

/**
 * Checks the rate-limit headers of 60 concurrent requests on a plan with 20 requests a minute. The numbers of remaining
 * requests must count down without gaps and repeats.
 */
const checkRateLimit = (
  servers: ReadonlyArray<ServerProcess>,
  prepare: (account: number) => Effect.Effect<unknown> = () => Effect.void
) =>
  Effect.gen(function*() {
    const { account, key, keys } = yield* createAccount(servers[0]!, "narrow", 2)
    yield* prepare(account)
    const answers = yield* race(60, servers, keys.map(({ key }) => key))
    assert.deepStrictEqual(countBy(answers), { 200: 20, 429: 40 })
    const admitted = answers.filter(({ status }) => status === 200)
    assert.deepStrictEqual(
      admitted.map(({ headers }) => Number(headers.get("ratelimit-remaining"))).sort((a, b) => a - b),
      Array.from({ length: 20 }, (_, i) => i)
    )
    for (const { headers } of admitted) {
      assert.strictEqual(headers.get("ratelimit-limit"), "20")
      const reset = Number(headers.get("ratelimit-reset"))
      assert.isTrue(reset > 30 && reset <= 60)
    }
    const rateLimited = answers.find(({ status }) => status === 429)!
    assert.strictEqual(Number(rateLimited.headers.get("retry-after")), rateLimited.body.retry_after_seconds)
    assert.isTrue(rateLimited.body.retry_after_seconds > 30 && rateLimited.body.retry_after_seconds <= 60)
    assert.strictEqual((yield* sendRequest(servers[0]!, "GET", "/v1/usage", { key })).status, 429)
  })

// The store contracts of `packages/postgres` test the same races on PGlite in every run.
describe.runIf(isFullRun)("One process on PGlite", () => {
  const servers = makeShared(Effect.flatMap(makePglite(), (database) => start(database, 1)))

  it.live("admits 7 of 200 concurrent calls if 7 credits are left", () => Effect.flatMap(servers, theLastSevenThenMore))

  it.live("enforces the rate limit exactly", () => Effect.flatMap(servers, (servers) => checkRateLimit(servers)))
})

describe("Two processes on one PostgreSQL", () => {
  const servers = makeShared(Effect.flatMap(migratedPostgres, (database) => start(database, 2)))

  it.live("admit 7 of 200 concurrent calls to one process if 7 credits are left", () =>
    Effect.flatMap(servers, (servers) => theLastSevenThenMore(servers.slice(0, 1))))

  it.live("admit 7 of 200 concurrent calls, 100 to each process, if 7 credits are left", () =>
    Effect.flatMap(servers, theLastSeven))

  it.live("apply changes of keys, plans and scopes at once in one process, and soon in the other", () =>
    Effect.gen(function*() {
      // A process trusts a cached key for 60 s, unless it is notified of a change.
      const [serverA, serverB] = yield* servers
      const { account, keys: [first, second] } = yield* createAccount(serverA!, "seven", 2)
      const status = (server: ServerProcess, key: string) =>
        Effect.map(sendRequest(server, "GET", "/v1/usage", { key }), (answer) => answer.status)
      // The requests put the keys into the caches of both processes.
      for (const server of [serverA!, serverB!]) {
        for (const key of [first!, second!]) assert.strictEqual(yield* status(server, key.key), 200)
      }
      yield* callAdminApi(serverA!, "DELETE", `/keys/${first!.id}`)
      assert.strictEqual(yield* status(serverA!, first!.key), 401)
      yield* pollUntil("the revocation in the other process", status(serverB!, first!.key), (code) => code === 401)
      assert.strictEqual(yield* status(serverB!, second!.key), 200)

      yield* callAdminApi(serverA!, "PATCH", `/accounts/${account}`, { plan: "narrow" })
      assert.strictEqual((yield* getUsage(serverA!, second!.key)).plan, "narrow")
      yield* pollUntil(
        "the plan in the other process",
        getUsage(serverB!, second!.key),
        ({ plan }) => plan === "narrow"
      )
      yield* callAdminApi(serverA!, "PATCH", `/keys/${second!.id}`, { scopes: ["read:us"] })
      assert.strictEqual((yield* callGetPrice(serverA!, second!.key)).status, 403)
      yield* pollUntil(
        "the scopes in the other process",
        callGetPrice(serverB!, second!.key),
        (answer) => answer.status === 403
      )
    }))

  it.live("enforce the rate limit exactly if one process receives all requests", () =>
    Effect.flatMap(servers, (servers) => checkRateLimit(servers.slice(0, 1))))

  it.live("enforce the rate limit exactly across both processes, counted by PostgreSQL", () =>
    Effect.flatMap(servers, (servers) => checkRateLimit(servers)))
})

describe("Two processes with Redis", () => {
  const redis = inject("redisServer")
  describe("the rate limit", needsRedis, () => {
    it.live.runIf(isFullRun)("is exact across both processes, counted by Redis", () =>
      Effect.gen(function*() {
        const database = yield* migratedPostgres
        // Deletes the rate-limit windows, because another test run may have used the same Redis server shortly before.
        const deleteWindow = (account: number) =>
          Effect.flatMap(Redis, ({ send }) => send("DEL", windowKey(account))).pipe(
            Effect.provide(layerRedis({ url: redis! })),
            Effect.orDie
          )
        yield* checkRateLimit(yield* start(database, 2, { REDIS_URL: redis! }), deleteWindow)
        const counted = yield* database.sql((sql) => sql`select count(*)::int as n from request_windows`)
        assert.strictEqual(counted[0]!["n"], 0)
      }))
  })

  it.live("fail to start if Redis is unreachable, without its password in the message", () =>
    Effect.gen(function*() {
      const database = yield* migratedPostgres
      const startError = yield* Effect.flip(
        startServer({ ...database.environment, REDIS_URL: "redis://me:hunter2hunter2@127.0.0.1:1" })
      )
      assert.strictEqual(startError.exit.code, 1)
      assert.include(startError.output.stderr, "Redis server cannot be reached")
      assert.notInclude(startError.output.stderr, "hunter2")
    }))
})
