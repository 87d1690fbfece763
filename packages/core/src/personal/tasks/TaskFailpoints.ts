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
 * A point before, within or after a durable write at which tests simulate a crash. At the failpoint `within`, the
 * transaction holds its locks and has passed its checks, but has written nothing.
 */
export type TaskFailpoint = `${"before" | "after"}:${TaskWrite}` | `within:${"claim" | "end"}`

/** All failpoints, in the order of the writes. */
export const taskFailpoints: ReadonlyArray<TaskFailpoint> = taskWrites.flatMap((write): ReadonlyArray<TaskFailpoint> =>
  write === "claim" || write === "end"
    ? [`before:${write}`, `within:${write}`, `after:${write}`]
    : [`before:${write}`, `after:${write}`]
)

/**
 * The hook that runs at each failpoint, and does nothing by default. A hook that fails simulates a lost connection:
 * before or within a write, nothing is stored; after a write, only the response is lost. Set the hook before the layer
 * of the store is built.
 */
export const TaskFailpoints = Context.Reference<(point: TaskFailpoint) => Effect.Effect<void, StoreUnavailable>>(
  "@tapeline/core/tasks/TaskFailpoints",
  { defaultValue: () => () => Effect.void }
)

/** Runs the failpoint hook before and after a write. */
export const withTaskFailpoints =
  (hook: (point: TaskFailpoint) => Effect.Effect<void, StoreUnavailable>) =>
  <A, E, R>(name: TaskWrite, write: Effect.Effect<A, E, R>): Effect.Effect<A, E | StoreUnavailable, R> =>
    Effect.andThen(Effect.suspend(() => hook(`before:${name}`)), Effect.tap(write, () => hook(`after:${name}`)))
