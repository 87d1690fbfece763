import { Schema } from "effect"
import type { Actor } from "../../engine/access/account.ts"
import type { Language } from "../../engine/messages/languageCode.ts"
import type { ScheduleSpec, WatchSpec } from "./spec.ts"
import { Task } from "./task.ts"

/** What a task waits for, as its kind has it. */
export type Awaited =
  | { readonly kind: "watch"; readonly spec: WatchSpec }
  | { readonly kind: "schedule"; readonly spec: ScheduleSpec }

/** A change of an account's tasks, by its owner. */
export type TaskChange =
  | {
    readonly _tag: "Create"
    readonly title: string
    readonly awaited: Awaited
    readonly prompt: string | null
    readonly maxRuns: number | null
    readonly lang: Language
    readonly key: number | null
    /**
     * The session that makes the change. The store rejects a change of a session or key that is over, and of a key that
     * lacks `write:personal`.
     */
    readonly session?: number
    /** Null, or one that the account has no more: a new conversation, named after the task, made with it. */
    readonly conversation: number | null
  }
  /**
   * What is left out stays. A new spec must be of the task's kind; it (one that is not what it was), and a pause that
   * ends, begin anew: a watch is armed, in its next arming, and looks from now on; a schedule is due next after now;
   * nothing holds it back any more. Raising `maxRuns` above `runs` makes a done task active, anew. Lowering it to
   * `runs` makes it done, and a status that is given with that is refused. A done task whose last firing is under way
   * can be paused: the firing stops. The key that changes it is the one in whose scopes it runs from then on; null of
   * its owner, signed in: then it runs in all that an account may read.
   */
  | {
    readonly _tag: "Update"
    readonly id: number
    readonly key: number | null
    readonly session?: number
    readonly title?: string
    readonly awaited?: Awaited
    readonly prompt?: string | null
    readonly maxRuns?: number | null
    readonly status?: "active" | "paused"
  }
  /** A firing that is under way stops. */
  | { readonly _tag: "Delete"; readonly id: number; readonly key: number | null; readonly session?: number }

/** What a change wrote: what its call answers, however often it is made. */
export const TaskWritten = Schema.TaggedUnion({
  Task: { task: Task },
  Deleted: { id: Schema.Int }
})
export type TaskWritten = typeof TaskWritten.Type

/** Returns the session or key that makes a change. */
export const actorOf = ({ key, session }: TaskChange): Actor | undefined =>
  session !== undefined ? { _tag: "Session", session } : key === null ? undefined : { _tag: "Key", key }
