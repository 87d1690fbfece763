import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { needsPgBouncer, startPgBouncer } from "../../postgres/test/support/pgbouncer.ts"
import { lockReservations } from "./support/databaseLocks.ts"
import { startServer } from "./support/process.ts"
import { callAdminApi, callGetPrice, createAccount, pollUntil, testSettings } from "./support/service.ts"
import { migratedPostgres, type TestDatabase } from "./support/testDatabases.ts"

/* The numbers of sessions that `docs/postgresql.md` documents for one process. */
const maxMainSessions = 17
const maxClusterSessions = 3
const maxSessionsAtRest = 8
/** A pool closes connections that were idle for ten seconds. A busy machine needs more time. */
const idleTimeoutMs = 60_000

interface Sessions {
  readonly main: number
  readonly cluster: number
}

const countSessions = (database: TestDatabase) =>
  Effect.map(
    database.sql((sql) =>
      sql.unsafe<Sessions>(`select count(*) filter (where application_name ~ '^tapeline [0-9]')::integer as main,
        count(*) filter (where application_name = 'tapeline-cluster')::integer as cluster
      from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`)
    ),
    ([row]) => row!
  )

describe("The connections of a server to PostgreSQL", () => {
  it.live("are at most 20 under load, and at most 8 at rest", () =>
    Effect.gen(function*() {
      const database = yield* migratedPostgres
      const server = yield* startServer({ ...database.environment, ...testSettings })
      const accounts = yield* Effect.forEach([1, 2, 3], () => createAccount(server, "pro"))
      // The first calls create the months that are locked below.
      yield* Effect.forEach(accounts, ({ key }) => callGetPrice(server, key, { "idempotency-key": "first" }))
      const locks = yield* Effect.forEach(accounts, ({ account }) => lockReservations(database, account))
      // Calls wait for the locks, and so do the administrative changes of the same accounts.
      const load = yield* Effect.forkChild(Effect.forEach(
        Array.from({ length: 60 }, (_, i) => i),
        (i) => {
          const { account, key } = accounts[i % accounts.length]!
          return Effect.all([
            callGetPrice(server, key, { "idempotency-key": String(i) }),
            Effect.exit(callAdminApi(server, "GET", `/accounts/${account}/usage`)),
            Effect.exit(callAdminApi(server, "PATCH", `/accounts/${account}`, { plan: "premium" }))
          ], { concurrency: "unbounded" })
        },
        { concurrency: "unbounded" }
      ))
      const busy = yield* pollUntil("sessions of the load", countSessions(database), ({ main }) => main >= 5)
      const samples = yield* Effect.forEach(Array.from({ length: 10 }), () => countSessions(database))
      yield* Effect.forEach(locks, ({ release }) => release)
      yield* Fiber.join(load)
      for (const { cluster, main } of [busy, ...samples]) {
        assert.isAtMost(main, maxMainSessions)
        assert.isAtMost(cluster, maxClusterSessions)
      }
      const rest = yield* pollUntil(
        "sessions at rest",
        countSessions(database),
        ({ cluster, main }) => main + cluster <= maxSessionsAtRest,
        idleTimeoutMs
      )
      console.log(`sessions at rest: ${JSON.stringify(rest)}, under load: ${JSON.stringify(busy)}`)
      assert.isAtLeast(rest.main, 2)
    }), 300_000)
})

describe("The connections of two servers behind PgBouncer in transaction mode", needsPgBouncer, () => {
  it.live("are at most the pool's size, and three direct ones of each server", () =>
    Effect.gen(function*() {
      const database = yield* migratedPostgres
      const { DATABASE_URL: directUrl = "" } = database.environment
      const poolSize = 4
      const url = yield* startPgBouncer(directUrl, "transaction", poolSize)
      const environment = {
        ...database.environment,
        ...testSettings,
        DATABASE_URL: url,
        DATABASE_DIRECT_URL: directUrl
      }
      const servers = [yield* startServer(environment), yield* startServer(environment)]
      const { key } = yield* createAccount(servers[0]!, "pro")
      const load = yield* Effect.forkChild(Effect.forEach(
        Array.from({ length: 400 }, (_, i) => servers[i % 2]!),
        (server) => callGetPrice(server, key),
        { concurrency: 60 }
      ))
      const samples = yield* Effect.forEach(Array.from({ length: 10 }), () => countSessions(database))
      const answers = yield* Fiber.join(load)
      assert.deepStrictEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
      for (const { cluster, main } of samples) assert.isAtMost(main + cluster, poolSize + 3 * servers.length)
    }), 120_000)
})
