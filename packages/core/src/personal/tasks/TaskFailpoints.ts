import { Context, Effect } from "effect"
import type { StoreUnavailable } from "../../engine/store/errors.ts"

/** The durable writes of tasks, firings and notifications. */
export const taskWrites = [
  "write",
  "observe",
  "claim",
  "take",
  "renew",
  "rehouse",
  "asked",
  "end",
  "lead",
  "sweep",
  "mark"
] as const
export type TaskWrite = (typeof taskWrites)[number]

/**
 * A point at which a process may crash: just before a durable write, or just after the write and before the caller
 * receives the result. A claim and an end also have a point within the write: after the checks and locks, before
 * anything is written.
 */
export type TaskFailpoint = `${"before" | "after"}:${TaskWrite}` | `within:${"claim" | "end"}`

/** All failpoints, in the order of the writes. */
export const taskFailpoints: ReadonlyArray<TaskFailpoint> = taskWrites.flatMap((write): ReadonlyArray<TaskFailpoint> =>
  write === "claim" || write === "end"
    ? [`before:${write}`, `within:${write}`, `after:${write}`]
    : [`before:${write}`, `after:${write}`]
)

/**
 * The hook that runs at a failpoint. The default hook does nothing, and tests replace it. A hook that fails simulates a
 * lost connection. If the hook fails before or within the write, nothing is written. If the hook fails after the write,
 * the write is durable and the response is lost. Stores read the hook when their layer is built.
 */
export const TaskFailpoints = Context.Reference<(point: TaskFailpoint) => Effect.Effect<void, StoreUnavailable>>(
  "@tapeline/core/tasks/TaskFailpoints",
  { defaultValue: () => () => Effect.void }
)

/** Runs the failpoint hook before and after `write`. */
export const withTaskFailpoints =
  (hook: (point: TaskFailpoint) => Effect.Effect<void, StoreUnavailable>) =>
  <A, E, R>(name: TaskWrite, write: Effect.Effect<A, E, R>): Effect.Effect<A, E | StoreUnavailable, R> =>
    Effect.andThen(Effect.suspend(() => hook(`before:${name}`)), Effect.tap(write, () => hook(`after:${name}`)))
