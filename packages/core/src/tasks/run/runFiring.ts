import { Effect, Result } from "effect"
import type { Principal } from "../../access/account.ts"
import type { KeyStore } from "../../access/KeyStore.ts"
import type { ConversationStore } from "../../agent/ConversationStore.ts"
import type { Generation } from "../../agent/generation.ts"
import type { StoreUnavailable } from "../../store/StoreUnavailable.ts"
import type { NoTaskStore } from "../errors.ts"
import type { Firing, FiringFence } from "../firing.ts"
import type { FiringEnd, TaskStore } from "../TaskStore.ts"
import { type AskingDesk, type Begin, beginAnswer } from "./beginAnswer.ts"
import { answered, failed, keyGone, type Refused, refusedUntil, reported, stopped } from "./ends.ts"
import { countFiring } from "./measures.ts"
import { speakerOf } from "./speaker.ts"
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

/** How it ends that was refused: told once, until one is not. */
const refusedEnd = Effect.fnUntraced(function*(
  { tasks, timing }: FiringDesk,
  firing: Firing,
  refused: Refused
): Effect.fn.Return<FiringEnd, Failure> {
  const now = yield* tasks.time
  const latest = now + timing.holdMs
  const task = yield* tasks.find(firing.account, firing.task)
  const notBefore = refused.reason === "no_analyst" ? latest : Math.min(latest, Math.max(now, refused.renewsAt))
  return refusedUntil(firing, refused, notBefore, task?.last?.outcome === "refused")
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

/** In whose name a firing runs, and by which key of the task; null: by a signed-in user. */
interface Speaker {
  readonly principal: Principal
  readonly key: number | null
}

/**
 * Returns in whose name a firing runs, or the end of a firing that must not go on: its task is gone or paused,
 * or the key that made or last changed the task lacks the right.
 */
const speakerOrEnd = Effect.fnUntraced(function*(
  { keys, tasks }: FiringDesk,
  firing: Firing
): Effect.fn.Return<Result.Result<Speaker, FiringEnd>, Failure> {
  const [now, task] = yield* Effect.all([tasks.time, tasks.find(firing.account, firing.task)])
  if (task === null || task.status === "paused") return Result.fail(stopped(now))
  const { key } = task
  const principal = yield* speakerOf(keys, { ...firing, key }, now)
  return principal === null ? Result.fail(keyGone(firing, key, now)) : Result.succeed({ principal, key })
})

/** Waits for the answer and returns the end of the firing. Cancels an answer that must not go on. */
const answerEnd = Effect.fnUntraced(function*(
  desk: FiringDesk,
  { analyst, conversations, generations }: NonNullable<FiringDesk["asking"]>,
  firing: Firing,
  id: number
): Effect.fn.Return<FiringEnd, Failure> {
  for (;;) {
    const generation = yield* generations.find(id)
    // Its row is gone by now, a day after it ended.
    if (generation === null) return answered(firing, null)
    const speaker = yield* speakerOrEnd(desk, firing)
    if (Result.isFailure(speaker) && (yield* analyst.stop(id))) return speaker.failure
    if (generation.state !== "running") {
      // One that somebody cancelled has answered as far as it went.
      return generation.outcome === "failed" || generation.answer === null
        ? failed(firing)
        : answered(firing, yield* textOf(conversations, generation))
    }
    yield* Effect.sleep(desk.timing.renewEveryMs)
  }
})

/** What is left to be done for a firing, up to how it ends; null when it is another's by now, or to be taken again. */
const towardsEnd = Effect.fnUntraced(function*(
  desk: FiringDesk,
  firing: Firing,
  fence: FiringFence
): Effect.fn.Return<FiringEnd | null, Failure> {
  const { asking, tasks, timing } = desk
  const { generation, question } = firing
  if (generation !== null && asking !== null) return yield* answerEnd(desk, asking, firing, generation)
  const speaker = yield* speakerOrEnd(desk, firing)
  if (Result.isFailure(speaker)) return speaker.failure
  if (question === null) return reported(firing)
  if (asking === null) {
    // Whoever had it before may have asked, and been charged: it is left to one that can tell.
    if (firing.epoch > 1 && (yield* tasks.time) - firing.claimedAt < timing.beginMs) return null
    return generation === null ? yield* refusedEnd(desk, firing, { reason: "no_analyst" }) : answered(firing, null)
  }
  const begun: Begin = yield* beginAnswer(
    { ...asking, tasks, timing },
    firing,
    fence,
    question,
    speaker.success.principal
  )
  switch (begun._tag) {
    case "Begun":
      return (yield* tasks.asked(fence, begun.generation))
        ? yield* answerEnd(desk, asking, firing, begun.generation)
        : null
    case "Refused":
      return yield* refusedEnd(desk, firing, begun.refused)
    case "KeyGone":
      return keyGone(firing, speaker.success.key, yield* tasks.time)
    case "Failed":
      return failed(firing)
    case "Left":
      return null
  }
})

/** Says again and again that its runner lives; returns once the firing is another's. */
const lost = ({ tasks, timing }: FiringDesk, fence: FiringFence): Effect.Effect<null> => {
  const turn: Effect.Effect<null> = Effect.flatMap(
    Effect.andThen(Effect.sleep(timing.renewEveryMs), Effect.catch(tasks.renew(fence), () => Effect.succeed(true))),
    (held) => held ? turn : Effect.succeed(null)
  )
  return turn
}

/**
 * Runs a firing to its end, from wherever it stands: what was done of it is found by its row, and by the key under
 * which it asks. Whoever dies meanwhile leaves it to be resumed, and what fails for now is left so too.
 */
export const runFiring = Effect.fnUntraced(function*(
  desk: FiringDesk,
  firing: Firing
): Effect.fn.Return<void, Failure> {
  const fence = { firing: firing.id, epoch: firing.epoch }
  const end = yield* Effect.raceFirst(towardsEnd(desk, firing, fence), lost(desk, fence))
  if (end === null) return
  const ended = yield* desk.tasks.end(fence, end)
  if (ended === null) return
  yield* countFiring(firing, end.outcome)
  yield* Effect.logInfo(`Task ${firing.task} fired for ${firing.due}: ${end.outcome}`)
})
