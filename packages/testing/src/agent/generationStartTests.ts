import { assert } from "@effect/vitest"
import { allScopes } from "@tapeline/core"
import { ConversationStore, type GenerationEnd, GenerationLog, GenerationStore } from "@tapeline/core/agent"
import { LedgerStore } from "@tapeline/core/engine"
import { Effect } from "effect"
import {
  type AgentTests,
  answerQuestion,
  deltaEvent,
  formatMessage,
  getFence,
  inConversation,
  makeEnd,
  makeStep,
  minuteMs,
  newAccount,
  questionMessage,
  readWholeLog,
  repeatInConversation,
  reserveAnswer,
  startGeneration,
  startNewGeneration,
  startRequest,
  takeGeneration
} from "./fixtures.ts"

const firstPage = { limit: 100, cursor: null, scopes: allScopes }

const readMessages = (account: number, conversation: number) =>
  Effect.gen(function*() {
    const page = yield* (yield* ConversationStore).messages(account, conversation, firstPage)
    return page?.items.map(formatMessage)
  })

const testStart = (it: AgentTests): void => {
  it.effect("stores conversation, question, row and first event in one step", () =>
    Effect.gen(function*() {
      const [generations, conversations, log] = yield* Effect.all([GenerationStore, ConversationStore, GenerationLog])
      const account = yield* newAccount
      const reservation = yield* reserveAnswer(account)
      const request = startRequest(account, reservation, { idempotencyKey: "one" })
      const start = yield* generations.start(request)
      assert(start._tag === "Started")
      const { generation } = start
      assert.deepStrictEqual(generation, {
        id: generation.id,
        account,
        conversation: generation.conversation,
        question: generation.question,
        brief: { ...request.brief, mode: "analyst", replaces: null },
        reservation,
        state: "running",
        epoch: 0,
        nextN: 2,
        startedAt: generation.startedAt,
        renewedAt: generation.startedAt,
        endedAt: null,
        outcome: null,
        answer: null
      })
      assert.deepStrictEqual(yield* generations.find(generation.id), generation)
      assert.deepStrictEqual(yield* generations.findByKey(account, "one"), generation)
      assert.deepStrictEqual(yield* generations.findRunning(account, generation.conversation), generation)
      const conversation = yield* conversations.find(account, generation.conversation)
      assert.deepStrictEqual(conversation, {
        id: generation.conversation,
        account,
        title: "title",
        mode: "analyst",
        lang: "en",
        createdAt: generation.startedAt,
        updatedAt: generation.startedAt,
        messageCount: 1,
        running: true,
        scopes: []
      })
      assert.deepStrictEqual(yield* readMessages(account, conversation!.id), ["user: why?"])
      const data = `{"conversation_id":${conversation!.id},"lang":"en","mode":"analyst"}`
      assert.deepStrictEqual(yield* readWholeLog(log, generation.id), {
        events: [{ n: 1, kind: "conversation", data }],
        isEnded: false
      })
      assert.deepStrictEqual(yield* generations.listSteps(generation.id), [])
    }))
}

