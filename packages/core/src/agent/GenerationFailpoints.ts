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
 * A moment at which a process may die: before a durable write, or after the write but before its caller learns the
 * result. The writes with several statements also have `within`: the reservation has ended, but nothing is committed.
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
 * A hook that runs at each failpoint. By default it does nothing; tests replace it.
 *
 * A hook that fails simulates a connection that broke there. Before or within the write, nothing happened. After the
 * write, the change remains and its response is lost. Stores read the hook when their layer is built.
 */
export const GenerationFailpoints = Context.Reference<
  (point: GenerationFailpoint) => Effect.Effect<void, StoreUnavailable>
>("@tapeline/core/agent/GenerationFailpoints", { defaultValue: () => () => Effect.void })

/** Runs `write` between its two failpoints. */
export const withGenerationFailpoints = (
  hook: (point: GenerationFailpoint) => Effect.Effect<void, StoreUnavailable>,
  name: GenerationWrite
) =>
<A, E, R>(write: Effect.Effect<A, E, R>): Effect.Effect<A, E | StoreUnavailable, R> =>
  Effect.andThen(Effect.suspend(() => hook(`before:${name}`)), Effect.tap(write, () => hook(`after:${name}`)))
