import { Effect } from "effect"
import type { CallContext } from "../../engine/call/CallContext.ts"
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
      { callId, principal }: CallContext,
      change: Exclude<TaskChange, { readonly _tag: "Pause" }>,
      tag: Tag
    ) {
      const { account, actor } = principal
      const changeWithSession = actor._tag === "Session" ? { ...change, session: actor.session } : change
      const result = yield* store.write(account, callId, changeWithSession)
      if (result._tag === tag) return result as Extract<TaskChangeResult, { readonly _tag: Tag }> // by `_tag`
      return yield* Effect.die(new Error(`the call ${callId} has already written a ${result._tag}`))
    })
)

/**
 * Returns the id of the key that creates or changes a task, or null for a signed-in owner. Background tasks may not
 * change tasks.
 */
export const readKeyId = ({ principal: { actor } }: CallContext): Effect.Effect<number | null> => {
  if (actor._tag === "Task") return Effect.die(new Error(`task ${actor.task} may not write tasks`))
  return Effect.succeed(actor._tag === "Key" ? actor.key : null)
}
