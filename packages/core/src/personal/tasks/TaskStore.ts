import { Context, Effect, type Schema } from "effect"
import type { NewChatMessage } from "../../agent/conversation.ts"
import { TaskActors, type TaskActorsService } from "../../engine/access/TaskActors.ts"
import type { StoreUnavailable } from "../../engine/store/StoreUnavailable.ts"
import type { TaskChange, TaskWritten } from "./change.ts"
import { NoTaskStore, type TaskRefusal } from "./errors.ts"
import type { Due, Firing, FiringFence } from "./firing.ts"
import type { Notification } from "./notification.ts"
import type { FiringOutcome, ScheduleTask, Task, TaskStatus, WatchState, WatchTask } from "./task.ts"

/** What a sweep knows of a watch after looking, when nothing fired. */
export interface Observed {
  readonly task: number
  readonly version: number
  /** What the sweep had read: who looked meanwhile has advanced it, and then nothing changes. */
  readonly from: number
  readonly watch: WatchState
}

/** A firing that is to be claimed. */
export interface Claim {
  readonly task: number
  readonly version: number
  readonly due: Due
  readonly dueAt: number
  readonly missed: number
  readonly observed: Schema.Json | null
  readonly question: string | null
  /**
   * What the task waits for after it; `from` is what it waited for as it was read. For `restMs` after its claim a watch
   * that may fire again does not.
   */
  readonly next:
    | { readonly kind: "watch"; readonly from: number; readonly watch: WatchState; readonly restMs: number }
    | { readonly kind: "schedule"; readonly from: number; readonly nextAt: number }
}

/** How a firing ends. */
export interface FiringEnd {
  readonly outcome: FiringOutcome
  /** Stands in the conversation; an answer stands there already. */
  readonly report: NewChatMessage | null
  readonly notification: Pick<Notification, "kind" | "title" | "body" | "facts"> | null
  /**
   * Of one that counts as no run: its run is given back, a watch is armed again, as its next arming, a task that it
   * made done is active again, and none fires before this time (epoch ms of the store).
   */
  readonly giveBack: { readonly notBefore: number } | null
  /** Pauses the task with it, unless the task is no longer of this key; null: does not pause it. */
  readonly pauses: { readonly key: number | null } | null
}

/** The state of a firing and its task at a renewal. */
export interface Renewed {
  /** The store's time. */
  readonly now: number
  /** Null if the task is deleted. */
  readonly task: Pick<Task, "key" | "status"> | null
}

type Failure = StoreUnavailable | NoTaskStore

