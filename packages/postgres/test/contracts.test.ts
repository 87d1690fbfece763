import { PgClient } from "@effect/sql-pg"
import { artifactStoreContract } from "@tapeline/testing/contracts/artifactStore"
import { keyStoreContract } from "@tapeline/testing/contracts/keyStore"
import { ledgerStoreContract } from "@tapeline/testing/contracts/ledgerStore"
import { requestWindowStoreContract } from "@tapeline/testing/contracts/requestWindowStore"
import { Effect, type Layer } from "effect"
import { type Client, freshPglite, freshPostgres, onPostgres, type Stores, withStores } from "./support/databases.ts"

/** The database's clock goes its own way, so the windows are put back instead. */
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

const contracts = (name: string, stores: Layer.Layer<Stores | Client>) => {
  keyStoreContract(name, stores)
  ledgerStoreContract(name, stores)
  requestWindowStoreContract(name, stores, advance, { excludeTestServices: true })
  artifactStoreContract(name, stores, ageArtifacts, { excludeTestServices: true })
}

contracts("PGlite", withStores(freshPglite()))
onPostgres("contracts", () => contracts("PostgreSQL", withStores(freshPostgres())))
