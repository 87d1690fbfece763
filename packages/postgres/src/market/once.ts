import type { PgClient } from "@effect/sql-pg"
import type { StoreUnavailable } from "@tapeline/core/engine"
import type { Fence, MarketStoreRefusal, Superseded, Written } from "@tapeline/core/market/store"
import type { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { RowHeld } from "../patiently.ts"
import type { Needs, NotMade } from "./locking.ts"

/** A checked write, as one transaction runs it after the fence: its rows, and the coverage of its series. */
export interface Once {
  readonly fence: Fence
  /** The rows and partitions that must exist. If any is missing, the transaction is rolled back (`NotMade`). */
  readonly needs: Needs
  /** `within` is a failpoint: the rows are written, and the coverage is not yet. */
  readonly run: (
    sql: PgClient.PgClient,
    within: Effect.Effect<void, StoreUnavailable>
  ) => Effect.Effect<Written, SqlError | StoreUnavailable | RowHeld | NotMade | Superseded | MarketStoreRefusal>
}
