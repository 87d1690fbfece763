import { Effect } from "effect"
import type { CallContext } from "../../engine/call/CallContext.ts"
import type { TaskChange, TaskWritten } from "../../personal/tasks/change.ts"
import { TaskStore } from "../../personal/tasks/TaskStore.ts"

/** Writes what a call changes among its account's tasks, of which it expects what `tag` says. */
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
 * The key that makes or changes a task, null of an owner who signed in: what runs in the background has no scope to do
 * either.
 */
export const keyOf = ({ principal: { actor } }: CallContext): Effect.Effect<number | null> => {
  if (actor._tag === "Task") return Effect.die(new Error(`task ${actor.task} writes a task`))
  return Effect.succeed(actor._tag === "Key" ? actor.key : null)
}
