import { assert } from "@effect/vitest"
import {
  ConversationStore,
  type Generation,
  type GenerationEnd,
  GenerationLog,
  GenerationStore,
  type Transcript
} from "@tapeline/core/agent"
import { type EndResult, LedgerStore } from "@tapeline/core/engine"
import { Effect, Exit } from "effect"
import {
  type AgentTests,
  answerMessage,
  answerPrice,
  answerQuestion,
  deltaEvent,
  getFence,
  inConversation,
  makeEnd,
  makeStep,
  minuteMs,
  newAccount,
  questionMessage,
  readBalance,
  readWholeLog,
  reserveAnswer,
  startNewGeneration,
  takeGeneration
} from "./fixtures.ts"
import type { Advance } from "./runningGenerationTests.ts"

const firstPage = { limit: 100, cursor: null }
const readLogEnd = (generation: number) =>
  Effect.map(Effect.flatMap(GenerationLog, (log) => readWholeLog(log, generation)), ({ events, isEnded }) => ({
    isEnded,
    last: events.slice(-2).map(({ data, kind }) => ({ kind, data: JSON.parse(data) })),
    count: events.length
  }))

const testFencedEnd = (it: AgentTests): void => {
  it.effect("ends once: stores answer, charge, last event and row in one step, and frees the conversation", () =>
    Effect.gen(function*() {
      const [generations, conversations] = yield* Effect.all([GenerationStore, ConversationStore])
      const account = yield* newAccount
      const generation = yield* Effect.flatMap(startNewGeneration(account), ({ id }) => takeGeneration(id))
      const { conversation, id } = generation
      yield* generations.append(getFence(generation), [deltaEvent("because")])
      const end = makeEnd(conversation, {
        answer: answerMessage("because", {
          lang: "ko",
          charts: ["/charts/1"],
          tools: [{ name: "get_price", ok: false, callId: "1.1" }],
          figures: [{ text: "+1\u00a0%", offset: 3, call: "1.1", path: "/a~1b/0" }],
          unmatched: [{ text: "7", offset: 9 }],
          disclaimer: "규칙 기반 답변"
        })
      })
      const ends = yield* Effect.forEach(
        Array.from({ length: 4 }),
        () => generations.end(getFence(generation), end),
        { concurrency: "unbounded" }
      )
      const [first, ...others] = ends.toSorted((a, b) => Number(b.held) - Number(a.held))
      assert.deepStrictEqual(others, others.map(() => ({ held: false, answer: null })))
      assert.isTrue(first!.held)
      const row = yield* generations.find(id)
      assert.deepStrictEqual([row?.state, row?.outcome, row?.answer, row?.epoch], [
        "closed",
        "finished",
        first!.answer!.id,
        1
      ])
      assert.isAtLeast(row!.endedAt!, row!.startedAt)
      const { items } = (yield* conversations.messages(account, conversation, firstPage))!
      assert.deepStrictEqual(items[1], first!.answer)
      assert.deepStrictEqual(first!.answer, {
        ...end.answer!,
        images: [],
        id: first!.answer!.id,
        createdAt: first!.answer!.createdAt
      })
      const storedConversation = yield* conversations.find(account, conversation)
      assert.deepStrictEqual(
        [storedConversation?.running, storedConversation?.lang, storedConversation?.messageCount],
        [false, "ko", 2]
      )
      assert.deepStrictEqual(yield* readBalance(account), { reserved: 0, used: answerPrice })
      const { count, isEnded, last } = yield* readLogEnd(id)
      assert.deepStrictEqual([count, isEnded, last[1]?.kind], [3, true, "done"])
      assert.deepInclude(last[1]?.data, { credits_used: answerPrice, credits_left: 1_000_000 - answerPrice })
      assert.isNull(yield* generations.findRunning(account, conversation))
      assert.strictEqual(
        (yield* answerQuestion(account, { target: inConversation(conversation) })).conversation,
        conversation
      )
    }))

  it.effect("does not charge a failed generation, and stores no answer for it", () =>
    Effect.gen(function*() {
      const account = yield* newAccount
      const { conversation, id, message } = yield* answerQuestion(account, {}, { outcome: "failed", answer: null })
      assert.isNull(message)
      assert.deepStrictEqual(yield* readBalance(account), { reserved: 0, used: 0 })
      const generation = yield* (yield* GenerationStore).find(id)
      assert.deepStrictEqual([generation?.outcome, generation?.answer], ["failed", null])
      assert.strictEqual((yield* (yield* ConversationStore).find(account, conversation))?.messageCount, 1)
    }))
}

