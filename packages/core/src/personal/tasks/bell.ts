import { Effect, Stream } from "effect"
import { followLog } from "../../engine/store/followLog.ts"
import type { StoreUnavailable } from "../../engine/store/StoreUnavailable.ts"
import type { NoTaskStore } from "./errors.ts"
import type { Notification } from "./notification.ts"
import type { NotificationStore } from "./NotificationStore.ts"

type Store = typeof NotificationStore["Service"]

const page = 64

/**
 * Returns a consistent snapshot: the number of unread notifications, and the newest number (0 if there is no
 * notification).
 */
export const bellNow = (
  store: Store,
  account: number
): Effect.Effect<{ readonly unread: number; readonly newest: number }, StoreUnavailable | NoTaskStore> =>
  Effect.map(
    store.list(account, { unreadOnly: false, limit: 1 }),
    ({ notifications, unread }) => ({ unread, newest: notifications[0]?.n ?? 0 })
  )

/** Streams an account's notifications above a number, without an end. Each has the state in which it was read. */
export const followBell = (
  store: Store,
  account: number,
  after: number
): Stream.Stream<Notification, StoreUnavailable | NoTaskStore> =>
  followLog({
    listen: store.listen(account),
    read: (after) =>
      Effect.map(store.since(account, after, page), ({ notifications }) => ({ ended: false, events: notifications })),
    // Followers stay connected all day, and most accounts have few notifications.
    lookEvery: "10 seconds"
  }, after)
