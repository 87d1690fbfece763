import { Effect, Queue } from "effect"
import type { ConversationStore } from "../../../agent/ConversationStore.ts"
import type { Generation } from "../../../agent/generation.ts"
import type { KeyStore } from "../../../engine/access/KeyStore.ts"
import type { StoreUnavailable } from "../../../engine/store/errors.ts"
import type { NoTaskStore } from "../errors.ts"
import type { Firing, FiringFence } from "../firing.ts"
import type { FiringEnd, RenewalResult, TaskStore } from "../TaskStore.ts"
import {
  endAsAnswered,
  endAsFailed,
  endAsNotPermitted,
  endAsRefused,
  endAsReported,
  endAsStopped,
  type RefusalReason
} from "./firingEnds.ts"
import { checkPermission, resolveFiringPrincipal } from "./firingPrincipal.ts"
import { countFiring } from "./metrics.ts"
import { type AnswerStartServices, startAnswerForFiring, type StartOutcome } from "./startAnswerForFiring.ts"
import type { TaskTimes } from "./TaskTiming.ts"

export interface FiringServices {
  readonly tasks: typeof TaskStore["Service"]
  readonly keys: KeyStore["Service"]
  readonly timing: TaskTimes
  /** The services of the analyst, or null if the engine has no analyst. */
  readonly analystServices:
    | (Pick<AnswerStartServices, "analyst" | "generations"> & {
      readonly conversations: ConversationStore["Service"]
    })
    | null
}

type Failure = StoreUnavailable | NoTaskStore

const makeRefusedEnd = Effect.fnUntraced(function*(
  { tasks, timing }: FiringServices,
  firing: Firing,
  refused: RefusalReason
): Effect.fn.Return<FiringEnd, Failure> {
  const now = yield* tasks.currentTime
  const latest = now + timing.maxHoldMs
  const notBefore = refused.reason === "no_analyst" ? latest : Math.min(latest, Math.max(now, refused.renewsAt))
  return endAsRefused(firing, refused, notBefore)
})

/** Returns the text of an answer, or null if the text is no longer stored. */
const readAnswerText = Effect.fnUntraced(function*(
  conversations: ConversationStore["Service"],
  { account, answer, conversation }: Generation
): Effect.fn.Return<string | null, StoreUnavailable> {
  if (answer === null) return null
  const memory = yield* conversations.readHistory(account, conversation, { upTo: answer, limit: 1 })
  return memory?.messages.find(({ id }) => id === answer)?.content ?? null
})

/**
 * Returns the end of a firing that must stop, or null. A firing must stop if its task is deleted or paused, if its
 * account is not active, or if its key lacks the scope.
 */
const checkStopped = Effect.fnUntraced(function*(
  { keys }: FiringServices,
  firing: Firing,
  { now, task }: RenewalResult
): Effect.fn.Return<FiringEnd | null, Failure> {
  if (task === null || task.status === "paused") return endAsStopped(now)
  const { key } = task
  const permission = yield* checkPermission(keys, { ...firing, key }, now)
  return permission === "granted" ? null : endAsNotPermitted(firing, permission, key, now)
})

/** Waits for the answer and returns the end of the firing, cancelling the answer if the firing must not continue. */
const awaitAnswerEnd = Effect.fnUntraced(function*(
  services: FiringServices,
  { analyst, conversations, generations }: NonNullable<FiringServices["analystServices"]>,
  firing: Firing,
  id: number,
  renewals: Queue.Dequeue<RenewalResult>
): Effect.fn.Return<FiringEnd, Failure> {
  for (;;) {
    const renewed = yield* Queue.take(renewals)
    const generation = yield* generations.find(id)
    // The row of a generation is deleted a day after its end.
    if (generation === null) return endAsAnswered(firing, null)
    const end = yield* checkStopped(services, firing, renewed)
    if (end !== null && (yield* analyst.stop(id))) return end
    if (generation.state !== "running") {
      // An answer that a caller cancelled counts as answered with the text that it had.
      return generation.outcome === "failed" || generation.answer === null
        ? endAsFailed(firing)
        : endAsAnswered(firing, yield* readAnswerText(conversations, generation))
    }
  }
})