const testRepeatedStart = (it: AgentTests): void => {
  it.effect("attaches a repeated start to the same account's generation", () =>
    Effect.gen(function*() {
      const generations = yield* GenerationStore
      const [account, other] = [yield* newAccount, yield* newAccount]
      const reservation = yield* reserveAnswer(account, { key: "k" })
      const request = startRequest(account, reservation, { idempotencyKey: "k" })
      const starts = yield* Effect.forEach(Array.from({ length: 6 }), () => generations.start(request), {
        concurrency: "unbounded"
      })
      const started = starts.filter(({ _tag }) => _tag === "Started")
      assert.deepStrictEqual([started.length, starts.filter(({ _tag }) => _tag === "Attached").length], [1, 5])
      const [first] = started
      assert(first?._tag === "Started")
      for (const start of starts) {
        assert(
          "generation" in start && typeof start.generation === "object"
            && start.generation.id === first.generation.id
        )
      }
      const list = yield* (yield* ConversationStore).list(account, firstPage)
      assert.deepStrictEqual(list.items.map(({ id, messageCount }) => [id, messageCount]), [
        [first.generation.conversation, 1]
      ])
      assert.strictEqual((yield* generations.findByKey(account, "k"))?.id, first.generation.id)
      assert.isNull(yield* generations.findByKey(other, "k"))
      assert.isNull(yield* generations.findByKey(account, "K"))
      assert.isNull(yield* generations.findRunning(other, first.generation.conversation))
    }))

  it.effect("attaches to a finished generation, and starts a new one after a failed or cancelled one", () =>
    Effect.gen(function*() {
      const generations = yield* GenerationStore
      const account = yield* newAccount
      for (const outcome of ["failed", "cancelled", "finished"] as const) {
        const idempotencyKey = `k-${outcome}`
        const settlement: GenerationEnd["settlement"] = outcome === "finished"
          ? { _tag: "Settle", response: null }
          : { _tag: "Release" }
        const first = yield* reserveAnswer(account, { key: idempotencyKey })
        const { id } = yield* answerQuestion(account, { reservation: first, idempotencyKey }, { outcome, settlement })
        // The idempotency key of a finished answer cannot be reserved again.
        const reservation = outcome === "finished" ? first : yield* reserveAnswer(account, { key: idempotencyKey })
        const start = yield* startGeneration(account, { reservation, idempotencyKey })
        assert.strictEqual(start._tag, outcome === "finished" ? "Attached" : "Started")
        assert("generation" in start && typeof start.generation === "object")
        assert.strictEqual(start.generation.id === id, outcome === "finished")
        assert.strictEqual((yield* generations.findByKey(account, `k-${outcome}`))?.id, start.generation.id)
      }
    }))

  it.effect("rejects a repeated write that names the next event number", () =>
    Effect.gen(function*() {
      const [generations, log] = yield* Effect.all([GenerationStore, GenerationLog])
      const generation = yield* Effect.flatMap(startNewGeneration(yield* newAccount), ({ id }) => takeGeneration(id))
      const fence = { ...getFence(generation), nextN: generation.nextN }
      const write = generations.storeSteps(fence, [makeStep("step:1")], [deltaEvent("a"), deltaEvent("b", 1)])
      assert.isTrue(yield* write)
      assert.isFalse(yield* write)
      assert.isFalse(yield* generations.append(fence, [deltaEvent("c")]))
      assert.isFalse((yield* generations.end(fence, makeEnd(generation.conversation))).held)
      assert.isTrue(yield* generations.append({ ...fence, nextN: fence.nextN + 2 }, [deltaEvent("c")]))
      assert.isTrue(yield* generations.renew(getFence(generation)))
      assert.strictEqual((yield* readWholeLog(log, generation.id)).events.length, 4)
    }))
}

const testStartReservation = (it: AgentTests): void => {
  it.effect("extends the reservation, and starts nothing if the reservation has ended or lapsed", () =>
    Effect.gen(function*() {
      const [generations, ledger] = yield* Effect.all([GenerationStore, LedgerStore])
      const account = yield* newAccount
      const reservation = yield* reserveAnswer(account, { key: "k", ttlMs: minuteMs })
      const start = yield* startGeneration(account, { reservation, leaseMs: 3 * minuteMs })
      assert(start._tag === "Started")
      const state = yield* ledger.idempotencyState(account, { key: "k", fingerprint: "f", retentionMs: minuteMs })
      assert(state?._tag === "InProgress")
      assert.isAbove(state.lapsesInMs, 2 * minuteMs)
      const secondReservation = yield* reserveAnswer(account)
      yield* ledger.end([{ reservation: secondReservation, outcome: { _tag: "Release" } }])
      const expiredReservation = yield* reserveAnswer(account, { ttlMs: -1 })
      const { conversation } = yield* answerQuestion(account)
      for (const reservation of [secondReservation, expiredReservation]) {
        assert.deepStrictEqual(yield* startGeneration(account, { reservation }), { _tag: "Lapsed" })
        assert.deepStrictEqual(yield* startGeneration(account, { reservation, target: inConversation(conversation) }), {
          _tag: "Lapsed"
        })
      }
      const { items } = yield* (yield* ConversationStore).list(account, firstPage)
      assert.sameMembers(items.map(({ id }) => id), [conversation, start.generation.conversation])
      assert.isNull(yield* generations.findRunning(account, conversation))
    }))
}

