import { Context, Effect } from "effect"
import type { StoreUnavailable } from "../store/errors.ts"

/** The part of a task that decides whether the task still acts for its account. */
export interface TaskActor {
  /** The key with whose scopes the task runs. Null if a signed-in user made or changed the task. */
  readonly key: number | null
  readonly status: string
}

export interface TaskActorsService {
  /** Finds a task of an account. Returns null for a task that does not exist. */
  readonly find: (
    account: number,
    task: number
  ) => Effect.Effect<TaskActor | null, StoreUnavailable | { readonly _tag: "NoTaskStore" }>
}

/**
 * The part of `TaskStore` that the agent needs. `TaskStore` belongs to a later room and has the same key, so both are
 * one service of the context. Without a `TaskStore` no task exists.
 */
export const TaskActors = Context.Reference<TaskActorsService>("@tapeline/core/tasks/TaskStore", {
  defaultValue: () => ({ find: () => Effect.succeed(null) })
})
