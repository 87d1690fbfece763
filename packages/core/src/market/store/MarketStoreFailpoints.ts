import { Context, Effect } from "effect"
import type { StoreUnavailable } from "../../engine/store/errors.ts"

/** The durable writes of the market store. */
export const marketWrites = ["lead", "resign", "points", "events", "documents", "prune"] as const
export type MarketWrite = (typeof marketWrites)[number]

/**
 * A point at which a process may crash: just before a durable write, just after the write and before the caller
 * receives the result, or within a write of rows or `prune`, at which only a part is written.
 */
export type MarketFailpoint = `${"before" | "within" | "after"}:${MarketWrite}`

/** All failpoints, in the order of the writes. */
export const marketFailpoints: ReadonlyArray<MarketFailpoint> = marketWrites.flatMap((
  write
): ReadonlyArray<MarketFailpoint> =>
  write === "lead" || write === "resign"
    ? [`before:${write}`, `after:${write}`]
    : [`before:${write}`, `within:${write}`, `after:${write}`]
)

/**
 * The hook that runs at a failpoint, for tests. A hook that fails simulates a lost connection: before or within the
 * write, nothing is written; after the write, the write is durable and the response is lost. Stores read the hook when
 * their layer is built.
 */
export const MarketStoreFailpoints = Context.Reference<
  (point: MarketFailpoint) => Effect.Effect<void, StoreUnavailable>
>("@tapeline/core/market/store/MarketStoreFailpoints", { defaultValue: () => () => Effect.void })

/** Runs the failpoint hook before and after a write of the market store. */
export const withMarketFailpoints =
  (hook: (point: MarketFailpoint) => Effect.Effect<void, StoreUnavailable>) =>
  <A, E, R>(name: MarketWrite, write: Effect.Effect<A, E, R>): Effect.Effect<A, E | StoreUnavailable, R> =>
    Effect.andThen(Effect.suspend(() => hook(`before:${name}`)), Effect.tap(write, () => hook(`after:${name}`)))
