import { Clock, Effect, Layer, Schedule } from "effect"
import type { Principal } from "../../engine/access/account.ts"
import { Plans } from "../../engine/access/plan.ts"
import { Ledger } from "../../engine/credits/Ledger.ts"
import type { StoreUnavailable } from "../../engine/store/StoreUnavailable.ts"
import { Toolbox } from "../../engine/tool/Toolbox.ts"
import type { Conversation } from "../conversation.ts"
import { ConversationStore } from "../ConversationStore.ts"
import type { Generation } from "../generation.ts"
import { GenerationLog } from "../GenerationLog.ts"
import { GenerationRunner } from "../GenerationRunner.ts"
import { GenerationStore } from "../GenerationStore.ts"
import { AgentTiming } from "../run/AgentTiming.ts"
import { endFromTranscript } from "../run/endAsBroken.ts"
import { Analyst } from "./Analyst.ts"
import { begin, type Desk } from "./begin.ts"
import { readableScopes, requireChat, requireFollowable, requireReadable } from "./conversationScopes.ts"
import { ConversationBusy, ConversationNotFound, type ConversationRefusal } from "./errors.ts"
import { follow } from "./follow.ts"
import { retold, wholeAnswer } from "./wholeAnswer.ts"

/** The retries of a cancel in doubt, from 50 ms on. */
const patience = { schedule: Schedule.exponential("50 millis"), times: 6 } as const

/** Returns a conversation of the principal's account. */
const own = Effect.fnUntraced(function*(
  { conversations }: Desk,
  principal: Principal,
  id: number
): Effect.fn.Return<Conversation, ConversationRefusal> {
  yield* requireChat(principal)
  const conversation = yield* conversations.find(principal.account, id)
  if (conversation === null) return yield* new ConversationNotFound({ conversation: id })
  yield* requireReadable(principal, conversation.scopes)
  return conversation
})

/** Returns the running generation of the conversation. */
const running = Effect.fnUntraced(function*(
  desk: Desk,
  principal: Principal,
  conversation: number
): Effect.fn.Return<Generation | null, ConversationRefusal> {
  yield* own(desk, principal, conversation)
  const found = yield* desk.generations.running(principal.account, conversation)
  if (found !== null) yield* requireFollowable(principal, found)
  return found
})

/** Ends a running generation as cancelled. Returns true if a cancel ended it, this one or another at the same time. */
const stop = Effect.fnUntraced(function*(
  { generations, runner }: Desk,
  id: number
): Effect.fn.Return<boolean, StoreUnavailable> {
  const end = endFromTranscript({ outcome: "cancelled", failure: null }, yield* Clock.currentTimeMillis)
  // An interrupted caller does not stop the cancellation or its notice to the runner.
  return yield* Effect.uninterruptible(Effect.gen(function*() {
    const ended = (yield* Effect.retry(generations.endAnyway(id, end), patience)) ?? (yield* generations.find(id))
    yield* runner.halt(id)
    return ended?.outcome === "cancelled"
  }))
})

/** Cancels the running answer of a conversation. */
const cancel = Effect.fnUntraced(function*(
  desk: Desk,
  principal: Principal,
  conversation: number
): Effect.fn.Return<boolean, ConversationRefusal> {
  yield* own(desk, principal, conversation)
  const running = yield* desk.generations.running(principal.account, conversation)
  return running === null ? false : yield* stop(desk, running.id)
})

/** Whether the log of a generation is kept. */
const isLogged = (log: GenerationLog["Service"], { id, state }: Generation): Effect.Effect<boolean, StoreUnavailable> =>
  state === "closed" ? Effect.map(log.read(id, 0, 1), ({ events }) => events.length > 0) : Effect.succeed(true)

const ended = Effect.fnUntraced(function*(
  desk: Desk,
  log: GenerationLog["Service"],
  principal: Principal,
  conversation: number,
  id: number
): Effect.fn.Return<Effect.Success<ReturnType<Analyst["Service"]["ended"]>>, ConversationRefusal> {
  yield* requireChat(principal)
  const generation = yield* desk.generations.find(id)
  // The conversation is checked last, as in `conversation`.
  yield* own(desk, principal, conversation)
  if (generation === null || generation.state === "running") return null
  if (generation.account !== principal.account || generation.conversation !== conversation) return null
  return { generation, isLogged: yield* isLogged(log, generation) }
})

