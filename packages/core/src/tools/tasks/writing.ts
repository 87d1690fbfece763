import { Effect } from "effect"
import type { CallContext } from "../../engine/call/CallContext.ts"
import type { TaskChange, TaskWritten } from "../../personal/tasks/change.ts"
import { TaskStore } from "../../personal/tasks/TaskStore.ts"

/** Writes a change to the tasks of the call's account, and expects a result with `tag`. */
export const makeTaskWriting = Effect.map(
  Effect.service(TaskStore),
  (store) =>
    Effect.fnUntraced(function*<Tag extends TaskWritten["_tag"]>(
      { callId, principal }: CallContext,
      change: TaskChange,
      tag: Tag
    ) {
      const { account, actor } = principal
      const made = actor._tag === "Session" ? { ...change, session: actor.session } : change
      const written = yield* store.write(account, callId, made)
      if (written._tag === tag) return written as Extract<TaskWritten, { readonly _tag: Tag }> // by its tag
      return yield* Effect.die(new Error(`the call ${callId} has written a ${written._tag} before`))
    })
)

/**
 * Returns the key that creates or changes a task; null for a signed-in owner. Background tasks have no scope for this.
 */
export const keyOf = ({ principal: { actor } }: CallContext): Effect.Effect<number | null> => {
  if (actor._tag === "Task") return Effect.die(new Error(`task ${actor.task} writes a task`))
  return Effect.succeed(actor._tag === "Key" ? actor.key : null)
}
