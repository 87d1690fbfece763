import { Context, Effect } from "effect"
import type { StoreUnavailable } from "../store/errors.ts"

/** The fields of a task that determine whether the task may act for its account. */
export interface TaskActor {
  /** The id of the API key that gives the task its scopes; null if a signed-in user created or changed the task. */
  readonly key: number | null
  readonly status: string
}

export interface TaskActorsService {
  readonly find: (
    account: number,
    task: number
  ) => Effect.Effect<TaskActor | null, StoreUnavailable | { readonly _tag: "NoTaskStore" }>
}

/**
 * Finds the key and the status of a task. A layer of `TaskStore` also provides `TaskActors`, because both have the same
 * context key. By default, `find` returns null for every task.
 */
export const TaskActors = Context.Reference<TaskActorsService>("@tapeline/core/access/TaskActors", {
  defaultValue: () => ({ find: () => Effect.succeed(null) })
})
