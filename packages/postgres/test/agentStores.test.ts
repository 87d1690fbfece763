import { PgClient } from "@effect/sql-pg"
import { conversationStoreContract } from "@tapeline/testing/contracts/conversationStore"
import { generationLogContract } from "@tapeline/testing/contracts/generationLog"
import { generationStoreContract } from "@tapeline/testing/contracts/generationStore"
import { proposalStoreContract } from "@tapeline/testing/contracts/proposalStore"
import { isFullRun } from "@tapeline/testing/fullRun"
import { Effect, type Layer } from "effect"
import { describe } from "vitest"
import { type Client, makeFreshPglite, makeFreshPostgres, type Stores, withStores } from "./support/databases.ts"

/** Moves the times in the rows to the past, because the clock of the database cannot be set. */
const advance = (ms: number) =>
  Effect.flatMap(
    PgClient.PgClient,
    (sql) =>
      Effect.andThen(
        sql`update generations set started_at = started_at - ${String(ms)}::bigint,
          renewed_at = renewed_at - ${String(ms)}::bigint, ended_at = ended_at - ${String(ms)}::bigint`,
        Effect.andThen(
          sql`update proposals set expires_at = expires_at - ${String(ms)}::bigint,
            accepted_at = accepted_at - ${String(ms)}::bigint`,
          Effect.asVoid(sql`update credit_reservations set expires_at = expires_at - ${String(ms)}::bigint`)
        )
      )
  )

const contracts = (name: string, stores: Layer.Layer<Stores | Client>) => {
  generationStoreContract(name, stores, advance, { excludeTestServices: true })
  proposalStoreContract(name, stores, advance, { excludeTestServices: true })
  conversationStoreContract(name, stores, { excludeTestServices: true })
  generationLogContract(name, stores, { excludeTestServices: true })
}

if (isFullRun) contracts("PGlite", withStores(makeFreshPglite()))
describe("agent stores", () => contracts("PostgreSQL", withStores(makeFreshPostgres())))
