import { Context, Effect } from "effect"
import type { StoreUnavailable } from "../../engine/store/errors.ts"

/** The names of the market store's durable writes. */
export const marketWrites = ["lead", "resign", "points", "events", "documents", "prune"] as const
export type MarketWrite = (typeof marketWrites)[number]

/**
 * A point at which a process may crash: before, within or after a durable write. A crash within a write happens after a
 * part of the rows was written or deleted.
 */
export type MarketFailpoint = `${"before" | "within" | "after"}:${MarketWrite}`

/** All failpoints of the market store's writes. */
export const marketFailpoints: ReadonlyArray<MarketFailpoint> = marketWrites.flatMap((
  write
): ReadonlyArray<MarketFailpoint> =>
  write === "lead" || write === "resign"
    ? [`before:${write}`, `after:${write}`]
    : [`before:${write}`, `within:${write}`, `after:${write}`]
)

/**
 * The hook that runs at each failpoint of the market store; used by tests. If the hook fails before or within a write,
 * nothing is written. If the hook fails after a write, the write is durable and the response is lost. The hook must be
 * set before the store's layer is built.
 */
export const MarketStoreFailpoints = Context.Reference<
  (point: MarketFailpoint) => Effect.Effect<void, StoreUnavailable>
>("@tapeline/core/market/store/MarketStoreFailpoints", { defaultValue: () => () => Effect.void })

/** Runs the failpoint hook before and after a write of the market store. */
export const withMarketFailpoints =
  (hook: (point: MarketFailpoint) => Effect.Effect<void, StoreUnavailable>) =>
  <A, E, R>(name: MarketWrite, write: Effect.Effect<A, E, R>): Effect.Effect<A, E | StoreUnavailable, R> =>
    Effect.andThen(Effect.suspend(() => hook(`before:${name}`)), Effect.tap(write, () => hook(`after:${name}`)))
