import { assert, layer as withLayer } from "@effect/vitest"
import { type ConversationStore, type GenerationLog, GenerationStore } from "@tapeline/core/agent"
import { AdminStore, type KeyStore, type LedgerStore, type SessionStore } from "@tapeline/core/engine"
import { Effect, type Layer } from "effect"
import { answerQuestion, getFence, makeEnd, newAccount, startNewGeneration, takeGeneration } from "../agent/fixtures.ts"
import { createTask, findWatch, fireTask, makeClaim, useTaskStore } from "../tasks/fixtures.ts"

type EventStores =
  | AdminStore
  | ConversationStore
  | GenerationLog
  | GenerationStore
  | KeyStore
  | LedgerStore
  | SessionStore

const readEvents = (account: number) =>
  Effect.flatMap(AdminStore, (store) => store.events({ account, after: 0, limit: 100 }))

/** Publishes all queued events, also those of other tests. */
const publishAll: Effect.Effect<void, unknown, AdminStore> = Effect.flatMap(
  AdminStore,
  (store) => Effect.flatMap(store.publishQueued(1), (count) => count === 0 ? Effect.void : publishAll)
)

/** A failed end, whose message contains a character that some databases cannot store in JSON columns. */
const makeFailedEnd = (conversation: number) => {
  const end = makeEnd(conversation, { outcome: "failed", answer: null })
  return makeEnd(conversation, {
    ...end,
    events: (ending) =>
      end.events(ending).map((event) =>
        event.kind === "done"
          ? { ...event, data: { ...event.data, error: { code: "broken", message: "cut \u0000" } } }
          : event
      )
  })
}

/** Defines the contract tests of the events that stores queue within their own transactions, for `AdminStore`. */
export const queuedEventsContract = <E>(name: string, layer: Layer.Layer<EventStores, E>): void =>
  withLayer(layer, { excludeTestServices: true, timeout: 60_000 })(`queued events: ${name}`, (it) => {
    it.effect("record a failed answer once, with its error code, and no other answer", () =>
      Effect.gen(function*() {
        const [store, generations] = yield* Effect.all([AdminStore, GenerationStore])
        const account = yield* newAccount
        yield* answerQuestion(account)
        yield* answerQuestion(account, {}, { outcome: "cancelled" })
        const failing = yield* Effect.flatMap(startNewGeneration(account), ({ id }) => takeGeneration(id))
        const { conversation, id } = failing
        assert.isTrue((yield* generations.end(getFence(failing), makeFailedEnd(conversation))).held)
        const forced = yield* startNewGeneration(account)
        yield* generations.forceEnd(forced.id, () => makeEnd(forced.conversation, { outcome: "failed", answer: null }))
        assert.deepStrictEqual(yield* readEvents(account), [])
        yield* Effect.all([publishAll, publishAll], { concurrency: 2 })
        const events = yield* readEvents(account)
        assert.deepStrictEqual(
          events.map(({ after, target, type }) => ({ after, target, type })),
          [
            { type: "answer.failed", target: `answer ${id}`, after: { conversation, code: "broken" } },
            {
              type: "answer.failed",
              target: `answer ${forced.id}`,
              after: { conversation: forced.conversation, code: null }
            }
          ]
        )
        assert.deepInclude(events[0], { actor: "service", before: null, requestId: null, address: null })
        assert.isAtMost(Math.abs(events[0]!.time - Date.now()), 60_000)
        assert.strictEqual(yield* store.publishQueued(10), 0)
      }))

    it.effect("record each firing of a task once", () =>
      Effect.gen(function*() {
        const account = yield* newAccount
        const { id: task } = yield* createTask(account)
        const watch = yield* findWatch(account, task)
        const claim = makeClaim(watch)
        const firing = yield* fireTask(watch)
        assert.isNull(yield* useTaskStore((store) => store.claim(claim)))
        yield* publishAll
        assert.deepStrictEqual(
          (yield* readEvents(account)).map(({ after, target, type }) => ({ after, target, type })),
          [{
            type: "task.fired",
            target: `task ${task}`,
            after: { firing: firing.id, conversation: firing.conversation }
          }]
        )
      }))
  })