/** The methods of `TaskStore`. */
export interface TaskStoreService extends TaskActorsService {
  /** `callId` is `CallContext.callId`: at most 200 characters of ASCII. */
  readonly write: (
    account: number,
    callId: string,
    change: TaskChange
  ) => Effect.Effect<TaskWritten, TaskRefusal | Failure>
  /** The account's tasks, those made last first, of one status or of all; done ones at most as many as are kept. */
  readonly list: (account: number, status: TaskStatus | null) => Effect.Effect<ReadonlyArray<Task>, Failure>
  /** One task of the account; null when it has none such. */
  readonly find: (account: number, task: number) => Effect.Effect<Task | null, Failure>
  /** Active watches with ids above `after`, ascending, at most `limit`, that nothing holds back now. */
  readonly watches: (after: number, limit: number) => Effect.Effect<ReadonlyArray<WatchTask>, Failure>
  /** Active schedules that are due and that nothing holds back, the longest due first, at most `limit`. */
  readonly due: (limit: number) => Effect.Effect<ReadonlyArray<ScheduleTask>, Failure>
  /** Keeps how far watches have looked: of all of them in one statement. */
  readonly observe: (observed: ReadonlyArray<Observed>) => Effect.Effect<void, Failure>
  /**
   * Claims a firing: its epoch is 1. Null when the task is not as it was read, or a schedule is not due yet: nothing
   * changed. Null as well when it has fired for this, which a clock that was put back may bring about: then it only
   * waits for what comes `next`.
   */
  readonly claim: (claim: Claim) => Effect.Effect<Firing | null, Failure>
  /** Firings that have not ended and that nobody has renewed for `staleMs`, the longest first, at most `limit`. */
  readonly unfinished: (staleMs: number, limit: number) => Effect.Effect<ReadonlyArray<Firing>, Failure>
  /** Takes an unfinished firing, as `GenerationStore.take` does. Of many that try at once, one takes it. */
  readonly take: (firing: number, staleMs: number) => Effect.Effect<Firing | null, Failure>
  /** Renews the firing for its runner. Null when the fence no longer holds. */
  readonly renew: (fence: FiringFence) => Effect.Effect<Renewed | null, Failure>
  /**
   * Gives the firing and its task a new conversation, named after the task, in place of the one that is gone or does
   * not become free. Null when the fence no longer holds.
   */
  readonly rehouse: (fence: FiringFence) => Effect.Effect<number | null, Failure>
  /** Says that a generation answers it: `asked`. False when the fence no longer holds. */
  readonly asked: (fence: FiringFence, generation: number) => Effect.Effect<boolean, Failure>
  /**
   * Ends it, whatever became of its task. A deleted or paused task sends no notification. Of refusals in a row only the
   * first sends one, and the refusal of a paused task does not count among them. A report whose conversation is gone
   * gets a new one, named after the task. The task keeps the new conversation. The notification names the conversation,
   * if there still is one; the oldest go for it that are more than are kept. Null when the fence no longer holds, as
   * after an end whose answer was lost: nothing changed.
   */
  readonly end: (
    fence: FiringFence,
    end: FiringEnd
  ) => Effect.Effect<{ readonly notification: Notification | null } | null, Failure>
  /**
   * Says who looks after tasks: true for `holder` when nobody else has said so within `leaseMs`. It spares work and
   * nothing more: two that both look do no harm.
   */
  readonly lead: (holder: string, leaseMs: number) => Effect.Effect<boolean, Failure>
  /**
   * Drops ended firings that are older than `keepMs`, and remembered writes and marks that are as old and older than
   * they are remembered, at most `limit` of each. How many.
   */
  readonly sweep: (keepMs: number, limit: number) => Effect.Effect<number, Failure>
  /** The store's clock (epoch ms). */
  readonly time: Effect.Effect<number, Failure>
}

/**
 * Keeps tasks of accounts, and their firings. Shares its tables with `ConversationStore`, `GenerationStore` and
 * `NotificationStore`, and its transactions with them.
 *
 * What must hold under any concurrency, on any number of nodes, whoever dies or freezes when:
 *
 * 1. Tasks belong to accounts. What is another account's is for each method what never was.
 * 2. A call writes once, as in `JournalStore`: under the same account and `callId` nothing changes a second time within
 *    `writesKeptMs`, and the answer is the first one's.
 * 3. A task fires once for each `due`: a claim is one transaction that changes the task only as it was read (its
 *    version, and `next.from`), while it is active and not held by `notBefore`, counts the run, makes it `done` at
 *    `maxRuns`, and stores the firing under `(task, due)`, which is never there twice.
 * 4. A firing that nobody has ended is resumed, and never claimed again. Every write of whoever runs it is fenced by
 *    its epoch.
 * 5. A firing ends once. Its report, its notification, what becomes of its task, and its outcome are one transaction.
 * 6. Time is the store's.
 *
 * Left alone an engine has none, and every method fails with `NoTaskStore`.
 */
export const TaskStore = Context.Reference<TaskStoreService>(TaskActors.key, {
  defaultValue: () => {
    const none = () => Effect.fail(new NoTaskStore())
    return {
      write: none,
      list: none,
      find: none,
      watches: none,
      due: none,
      observe: none,
      claim: none,
      unfinished: none,
      take: none,
      renew: none,
      rehouse: none,
      asked: none,
      end: none,
      lead: none,
      sweep: none,
      time: none()
    }
  }
})
