import { Context, Effect } from "effect"
import type { StoreUnavailable } from "../store/errors.ts"

/** The fields of a task that decide whether the task still acts for its account. */
export interface TaskActor {
  /** The id of the key whose scopes the task has; null if a signed-in user created or changed the task. */
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
 * The part of `TaskStore` that the agent needs, under an equal context key, so that a layer of `TaskStore` also
 * provides `TaskActors`. The default value finds no tasks.
 */
export const TaskActors = Context.Reference<TaskActorsService>("@tapeline/core/access/TaskActors", {
  defaultValue: () => ({ find: () => Effect.succeed(null) })
})
