import { type Actor, ActorEnded } from "@tapeline/core/engine"
import { NotificationStore, TaskFailpoints, withTaskFailpoints, writesKeptMs } from "@tapeline/core/personal"
import { Clock, Effect, Layer, Result } from "effect"
import { hasActorEnded } from "./actors.ts"
import { throughJson } from "./agentTables.ts"
import { MemoryState } from "./MemoryState.ts"
import { bellOf, callIdentity } from "./taskTables.ts"

const mark = (
  state: MemoryState["Service"],
  account: number,
  callId: string,
  numbers: ReadonlyArray<number> | null,
  by: Actor | undefined,
  now: number
): Result.Result<number, ActorEnded> => {
  const { tasks: tables } = state
  const identity = callIdentity(account, callId)
  const known = tables.marks.get(identity)
  if (known !== undefined && known.at > now - writesKeptMs) return Result.succeed(known.marked)
  if (hasActorEnded(state, account, by, now)) return Result.fail(new ActorEnded())
  const bell = bellOf(tables, account)
  const marks = bell.notifications.filter(({ n, read }) => !read && (numbers === null || numbers.includes(n)))
  const gone = new Set(marks.map(({ n }) => n))
  bell.notifications = bell.notifications.map((one) => gone.has(one.n) ? { ...one, read: true } : one)
  tables.marks.set(identity, { marked: marks.length, at: now })
  return Result.succeed(marks.length)
}

/** `NotificationStore` over `MemoryState`. Its time is the clock of its construction, like a database's clock. */
export const MemoryNotificationStore: Layer.Layer<never, never, MemoryState> = Layer.effect(
  NotificationStore,
  Effect.gen(function*() {
    const [state, clock, hook] = yield* Effect.all([MemoryState, Clock.Clock, TaskFailpoints])
    const { tasks: tables } = state
    return {
      list: (account, { limit, unreadOnly }) =>
        Effect.sync(() => {
          const unread = bellOf(tables, account).notifications.filter(({ read }) => !read)
          const shown = unreadOnly ? unread : bellOf(tables, account).notifications
          return { notifications: throughJson(shown.toReversed().slice(0, limit)), unread: unread.length }
        }),
      since: (account, after, limit) =>
        Effect.sync(() => {
          const { newest, notifications } = bellOf(tables, account)
          return { notifications: throughJson(notifications.filter(({ n }) => n > after).slice(0, limit)), newest }
        }),
      mark: (account, callId, numbers, by) =>
        withTaskFailpoints(hook)(
          "mark",
          Effect.suspend(() =>
            Effect.fromResult(mark(state, account, callId, numbers, by, clock.currentTimeMillisUnsafe()))
          )
        ),
      listen: (account) => tables.wakes.listen(account)
    }
  })
)
