import { Schema } from "effect"
import type { Actor } from "../../engine/access/account.ts"
import type { Language } from "../../engine/messages/languageCode.ts"
import { type ScheduleSpec, Task, type WatchSpec } from "./task.ts"

/** The condition or time that a task waits for. */
export type TaskTrigger =
  | { readonly kind: "watch"; readonly spec: WatchSpec }
  | { readonly kind: "schedule"; readonly spec: ScheduleSpec }

/** A change of an account's tasks by its owner. */
export type TaskChange =
  | {
    readonly _tag: "Create"
    readonly title: string
    readonly trigger: TaskTrigger
    readonly prompt: string | null
    readonly maxRuns: number | null
    readonly lang: Language
    readonly key: number | null
    /**
     * The session that makes the change. The store rejects an ended session or key, and a key without `write:personal`.
     */
    readonly session?: number
    /** If null, or not a conversation of the account, a new conversation is created, named after the task. */
    readonly conversation: number | null
  }
  /**
   * An absent field stays as it was. A new spec must be of the task's kind. A spec that differs, and a resumed task,
   * start again. A watch is armed in its next arming and judges minutes from now on. A schedule is next due after now.
   * `notBefore` is cleared. Raising `maxRuns` above `runs` makes a done task active, and it starts again. Lowering it
   * to `runs` makes the task done, and a `status` in the same change is rejected. A done task whose last firing is
   * running can be paused, which stops the firing. From then on the task runs with the scopes of `key`, or, if null,
   * with a user's scopes.
   */
  | {
    readonly _tag: "Update"
    readonly id: number
    readonly key: number | null
    readonly session?: number
    readonly title?: string
    readonly trigger?: TaskTrigger
    readonly prompt?: string | null
    readonly maxRuns?: number | null
    readonly status?: "active" | "paused"
  }
  /** Deletes a task. A running firing stops. */
  | { readonly _tag: "Delete"; readonly id: number; readonly key: number | null; readonly session?: number }

/** The result of a change. A repeated call returns the same result. */
export const TaskChangeResult = Schema.TaggedUnion({
  Task: { task: Task },
  Deleted: { id: Schema.Int }
})
export type TaskChangeResult = typeof TaskChangeResult.Type

/** Returns the session or key that makes a change. */
export const changeActor = ({ key, session }: TaskChange): Actor | undefined =>
  session !== undefined ? { _tag: "Session", session } : key === null ? undefined : { _tag: "Key", key }
