import { Context, Effect } from "effect"
import type { StoreUnavailable } from "../../engine/store/StoreUnavailable.ts"

/** The durable writes of market series. */
export const marketWrites = ["lead", "resign", "points", "events", "documents", "prune"] as const
export type MarketWrite = (typeof marketWrites)[number]

/**
 * A place where a process may die: just before a durable write, and just after it and before anyone hears of it. Of
 * rows and of pruning also within it: when some of it is written, and not all.
 */
export type MarketFailpoint = `${"before" | "within" | "after"}:${MarketWrite}`

/** Every failpoint, in the order of the writes. */
export const marketFailpoints: ReadonlyArray<MarketFailpoint> = marketWrites.flatMap((
  write
): ReadonlyArray<MarketFailpoint> =>
  write === "lead" || write === "resign"
    ? [`before:${write}`, `after:${write}`]
    : [`before:${write}`, `within:${write}`, `after:${write}`]
)

/**
 * What happens at a failpoint; nothing, unless a test says otherwise. A hook that fails stands for a connection that
 * died there: before and within the write nothing happened, after it the write stands and its answer is lost. Stores
 * read it when their layer is built.
 */
export const MarketStoreFailpoints = Context.Reference<
  (point: MarketFailpoint) => Effect.Effect<void, StoreUnavailable>
>("@tapeline/core/market/store/MarketStoreFailpoints", { defaultValue: () => () => Effect.void })

/** `write` between its two failpoints. */
export const withMarketFailpoints =
  (hook: (point: MarketFailpoint) => Effect.Effect<void, StoreUnavailable>) =>
  <A, E, R>(name: MarketWrite, write: Effect.Effect<A, E, R>): Effect.Effect<A, E | StoreUnavailable, R> =>
    Effect.andThen(Effect.suspend(() => hook(`before:${name}`)), Effect.tap(write, () => hook(`after:${name}`)))