const testConcurrentStarts = (it: AgentTests): void => {
  it.effect("returns the reason if it does not start, and changes nothing", () =>
    Effect.gen(function*() {
      const [account, other] = [yield* newAccount, yield* newAccount]
      const conversations = yield* ConversationStore
      const { conversation, id } = yield* startNewGeneration(account)
      const before = yield* conversations.find(account, conversation)
      assert.deepStrictEqual(yield* startGeneration(account, { target: inConversation(conversation) }), {
        _tag: "Busy",
        generation: id
      })
      assert.deepStrictEqual(
        yield* startGeneration(account, { target: repeatInConversation(conversation), question: null }),
        {
          _tag: "Busy",
          generation: id
        }
      )
      for (const unknownId of [999_999_999, 2 ** 40, Number.MAX_SAFE_INTEGER]) {
        assert.deepStrictEqual(yield* startGeneration(account, { target: inConversation(unknownId) }), {
          _tag: "NoConversation"
        })
        assert.deepStrictEqual(
          yield* startGeneration(account, { target: repeatInConversation(unknownId), question: null }),
          {
            _tag: "NoConversation"
          }
        )
      }
      assert.deepStrictEqual(yield* startGeneration(other, { target: inConversation(conversation) }), {
        _tag: "NoConversation"
      })
      assert.deepStrictEqual(yield* conversations.find(account, conversation), before)
      const idle = yield* answerQuestion(account)
      const mentor = { _tag: "Existing", conversation: idle.conversation, mode: "mentor" } as const
      assert.deepStrictEqual(yield* startGeneration(account, { target: mentor }), {
        _tag: "OtherMode",
        mode: "analyst"
      })
      const inSameMode = yield* startNewGeneration(account, { target: { ...mentor, mode: "analyst" } })
      assert.strictEqual(inSameMode.conversation, idle.conversation)
    }))

  it.effect("starts one of several concurrent questions in one conversation", () =>
    Effect.gen(function*() {
      const account = yield* newAccount
      const { conversation } = yield* answerQuestion(account)
      const starts = yield* Effect.forEach(
        Array.from({ length: 8 }, (_, i) => i),
        (i) =>
          startGeneration(account, { target: inConversation(conversation), question: questionMessage(`again ${i}`) }),
        { concurrency: "unbounded" }
      )
      const [started, ...others] = starts.toSorted((a, b) => a._tag < b._tag ? 1 : -1)
      assert(started?._tag === "Started")
      assert.deepStrictEqual(others, others.map(() => ({ _tag: "Busy", generation: started.generation.id })))
      assert.strictEqual((yield* readMessages(account, conversation))?.length, 3)
    }))
}

const testRegenerate = (it: AgentTests): void => {
  it.effect("repeats the last question, and replaces its answer once the new one has finished", () =>
    Effect.gen(function*() {
      const account = yield* newAccount
      const first = yield* answerQuestion(account, {}, { answer: null, outcome: "failed" })
      const { conversation } = first
      // The failed generation left no answer to replace.
      const second = yield* answerQuestion(account, { target: repeatInConversation(conversation), question: null })
      assert.deepStrictEqual([second.question, second.brief.replaces], [first.question, null])
      assert.deepStrictEqual(yield* readMessages(account, conversation), ["user: why?", "assistant: because"])
      for (const outcome of ["cancelled", "failed"] as const) {
        const third = yield* answerQuestion(account, { target: repeatInConversation(conversation), question: null }, {
          outcome
        })
        assert.deepStrictEqual([third.brief.replaces, third.message], [second.message!.id, null])
        assert.deepStrictEqual(yield* readMessages(account, conversation), ["user: why?", "assistant: because"])
      }
      const betterAnswer = { answer: { ...second.message!, content: "better", images: [] } }
      const fourth = yield* answerQuestion(
        account,
        { target: repeatInConversation(conversation), question: null },
        betterAnswer
      )
      assert.strictEqual(fourth.brief.replaces, second.message!.id)
      assert.deepStrictEqual(yield* readMessages(account, conversation), ["user: why?", "assistant: better"])
      assert.strictEqual((yield* (yield* ConversationStore).find(account, conversation))?.messageCount, 2)
    }))
}

export const testGenerationStarts = (it: AgentTests): void => {
  testStart(it)
  testRepeatedStart(it)
  testStartReservation(it)
  testConcurrentStarts(it)
  testRegenerate(it)
}
