import { Effect, Queue } from "effect"
import type { ConversationStore } from "../../../agent/ConversationStore.ts"
import type { Generation } from "../../../agent/generation.ts"
import type { KeyStore } from "../../../engine/access/KeyStore.ts"
import type { StoreUnavailable } from "../../../engine/store/StoreUnavailable.ts"
import type { NoTaskStore } from "../errors.ts"
import type { Firing, FiringFence } from "../firing.ts"
import type { FiringEnd, Renewed, TaskStore } from "../TaskStore.ts"
import { type AskingDesk, type Begin, beginAnswer } from "./beginAnswer.ts"
import { answered, failed, keyGone, type Refused, refusedUntil, reported, stopped } from "./ends.ts"
import { countFiring } from "./measures.ts"
import { mayGoOn, speakerOf } from "./speaker.ts"
import type { TaskTimes } from "./TaskTiming.ts"

/** The services that run firings. */
export interface FiringDesk {
  readonly tasks: typeof TaskStore["Service"]
  readonly keys: KeyStore["Service"]
  readonly timing: TaskTimes
  /** Null if the engine has no analyst. */
  readonly asking:
    | (Pick<AskingDesk, "analyst" | "generations"> & {
      readonly conversations: ConversationStore["Service"]
    })
    | null
}

type Failure = StoreUnavailable | NoTaskStore

/** Returns the end of a firing that was refused. */
const refusedEnd = Effect.fnUntraced(function*(
  { tasks, timing }: FiringDesk,
  firing: Firing,
  refused: Refused
): Effect.fn.Return<FiringEnd, Failure> {
  const now = yield* tasks.time
  const latest = now + timing.holdMs
  const notBefore = refused.reason === "no_analyst" ? latest : Math.min(latest, Math.max(now, refused.renewsAt))
  return refusedUntil(firing, refused, notBefore)
})

/** Returns the text of an answer. Null if it is no longer stored. */
const textOf = Effect.fnUntraced(function*(
  conversations: ConversationStore["Service"],
  { account, answer, conversation }: Generation
): Effect.fn.Return<string | null, StoreUnavailable> {
  if (answer === null) return null
  const memory = yield* conversations.memory(account, conversation, { upTo: answer, limit: 1 })
  return memory?.messages.find(({ id }) => id === answer)?.content ?? null
})

/**
 * Returns the end of a firing that must not continue: its task is deleted or paused, or the key that created or last
 * changed the task lacks the right. Null if it may continue.
 */
const endIfStopped = Effect.fnUntraced(function*(
  { keys }: FiringDesk,
  firing: Firing,
  { now, task }: Renewed
): Effect.fn.Return<FiringEnd | null, Failure> {
  if (task === null || task.status === "paused") return stopped(now)
  const { key } = task
  return (yield* mayGoOn(keys, { ...firing, key }, now)) ? null : keyGone(firing, key, now)
})

/** Waits for the answer and returns the end of the firing. Cancels an answer that must not continue. */
const answerEnd = Effect.fnUntraced(function*(
  desk: FiringDesk,
  { analyst, conversations, generations }: NonNullable<FiringDesk["asking"]>,
  firing: Firing,
  id: number,
  renewals: Queue.Dequeue<Renewed>
): Effect.fn.Return<FiringEnd, Failure> {
  for (;;) {
    const renewed = yield* Queue.take(renewals)
    const generation = yield* generations.find(id)
    // A generation's row is deleted a day after its end.
    if (generation === null) return answered(firing, null)
    const end = yield* endIfStopped(desk, firing, renewed)
    if (end !== null && (yield* analyst.stop(id))) return end
    if (generation.state !== "running") {
      // An answer that a caller cancelled counts as answered, with the text so far.
      return generation.outcome === "failed" || generation.answer === null
        ? failed(firing)
        : answered(firing, yield* textOf(conversations, generation))
    }
  }
})

/**
 * Runs the remaining work of a firing and returns its end. Null if another process has the firing, or if a process must
 * take it again later.
 */
const towardsEnd = Effect.fnUntraced(function*(
  desk: FiringDesk,
  firing: Firing,
  fence: FiringFence,
  renewals: Queue.Queue<Renewed>
): Effect.fn.Return<FiringEnd | null, Failure> {
  const { asking, tasks, timing } = desk
  const { generation, question } = firing
  const renewed = yield* tasks.renew(fence)
  if (renewed === null) return null
  yield* Queue.offer(renewals, renewed)
  if (generation !== null && asking !== null) return yield* answerEnd(desk, asking, firing, generation, renewals)
  const end = yield* endIfStopped(desk, firing, renewed)
  if (end !== null) return end
  if (question === null) return reported(firing)
  if (asking === null) {
    // An earlier runner may have asked the analyst and been charged. A process with an analyst can find out.
    if (firing.epoch > 1 && (yield* tasks.time) - firing.claimedAt < timing.beginMs) return null
    return generation === null ? yield* refusedEnd(desk, firing, { reason: "no_analyst" }) : answered(firing, null)
  }
  const key = renewed.task?.key ?? null
  const principal = yield* speakerOf(desk.keys, { ...firing, key }, renewed.now)
  if (principal === null) return keyGone(firing, key, renewed.now)
  const begun: Begin = yield* beginAnswer({ ...asking, tasks, timing }, firing, fence, question, principal)
  switch (begun._tag) {
    case "Begun":
      return (yield* tasks.asked(fence, begun.generation))
        ? yield* answerEnd(desk, asking, firing, begun.generation, renewals)
        : null
    case "Refused":
      return yield* refusedEnd(desk, firing, begun.refused)
    case "KeyGone":
      return keyGone(firing, key, yield* tasks.time)
    case "Failed":
      return failed(firing)
    case "Left":
      return null
  }
})

/**
 * Renews a firing periodically. Continues while the store is unavailable, and returns when the fence no longer holds.
 */
const renewing = Effect.fnUntraced(function*(
  { tasks, timing }: FiringDesk,
  fence: FiringFence,
  renewals: Queue.Enqueue<Renewed>
): Effect.fn.Return<null> {
  for (;;) {
    yield* Effect.sleep(timing.renewEveryMs)
    const renewed = yield* Effect.catch(tasks.renew(fence), () => Effect.succeed("away" as const))
    if (renewed === null) return null
    if (renewed !== "away") yield* Queue.offer(renewals, renewed)
  }
})

/**
 * Runs a firing to its end, from its present state. Finds the work already done by the firing's row and its idempotency
 * key. If the process dies or a store fails, the firing is resumed later.
 */
export const runFiring = Effect.fnUntraced(function*(
  desk: FiringDesk,
  firing: Firing
): Effect.fn.Return<void, Failure> {
  const fence = { firing: firing.id, epoch: firing.epoch }
  // Only the newest renewal matters.
  const renewals = yield* Queue.sliding<Renewed>(1)
  const end = yield* Effect.raceFirst(
    towardsEnd(desk, firing, fence, renewals),
    renewing(desk, fence, renewals)
  )
  if (end === null) return
  const ended = yield* desk.tasks.end(fence, end)
  if (ended === null) return
  yield* countFiring(firing, end.outcome)
  yield* Effect.logInfo(`Task ${firing.task} fired for ${firing.due}: ${end.outcome}`)
})
