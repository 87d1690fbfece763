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
 * A moment at which a process may crash: before a durable write, or after the write but before its caller receives the
 * result. Writes with several statements also have the failpoint `within`: the reservation has ended, but the
 * transaction is not committed.
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
 * The hook that runs at each failpoint. The default hook does nothing; tests replace the hook.
 *
 * A failing hook simulates a broken database connection. A failure before or within the write changes nothing. A
 * failure after the write loses only the response. Stores read the hook when their layer is built.
 */
export const GenerationFailpoints = Context.Reference<
  (point: GenerationFailpoint) => Effect.Effect<void, StoreUnavailable>
>("@tapeline/core/agent/GenerationFailpoints", { defaultValue: () => () => Effect.void })

/** Runs `write` between its `before` and `after` failpoints. */
export const withGenerationFailpoints = (
  hook: (point: GenerationFailpoint) => Effect.Effect<void, StoreUnavailable>,
  name: GenerationWrite
) =>
<A, E, R>(write: Effect.Effect<A, E, R>): Effect.Effect<A, E | StoreUnavailable, R> =>
  Effect.andThen(Effect.suspend(() => hook(`before:${name}`)), Effect.tap(write, () => hook(`after:${name}`)))
