import { Schema } from "effect"
import type { Actor } from "../../engine/access/account.ts"
import type { Language } from "../../engine/messages/languageCode.ts"
import { type ScheduleSpec, Task, type WatchSpec } from "./task.ts"

/** The condition or time for which a task waits. */
export type TaskTrigger =
  | { readonly kind: "watch"; readonly spec: WatchSpec }
  | { readonly kind: "schedule"; readonly spec: ScheduleSpec }

/** A change of an account's tasks by the owner or by the operator of the service. */
export type TaskChange = TaskChangeFields & {
  /** The version that the changed task must have; undefined to change any version. */
  readonly recordVersion?: string | undefined
}

type TaskChangeFields =
  | {
    readonly _tag: "Create"
    readonly title: string
    readonly trigger: TaskTrigger
    readonly prompt: string | null
    readonly maxRuns: number | null
    readonly lang: Language
    readonly key: number | null
    /** The session in which the change is requested. The store rejects the change if the session has ended. */
    readonly session?: number
    /**
     * The conversation for the task's reports and questions. If `conversation` is null or does not exist, a new
     * conversation is created.
     */
    readonly conversation: number | null
  }
  /**
   * Changes the given fields of a task; a new trigger must be of the task's kind. A task restarts if its trigger
   * changes or if it is resumed. A restart sets `notBefore` to null. A restarted watch is armed under the next arming
   * number, and evaluates minutes from now on. A restarted schedule is next due after now.
   *
   * Raising `maxRuns` above `runs` makes a done task active and restarts the task. Lowering `maxRuns` to `runs` makes
   * the task done, and a `status` in the same change is rejected. Pausing a done task stops its running firing. After
   * the change, the task has the scopes of `key`. If `key` is null, the task has the scopes of a signed-in user.
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
  /** Pauses a task on behalf of the operator of the service, and notifies the account with the operator's reason. */
  | {
    readonly _tag: "Pause"
    readonly id: number
    readonly key: null
    readonly session?: undefined
    readonly reason: string | null
  }
  /** Deletes a task and stops its running firing. */
  | { readonly _tag: "Delete"; readonly id: number; readonly key: number | null; readonly session?: number }

/** The result of a change of a task. A repeated call with an equal `callId` returns the same result. */
export const TaskChangeResult = Schema.TaggedUnion({
  Task: { task: Task },
  Deleted: { id: Schema.Int }
})
export type TaskChangeResult = typeof TaskChangeResult.Type

/** Returns the session or key that requests a change. */
export const changeActor = ({ key, session }: TaskChange): Actor | undefined =>
  session !== undefined ? { _tag: "Session", session } : key === null ? undefined : { _tag: "Key", key }
