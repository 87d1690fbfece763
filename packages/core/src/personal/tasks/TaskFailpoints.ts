import { Context, Effect } from "effect"
import type { StoreUnavailable } from "../../engine/store/StoreUnavailable.ts"

/** The durable writes of tasks, of their firings and of the bell. */
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
 * A place where a process may die: just before a durable write, and just after it and before anyone hears of it. Of a
 * claim and of an end also within it: when all was judged and locked, and nothing is written.
 */
export type TaskFailpoint = `${"before" | "after"}:${TaskWrite}` | `within:${"claim" | "end"}`

/** Every failpoint, in the order of the writes. */
export const taskFailpoints: ReadonlyArray<TaskFailpoint> = taskWrites.flatMap((write): ReadonlyArray<TaskFailpoint> =>
  write === "claim" || write === "end"
    ? [`before:${write}`, `within:${write}`, `after:${write}`]
    : [`before:${write}`, `after:${write}`]
)

/**
 * What happens at a failpoint; nothing, unless a test says otherwise. A hook that fails stands for a connection that
 * died there: before and within the write nothing happened, after it the write stands and its answer is lost. Stores
 * read it when their layer is built.
 */
export const TaskFailpoints = Context.Reference<(point: TaskFailpoint) => Effect.Effect<void, StoreUnavailable>>(
  "@tapeline/core/tasks/TaskFailpoints",
  { defaultValue: () => () => Effect.void }
)

/** `write` between its two failpoints. */
export const withTaskFailpoints =
  (hook: (point: TaskFailpoint) => Effect.Effect<void, StoreUnavailable>) =>
  <A, E, R>(name: TaskWrite, write: Effect.Effect<A, E, R>): Effect.Effect<A, E | StoreUnavailable, R> =>
    Effect.andThen(Effect.suspend(() => hook(`before:${name}`)), Effect.tap(write, () => hook(`after:${name}`)))
