import { Context, Effect } from "effect"
import type { StoreUnavailable } from "../store/StoreUnavailable.ts"

/** The state of a task that acts for an account. */
export interface TaskActor {
  /** The key with whose scopes the task runs. Null if a signed-in user made or changed the task. */
  readonly key: number | null
  readonly isPaused: boolean
}

/** Finds tasks of an account. Returns null for a task that does not exist. The default finds no task. */
export const TaskActors = Context.Reference<{
  readonly find: (account: number, task: number) => Effect.Effect<TaskActor | null, StoreUnavailable>
}>("@tapeline/core/access/TaskActors", { defaultValue: () => ({ find: () => Effect.succeed(null) }) })
