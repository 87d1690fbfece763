import { Effect } from "effect"
import { handlerOf } from "../../engine/tool/implement.ts"
import { NotificationStore } from "../../personal/tasks/NotificationStore.ts"
import { getNotifications } from "./getNotifications.ts"
import { toNotificationRow } from "./rows.ts"

export const handler = handlerOf(
  getNotifications,
  Effect.map(
    Effect.service(NotificationStore),
    (store) =>
      Effect.fnUntraced(function*({ top, unread_only }, { language, principal }) {
        const { notifications, unread } = yield* store.list(principal.account, { unreadOnly: unread_only, limit: top })
        return { notifications: notifications.map((one) => toNotificationRow(one, language)), unread }
      })
  )
)
