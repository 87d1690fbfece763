import { Context, Effect, type Schema } from "effect"
import type { NewChatMessage } from "../../agent/conversation.ts"
import { TaskActors, type TaskActorsService } from "../../engine/access/TaskActors.ts"
import type { StoreUnavailable } from "../../engine/store/errors.ts"
import { NoTaskStore, type TaskChangeError } from "./errors.ts"
import type { Due, Firing, FiringFence } from "./firing.ts"
import type { Notification } from "./notification.ts"
import type { FiringOutcome, ScheduleTask, Task, TaskStatus, WatchState, WatchTask } from "./task.ts"
import type { TaskChange, TaskChangeResult } from "./taskChange.ts"

/** The new state of a watch that a sweep evaluated without a firing. */
export interface WatchUpdate {
  readonly task: number
  readonly version: number
  /**
   * The `checkedTo` of the task when the sweep read the task. If another sweep has advanced `checkedTo`, the update is
   * ignored.
   */
  readonly previousCheckedTo: number
  readonly watch: WatchState
}

/** The data of a firing that is to be claimed. */
export interface Claim {
  readonly task: number
  readonly version: number
  readonly due: Due
  readonly dueAt: number
  readonly missed: number
  readonly observed: Schema.Json | null
  readonly question: string | null
  /**
   * The state of the task after the claim. `from` is the task's `checkedTo` (watch) or `nextAt` (schedule) when the
   * sweep read the task. After a claim, a watch does not fire again for `cooldownMs`.
   */
  readonly next:
    | { readonly kind: "watch"; readonly from: number; readonly watch: WatchState; readonly cooldownMs: number }
    | { readonly kind: "schedule"; readonly from: number; readonly nextAt: number }
}

export interface FiringEnd {
  readonly outcome: FiringOutcome
  /** The message to add to the conversation, or null to add no message. */
  readonly report: NewChatMessage | null
  readonly notification: Pick<Notification, "kind" | "title" | "body" | "facts"> | null
  /**
   * `returnRun` is null if the firing counts as a run. `notBefore` is the time before which the task does not fire
   * again, in epoch ms of the store. If the firing does not count as a run, `end` decreases the run count, reactivates
   * a `done` task, and arms a watch again.
   */
  readonly returnRun: { readonly notBefore: number } | null
  /** If not null, pauses the task, provided that the task's key still equals `pauseTask.key`. */
  readonly pauseTask: { readonly key: number | null } | null
}

/** The state of a firing and its task when the firing was renewed. */
export interface RenewalResult {
  readonly now: number
  /** The key and status of the task, or null if the task is deleted. */
  readonly task: Pick<Task, "key" | "status"> | null
}

type Failure = StoreUnavailable | NoTaskStore

