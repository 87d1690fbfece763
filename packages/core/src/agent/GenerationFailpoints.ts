import { Context, Effect } from "effect"
import type { StoreUnavailable } from "../engine/store/errors.ts"

/** The durable writes of a generation. */
export const generationWrites = [
  "start",
  "take",
  "append",
  "store",
  "renew",
  "end",
  "endAnyway",
  "close",
  "sweep"
] as const
export type GenerationWrite = (typeof generationWrites)[number]

/**
 * A point before, within or after a durable write at which tests simulate a crash. At the failpoint `within`, the
 * transaction has ended the reservation of credits, but is not committed.
 */
export type GenerationFailpoint = `${"before" | "after"}:${GenerationWrite}` | `within:${"end" | "endAnyway"}`

/** All failpoints, in the order of the writes. */
export const generationFailpoints: ReadonlyArray<GenerationFailpoint> = generationWrites.flatMap((
  write
): ReadonlyArray<GenerationFailpoint> =>
  write === "end" || write === "endAnyway"
    ? [`before:${write}`, `within:${write}`, `after:${write}`]
    : [`before:${write}`, `after:${write}`]
)

/**
 * The hook that runs at each failpoint, and does nothing by default. A hook that fails simulates a broken database
 * connection: before or within a write, nothing is stored; after a write, only the response is lost. Set the hook
 * before the layer of the store is built.
 */
export const GenerationFailpoints = Context.Reference<
  (point: GenerationFailpoint) => Effect.Effect<void, StoreUnavailable>
>("@tapeline/core/agent/GenerationFailpoints", { defaultValue: () => () => Effect.void })

/** Runs a write between its `before` and `after` failpoints. */
export const withGenerationFailpoints = (
  hook: (point: GenerationFailpoint) => Effect.Effect<void, StoreUnavailable>,
  name: GenerationWrite
) =>
<A, E, R>(write: Effect.Effect<A, E, R>): Effect.Effect<A, E | StoreUnavailable, R> =>
  Effect.andThen(Effect.suspend(() => hook(`before:${name}`)), Effect.tap(write, () => hook(`after:${name}`)))