/**
 * Runs the remaining work of a firing and returns its end. Returns null if another process must continue the firing.
 */
const completeFiring = Effect.fnUntraced(function*(
  services: FiringServices,
  firing: Firing,
  fence: FiringFence,
  renewals: Queue.Queue<RenewalResult>
): Effect.fn.Return<FiringEnd | null, Failure> {
  const { analystServices, tasks, timing } = services
  const { generation, question } = firing
  const renewed = yield* tasks.renew(fence)
  if (renewed === null) return null
  yield* Queue.offer(renewals, renewed)
  if (generation !== null && analystServices !== null) {
    return yield* awaitAnswerEnd(services, analystServices, firing, generation, renewals)
  }
  const end = yield* checkStopped(services, firing, renewed)
  if (end !== null) return end
  if (question === null) return endAsReported(firing)
  if (analystServices === null) {
    // An earlier runner may have sent the question, and only a process with an analyst can find its answer.
    if (firing.epoch > 1 && (yield* tasks.currentTime) - firing.claimedAt < timing.maxStartMs) return null
    return generation === null
      ? yield* makeRefusedEnd(services, firing, { reason: "no_analyst" })
      : endAsAnswered(firing, null)
  }
  const key = renewed.task?.key ?? null
  const principal = yield* resolveFiringPrincipal(services.keys, { ...firing, key }, renewed.now)
  if (principal === null) return endAsNotPermitted(firing, "key_gone", key, renewed.now)
  const startOutcome: StartOutcome = yield* startAnswerForFiring(
    { ...analystServices, tasks, timing },
    firing,
    fence,
    question,
    principal
  )
  switch (startOutcome._tag) {
    case "Started":
      return (yield* tasks.recordGeneration(fence, startOutcome.generation))
        ? yield* awaitAnswerEnd(services, analystServices, firing, startOutcome.generation, renewals)
        : null
    case "Refused":
      return yield* makeRefusedEnd(services, firing, startOutcome.refused)
    case "KeyGone":
      return endAsNotPermitted(firing, "key_gone", key, yield* tasks.currentTime)
    case "Failed":
      return endAsFailed(firing)
    case "Postponed":
      return null
  }
})

/**
 * Renews a firing periodically, also while the store is unavailable, until another runner has taken over the firing.
 */
const renewPeriodically = Effect.fnUntraced(function*(
  { tasks, timing }: FiringServices,
  fence: FiringFence,
  renewals: Queue.Enqueue<RenewalResult>
): Effect.fn.Return<null> {
  for (;;) {
    yield* Effect.sleep(timing.renewIntervalMs)
    const renewed = yield* Effect.catch(tasks.renew(fence), () => Effect.succeed("away" as const))
    if (renewed === null) return null
    if (renewed !== "away") yield* Queue.offer(renewals, renewed)
  }
})

/**
 * Continues a firing from its stored state and stores its end. If the process or a store fails, another process resumes
 * the firing.
 */
export const runFiring = Effect.fnUntraced(function*(
  services: FiringServices,
  firing: Firing
): Effect.fn.Return<void, Failure> {
  const fence = { firing: firing.id, epoch: firing.epoch }
  const renewals = yield* Queue.sliding<RenewalResult>(1)
  const end = yield* Effect.raceFirst(
    completeFiring(services, firing, fence, renewals),
    renewPeriodically(services, fence, renewals)
  )
  if (end === null) return
  const endResult = yield* services.tasks.end(fence, end)
  if (endResult === null) return
  yield* countFiring(firing, end.outcome)
  yield* Effect.logInfo(`Task ${firing.task} fired for ${firing.due}: ${end.outcome}`)
})
