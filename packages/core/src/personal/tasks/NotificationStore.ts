import { Context, Effect, type Scope } from "effect"
import type { Actor } from "../../engine/access/account.ts"
import type { ActorEnded } from "../../engine/access/ActorEnded.ts"
import type { StoreUnavailable } from "../../engine/store/errors.ts"
import { NoTaskStore } from "./errors.ts"
import type { Notification } from "./notification.ts"

type Failure = StoreUnavailable | NoTaskStore

/**
 * Stores the notifications of accounts. `TaskStore.end` creates the notifications. An account's notifications are
 * numbered without gaps, in the order of creation. To miss no notification, a reader first calls `listen`, then reads
 * until nothing is new, and reads again after each signal. Without an adapter, every method except `listen` fails with
 * `NoTaskStore`.
 */
export const NotificationStore = Context.Reference<{
  /** Returns at most `limit` notifications, newest first, and the total number of unread notifications. */
  readonly list: (
    account: number,
    query: { readonly unreadOnly: boolean; readonly limit: number }
  ) => Effect.Effect<{ readonly notifications: ReadonlyArray<Notification>; readonly unread: number }, Failure>
  /** Returns at most `limit` notifications with numbers above `after`, ascending, and the newest number (or 0). */
  readonly listAfter: (
    account: number,
    after: number,
    limit: number
  ) => Effect.Effect<{ readonly notifications: ReadonlyArray<Notification>; readonly newest: number }, Failure>
  /**
   * Marks notifications as read, all if `numbers` is null, and returns how many notifications were unread. A repeated
   * call with an equal `callId` within `writeRetentionMs` changes nothing and returns the first result. `markRead`
   * fails with `ActorEnded` if the calling session or key has ended.
   */
  readonly markRead: (
    account: number,
    callId: string,
    numbers: ReadonlyArray<number> | null,
    by?: Actor
  ) => Effect.Effect<number, ActorEnded | Failure>
  /** Listens for new notifications of an account. `awaitNotification` behaves as in `GenerationLog.listen`. */
  readonly listen: (
    account: number
  ) => Effect.Effect<{ readonly awaitNotification: Effect.Effect<void> }, never, Scope.Scope>
}>("@tapeline/core/tasks/NotificationStore", {
  defaultValue: () => {
    const failNoStore = () => Effect.fail(new NoTaskStore())
    return {
      list: failNoStore,
      listAfter: failNoStore,
      markRead: failNoStore,
      listen: () => Effect.succeed({ awaitNotification: Effect.never })
    }
  }
})
