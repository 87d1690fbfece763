import { Context, Effect } from "effect"
import type { StoreUnavailable } from "../engine/store/StoreUnavailable.ts"

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
 * A place where a process may die: just before a durable write, just after it and before anyone hears of it, and within
 * the writes that take several statements: when the reservation has been ended, and nothing is committed.
 */
export type GenerationFailpoint = `${"before" | "after"}:${GenerationWrite}` | `within:${"end" | "endAnyway"}`

/** Every failpoint, in the order of the writes. */
export const generationFailpoints: ReadonlyArray<GenerationFailpoint> = generationWrites.flatMap((
  write
): ReadonlyArray<GenerationFailpoint> =>
  write === "end" || write === "endAnyway"
    ? [`before:${write}`, `within:${write}`, `after:${write}`]
    : [`before:${write}`, `after:${write}`]
)

/**
 * What happens at a failpoint; nothing, unless a test says otherwise. A hook that fails stands for a connection that
 * died there: before and within the write nothing happened, after it the write stands and its answer is lost. Stores
 * read it when their layer is built.
 */
export const GenerationFailpoints = Context.Reference<
  (point: GenerationFailpoint) => Effect.Effect<void, StoreUnavailable>
>("@tapeline/core/agent/GenerationFailpoints", { defaultValue: () => () => Effect.void })

/** `write` between its two failpoints. */
export const withGenerationFailpoints = (
  hook: (point: GenerationFailpoint) => Effect.Effect<void, StoreUnavailable>,
  name: GenerationWrite
) =>
<A, E, R>(write: Effect.Effect<A, E, R>): Effect.Effect<A, E | StoreUnavailable, R> =>
  Effect.andThen(Effect.suspend(() => hook(`before:${name}`)), Effect.tap(write, () => hook(`after:${name}`)))
