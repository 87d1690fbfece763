import { Effect } from "effect"
import type { CallContext } from "../../engine/call/CallContext.ts"
import { taskVersion } from "../../personal/tasks/decideTask.ts"
import { NoSuchTask } from "../../personal/tasks/errors.ts"
import type { TaskChange, TaskChangeResult } from "../../personal/tasks/taskChange.ts"
import { TaskStore } from "../../personal/tasks/TaskStore.ts"

/**
 * Creates the function that changes the tasks of a call's account. The function dies if an earlier write with an equal
 * `callId` returned another kind of result.
 */
export const makeTaskWriter = Effect.map(
  Effect.service(TaskStore),
  (store) =>
    Effect.fnUntraced(function*<Tag extends TaskChangeResult["_tag"]>(
      { callId, principal, recordVersion }: CallContext,
      change: Exclude<TaskChange, { readonly _tag: "Pause" }>,
      tag: Tag
    ) {
      const { account, actor } = principal
      const session = actor._tag === "Session" ? { session: actor.session } : {}
      const result = yield* store.write(account, callId, { ...change, ...session, recordVersion })
      if (result._tag === tag) return result as Extract<TaskChangeResult, { readonly _tag: Tag }> // by the tag
      return yield* Effect.die(new Error(`the call ${callId} has already written a ${result._tag}`))
    })
)

/** Creates the function that returns the version of a task of an account. */
export const makeTaskVersionReader = Effect.map(
  Effect.service(TaskStore),
  (store) => ({ id }: { readonly id: number }, account: number) =>
    Effect.flatMap(
      store.find(account, id),
      (task) => task === null ? Effect.fail(new NoSuchTask({ id })) : Effect.succeed(taskVersion(task))
    )
)

/**
 * Returns the id of the key that creates or changes a task, or null for a signed-in owner. Background tasks may not
 * change tasks.
 */
export const readKeyId = ({ principal: { actor } }: CallContext): Effect.Effect<number | null> => {
  if (actor._tag === "Task") return Effect.die(new Error(`task ${actor.task} may not write tasks`))
  return Effect.succeed(actor._tag === "Key" ? actor.key : null)
}
