import type { PgClient } from "@effect/sql-pg"
import type { KeyStore, RequestWindowStore } from "@tapeline/core/access"
import type { LedgerStore } from "@tapeline/core/credits"
import { StoreUnavailable } from "@tapeline/core/store"
import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { AccessChannel } from "./access/AccessChannel.ts"
import { PgKeyStore } from "./access/PgKeyStore.ts"
import { PgRequestWindowStore } from "./access/PgRequestWindowStore.ts"
import { PgLedgerStore } from "./credits/PgLedgerStore.ts"
import { unavailable } from "./errors.ts"
import { isMigrated } from "./migrations/index.ts"

/** Every store of this package, on a schema that is up to date. */
export const PgStores: Layer.Layer<KeyStore | LedgerStore | RequestWindowStore, never, PgClient.PgClient> = Layer
  .mergeAll(
    PgKeyStore,
    PgLedgerStore,
    PgRequestWindowStore
  ).pipe(Layer.provide(AccessChannel.layer()))

/** Succeeds when the database answers and its schema is up to date. */
export const checkReady: Effect.Effect<void, StoreUnavailable, SqlClient> = Effect.flatMap(
  unavailable("database")(isMigrated),
  (done) =>
    done
      ? Effect.void
      : Effect.fail(new StoreUnavailable({ store: "database", cause: new Error("Migrations are missing") }))
)
