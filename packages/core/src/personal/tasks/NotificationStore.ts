import { Context, Effect, type Scope } from "effect"
import type { Actor } from "../../engine/access/account.ts"
import type { ActorEnded } from "../../engine/access/ActorEnded.ts"
import type { StoreUnavailable } from "../../engine/store/StoreUnavailable.ts"
import { NoTaskStore } from "./errors.ts"
import type { Notification } from "./notification.ts"

type Failure = StoreUnavailable | NoTaskStore

/**
 * The bells of accounts. Notifications come in by `TaskStore.end`, which shares the tables. They are numbered within
 * their account without a gap, in the order of the transactions that made them: whoever has read up to a number has
 * missed none below it, but those that were too old to be kept.
 *
 * Notices only wake, as those of `GenerationLog` do: whoever follows a bell listens first, reads until there is nothing
 * new, and reads again at each notice, and every few seconds without one.
 *
 * Left alone an engine has none, and every method fails with `NoTaskStore`.
 */
export const NotificationStore = Context.Reference<{
  /** Newest first, at most `limit`, and how many are unread in all. */
  readonly list: (
    account: number,
    query: { readonly unreadOnly: boolean; readonly limit: number }
  ) => Effect.Effect<{ readonly notifications: ReadonlyArray<Notification>; readonly unread: number }, Failure>
  /** Those with numbers above `after`, ascending, at most `limit`; and the number of the newest of all, 0 of none. */
  readonly since: (
    account: number,
    after: number,
    limit: number
  ) => Effect.Effect<{ readonly notifications: ReadonlyArray<Notification>; readonly newest: number }, Failure>
  /**
   * Marks those of the given numbers as read, all when null; how many were unread until then. A call marks once: under
   * the same account and `callId` within `writesKeptMs` nothing changes, and the answer is the first one's. Fails with
   * `ActorEnded` as `JournalStore.write` does.
   */
  readonly mark: (
    account: number,
    callId: string,
    numbers: ReadonlyArray<number> | null,
    by?: Actor
  ) => Effect.Effect<number, ActorEnded | Failure>
  /** As `GenerationLog.listen`, of an account's bell. */
  readonly listen: (account: number) => Effect.Effect<{ readonly woken: Effect.Effect<void> }, never, Scope.Scope>
}>("@tapeline/core/tasks/NotificationStore", {
  defaultValue: () => {
    const none = () => Effect.fail(new NoTaskStore())
    return { list: none, since: none, mark: none, listen: () => Effect.succeed({ woken: Effect.never }) }
  }
})
