import { PgClient } from "@effect/sql-pg"
import { adminStoreContract } from "@tapeline/testing/contracts/adminStore"
import { adminTokenContract } from "@tapeline/testing/contracts/adminTokens"
import { artifactStoreContract } from "@tapeline/testing/contracts/artifactStore"
import { identityStoreContract } from "@tapeline/testing/contracts/identityStore"
import { journalStoreContract } from "@tapeline/testing/contracts/journalStore"
import { keyStoreContract } from "@tapeline/testing/contracts/keyStore"
import { ledgerStoreContract } from "@tapeline/testing/contracts/ledgerStore"
import { queuedEventsContract } from "@tapeline/testing/contracts/queuedEvents"
import { rateLimitStoreContract } from "@tapeline/testing/contracts/rateLimitStore"
import { sessionStoreContract } from "@tapeline/testing/contracts/sessionStore"
import { taskStoreContract } from "@tapeline/testing/contracts/taskStore"
import { webhookStoreContract } from "@tapeline/testing/contracts/webhookStore"
import { isFullRun } from "@tapeline/testing/fullRun"
import { Effect, type Layer } from "effect"
import { describe } from "vitest"
import { type Client, makeFreshPglite, makeFreshPostgres, type Stores, withStores } from "./support/databases.ts"

/** Moves the windows to the past, because the clock of the database cannot be set. */
const advance = (ms: number) =>
  Effect.flatMap(
    PgClient.PgClient,
    (sql) =>
      Effect.asVoid(
        sql`update request_windows set ends_at = ends_at - ${String(ms)}::float8 * interval '1 millisecond'`
      )
  )

const ageArtifacts = (ms: number) =>
  Effect.flatMap(
    PgClient.PgClient,
    (sql) =>
      Effect.asVoid(sql`update artifacts set kept_at = kept_at - ${String(ms)}::float8 * interval '1 millisecond'`)
  )

const ageJournals = (ms: number) =>
  Effect.flatMap(PgClient.PgClient, (sql) =>
    Effect.gen(function*() {
      const shiftMs = String(ms)
      yield* sql`update journal_trades set opened_at = opened_at - ${shiftMs}::bigint, closed_at = closed_at - ${shiftMs}::bigint`
      yield* sql`update journal_notes set written_at = written_at - ${shiftMs}::bigint`
      yield* sql`update journal_writes set written_at = written_at - ${shiftMs}::bigint`
    }))

const ageTasks = (ms: number) =>
  Effect.flatMap(PgClient.PgClient, (sql) =>
    Effect.gen(function*() {
      const shiftMs = String(ms)
      yield* sql`update tasks set not_before = not_before - ${shiftMs}::bigint, next_at = next_at - ${shiftMs}::bigint,
        done_at = done_at - ${shiftMs}::bigint`
      yield* sql`update task_firings set renewed_at = renewed_at - ${shiftMs}::bigint, ended_at = ended_at - ${shiftMs}::bigint`
      yield* sql`update task_writes set written_at = written_at - ${shiftMs}::bigint`
      yield* sql`update notification_marks set written_at = written_at - ${shiftMs}::bigint`
      yield* sql`update task_leader set said_at = said_at - ${shiftMs}::bigint`
    }))

const contracts = (name: string, stores: Layer.Layer<Stores | Client>) => {
  adminStoreContract(name, stores)
  adminTokenContract(name, stores)
  webhookStoreContract(name, stores)
  queuedEventsContract(name, stores)
  keyStoreContract(name, stores)
  sessionStoreContract(name, stores)
  identityStoreContract(name, stores)
  ledgerStoreContract(name, stores)
  rateLimitStoreContract(name, stores, advance, { excludeTestServices: true })
  artifactStoreContract(name, stores, ageArtifacts, { excludeTestServices: true })
  journalStoreContract(name, stores, ageJournals, { excludeTestServices: true, runs: isFullRun ? 300 : 8 })
  taskStoreContract(name, stores, ageTasks, { excludeTestServices: true })
}

// The usual run tests all stores on PostgreSQL. On PGlite, the usual run tests only the stores with the most statements
// or races.
if (isFullRun) contracts("PGlite", withStores(makeFreshPglite()))
else {
  ledgerStoreContract("PGlite", withStores(makeFreshPglite()))
  rateLimitStoreContract("PGlite", withStores(makeFreshPglite()), advance, { excludeTestServices: true })
  taskStoreContract("PGlite", withStores(makeFreshPglite()), ageTasks, { excludeTestServices: true })
}
describe("contracts", () => contracts("PostgreSQL", withStores(makeFreshPostgres())))
