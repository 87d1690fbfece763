import { assert, describe, it } from "@effect/vitest"
import { isFullRun } from "@tapeline/testing/fullRun"
import { Effect, Exit, Fiber } from "effect"
import { Agent, request } from "node:http"
import {
  awaitBlockedStatements,
  awaitReservations,
  lockRateLimitWindow,
  lockReservations,
  lockUsageDays
} from "./support/databaseLocks.ts"
import { type ServerProcess, startServer } from "./support/process.ts"
import {
  callAdminApi,
  callGetPrice,
  createAccount,
  getUsage,
  pollUntil,
  sendRequest,
  testSettings
} from "./support/service.ts"
import { makeShared } from "./support/sharedFixture.ts"
import { makePglite, migratedPostgres } from "./support/testDatabases.ts"

/** Sends a request on an open connection. Returns the status of the response, or null if the connection is closed. */
const onOpenConnection = (agent: Agent, address: string): Effect.Effect<number | null> =>
  Effect.callback((resume) => {
    const sendKeepAliveRequest = request(`${address}/healthz`, { agent }, (response) => {
      response.resume()
      response.once("end", () => resume(Effect.succeed(response.statusCode ?? null)))
    })
    sendKeepAliveRequest.once("error", () => resume(Effect.succeed(null)))
    sendKeepAliveRequest.end()
  })

/** Checks that an idle server stops in time after SIGTERM. A server that stops too late exits with code 1. */
const endsIdle = Effect.fnUntraced(function*(server: ServerProcess) {
  assert.strictEqual((yield* sendRequest(server, "GET", "/healthz")).status, 200)
  server.signal("SIGTERM")
  assert.deepStrictEqual(yield* server.awaitExit, { code: 0, signal: null })
})

/**
 * Checks that a stop interrupts an admitted call that cannot be charged, and that its reservation expires with the
 * lease.
 */
const cutOffAdmitted = Effect.gen(function*() {
  const database = yield* migratedPostgres
  const environment = {
    ...testSettings,
    ...database.environment,
    TAPELINE_TOOL_TIMEOUT_MS: "1000",
    TAPELINE_RESERVATION_GRACE_MS: "1000",
    TAPELINE_SWEEP_EVERY_MS: "100"
  }
  const server = yield* startServer(environment)
  const { account, key } = yield* createAccount(server, "pro")
  yield* callGetPrice(server, key)
  const lock = yield* lockUsageDays(database, account)
  yield* Effect.forkScoped(Effect.exit(callGetPrice(server, key)))
  yield* awaitReservations(database, 1)
  server.signal("SIGTERM")
  // The call ends by the statement timeout, or the process ends with exit code 1 by its own limit of 9 s.
  const { code, signal } = yield* Effect.timeout(server.awaitExit, "30 seconds")
  assert.isNull(signal)
  if (code !== 0) assert.include(server.stderr(), "Stopped after 9 s with unfinished work")
  yield* lock.release
  const next = yield* startServer(environment)
  yield* pollUntil("the expiry of the reservation", getUsage(next, key), ({ credits }) => credits.reserved === 0)
})

/**
 * Checks two calls during a stop. One call can be neither charged nor released, so that the stop exceeds its limit. The
 * other call waits for its rate limit, and is rejected without a charge.
 */
const cutOffStuck = Effect.gen(function*() {
  const database = yield* migratedPostgres
  const server = yield* startServer({ ...testSettings, ...database.environment })
  const { account, key } = yield* createAccount(server, "pro")
  const other = yield* createAccount(server, "pro")
  yield* callGetPrice(server, key)
  yield* callGetPrice(server, other.key)
  const lock = yield* lockUsageDays(database, account)
  const rateLimitLock = yield* lockRateLimitWindow(database, other.account)
  const waiting = yield* Effect.forkScoped(callGetPrice(server, other.key))
  yield* awaitBlockedStatements(database, 1)
  // Calls are sent until the server accepts no more calls, so that the last call begins just before the stop.
  const callers = Effect.forEach(
    Array.from({ length: 50 }),
    (_, i) => Effect.delay(Effect.exit(callGetPrice(server, key)), 20 * i),
    { concurrency: "unbounded", discard: true }
  )
  yield* Effect.forkScoped(callers)
  yield* awaitReservations(database, 1, "at least")
  server.signal("SIGTERM")
  const rejected = yield* Fiber.join(waiting)
  assert.deepStrictEqual([rejected.status, rejected.body.code], [503, "unavailable"])
  assert.strictEqual(rejected.headers.get("retry-after"), "1")
  assert.include(rejected.body.detail, "not charged")
  assert.strictEqual(rejected.headers.get("x-request-id"), rejected.body.request_id)
  assert.deepStrictEqual(yield* server.awaitExit, { code: 1, signal: null })
  assert.include(server.stderr(), "Stopped after 9 s with unfinished work")
  yield* Effect.all([lock.release, rateLimitLock.release])
})