const testEndSettlement = <R>(it: AgentTests<R>, advance: Advance<R>): void => {
  it.effect("passes the reservation's outcome to the last events, also if it ended before", () =>
    Effect.gen(function*() {
      const account = yield* newAccount
      const reportedEnds: Array<string> = []
      const endOverrides = {
        events: (ending: EndResult) => {
          reportedEnds.push(ending._tag === "AlreadyEnded" ? ending.outcome : ending._tag)
          return makeEnd(0).events(ending)
        }
      }
      const [generations, ledger] = yield* Effect.all([GenerationStore, LedgerStore])
      const startedGeneration = Effect.gen(function*() {
        const reservation = yield* reserveAnswer(account, { ttlMs: minuteMs })
        return yield* Effect.flatMap(
          startNewGeneration(account, { reservation, leaseMs: minuteMs }),
          ({ id }) => takeGeneration(id)
        )
      })
      const endGeneration = (generation: Generation) =>
        generations.end(getFence(generation), makeEnd(generation.conversation, endOverrides))
      const released = yield* startedGeneration
      yield* ledger.end([{ reservation: released.reservation, outcome: { _tag: "Release" } }])
      yield* endGeneration(released)
      const expiredGeneration = yield* startedGeneration
      yield* advance(2 * minuteMs)
      const { answer } = yield* endGeneration(expiredGeneration)
      assert.strictEqual(answer?.content, "because")
      assert.deepStrictEqual(reportedEnds, ["released", "expired"])
      assert.strictEqual((yield* readBalance(account)).used, 0)
    }))
}

const testEndAtomicity = <R>(it: AgentTests<R>, advance: Advance<R>): void => {
  for (
    const { charged, frozenMs } of [{ frozenMs: 5 * minuteMs, charged: answerPrice }, {
      frozenMs: 7 * minuteMs,
      charged: 0
    }]
  ) {
    it.effect(`after a freeze of ${frozenMs} ms and a takeover, charges ${charged} once`, () =>
      Effect.gen(function*() {
        const [generations, ledger] = yield* Effect.all([GenerationStore, LedgerStore])
        const account = yield* newAccount
        const ttlMs = 6 * minuteMs
        const takenGeneration = yield* Effect.flatMap(
          startNewGeneration(account, { reservation: yield* reserveAnswer(account, { ttlMs }) }),
          ({ id }) => takeGeneration(id)
        )
        yield* advance(frozenMs)
        const takenOver = yield* generations.take(takenGeneration.id, minuteMs)
        assert(takenOver !== null)
        // A lapsed reservation is not revived, because the account may have spent the reserved credits meanwhile.
        assert.strictEqual(yield* ledger.renew(takenOver.reservation, ttlMs), charged > 0)
        yield* advance(2 * minuteMs)
        yield* ledger.expire(1_000)
        assert.isTrue((yield* generations.end(getFence(takenOver), makeEnd(takenOver.conversation))).held)
        assert.deepStrictEqual(yield* readBalance(account), { reserved: 0, used: charged })
        assert.isFalse(yield* ledger.renew(takenGeneration.reservation, ttlMs))
        assert.isFalse((yield* generations.end(getFence(takenGeneration), makeEnd(takenGeneration.conversation))).held)
        assert.deepStrictEqual(yield* readBalance(account), { reserved: 0, used: charged })
      }))
  }

  it.effect("rolls back an end that fails halfway", () =>
    Effect.gen(function*() {
      const generations = yield* GenerationStore
      const account = yield* newAccount
      const generation = yield* Effect.flatMap(startNewGeneration(account), ({ id }) => takeGeneration(id))
      const before = yield* generations.find(generation.id)
      const failingEnd = makeEnd(generation.conversation, {
        events: () => {
          throw new Error("no events")
        }
      })
      assert.isTrue(Exit.isFailure(yield* Effect.exit(generations.end(getFence(generation), failingEnd))))
      assert.isTrue(Exit.isFailure(yield* Effect.exit(generations.forceEnd(generation.id, () => failingEnd))))
      assert.deepStrictEqual(yield* generations.find(generation.id), before)
      assert.deepStrictEqual(yield* readBalance(account), { reserved: answerPrice, used: 0 })
      assert.deepStrictEqual((yield* readLogEnd(generation.id)).count, 1)
      assert.strictEqual((yield* (yield* ConversationStore).find(account, generation.conversation))?.messageCount, 1)
      assert.isTrue((yield* generations.end(getFence(generation), makeEnd(generation.conversation))).held)
      assert.deepStrictEqual(yield* readBalance(account), { reserved: 0, used: answerPrice })
    }))
}