/** The methods of `TaskStore`. */
export interface TaskStoreService extends TaskActorsService {
  /** Applies a change of a task; `callId` has at most 200 ASCII characters. */
  readonly write: (
    account: number,
    callId: string,
    change: TaskChange
  ) => Effect.Effect<TaskChangeResult, TaskChangeError | Failure>
  /** Returns the account's tasks of one status or of all, newest first, with at most `taskLimits.done` done tasks. */
  readonly list: (account: number, status: TaskStatus | null) => Effect.Effect<ReadonlyArray<Task>, Failure>
  /** Returns a task of the account, or null if the account has no such task. */
  readonly find: (account: number, task: number) => Effect.Effect<Task | null, Failure>
  /** Returns at most `limit` active watches with ids above `after`, ascending, whose `notBefore` has passed. */
  readonly listActiveWatches: (after: number, limit: number) => Effect.Effect<ReadonlyArray<WatchTask>, Failure>
  /** Returns at most `limit` active due schedules whose `notBefore` has passed, longest overdue first. */
  readonly listDueSchedules: (limit: number) => Effect.Effect<ReadonlyArray<ScheduleTask>, Failure>
  /** Stores the new states of watches, all in one statement. */
  readonly storeWatchStates: (observed: ReadonlyArray<WatchUpdate>) => Effect.Effect<void, Failure>
  /**
   * Claims a firing, or returns null without a change if the task has changed since it was read, or is not due yet. If
   * the task has already fired for `due`, no firing is created, and the task advances to `next`. A `due` can repeat
   * after the store's clock was set back.
   */
  readonly claim: (claim: Claim) => Effect.Effect<Firing | null, Failure>
  /** Returns at most `limit` firings that have not ended and were not renewed for `staleMs`, the stalest first. */
  readonly listUnfinished: (staleMs: number, limit: number) => Effect.Effect<ReadonlyArray<Firing>, Failure>
  /** Takes over an unfinished firing. If several processes call `take` at once, only one call succeeds. */
  readonly take: (firing: number, staleMs: number) => Effect.Effect<Firing | null, Failure>
  /** Renews the firing for its runner, or returns null if another runner has taken over the firing. */
  readonly renew: (fence: FiringFence) => Effect.Effect<RenewalResult | null, Failure>
  /**
   * Assigns a new conversation to a firing and its task, because the old conversation is deleted or busy. A new
   * conversation is named after the task. Returns null if another runner has taken over the firing.
   */
  readonly assignNewConversation: (fence: FiringFence) => Effect.Effect<number | null, Failure>
  /** Records the generation that answers the firing, or returns false if another runner has taken over the firing. */
  readonly recordGeneration: (fence: FiringFence, generation: number) => Effect.Effect<boolean, Failure>
  /**
   * Ends the firing, or returns null without a change if the runner's epoch is outdated or the firing has already
   * ended. A deleted or paused task sends no notification. If several firings in a row are refused, only the first
   * firing sends a notification. If the conversation of a report is deleted, the task gets a new conversation, named
   * after the task. If an account has too many notifications, the oldest are deleted.
   */
  readonly end: (
    fence: FiringFence,
    end: FiringEnd
  ) => Effect.Effect<{ readonly notification: Notification | null } | null, Failure>
  /**
   * Makes `holder` the leader for `leaseMs`, or returns false while another process is the leader. The leader's lease
   * only avoids duplicate work: two processes that sweep at once do no harm.
   */
  readonly acquireLeadership: (holder: string, leaseMs: number) => Effect.Effect<boolean, Failure>
  /**
   * Deletes ended firings, expired writes and expired read marks that are older than `keepMs`. At most `limit` rows of
   * each kind are deleted, and the number of deleted rows is returned.
   */
  readonly sweep: (keepMs: number, limit: number) => Effect.Effect<number, Failure>
  /** The time of the store's clock, in epoch ms. */
  readonly currentTime: Effect.Effect<number, Failure>
}

/**
 * Stores the tasks of accounts and their firings, in transactions shared with the stores of conversations, generations
 * and notifications. Without an adapter, every method fails with `NoTaskStore`. These rules hold for concurrent calls
 * on any number of nodes, even if a node crashes or freezes:
 *
 * 1. Each method treats another account's task as a task that does not exist.
 * 2. A call writes once: a repeated call of the account with an equal `callId` within `writeRetentionMs` returns the
 *    first result, even if the arguments differ or the record was deleted.
 * 3. A task fires at most once for each value of `due`. A claim is one transaction. A claim succeeds only if the task
 *    is active, its `notBefore` has passed, and its version and `next.from` are unchanged. The claim counts the run,
 *    and makes the task `done` if `maxRuns` is reached. The firing is stored under the unique key `(task, due)`.
 * 4. A firing that has not ended is resumed and never claimed again. A write of a runner with an outdated epoch changes
 *    nothing.
 * 5. A firing ends once: one transaction stores the report, the notification, the outcome and the change of the task.
 * 6. All times use the store's clock.
 */
export const TaskStore = Context.Reference<TaskStoreService>(TaskActors.key, {
  defaultValue: () => {
    const failNoStore = () => Effect.fail(new NoTaskStore())
    return {
      write: failNoStore,
      list: failNoStore,
      find: failNoStore,
      listActiveWatches: failNoStore,
      listDueSchedules: failNoStore,
      storeWatchStates: failNoStore,
      claim: failNoStore,
      listUnfinished: failNoStore,
      take: failNoStore,
      renew: failNoStore,
      assignNewConversation: failNoStore,
      recordGeneration: failNoStore,
      end: failNoStore,
      acquireLeadership: failNoStore,
      sweep: failNoStore,
      currentTime: failNoStore()
    }
  }
})
