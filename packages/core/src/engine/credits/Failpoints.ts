import { Context, Effect } from "effect"
import type { StoreUnavailable } from "../store/StoreUnavailable.ts"

/** The durable writes of the ledger. */
export const ledgerWrites = ["reserve", "end", "renew", "expire", "changePlan", "definePlans"] as const
export type LedgerWrite = (typeof ledgerWrites)[number]

/** A place where a process may die: just before a durable write, or just after it and before anyone hears of it. */
export type Failpoint = `${"before" | "after"}:${LedgerWrite}`

/** Every failpoint, in the order of the writes. */
export const failpoints: ReadonlyArray<Failpoint> = ledgerWrites.flatMap((
  write
): ReadonlyArray<Failpoint> => [`before:${write}`, `after:${write}`])

/**
 * What happens at a failpoint; nothing, unless a test says otherwise. A hook that fails stands for a connection that
 * died there: before the write nothing happened, after it the write stands and its answer is lost. Stores read it when
 * their layer is built.
 */
export const Failpoints = Context.Reference<(point: Failpoint) => Effect.Effect<void, StoreUnavailable>>(
  "@tapeline/core/credits/Failpoints",
  { defaultValue: () => () => Effect.void }
)

/** `write` between its two failpoints. */
export const withFailpoints = (
  hook: (point: Failpoint) => Effect.Effect<void, StoreUnavailable>,
  name: LedgerWrite
) =>
<A, E, R>(write: Effect.Effect<A, E, R>): Effect.Effect<A, E | StoreUnavailable, R> =>
  Effect.andThen(Effect.suspend(() => hook(`before:${name}`)), Effect.tap(write, () => hook(`after:${name}`)))