const testEndAnyway = (it: AgentTests): void => {
  it.effect("lets any process end a generation from the stored state, and rejects later writes of its runner", () =>
    Effect.gen(function*() {
      const generations = yield* GenerationStore
      const account = yield* newAccount
      const generation = yield* Effect.flatMap(startNewGeneration(account), ({ id }) => takeGeneration(id))
      const fence = getFence(generation)
      yield* generations.storeSteps(fence, [makeStep("step:1", { text: "be\u0000" })], [deltaEvent("be\uD83D")])
      const transcripts: Array<Transcript> = []
      const endResult = yield* generations.forceEnd(generation.id, (transcript) => {
        transcripts.push(transcript)
        return makeEnd(generation.conversation, { outcome: "cancelled" })
      })
      assert.deepStrictEqual(transcripts.map(({ steps }) => steps), [[makeStep("step:1", { text: "be\u0000" })]])
      assert.deepStrictEqual(transcripts[0]!.events[1], deltaEvent("be\uD83D"))
      assert.strictEqual(transcripts[0]!.generation.nextN, 3)
      assert.deepStrictEqual([endResult?.state, endResult?.outcome, endResult?.epoch], ["closed", "cancelled", 2])
      assert.deepStrictEqual(endResult, yield* generations.find(generation.id))
      assert.isFalse(yield* generations.append(fence, [deltaEvent("more")]))
      assert.isFalse(yield* generations.append({ ...fence, epoch: 2 }, [deltaEvent("more")]))
      assert.isNull(yield* generations.take(generation.id, 0))
      assert.isNull(yield* generations.forceEnd(generation.id, () => makeEnd(generation.conversation)))
      assert.isNull(yield* generations.forceEnd(2 ** 40, () => makeEnd(generation.conversation)))
      assert.deepStrictEqual(yield* readBalance(account), { reserved: 0, used: answerPrice })
    }))

  it.effect("ends a generation once under concurrent ends, cancels, appends and takes, without later events", () =>
    Effect.gen(function*() {
      const generations = yield* GenerationStore
      const account = yield* newAccount
      for (let round = 0; round < 4; round++) {
        const generation = yield* Effect.flatMap(startNewGeneration(account), ({ id }) => takeGeneration(id))
        const { conversation, id } = generation
        const fence = getFence(generation)
        const end: GenerationEnd = makeEnd(conversation)
        const results = yield* Effect.all([
          generations.append(fence, [deltaEvent("a")]),
          Effect.map(generations.end(fence, end), ({ held }) => held ? "end" : "none"),
          generations.append(fence, [deltaEvent("b")]),
          Effect.map(generations.forceEnd(id, () => end), (endResult) => endResult === null ? "none" : "end"),
          generations.take(id, 0),
          Effect.map(generations.forceEnd(id, () => end), (endResult) => endResult === null ? "none" : "end"),
          generations.append(fence, [deltaEvent("c")])
        ], { concurrency: "unbounded" })
        assert.strictEqual(results.filter((one) => one === "end").length, 1)
        const { events, isEnded } = yield* readWholeLog(yield* GenerationLog, id)
        assert.deepStrictEqual(events.map(({ n }) => n), events.map((_, i) => i + 1))
        assert.deepStrictEqual(events.filter(({ kind }) => kind === "done"), events.slice(-1))
        assert.isTrue(isEnded)
        assert.deepStrictEqual(yield* readBalance(account), { reserved: 0, used: (round + 1) * answerPrice })
        const page = yield* (yield* ConversationStore).messages(account, conversation, firstPage)
        assert.deepStrictEqual(page?.items.map(({ role }) => role), ["user", "assistant"])
      }
    }))
}

