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
  /** The value of `checkedTo` that the sweep read. If another sweep has advanced `checkedTo` since, nothing changes. */
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
   * The state of the task after the claim. `from` is the state that was read: `checkedTo` of a watch, `nextAt` of a
   * schedule. A watch that may fire again does not fire for `cooldownMs` after its claim.
   */
  readonly next:
    | { readonly kind: "watch"; readonly from: number; readonly watch: WatchState; readonly cooldownMs: number }
    | { readonly kind: "schedule"; readonly from: number; readonly nextAt: number }
}

/** The end of a firing. */
export interface FiringEnd {
  readonly outcome: FiringOutcome
  /** The message that is added to the conversation. Null for an answer, which the conversation already contains. */
  readonly report: NewChatMessage | null
  readonly notification: Pick<Notification, "kind" | "title" | "body" | "facts"> | null
  /**
   * Present if the firing does not count as a run. The task's run count is then decreased, and a watch is armed again
   * under the next arming number. If the firing made the task `done`, the task becomes active again. The task does not
   * fire before `notBefore` (epoch ms of the store).
   */
  readonly returnRun: { readonly notBefore: number } | null
  /** Pauses the task, unless the task's key is no longer `key`. Null if the end does not pause the task. */
  readonly pauseTask: { readonly key: number | null } | null
}

/** The state of a firing and its task when the firing was renewed. */
export interface RenewalResult {
  readonly now: number
  /** The key and status of the task. Null if the task is deleted. */
  readonly task: Pick<Task, "key" | "status"> | null
}

type Failure = StoreUnavailable | NoTaskStore

/** The methods of `TaskStore`. */
export interface TaskStoreService extends TaskActorsService {
  /** Applies a change of a task. `callId` is `CallContext.callId`: at most 200 ASCII characters. */
  readonly write: (
    account: number,
    callId: string,
    change: TaskChange
  ) => Effect.Effect<TaskChangeResult, TaskChangeError | Failure>
  /**
   * Returns the account's tasks of one status, or of all statuses, newest first. Omits done tasks that exceed
   * `taskLimits.done`.
   */
  readonly list: (account: number, status: TaskStatus | null) => Effect.Effect<ReadonlyArray<Task>, Failure>
  /** Returns a task of the account. Null if the account has no such task. */
  readonly find: (account: number, task: number) => Effect.Effect<Task | null, Failure>
  /**
   * Returns at most `limit` active watches with ids above `after`, ascending. Omits watches whose `notBefore` has not
   * passed.
   */
  readonly listActiveWatches: (after: number, limit: number) => Effect.Effect<ReadonlyArray<WatchTask>, Failure>
  /**
   * Returns at most `limit` active due schedules, longest overdue first. Omits schedules whose `notBefore` has not
   * passed.
   */
  readonly listDueSchedules: (limit: number) => Effect.Effect<ReadonlyArray<ScheduleTask>, Failure>
  /** Stores the new states of watches, all in one statement. */
  readonly storeWatchStates: (observed: ReadonlyArray<WatchUpdate>) => Effect.Effect<void, Failure>
  /**
   * Claims a firing, with epoch 1. Returns null and changes nothing if the task has changed since it was read, or if a
   * schedule is not due yet. If the task has already fired for this `due`, returns null and only advances the task to
   * `next`. A repeated `due` can happen after a clock was set back.
   */
  readonly claim: (claim: Claim) => Effect.Effect<Firing | null, Failure>
  /** Returns at most `limit` firings that have not ended and were not renewed for `staleMs`, the stalest first. */
  readonly listUnfinished: (staleMs: number, limit: number) => Effect.Effect<ReadonlyArray<Firing>, Failure>
  /**
   * Takes over an unfinished firing, as `GenerationStore.take` does. Only one of several concurrent callers succeeds.
   */
  readonly take: (firing: number, staleMs: number) => Effect.Effect<Firing | null, Failure>
  /** Renews the firing for its runner. Null if another runner has taken over the firing. */
  readonly renew: (fence: FiringFence) => Effect.Effect<RenewalResult | null, Failure>
  /**
   * Gives the firing and its task a new conversation, named after the task. The new conversation replaces a
   * conversation that is deleted or stays busy. Null if another runner has taken over the firing.
   */
  readonly assignNewConversation: (fence: FiringFence) => Effect.Effect<number | null, Failure>
  /**
   * Records the generation that answers the firing. The firing's state becomes `asked`. Returns false if another runner
   * has taken over the firing.
   */
  readonly recordGeneration: (fence: FiringFence, generation: number) => Effect.Effect<boolean, Failure>
  /**
   * Ends the firing, whatever the state of its task. A deleted or paused task sends no notification. Of consecutive
   * refused firings, only the first sends a notification. A refused firing of a paused task does not count among
   * consecutive refused firings.
   *
   * If the conversation of a report is deleted, the report gets a new conversation, named after the task, and the task
   * keeps the new conversation. The notification names the conversation if it still exists. Notifications beyond the
   * limit are deleted, oldest first. Returns null and changes nothing if the runner's epoch is outdated, or if the
   * firing has already ended.
   */
  readonly end: (
    fence: FiringFence,
    end: FiringEnd
  ) => Effect.Effect<{ readonly notification: Notification | null } | null, Failure>
  /**
   * Makes `holder` the leader for `leaseMs`. Returns true unless another process has renewed its leadership within
   * `leaseMs`. The leader only saves work: two processes that sweep at the same time do no harm.
   */
  readonly acquireLeadership: (holder: string, leaseMs: number) => Effect.Effect<boolean, Failure>
  /**
   * Deletes ended firings older than `keepMs`. Deletes remembered writes and read marks that are both older than
   * `keepMs` and past their retention. Deletes at most `limit` rows of each kind, and returns the number of deleted
   * rows.
   */
  readonly sweep: (keepMs: number, limit: number) => Effect.Effect<number, Failure>
  /** The time of the store's clock, in epoch ms. */
  readonly currentTime: Effect.Effect<number, Failure>
}

/**
 * Stores the tasks of accounts and their firings. Shares its tables and transactions with `ConversationStore`,
 * `GenerationStore` and `NotificationStore`.
 *
 * The contract holds under any concurrency, on any number of nodes, whenever a node crashes or freezes:
 *
 * 1. Tasks belong to accounts. Each method treats another account's task as a task that does not exist.
 * 2. A call writes once, as in `JournalStore`. A repeated call with the same account and `callId` within
 *    `writeRetentionMs` changes nothing and returns the first result.
 * 3. A task fires once for each due time or arming (`due`). A claim is one transaction. A claim changes the task only
 *    if the version and `next.from` are still those that were read, the task is active, and `notBefore` has passed. A
 *    claim counts the run, makes the task `done` at `maxRuns`, and stores the firing under `(task, due)`, which is
 *    unique.
 * 4. A firing that has not ended is resumed and never claimed again. A write of a runner with an outdated epoch changes
 *    nothing.
 * 5. A firing ends once. The report, the notification, the outcome and the change of the task are one transaction.
 * 6. All times use the store's clock.
 *
 * Without an adapter, every method fails with `NoTaskStore`.
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