/** Provides the analyst on top of the stores and a runner. */
export const layerAnalyst: Layer.Layer<
  Analyst,
  never,
  ConversationStore | GenerationLog | GenerationRunner | GenerationStore | Ledger | Plans | Toolbox
> = Layer.effect(
  Analyst,
  Effect.gen(function*() {
    const desk: Desk = {
      ledger: yield* Ledger,
      plans: yield* Plans,
      conversations: yield* ConversationStore,
      generations: yield* GenerationStore,
      runner: yield* GenerationRunner,
      timing: yield* AgentTiming,
      toolbox: yield* Toolbox
    }
    const { conversations, generations, ledger } = desk
    const log = yield* GenerationLog
    const whole = (generation: Generation) =>
      wholeAnswer(generations, conversations, ledger, generation, follow(log, generation.id, 0))
    return Analyst.of({
      start: (ask) => begin(desk, ask),
      answer: (ask) =>
        Effect.flatMap(
          begin(desk, ask),
          ({ generation, replayed }) => Effect.map(whole(generation), (answer) => ({ answer, replayed }))
        ),
      whole,
      follow: (generation, after) => follow(log, generation, after),
      retold: Effect.fnUntraced(function*(generation) {
        return (yield* isLogged(log, generation)) ? null : retold(generation, yield* whole(generation))
      }),
      ended: (principal, id, generation) => ended(desk, log, principal, id, generation),
      running: (principal, id) => running(desk, principal, id),
      cancel: (principal, id) => cancel(desk, principal, id),
      stop: (generation) => stop(desk, generation),
      conversations: (principal, page) =>
        Effect.andThen(
          requireChat(principal),
          conversations.list(principal.account, { ...page, scopes: readableScopes(principal) })
        ),
      conversation: Effect.fnUntraced(function*(principal, id, page) {
        yield* requireChat(principal)
        const messages = yield* conversations.messages(principal.account, id, page)
        // The check follows the messages, because an answer may add its scopes at any time, and scopes are never
        // removed.
        const conversation = yield* own(desk, principal, id)
        return messages === null
          ? yield* new ConversationNotFound({ conversation: id })
          : { conversation, messages }
      }),
      remove: Effect.fnUntraced(function*(principal, id) {
        yield* own(desk, principal, id)
        const removed = yield* conversations.remove(principal.account, id)
        if (removed === "absent") return yield* new ConversationNotFound({ conversation: id })
        if (removed === "running") return yield* new ConversationBusy({ conversation: id })
      })
    })
  })
)

const most = 200

/**
 * Maintains generations periodically, on each node that runs generations: runs those without a runner, closes those
 * left open, and deletes old data. Failures are retried.
 */
export const layerAgentUpkeep: Layer.Layer<never, never, GenerationRunner | GenerationStore> = Layer.effectDiscard(
  Effect.gen(function*() {
    const generations = yield* GenerationStore
    const runner = yield* GenerationRunner
    const timing = yield* AgentTiming
    const { closeAfterMs, keepLogsMs, keepRowsMs, lookEveryMs, staleMs, sweepEveryMs, untakenMs } = timing
    const repeatEvery = (ms: number, what: string, once: Effect.Effect<void, StoreUnavailable>) =>
      once.pipe(
        Effect.catchCause((cause) => Effect.logWarning(`${what} failed`, cause)),
        Effect.andThen(Effect.sleep(ms)),
        Effect.forever,
        Effect.forkScoped
      )
    yield* repeatEvery(
      lookEveryMs,
      "A search for generations that nobody runs",
      Effect.flatMap(
        generations.abandoned({ staleMs, untakenMs, limit: most }),
        (found) => Effect.forEach(found, ({ id }) => runner.wake(id, { abandoned: true }), { discard: true })
      )
    )
    yield* repeatEvery(
      sweepEveryMs,
      "A sweep of generations",
      generations.sweep({ closeAfterMs, keepLogsMs, keepRowsMs, limit: most })
    )
  })
)
