import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Latch, type Scope } from "effect"
import { type ServerProcess, startServer } from "./support/process.ts"
import {
  callAdminApi,
  callGetPrice,
  createAccount,
  getUsage,
  pollUntil,
  type ServerResponse,
  testSettings
} from "./support/service.ts"
import { makePglite, migratedPostgres, type TestDatabase } from "./support/testDatabases.ts"

const callers = 32
const rounds = 3
const answersBeforeKill = 2_000

const shortLeases = {
  TAPELINE_TOOL_TIMEOUT_MS: "1000",
  TAPELINE_RESERVATION_GRACE_MS: "500",
  TAPELINE_SWEEP_EVERY_MS: "100"
}

const start = (database: TestDatabase) => startServer({ ...testSettings, ...shortLeases, ...database.environment })

/**
 * The outcome of a call as its caller observes it. `answer` is undefined if the connection broke before the response.
 */
interface ObservedCall {
  readonly idempotencyKey: string | undefined
  readonly answer: ServerResponse | undefined
}

let called = 0

/** Runs 32 concurrent callers until the process is killed. Every second call has an idempotency key. */
const roundOfCalls = Effect.fnUntraced(function*(server: ServerProcess, key: string, killAfterMs: number) {
  const calls: Array<ObservedCall> = []
  let answers = 0
  const isKilled = yield* Latch.make(false)
  const caller = Effect.gen(function*() {
    for (;;) {
      const n = ++called
      const idempotencyKey = n % 2 === 0 ? `call-${n}` : undefined
      const exit = yield* Effect.exit(
        callGetPrice(server, key, idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey })
      )
      calls.push({ idempotencyKey, answer: Exit.isSuccess(exit) ? exit.value : undefined })
      if (Exit.isFailure(exit)) return
      if (++answers === answersBeforeKill) yield* isKilled.open
    }
  })
  yield* Effect.all([
    isKilled.await.pipe(Effect.andThen(Effect.sleep(killAfterMs)), Effect.andThen(server.kill)),
    ...Array.from({ length: callers }, () => caller)
  ], { concurrency: "unbounded", discard: true })
  return calls
})

/** Returns the data that only requests can change: keys, usage and balance. */
const readState = (server: ServerProcess, account: number, key: string) =>
  Effect.all({
    usage: getUsage(server, key),
    accounts: callAdminApi(server, "GET", "/accounts"),
    keys: Effect.map(
      callAdminApi(server, "GET", `/accounts/${account}/keys`),
      ({ keys }) => keys.map(({ last_used_at: _, ...key }: { readonly last_used_at: unknown }) => key)
    )
  })

/**
 * Counts the charges by idempotency key, and checks them: one charge for each call with a response, and at most one for
 * any other call.
 */
const chargedIn = Effect.fnUntraced(
  function*(database: TestDatabase, calls: ReadonlyArray<ObservedCall>, usedCredits: number) {
    const rows = yield* database.sql((sql) => sql`select state, idempotency_key from credit_reservations`)
    const settled = rows.filter(({ state }) => state === "settled")
    assert.strictEqual(settled.length, usedCredits)
    assert.strictEqual(rows.filter(({ state }) => state === "reserved").length, 0)
    const charged = new Map<unknown, number>()
    for (const { idempotency_key } of settled) charged.set(idempotency_key, (charged.get(idempotency_key) ?? 0) + 1)
    for (const { answer, idempotencyKey } of calls) {
      if (idempotencyKey === undefined) continue
      const times = charged.get(idempotencyKey) ?? 0
      if (answer === undefined) assert.isAtMost(times, 1, idempotencyKey)
      else assert.strictEqual(times, 1, idempotencyKey)
    }
    return charged
  }
)

