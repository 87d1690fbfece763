import { Effect } from "effect"
import { handlerOf } from "../../engine/tool/implement.ts"
import { NotificationStore } from "../../personal/tasks/NotificationStore.ts"
import { markNotificationsRead } from "./markNotificationsRead.ts"

export const handler = handlerOf(
  markNotificationsRead,
  Effect.map(
    Effect.service(NotificationStore),
    (store) => ({ ids }, { callId, principal }) =>
      Effect.map(store.markRead(principal.account, callId, ids ?? null, principal.actor), (marked) => ({ marked }))
  )
)
