import { type Actor, ActorEnded } from "@tapeline/core/engine"
import { NotificationStore, TaskFailpoints, withTaskFailpoints, writeRetentionMs } from "@tapeline/core/personal"
import { Clock, Effect, Layer, Result } from "effect"
import { hasActorEnded } from "./actors.ts"
import { cloneAsJson } from "./agentTables.ts"
import { MemoryState } from "./MemoryState.ts"
import { getAccountNotifications, makeCallKey } from "./taskTables.ts"

const markAsRead = (
  state: MemoryState["Service"],
  account: number,
  callId: string,
  numbers: ReadonlyArray<number> | null,
  actor: Actor | undefined,
  now: number
): Result.Result<number, ActorEnded> => {
  const { tasks: tables } = state
  const identity = makeCallKey(account, callId)
  const existing = tables.readMarks.get(identity)
  if (existing !== undefined && existing.at > now - writeRetentionMs) return Result.succeed(existing.markedCount)
  if (hasActorEnded(state, account, actor, now)) return Result.fail(new ActorEnded())
  const accountNotifications = getAccountNotifications(tables, account)
  const unread = accountNotifications.notifications.filter(({ n, read }) =>
    !read && (numbers === null || numbers.includes(n))
  )
  const markedNumbers = new Set(unread.map(({ n }) => n))
  accountNotifications.notifications = accountNotifications.notifications.map((one) =>
    markedNumbers.has(one.n) ? { ...one, read: true } : one
  )
  tables.readMarks.set(identity, { markedCount: unread.length, at: now })
  return Result.succeed(unread.length)
}

/** Provides `NotificationStore` over `MemoryState`, with one clock for all callers, like a database. */
export const MemoryNotificationStore: Layer.Layer<never, never, MemoryState> = Layer.effect(
  NotificationStore,
  Effect.gen(function*() {
    const [state, clock, failpoint] = yield* Effect.all([MemoryState, Clock.Clock, TaskFailpoints])
    const { tasks: tables } = state
    return {
      list: (account, { limit, unreadOnly }) =>
        Effect.sync(() => {
          const unread = getAccountNotifications(tables, account).notifications.filter(({ read }) => !read)
          const selected = unreadOnly ? unread : getAccountNotifications(tables, account).notifications
          return { notifications: cloneAsJson(selected.toReversed().slice(0, limit)), unread: unread.length }
        }),
      listAfter: (account, after, limit) =>
        Effect.sync(() => {
          const { newest, notifications } = getAccountNotifications(tables, account)
          return { notifications: cloneAsJson(notifications.filter(({ n }) => n > after).slice(0, limit)), newest }
        }),
      markRead: (account, callId, numbers, actor) =>
        withTaskFailpoints(failpoint)(
          "mark",
          Effect.suspend(() =>
            Effect.fromResult(markAsRead(state, account, callId, numbers, actor, clock.currentTimeMillisUnsafe()))
          )
        ),
      listen: (account) => tables.notices.listen(account)
    }
  })
)
