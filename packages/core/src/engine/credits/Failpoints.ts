import { Context, Effect } from "effect"
import type { StoreUnavailable } from "../store/errors.ts"

/** The names of the ledger's durable writes. */
export const ledgerWrites = [
  "reserve",
  "end",
  "charge",
  "recordFailures",
  "renew",
  "expire",
  "changePlan",
  "definePlans",
  "adjust",
  "limitKey"
] as const
export type LedgerWrite = (typeof ledgerWrites)[number]

/** A point at which a process may crash: before a durable write, or after the write but before the response. */
export type Failpoint = `${"before" | "after"}:${LedgerWrite}`

/** All failpoints of the ledger's writes. */
export const failpoints: ReadonlyArray<Failpoint> = ledgerWrites.flatMap((
  write
): ReadonlyArray<Failpoint> => [`before:${write}`, `after:${write}`])

/**
 * The hook that runs at each failpoint of the ledger; used by tests. If the hook fails before a write, nothing is
 * written. If the hook fails after a write, the write is durable and the response is lost. The hook must be set before
 * the store's layer is built.
 */
export const Failpoints = Context.Reference<(point: Failpoint) => Effect.Effect<void, StoreUnavailable>>(
  "@tapeline/core/credits/Failpoints",
  { defaultValue: () => () => Effect.void }
)

/** Runs the failpoint hook before and after a ledger write. */
export const withFailpoints = (
  hook: (point: Failpoint) => Effect.Effect<void, StoreUnavailable>,
  name: LedgerWrite
) =>
<A, E, R>(write: Effect.Effect<A, E, R>): Effect.Effect<A, E | StoreUnavailable, R> =>
  Effect.andThen(Effect.suspend(() => hook(`before:${name}`)), Effect.tap(write, () => hook(`after:${name}`)))
