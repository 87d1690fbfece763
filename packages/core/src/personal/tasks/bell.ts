import { Effect, Stream } from "effect"
import { followLog } from "../../engine/store/followLog.ts"
import type { StoreUnavailable } from "../../engine/store/StoreUnavailable.ts"
import type { NoTaskStore } from "./errors.ts"
import type { Notification } from "./notification.ts"
import type { NotificationStore } from "./NotificationStore.ts"

type Store = typeof NotificationStore["Service"]

const page = 64

/** How a bell stands, of one moment: how many are unread, and the number of the newest, 0 where none is kept. */
export const bellNow = (
  store: Store,
  account: number
): Effect.Effect<{ readonly unread: number; readonly newest: number }, StoreUnavailable | NoTaskStore> =>
  Effect.map(
    store.list(account, { unreadOnly: false, limit: 1 }),
    ({ notifications, unread }) => ({ unread, newest: notifications[0]?.n ?? 0 })
  )

/** What rings on an account's bell above a number, without an end. Each is as it stood when it was read. */
export const followBell = (
  store: Store,
  account: number,
  after: number
): Stream.Stream<Notification, StoreUnavailable | NoTaskStore> =>
  followLog({
    listen: store.listen(account),
    read: (after) =>
      Effect.map(store.since(account, after, page), ({ notifications }) => ({ ended: false, events: notifications })),
    // Bells are followed all day, and most of them are silent.
    lookEvery: "10 seconds"
  }, after)
