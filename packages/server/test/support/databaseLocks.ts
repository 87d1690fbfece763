import { Effect, Fiber, Latch, type Scope } from "effect"
import { pollUntil } from "./service.ts"
import type { TestDatabase } from "./testDatabases.ts"

export interface HeldLock {
  readonly release: Effect.Effect<void>
}

/** Locks the rows that `select` finds until the lock is released or the scope ends. */
const lockRows = (database: TestDatabase, select: string): Effect.Effect<HeldLock, never, Scope.Scope> =>
  Effect.gen(function*() {
    const [isLocked, released] = [yield* Latch.make(false), yield* Latch.make(false)]
    const fiber = yield* Effect.forkScoped(database.sql((sql) =>
      sql.withTransaction(Effect.gen(function*() {
        const rows = yield* sql.unsafe(select)
        if (rows.length === 0) return yield* Effect.die(new Error("There is no row to lock"))
        yield* isLocked.open
        yield* released.await
      }))
    ))
    yield* Effect.raceFirst(isLocked.await, Fiber.join(fiber))
    return { release: Effect.andThen(released.open, Fiber.join(fiber)) }
  })

/**
 * Locks the account's rate-limit window, so that its requests wait before they are counted. The rate-limit window must
 * already exist.
 */
export const lockRateLimitWindow = (database: TestDatabase, account: number) =>
  lockRows(database, `select 1 from request_windows where account = ${account} for update`)

export const lockReservations = (database: TestDatabase, account: number) =>
  lockRows(database, `select 1 from credit_months where account = ${account} for update`)

/**
 * Locks the account's usage rows, so that its calls wait after they ran and before they are charged. The usage rows
 * must already exist.
 */
export const lockUsageDays = (database: TestDatabase, account: number) =>
  lockRows(database, `select 1 from credit_usage_days where account = ${account} for update`)

/** Makes the end of each call take two seconds in the database: one for the insert, and one for the update. */
export const slowDownUsageWrites = (database: TestDatabase) =>
  database.sql((sql) =>
    Effect.andThen(
      sql.unsafe(`create function take_long() returns trigger language plpgsql as $$
        begin perform pg_sleep(1); return new; end $$`).unprepared,
      sql.unsafe(`create trigger takes_long before insert or update on credit_usage_days
        for each row execute function take_long()`).unprepared
    )
  )

const countRows = (database: TestDatabase, select: string) =>
  Effect.map(database.sql((sql) => sql.unsafe<{ readonly n: number }>(select)), ([row]) => row!.n)

/** Waits until exactly (or at least) `calls` calls are admitted and not yet charged. */
export const awaitReservations = (
  database: TestDatabase,
  calls: number,
  comparison: "exactly" | "at least" = "exactly"
) =>
  pollUntil(
    "reservations",
    countRows(database, "select count(*)::int as n from credit_reservations where state = 'reserved'"),
    (n) => comparison === "exactly" ? n === calls : n >= calls
  )

export const awaitUsageWrite = (database: TestDatabase) =>
  pollUntil(
    "a usage write",
    countRows(database, "select count(*)::int as n from pg_stat_activity where wait_event = 'PgSleep'"),
    (n) => n > 0
  )

export const awaitBlockedStatements = (database: TestDatabase, statements: number) =>
  pollUntil(
    "statements that wait for a lock",
    countRows(
      database,
      "select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    ),
    (n) => n >= statements
  )
