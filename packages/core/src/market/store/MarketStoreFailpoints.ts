import { Context, Effect } from "effect"
import type { StoreUnavailable } from "../../engine/store/errors.ts"

/** The durable writes of market series. */
export const marketWrites = ["lead", "resign", "points", "events", "documents", "prune"] as const
export type MarketWrite = (typeof marketWrites)[number]

/**
 * A point at which a process may crash: just before a durable write, or just after the write and before its caller gets
 * the result. Writes of rows and `prune` also have a point within, at which only a part is written.
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
 * The hook that runs at a failpoint. It does nothing by default, and tests replace it. A hook that fails simulates a
 * lost connection. Before and within the write, nothing was written; after the write, the write is durable and its
 * response is lost. Stores read the hook when their layer is built.
 */
export const MarketStoreFailpoints = Context.Reference<
  (point: MarketFailpoint) => Effect.Effect<void, StoreUnavailable>
>("@tapeline/core/market/store/MarketStoreFailpoints", { defaultValue: () => () => Effect.void })

/** Runs `write` between its two failpoints. */
export const withMarketFailpoints =
  (hook: (point: MarketFailpoint) => Effect.Effect<void, StoreUnavailable>) =>
  <A, E, R>(name: MarketWrite, write: Effect.Effect<A, E, R>): Effect.Effect<A, E | StoreUnavailable, R> =>
    Effect.andThen(Effect.suspend(() => hook(`before:${name}`)), Effect.tap(write, () => hook(`after:${name}`)))
