import type { PgClient } from "@effect/sql-pg"
import type { ConversationStore, GenerationLog, GenerationStore, ProposalStore } from "@tapeline/core/agent"
import {
  type AccountDataStore,
  type AdminStore,
  type IdentityStore,
  type KeyStore,
  type LedgerStore,
  type RateLimitStore,
  type SessionStore,
  StoreUnavailable,
  type WebhookStore
} from "@tapeline/core/engine"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { AccessChannel } from "./access/AccessChannel.ts"
import { PgAccountDataStore } from "./access/PgAccountDataStore.ts"
import { PgAdminStore } from "./access/PgAdminStore.ts"
import { PgIdentityStore } from "./access/PgIdentityStore.ts"
import { PgKeyStore } from "./access/PgKeyStore.ts"
import { PgRateLimitStore } from "./access/PgRateLimitStore.ts"
import { PgSessionStore } from "./access/PgSessionStore.ts"
import { GenerationChannel } from "./agent/GenerationChannel.ts"
import { PgConversationStore } from "./agent/PgConversationStore.ts"
import { PgGenerationLog } from "./agent/PgGenerationLog.ts"
import { PgGenerationStore } from "./agent/PgGenerationStore.ts"
import { PgProposalStore } from "./agent/PgProposalStore.ts"
import { PgArtifactStore } from "./artifacts/PgArtifactStore.ts"
import { BackgroundSessions } from "./connection/sessions.ts"
import { PgLedgerStore } from "./credits/PgLedgerStore.ts"
import { DiskSpaceCheck } from "./diskSpaceCheck.ts"
import { mapSqlErrors } from "./errors.ts"
import { PgJournalStore } from "./journal/PgJournalStore.ts"
import { isMigrated } from "./migrations/index.ts"
import { PgListener } from "./PgListener.ts"
import { NotificationChannel } from "./tasks/NotificationChannel.ts"
import { PgNotificationStore } from "./tasks/PgNotificationStore.ts"
import { PgTaskStore } from "./tasks/PgTaskStore.ts"
import { PgWebhookStore } from "./webhooks/PgWebhookStore.ts"

/** Provides the PostgreSQL stores and the `PgListener`. The schema must already be migrated. */
export const PgStores: Layer.Layer<
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
  | PgListener,
  never,
  PgClient.PgClient
> = Layer.mergeAll(
  PgAccountDataStore,
  PgAdminStore,
  PgKeyStore,
  PgRateLimitStore,
  PgSessionStore,
  PgIdentityStore,
  PgArtifactStore,
  PgJournalStore,
  PgTaskStore,
  PgNotificationStore,
  PgConversationStore,
  PgGenerationLog,
  PgProposalStore,
  PgWebhookStore,
  Layer.provideMerge(PgGenerationStore, PgLedgerStore)
).pipe(
  Layer.provide(Layer.mergeAll(AccessChannel.layer, GenerationChannel.layer, NotificationChannel.layer)),
  Layer.provideMerge(PgListener.layer())
)

/** The maximum time in which the database must respond to the readiness check, in ms. */
const readinessTimeoutMs = 1_000

const makeNotReadyError = (reason: string) => new StoreUnavailable({ store: "database", cause: new Error(reason) })

/**
 * The database clients whose schema is known to be current. The schema of a current client is not checked again,
 * because the check would wait for the migration of a newer node.
 */
const migratedClients = new WeakSet<SqlClient>()

const checkDatabase = Effect.gen(function*() {
  const [sql, backgroundSessions, diskSpaceCheck] = yield* Effect.all([SqlClient, BackgroundSessions, DiskSpaceCheck])
  if (migratedClients.has(sql)) yield* mapSqlErrors("database")((backgroundSessions?.healthClient ?? sql)`select 1`)
  else {
    const checkMigrated = Effect.provideService(isMigrated, SqlClient, backgroundSessions?.client ?? sql)
    if (!(yield* mapSqlErrors("database")(checkMigrated))) return yield* makeNotReadyError("Migrations are missing")
    migratedClients.add(sql)
  }
  if (diskSpaceCheck !== null) yield* diskSpaceCheck.check
})

/** The running readiness check of each client. Concurrent callers share the running check. */
const runningChecks = new WeakMap<SqlClient, Fiber.Fiber<void, StoreUnavailable>>()

/**
 * Succeeds if the database responds within a second and the schema is current. If an embedded database has rejected
 * writes because of a full disk, the check fails until the disk has free space again.
 */
export const checkReady: Effect.Effect<void, StoreUnavailable, SqlClient> = Effect.gen(function*() {
  const sql = yield* SqlClient
  const runningCheck = runningChecks.get(sql)
  const fiber = runningCheck === undefined || runningCheck.pollUnsafe() !== undefined
    ? yield* Effect.forkDetach(checkDatabase)
    : runningCheck
  runningChecks.set(sql, fiber)
  return yield* Fiber.join(fiber)
}).pipe(
  Effect.timeoutOrElse({
    duration: readinessTimeoutMs,
    orElse: () => Effect.fail(makeNotReadyError("The database did not respond in time"))
  })
)
