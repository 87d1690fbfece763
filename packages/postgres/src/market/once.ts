import type { PgClient } from "@effect/sql-pg"
import type { StoreUnavailable } from "@tapeline/core/engine"
import type { Fence, MarketStoreRefusal, Superseded, Written } from "@tapeline/core/market/store"
import type { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { RowHeld } from "../patiently.ts"
import type { Needs, NotMade } from "./locking.ts"

/** A write that was checked, as one transaction does it after the fence: its rows, and what is known of the series. */
export interface Once {
  readonly fence: Fence
  /** What must have been made before; a transaction that finds less is undone (`NotMade`). */
  readonly needs: Needs
  /** `within` is a failpoint: rows are written, and what is known of them is not. */
  readonly run: (
    sql: PgClient.PgClient,
    within: Effect.Effect<void, StoreUnavailable>
  ) => Effect.Effect<Written, SqlError | StoreUnavailable | RowHeld | NotMade | Superseded | MarketStoreRefusal>
}