describe("SIGTERM: PostgreSQL", () => {
  it.live("lets a running call finish, rejects new ones, and ends the server with 0, also if it is idle", () =>
    Effect.gen(function*() {
      const database = yield* migratedPostgres
      const environment = { ...testSettings, ...database.environment }
      const server = yield* startServer(environment)
      const { account, key } = yield* createAccount(server, "pro")
      yield* callGetPrice(server, key)
      const lock = yield* lockUsageDays(database, account)
      const running = yield* Effect.forkScoped(callGetPrice(server, key))
      yield* awaitReservations(database, 1)
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      assert.strictEqual(yield* onOpenConnection(agent, server.address), 200)
      server.signal("SIGTERM")
      const rejection = yield* pollUntil(
        "the rejection of a new call",
        // The call has no key, so that it cannot wait for the lock if it arrives before the server rejects calls.
        Effect.exit(sendRequest(server, "POST", "/v1/tools/get_price")),
        (exit) => Exit.isFailure(exit) || exit.value.status === 503
      )
      if (Exit.isSuccess(rejection)) assert.strictEqual(rejection.value.headers.get("retry-after"), "1")
      assert.include([503, null], yield* onOpenConnection(agent, server.address))
      yield* lock.release
      const answer = yield* Fiber.join(running)
      assert.deepStrictEqual([answer.status, answer.body.credits_used], [200, 1])
      // The exit code is 0 only if the server did not wait for the open idle connection.
      assert.deepStrictEqual(yield* server.awaitExit, { code: 0, signal: null })
      agent.destroy()
      const reservationStates = yield* database.sql((sql) => sql`select state from credit_reservations`)
      assert.deepStrictEqual(reservationStates, [{ state: "settled" }, { state: "settled" }])
      if (!isFullRun) return
      const next = yield* startServer(environment)
      assert.deepStrictEqual((yield* getUsage(next, key)).credits, {
        allotted: 60_000,
        adjusted: 0,
        used: 2,
        reserved: 0,
        left: 59_998
      })
      yield* endsIdle(next)
    }))

  it.live.runIf(isFullRun)(
    "ends within 10 s even while calls cannot finish",
    () => Effect.all([cutOffAdmitted, cutOffStuck], { concurrency: 2 })
  )
})

/** Waits until the server no longer takes a signal for a copy of its first signal. */
const awaitSignalCopies = Effect.sleep(1_100)

/**
 * Checks that a server answers requests during its drain, although it is not ready. `end` must make the server stop.
 */
const drainAndEnd = Effect.fnUntraced(function*(drainMs: number, end: (server: ServerProcess) => void) {
  const { environment } = yield* makePglite()
  const server = yield* startServer({ ...testSettings, ...environment, TAPELINE_DRAIN_MS: String(drainMs) })
  const { key } = yield* createAccount(server, "pro")
  const startedAt = performance.now()
  // npm forwards a second signal if a supervisor signals both processes.
  server.signal("SIGTERM")
  server.signal("SIGINT")
  const { body } = yield* pollUntil(
    "the end of readiness",
    sendRequest(server, "GET", "/readyz"),
    ({ status }) => status === 503
  )
  assert.include(body.detail, "shutting down")
  yield* awaitSignalCopies
  const answer = yield* callGetPrice(server, key)
  assert.deepStrictEqual([answer.status, answer.headers.get("connection")], [200, "close"])
  end(server)
  assert.deepStrictEqual(yield* server.awaitExit, { code: 0, signal: null })
  return performance.now() - startedAt
})

