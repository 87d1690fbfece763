import { Effect, Stream } from "effect"
import type { StoreUnavailable } from "../../engine/store/errors.ts"
import { followLog } from "../../engine/store/followLog.ts"
import type { NoTaskStore } from "./errors.ts"
import type { Notification } from "./notification.ts"
import type { NotificationStore } from "./NotificationStore.ts"

type Store = typeof NotificationStore["Service"]

const pageSize = 64

/**
 * Returns the number of unread notifications and the newest notification's number, both from one snapshot. Both are 0
 * if the account has no notifications.
 */
export const readNotificationCounts = (
  store: Store,
  account: number
): Effect.Effect<{ readonly unread: number; readonly newest: number }, StoreUnavailable | NoTaskStore> =>
  Effect.map(
    store.list(account, { unreadOnly: false, limit: 1 }),
    ({ notifications, unread }) => ({ unread, newest: notifications[0]?.n ?? 0 })
  )

/** Streams an account's notifications with numbers above `after`. The stream does not end. */
export const followNotifications = (
  store: Store,
  account: number,
  after: number
): Stream.Stream<Notification, StoreUnavailable | NoTaskStore> =>
  followLog({
    subscribe: store.listen(account),
    read: (after) =>
      Effect.map(
        store.listAfter(account, after, pageSize),
        ({ notifications }) => ({ isEnded: false, events: notifications })
      ),
    // The interval is long, because readers stay connected all day and most accounts have few notifications.
    pollInterval: "10 seconds"
  }, after)
