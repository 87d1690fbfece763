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

/** What runs firings. */
export interface FiringDesk {
  readonly tasks: typeof TaskStore["Service"]
  readonly keys: KeyStore["Service"]
  readonly timing: TaskTimes
  /** Null where the engine has no analyst. */
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

/** The text of an answer, while it is kept. */
const textOf = Effect.fnUntraced(function*(
  conversations: ConversationStore["Service"],
  { account, answer, conversation }: Generation
): Effect.fn.Return<string | null, StoreUnavailable> {
  if (answer === null) return null
  const memory = yield* conversations.memory(account, conversation, { upTo: answer, limit: 1 })
  return memory?.messages.find(({ id }) => id === answer)?.content ?? null
})

/**
 * Returns the end of a firing that must not go on: its task is gone or paused, or the key that made or last changed the
 * task lacks the right. Null if it may go on.
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

/** Waits for the answer and returns the end of the firing. Cancels an answer that must not go on. */
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
    // Its row is gone by now, a day after it ended.
    if (generation === null) return answered(firing, null)
    const end = yield* endIfStopped(desk, firing, renewed)
    if (end !== null && (yield* analyst.stop(id))) return end
    if (generation.state !== "running") {
      // One that somebody cancelled has answered as far as it went.
      return generation.outcome === "failed" || generation.answer === null
        ? failed(firing)
        : answered(firing, yield* textOf(conversations, generation))
    }
  }
})

/** What is left to be done for a firing, up to how it ends; null when it is another's by now, or to be taken again. */
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
    // Whoever had it before may have asked, and been charged: it is left to one that can tell.
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

/** Renews a firing again and again; returns once the fence no longer holds. Goes on while the store is away. */
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
 * Runs a firing to its end, from wherever it stands: what was done of it is found by its row, and by the key under
 * which it asks. Whoever dies meanwhile leaves it to be resumed, and what fails for now is left so too.
 */
export const runFiring = Effect.fnUntraced(function*(
  desk: FiringDesk,
  firing: Firing
): Effect.fn.Return<void, Failure> {
  const fence = { firing: firing.id, epoch: firing.epoch }
  // Only the newest matters.
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
