import { PgClient } from "@effect/sql-pg"
import type { ConversationStore, GenerationLog, GenerationStore, ProposalStore } from "@tapeline/core/agent"
import type {
  AccountDataStore,
  AdminStore,
  IdentityStore,
  KeyStore,
  LedgerStore,
  RateLimitStore,
  SessionStore,
  WebhookStore
} from "@tapeline/core/engine"
import { layerMigrations, layerPglite, layerPostgres, PgStores } from "@tapeline/postgres"
import { Deferred, Effect, Fiber, Layer, Redacted } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { readFileSync } from "node:fs"
import { inject } from "vitest"

export type Stores =
  | AccountDataStore
  | AdminStore
  | KeyStore
  | LedgerStore
  | RateLimitStore
  | SessionStore
  | IdentityStore
  | ConversationStore
  | GenerationStore
  | GenerationLog
  | ProposalStore
  | WebhookStore
export type Client = PgClient.PgClient | SqlClient

export const readPgliteDump = (): Blob => new Blob([readFileSync(inject("pgliteDump"))])

export const makeFreshPglite = (): Layer.Layer<Client> =>
  layerPglite({ memory: true, load: readPgliteDump() }).pipe(Layer.orDie)

const makeDatabaseFrom = (template: string) =>
  Effect.acquireRelease(
    Effect.gen(function*() {
      const serverUrl = inject("postgres")
      const name = `t_${crypto.randomUUID().replaceAll("-", "")}`
      const runAsAdmin = <A, E>(effect: Effect.Effect<A, E, SqlClient | PgClient.PgClient>) =>
        Effect.provide(effect, layerPostgres({ url: serverUrl, maxConnections: 1 })).pipe(Effect.orDie)
      const run = (text: string) => runAsAdmin(Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe(text).unprepared))
      yield* run(`create database ${name} template ${template}`)
      const url = new URL(serverUrl)
      url.pathname = `/${name}`
      return { url: url.href, dropDatabase: run(`drop database ${name} with (force)`) }
    }),
    ({ dropDatabase }) => dropDatabase
  )

/**
 * Creates a database without a schema on the test run's PostgreSQL, returns its URL, and drops it when the scope ends.
 */
export const makeFreshDatabase = makeDatabaseFrom("template0")

/** Creates a database with the current schema on the test run's PostgreSQL, and returns its URL. */
export const makeMigratedDatabase = Effect.suspend(() => makeDatabaseFrom(inject("postgresTemplate")))

export const makeFreshPostgres = (options: { readonly maxConnections?: number } = {}): Layer.Layer<Client> =>
  Layer.unwrap(Effect.map(makeMigratedDatabase, ({ url }) => makeMigratedClient(url, options))).pipe(Layer.orDie)

export const makeMigratedClient = (url: string, options: { readonly maxConnections?: number } = {}) =>
  layerMigrations.pipe(Layer.provideMerge(layerPostgres({ url: Redacted.make(url), ...options })))

export const withStores = <E>(
  client: Layer.Layer<Client, E>,
  failpoints: Layer.Layer<never> = Layer.empty
): Layer.Layer<Stores | Client, E> => PgStores.pipe(Layer.provide(failpoints), Layer.provideMerge(client))

export const withLockHeld =
  (sql: PgClient.PgClient, text: string, parameters: ReadonlyArray<number> = []) =>
  <A, E, R>(during: Effect.Effect<A, E, R>) =>
    Effect.gen(function*() {
      const [locked, isDone] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const holder = yield* Effect.forkChild(sql.withTransaction(Effect.gen(function*() {
        yield* sql.unsafe(text, parameters.map(BigInt))
        yield* Deferred.succeed(locked, undefined)
        yield* Deferred.await(isDone)
      })))
      yield* Effect.raceFirst(Deferred.await(locked), Effect.asVoid(Fiber.join(holder)))
      const result = yield* Effect.ensuring(during, Deferred.succeed(isDone, undefined))
      yield* Fiber.join(holder)
      return result
    })

/** Waits until `count` sessions of the database wait for locks, and returns the start times of their transactions. */
export const waitForLockWaiters = (sql: PgClient.PgClient, count: number) =>
  Effect.eventually(Effect.filterOrFail(
    Effect.delay(
      sql<{ since: string }>`select xact_start::text as since from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and pid <> pg_backend_pid()`,
      5
    ),
    (rows) => rows.length >= count
  ))