describe("A drain", () => {
  it.live.runIf(isFullRun)(
    "answers requests until a second signal that is no copy of the first",
    () =>
      Effect.gen(function*() {
        const durationMs = yield* drainAndEnd(600_000, (server) => server.signal("SIGINT"))
        assert.isBelow(durationMs, 60_000)
      })
  )

  it.live.runIf(isFullRun)("does not count in the time limit of the stop", () =>
    Effect.gen(function*() {
      // Without the drain, the server would end by its own limit of 9 s, with exit code 1.
      assert.isAtLeast(yield* drainAndEnd(10_000, () => undefined), 10_000)
    }))

  it.live.runIf(isFullRun)("keeps streams open and accepts new ones until its end", () =>
    Effect.gen(function*() {
      const { environment } = yield* makePglite()
      const server = yield* startServer({ ...testSettings, ...environment, TAPELINE_DRAIN_MS: "600000" })
      const { account } = yield* createAccount(server, "pro")
      const { key }: { readonly key: string } = yield* callAdminApi(server, "POST", `/accounts/${account}/keys`, {
        name: "stream",
        scopes: ["read:personal"]
      })
      const response = yield* Effect.promise(() =>
        fetch(`${server.address}/v1/notifications/stream`, { headers: { authorization: `Bearer ${key}` } })
      )
      const reader = response.body!.getReader()
      yield* Effect.promise(() => reader.read())
      server.signal("SIGTERM")
      yield* pollUntil("the end of readiness", sendRequest(server, "GET", "/readyz"), ({ status }) => status === 503)
      const second = yield* Effect.promise(() =>
        fetch(`${server.address}/v1/notifications/stream`, { headers: { authorization: `Bearer ${key}` } })
      )
      assert.strictEqual(second.status, 200)
      yield* awaitSignalCopies
      server.signal("SIGTERM")
      yield* Effect.promise(async () => {
        for (let isDone = false; !isDone;) isDone = (await reader.read()).done
      })
      assert.deepStrictEqual(yield* server.awaitExit, { code: 0, signal: null })
    }))
})

/**
 * Checks that callers can disconnect at any moment of a call: no credits stay reserved, and usage includes every
 * answered call.
 */
const hangUpAtAnyMoment = Effect.fnUntraced(function*(server: ServerProcess) {
  const { key } = yield* createAccount(server, "premium")
  yield* callGetPrice(server, key)
  const started = performance.now()
  yield* callGetPrice(server, key)
  const usualMs = performance.now() - started
  let answeredCalls = 2
  yield* Effect.forEach(
    Array.from({ length: isFullRun ? 2_000 : 80 }, (_, i) => i),
    (i) =>
      Effect.timeoutOption(callGetPrice(server, key), ((i % 40) / 20) * usualMs).pipe(
        Effect.tap((answer) =>
          Effect.sync(() => {
            if (answer._tag === "Some") {
              answeredCalls++
            }
          })
        )
      ),
    { concurrency: 16 }
  )
  const { credits, tools } = yield* pollUntil(
    "the release of all reservations",
    getUsage(server, key),
    ({ credits }) => credits.reserved === 0
  )
  assert.isAtLeast(credits.used, answeredCalls)
  assert.strictEqual(
    tools.reduce((sum, tool) => sum + tool.credits, 0),
    credits.used
  )
})

describe.runIf(isFullRun)("A server on PGlite", () => {
  it.live("leaves nothing reserved for callers that disconnect at any moment, and exits with 0 at SIGTERM", () =>
    Effect.gen(function*() {
      const { environment } = yield* makePglite()
      const server = yield* startServer({ ...testSettings, ...environment })
      yield* hangUpAtAnyMoment(server)
      yield* endsIdle(server)
    }))
})

describe("Callers that disconnect: PostgreSQL", () => {
  const serving = makeShared(Effect.gen(function*() {
    const database = yield* migratedPostgres
    return { database, server: yield* startServer({ ...testSettings, ...database.environment }) }
  }))

  it.live("leave nothing reserved at any moment, and the usage equals the credits used", () =>
    Effect.flatMap(serving, ({ server }) => hangUpAtAnyMoment(server)))

  it.live.runIf(isFullRun)(
    "are charged nothing before they are admitted, and leave nothing reserved",
    () =>
      Effect.gen(function*() {
        const { database, server } = yield* serving
        const { account, key } = yield* createAccount(server, "pro")
        yield* callGetPrice(server, key)
        const lock = yield* lockReservations(database, account)
        const call = yield* Effect.forkScoped(callGetPrice(server, key))
        yield* awaitBlockedStatements(database, 1)
        yield* Fiber.interrupt(call)
        // When the server has answered three requests, it must also have noticed the closed connection.
        for (let i = 0; i < 3; i++) yield* sendRequest(server, "GET", "/healthz")
        yield* lock.release
        const { credits } = yield* pollUntil(
          "the release of the reservation",
          getUsage(server, key),
          ({ credits, tools }) => credits.reserved === 0 && tools[0]!.failed === 1
        )
        assert.strictEqual(credits.used, 1)
      })
  )
})