const testClose = <R>(it: AgentTests<R>, advance: Advance<R>): void => {
  it.effect("closes once, and stores the suggested questions with the answer", () =>
    Effect.gen(function*() {
      const [generations, conversations] = yield* Effect.all([GenerationStore, ConversationStore])
      const account = yield* newAccount
      const generation = yield* Effect.flatMap(startNewGeneration(account), ({ id }) => takeGeneration(id))
      assert.isFalse(yield* generations.close(generation.id, ["and?"]))
      yield* generations.end(getFence(generation), makeEnd(generation.conversation, { isOpen: true }))
      assert.isFalse((yield* readLogEnd(generation.id)).isEnded)
      const closeResults = yield* Effect.forEach([1, 2, 3], () => generations.close(generation.id, ["and?", "why?"]), {
        concurrency: "unbounded"
      })
      assert.strictEqual(closeResults.filter(Boolean).length, 1)
      const { isEnded, last } = yield* readLogEnd(generation.id)
      assert.deepStrictEqual([isEnded, last.map(({ kind }) => kind)], [true, ["done", "suggest"]])
      assert.deepStrictEqual(last[1]?.data, { questions: ["and?", "why?"] })
      const page = yield* conversations.messages(account, generation.conversation, firstPage)
      assert.deepStrictEqual(page?.items[1]?.suggestions, ["and?", "why?"])
      const withoutQuestions = yield* answerQuestion(account, {}, { isOpen: true })
      assert.isTrue(yield* generations.close(withoutQuestions.id, []))
      assert.isTrue((yield* readLogEnd(withoutQuestions.id)).isEnded)
      assert.isFalse(yield* generations.close(2 ** 40, []))
    }))

  it.effect("sweeps ended generations in steps: closes them, deletes their logs, then their rows", () =>
    Effect.gen(function*() {
      const [generations, log] = yield* Effect.all([GenerationStore, GenerationLog])
      const account = yield* newAccount
      const times = { closeAfterMs: minuteMs, keepLogsMs: 60 * minuteMs, keepRowsMs: 24 * 60 * minuteMs, limit: 10_000 }
      const openConversation = yield* answerQuestion(account, { idempotencyKey: "k" }, { isOpen: true })
      const running = yield* Effect.flatMap(startNewGeneration(account), ({ id }) => takeGeneration(id))
      yield* generations.storeSteps(getFence(running), [makeStep("step:1")], [])
      yield* generations.sweep(times)
      assert.isFalse((yield* readLogEnd(openConversation.id)).isEnded)
      yield* advance(2 * minuteMs)
      assert.isAtLeast(yield* generations.sweep(times), 1)
      assert.deepInclude(yield* readLogEnd(openConversation.id), { isEnded: true, count: 2 })
      yield* advance(60 * minuteMs)
      assert.isAtLeast(yield* generations.sweep(times), 1)
      assert.deepStrictEqual(yield* log.read(openConversation.id, 0, 10), { events: [], isEnded: true })
      assert.deepStrictEqual(yield* generations.listSteps(openConversation.id), [])
      assert.strictEqual((yield* generations.findByKey(account, "k"))?.id, openConversation.id)
      yield* advance(24 * 60 * minuteMs)
      assert.isAtLeast(yield* generations.sweep(times), 1)
      assert.isNull(yield* generations.find(openConversation.id))
      assert.isNull(yield* generations.findByKey(account, "k"))
      assert.strictEqual(yield* generations.sweep(times), 0)
      assert.deepStrictEqual([
        (yield* generations.find(running.id))?.state,
        (yield* generations.listSteps(running.id)).length
      ], [
        "running",
        1
      ])
      const messages = yield* (yield* ConversationStore).messages(account, openConversation.conversation, firstPage)
      assert.strictEqual(messages?.items.length, 2)
    }))

  it.effect("closes a generation of a removed conversation without exposing its answer", () =>
    Effect.gen(function*() {
      const [generations, conversations, log] = yield* Effect.all([GenerationStore, ConversationStore, GenerationLog])
      const account = yield* newAccount
      const openConversation = yield* answerQuestion(account, { question: questionMessage("secret") }, { isOpen: true })
      assert.strictEqual(yield* conversations.remove(account, openConversation.conversation), "removed")
      assert.deepStrictEqual(yield* log.read(openConversation.id, 0, 10), { events: [], isEnded: true })
      assert.isTrue(yield* generations.close(openConversation.id, ["and?"]))
      assert.deepStrictEqual(yield* log.read(openConversation.id, 0, 10), { events: [], isEnded: true })
      assert.isNull(yield* conversations.messages(account, openConversation.conversation, firstPage))
    }))
}

export const testGenerationEnds = <R>(it: AgentTests<R>, advance: Advance<R>): void => {
  testFencedEnd(it)
  testEndSettlement(it, advance)
  testEndAtomicity(it, advance)
  testEndAnyway(it)
  testClose(it, advance)
}