/** Repeats the earlier calls that had idempotency keys, and returns the number of calls that were charged only now. */
const callAgain = Effect.fnUntraced(
  function*(
    server: ServerProcess,
    key: string,
    calls: ReadonlyArray<ObservedCall>,
    charged: ReadonlyMap<unknown, number>
  ) {
    const keys = calls.flatMap(({ idempotencyKey }) => idempotencyKey ?? [])
    const repeats = yield* Effect.forEach(
      keys,
      (idempotencyKey) =>
        Effect.map(
          callGetPrice(server, key, { "idempotency-key": idempotencyKey }),
          (answer) => ({ idempotencyKey, answer })
        ),
      { concurrency: callers }
    )
    for (const { answer, idempotencyKey } of repeats) {
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(answer.headers.get("idempotent-replayed"), charged.has(idempotencyKey) ? "true" : null)
    }
    return repeats.filter(({ idempotencyKey }) => !charged.has(idempotencyKey)).length
  }
)

const survivesKills = (makePlace: Effect.Effect<TestDatabase, never, Scope.Scope>) => {
  it.live(
    "charges every acknowledged call once, balances its accounts, and keeps keys and usage",
    () =>
      Effect.gen(function*() {
        const database = yield* makePlace
        const calls: Array<ObservedCall> = []
        let server = yield* start(database)
        const { account, key, keys } = yield* createAccount(server, "narrow", 2)
        yield* callAdminApi(server, "PATCH", `/accounts/${account}`, { plan: "premium" })
        yield* callAdminApi(server, "PATCH", `/keys/${keys[1]!.id}`, { scopes: ["read:us"] })
        const atFirst = yield* readState(server, account, key)
        for (let round = 0; round < rounds; round++) {
          // Responses arrive in bursts, so each round kills the process at a different time after a burst.
          calls.push(...(yield* roundOfCalls(server, key, 4 * (round + 1))))
          server = yield* start(database)
          calls.push({ idempotencyKey: undefined, answer: yield* callGetPrice(server, key) })
        }

        const acknowledged = calls.filter(({ answer }) => answer !== undefined)
        const unansweredCalls = calls.filter(({ answer }) => answer === undefined)
        assert.isTrue(acknowledged.every(({ answer }) => answer?.status === 200 && answer.body.credits_used === 1))
        assert.isAtLeast(acknowledged.length, rounds * answersBeforeKill)
        assert.isAtMost(unansweredCalls.length, rounds * callers)

        const { credits, tools } = yield* pollUntil(
          "the release of the killed process's reservations",
          getUsage(server, key),
          ({ credits }) => credits.reserved === 0
        )
        const excess = credits.used - acknowledged.length
        assert.isAtLeast(excess, 0)
        assert.isAtMost(excess, unansweredCalls.length)
        assert.strictEqual(credits.used, tools.reduce((sum, { credits }) => sum + credits, 0))
        assert.strictEqual(credits.left, credits.allotted - credits.used)
        console.info(
          `${rounds} kills: ${acknowledged.length} calls answered, ${unansweredCalls.length} not; ${excess} of these were charged`
        )
        const before = yield* readState(server, account, key)
        assert.strictEqual(before.usage.plan, "premium")
        assert.deepStrictEqual([before.accounts, before.keys], [atFirst.accounts, atFirst.keys])
        // The test opens the database itself, and an embedded database admits only one process.
        assert.deepStrictEqual(yield* server.kill, { code: null, signal: "SIGKILL" })

        const charged = yield* chargedIn(database, calls, credits.used)

        server = yield* start(database)
        assert.deepStrictEqual(yield* readState(server, account, key), before)
        const retriedCall = yield* callAgain(server, key, calls, charged)
        const after = yield* getUsage(server, key)
        assert.strictEqual(after.credits.used, credits.used + retriedCall)
        assert.strictEqual(after.credits.reserved, 0)
      }),
    120_000
  )
}

describe("A server killed by SIGKILL under 32 callers: PostgreSQL", () => survivesKills(migratedPostgres))
describe("A server killed by SIGKILL under 32 callers: PGlite", () => survivesKills(makePglite()))
