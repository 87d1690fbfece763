import { assert, it } from "@effect/vitest"
import { Ledger } from "@tapeline/core"
import {
  Analyst,
  ConversationStore,
  GenerationStore,
  ModelRateLimited,
  ModelRefused,
  ModelUnavailable,
  ProposalStore
} from "@tapeline/core/agent"
import { createKeyedAccount, MemoryStores } from "@tapeline/testing"
import { readLog } from "@tapeline/testing/agent/logChecks"
import {
  callPart,
  endPart,
  failWith,
  reasoningPart,
  ScriptedModel,
  textPart,
  usage,
  waitForCue,
  waitForever
} from "@tapeline/testing/agent/ScriptedModel"
import { Effect, Fiber, Latch, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import {
  advanceUntilDone,
  askQuestion,
  makeAgentEngine,
  makeEngineWithStores,
  readGenerationLog,
  ToolRecorder
} from "./agentEngine.ts"

const booksOf = Effect.fnUntraced(function*(account: number) {
  const ledger = yield* Ledger
  const { reserved, used } = (yield* ledger.balance(account))!
  return { reserved, used, today: (yield* ledger.answersToday(account)).count }
})

/** Runs all work that is ready, and advances the clock by only 60 ms. */
const settle = TestClock.adjust(60)

const answers = () =>
  new ScriptedModel((_request, n) =>
    n % 2 === 0
      ? [
        reasoningPart("Which? "),
        textPart("Let me look."),
        callPart("price", { coin: "BTC" }),
        callPart("failing"),
        endPart
      ]
      : [textPart("It is "), textPart("42 🚀."), endPart]
  )

it.effect("calls tools, joins the text deltas, and settles credits and the daily answer once", () => {
  const model = answers()
  return Effect.gen(function*() {
    const { principal } = yield* createKeyedAccount()
    const analyst = yield* Analyst
    const answer = yield* askQuestion(principal, { message: "What is the price of BTC?" })
    assert.deepInclude(answer, {
      answer: "Let me look.\n\nIt is 42 🚀.",
      lang: "en",
      outcome: "finished",
      credits_used: 20,
      credits_left: 60_000 - 20,
      suggestions: ["And ETH?"]
    })
    assert.deepStrictEqual(yield* booksOf(principal.account), { reserved: 0, used: 20, today: 1 })
    const { conversation_id } = answer
    assert.isNull(yield* analyst.findRunning(principal, conversation_id))
    const view = yield* analyst.getConversation(principal, conversation_id, { limit: 10, cursor: null })
    assert.deepStrictEqual(view.messages.items.map(({ content, role }) => [role, content]), [
      ["user", "What is the price of BTC?"],
      ["assistant", answer.answer]
    ])
    assert.deepStrictEqual(view.messages.items[1]?.tools, [
      { name: "price", ok: true, callId: "1.1" },
      { name: "failing", ok: false, callId: "1.2" }
    ])
    const checked = { figures: [{ text: "42", offset: 20, call: "1.1", path: "/value" }], unmatched: [] }
    assert.deepInclude(answer, checked)
    assert.deepInclude(view.messages.items[1], checked)
    assert.deepStrictEqual(view.messages.items[1]?.suggestions, ["And ETH?"])
    const results = model.requests[1]!.turns.filter(({ _tag }) => _tag === "Result")
    assert.lengthOf(results, 2)
    assert.deepInclude(results[0], { callId: "1.1", name: "price", ok: true, text: "{\"value\":42}" })
    assert.deepInclude(results[1], { callId: "1.2", ok: false })
    assert.strictEqual(model.openStreams, 0)
  }).pipe(Effect.provide(makeEngineWithStores(model)))
})

it.effect("stores the disclaimer of the model with its finished answer, in the language of the answer", () => {
  const disclaimer = { en: "By rules", ko: "규칙 기반", ru: "По правилам" }
  const model = new ScriptedModel(() => [textPart("42"), endPart], { disclaimer })
  return Effect.gen(function*() {
    const { principal } = yield* createKeyedAccount()
    const analyst = yield* Analyst
    const answer = yield* askQuestion(principal, { message: "BTC 가격?", lang: "ko" })
    assert.deepInclude(answer, { answer: "42", disclaimer: disclaimer.ko })
    const view = yield* analyst.getConversation(principal, answer.conversation_id, { limit: 10, cursor: null })
    assert.deepStrictEqual(view.messages.items.map((message) => message.disclaimer), [undefined, disclaimer.ko])
  }).pipe(Effect.provide(makeEngineWithStores(model)))
})

it.effect("shows every reader the same log, and resumes it without a gap", () => {
  const model = answers()
  return Effect.gen(function*() {
    const { principal } = yield* createKeyedAccount()
    const analyst = yield* Analyst
    const { generation } = yield* analyst.start({ principal, request: { message: "BTC?" } })
    const all = yield* Effect.forkChild(Stream.runCollect(analyst.follow(generation.id, 0)))
    const five = yield* Effect.forkChild(Stream.runCollect(Stream.take(analyst.follow(generation.id, 0), 5)))
    const first = yield* advanceUntilDone(Fiber.join(five))
    const rest = yield* advanceUntilDone(Stream.runCollect(analyst.follow(generation.id, first.at(-1)!.n)))
    const answer = yield* advanceUntilDone(Fiber.join(all))
    assert.deepStrictEqual([...first, ...rest], [...answer])
    assert.deepStrictEqual(answer.map(({ n }) => n), answer.map((_, i) => i + 1))
    const { isEnded, events, logged } = yield* readGenerationLog(generation.id)
    assert.deepStrictEqual([...answer], logged)
    assert.isTrue(isEnded)
    const read = readLog(events)
    assert.strictEqual(read.text, "Let me look.\n\nIt is 42 🚀.")
    assert.strictEqual(read.reasoning.get(1), "Which? ")
    assert.strictEqual(read.kinds.filter((kind) => kind === "delta").length, 2)
    const logsReadLater = yield* Effect.forEach(
      Array.from({ length: 10 }),
      () => Stream.runCollect(analyst.follow(generation.id, 0))
    )
    for (const events of logsReadLater) assert.deepStrictEqual([...events], [...answer])
  }).pipe(Effect.provide(makeEngineWithStores(model)))
})

it.effect("cancels an answer immediately, aborts its model request, and accepts the next question", () => {
  const model = new ScriptedModel((_, n) => n === 0 ? [textPart("half"), waitForever] : [textPart("whole"), endPart])
  return Effect.gen(function*() {
    const { principal } = yield* createKeyedAccount()
    const analyst = yield* Analyst
    const { generation } = yield* analyst.start({ principal, request: { message: "why?" } })
    yield* settle
    assert.strictEqual(model.openStreams, 1)
    const busy = yield* Effect.flip(
      analyst.start({ principal, request: { message: "and?", conversation_id: generation.conversation } })
    )
    assert.strictEqual(busy._tag, "ConversationBusy")
    assert.isTrue(yield* analyst.cancel(principal, generation.conversation))
    assert.isFalse(yield* analyst.cancel(principal, generation.conversation))
    yield* TestClock.adjust(0)
    assert.deepStrictEqual([model.openStreams, model.abortedStreams], [0, 1])
    assert.deepStrictEqual(yield* booksOf(principal.account), { reserved: 0, used: 20, today: 1 })
    const { isEnded, events } = yield* readGenerationLog(generation.id)
    const read = readLog(events)
    assert.deepStrictEqual([isEnded, read.text, read.done?.outcome], [true, "half", "cancelled"])
    const next = yield* askQuestion(principal, { message: "and?", conversation_id: generation.conversation })
    assert.strictEqual(next.answer, "whole")
    const { turns } = model.requests.filter(({ purpose }) => purpose === "answer")[1]!
    assert.deepStrictEqual(turns.map(({ _tag }) => _tag), ["User", "Assistant", "User"])
  }).pipe(Effect.provide(makeEngineWithStores(model)))
})

it.effect("charges nothing for an answer that is cancelled before any output", () => {
  const model = new ScriptedModel(() => [waitForever])
  return Effect.gen(function*() {
    const { principal } = yield* createKeyedAccount()
    const analyst = yield* Analyst
    const { generation } = yield* analyst.start({ principal, request: { message: "why?" } })
    yield* settle
    assert.isTrue(yield* analyst.cancel(principal, generation.conversation))
    assert.deepStrictEqual(yield* booksOf(principal.account), { reserved: 0, used: 0, today: 0 })
    yield* TestClock.adjust(0)
    assert.strictEqual(model.openStreams, 0)
  }).pipe(Effect.provide(makeEngineWithStores(model)))
})

it.effect("retries model errors that allow it, and fails uncharged on other errors", () => {
  const unavailableError = new ModelUnavailable({ detail: "reset" })
  const model = new ScriptedModel((_, n) =>
    n === 0
      ? [textPart("half an ans"), failWith(unavailableError)]
      : n === 1
      ? [failWith(new ModelRateLimited({ retryAfterMs: 3_000 }))]
      : n === 2
      ? [textPart("whole"), endPart]
      : [failWith(new ModelRefused({ detail: "no such model" }))]
  )
  return Effect.gen(function*() {
    const { principal } = yield* createKeyedAccount()
    const answer = yield* askQuestion(principal, { message: "why?" })
    assert.strictEqual(answer.answer, "whole")
    assert.isAtLeast(answer.took_ms, 3_500)
    const failed = yield* askQuestion(principal, { message: "왜?" })
    assert.deepInclude(failed, { answer: "", outcome: "failed", lang: "ko", credits_used: 0, suggestions: [] })
    assert.strictEqual(failed.error?.code, "model_refused")
    assert.match(failed.error!.message, /모델/)
    assert.deepStrictEqual(yield* booksOf(principal.account), { reserved: 0, used: 20, today: 1 })
  }).pipe(Effect.provide(makeEngineWithStores(model)))
})

it.effect("returns chart URLs, reports a broken tool to the model, and shortens long results", () => {
  const model = new ScriptedModel((_, n) =>
    n === 0 ? [callPart("make_chart"), callPart("broken"), callPart("long"), endPart] : [textPart("See."), endPart]
  )
  return Effect.gen(function*() {
    const { principal } = yield* createKeyedAccount()
    const answer = yield* askQuestion(principal, { message: "draw it" })
    assert.deepInclude(answer, { url: "/v1/charts/9", charts: ["/v1/charts/9"], answer: "See." })
    const [, brokenResult, long] = model.requests[1]!.turns.filter((turn) => turn._tag === "Result")
    assert.isFalse(brokenResult!.ok)
    assert.isAtMost(Buffer.byteLength(long!.text), 6_000)
    assert.match(long!.text, /of 2000 left out/)
    assert.isObject(JSON.parse(long!.text))
  }).pipe(Effect.provide(makeEngineWithStores(model)))
})

it.effect("offers the model the tools that the key may call, and no tool that writes", () => {
  const model = new ScriptedModel((_, n) =>
    n === 0 ? [callPart("mine"), callPart("write_it"), endPart] : [textPart("No."), endPart]
  )
  const recorder = new ToolRecorder()
  return Effect.gen(function*() {
    const { principal } = yield* createKeyedAccount({ scopes: ["agent:chat"] })
    yield* askQuestion(principal, { message: "open a position for me" })
    const toolNames = model.requests[0]!.tools.map(({ name }) => name)
    assert.include(toolNames, "price")
    assert.notInclude(toolNames, "mine")
    assert.notInclude(toolNames, "write_it")
    assert.deepStrictEqual([recorder.calls, recorder.writes], [[], []])
  }).pipe(Effect.provide(makeEngineWithStores(model, { recorder })))
})

it.effect("makes writes that the caller allows, and proposes them on regenerate", () => {
  const model = new ScriptedModel((_, n) =>
    n % 2 === 0 ? [callPart("write_it", { coin: "BTC" }), endPart] : [textPart(`Done ${n}.`), endPart]
  )
  const recorder = new ToolRecorder()
  return Effect.gen(function*() {
    const { principal } = yield* createKeyedAccount()
    const analyst = yield* Analyst
    const first = yield* askQuestion(principal, { message: "write BTC", writes: "allow" })
    assert.lengthOf(recorder.writes, 1)
    const { conversation_id } = first
    const regenerated = yield* askQuestion(principal, { conversation_id, regenerate: true, writes: "allow" })
    assert.deepStrictEqual([regenerated.answer, recorder.writes.length], ["Done 3.", 1])
    const thirdRequest = model.requests.filter(({ purpose }) => purpose === "answer")[2]!
    assert.include(thirdRequest.context, "write_it")
    assert.deepStrictEqual(thirdRequest.turns.map(({ _tag }) => _tag), ["User"])
    const view = yield* analyst.getConversation(principal, conversation_id, { limit: 10, cursor: null })
    assert.deepStrictEqual(view.messages.items.map(({ content }) => content), ["write BTC", "Done 3."])
  }).pipe(Effect.provide(makeEngineWithStores(model, { recorder })))
})

it.effect("does not repeat the writes of an answer that ended before any text", () => {
  const cutOff = [
    { name: "cancelled", acts: [waitForever] },
    { name: "failed", acts: [failWith(new ModelRefused({ detail: "no" }))] }
  ]
  return Effect.forEach(cutOff, ({ acts, name }) => {
    const model = new ScriptedModel((_, n) =>
      n === 1 ? acts : n === 3 ? [textPart("It stands."), endPart] : [callPart("write_it", { coin: "BTC" }), endPart]
    )
    const recorder = new ToolRecorder()
    return Effect.gen(function*() {
      const { principal } = yield* createKeyedAccount()
      const analyst = yield* Analyst
      const { generation } = yield* analyst.start({ principal, request: { message: "write BTC", writes: "allow" } })
      const { conversation } = generation
      yield* TestClock.adjust("1 second")
      yield* analyst.cancel(principal, conversation)
      assert.lengthOf(recorder.writes, 1, name)
      const regenerated = yield* askQuestion(principal, { conversation_id: conversation, regenerate: true })
      assert.strictEqual(regenerated.answer, "It stands.")
      assert.lengthOf(recorder.writes, 1, `${name}: written again`)
      const view = yield* analyst.getConversation(principal, conversation, { limit: 9, cursor: null })
      assert.deepStrictEqual(view.messages.items.map(({ content }) => content), ["write BTC", "It stands."])
      assert.isTrue(view.messages.items[1]?.tools.some((tool) => tool.wrote !== undefined))
    }).pipe(Effect.provide(makeEngineWithStores(model, { recorder })))
  }, { discard: true })
})

it.effect("attaches a repeat under one key to the running answer, then replays it, charged once", () => {
  const latch = Latch.makeUnsafe(false)
  const model = new ScriptedModel(() => [textPart("one"), waitForCue(latch.await), endPart])
  return Effect.gen(function*() {
    const { principal } = yield* createKeyedAccount()
    const analyst = yield* Analyst
    const question = { principal, request: { message: "why?" }, idempotencyKey: "k" }
    const first = yield* analyst.start(question)
    assert.isFalse(first.replayed)
    yield* settle
    const second = yield* analyst.start(question)
    assert.deepStrictEqual([second.replayed, second.generation.id], [true, first.generation.id])
    yield* latch.open
    const { answer, replayed } = yield* advanceUntilDone(analyst.answer(question))
    assert.deepStrictEqual([replayed, answer.answer], [true, "one"])
    const other = yield* Effect.flip(analyst.start({ ...question, request: { message: "how?" } }))
    assert.strictEqual(other._tag, "IdempotencyKeyReused")
    // The log is deleted an hour after the answer's end, but the stored answer remains.
    yield* TestClock.adjust("2 hours")
    const delayedAnswer = yield* advanceUntilDone(analyst.answer(question))
    assert.deepStrictEqual(delayedAnswer, { answer, replayed: true })
    assert.isNull(yield* analyst.replayEvents(second.generation))
    const { generation } = yield* analyst.start(question)
    const { conversation_id, lang, suggestions: questions } = answer
    const { answer: text, suggestions: _, ...storedAnswer } = answer
    assert.deepStrictEqual(
      (yield* analyst.replayEvents(generation))?.map(({ data, kind, n }) => [n, kind, JSON.parse(data)]),
      [
        [1, "conversation", { conversation_id, lang, mode: "analyst" }],
        [2, "delta", { offset: 0, text }],
        [3, "done", storedAnswer],
        [4, "suggest", { questions }]
      ]
    )
    yield* analyst.remove(principal, conversation_id)
    const conversationError = yield* Effect.flip(analyst.start(question))
    assert.strictEqual(conversationError._tag, "ConversationNotFound")
    assert.lengthOf(model.requests.filter(({ purpose }) => purpose === "answer"), 1)
    assert.deepStrictEqual(yield* booksOf(principal.account), { reserved: 0, used: 20, today: 1 })
  }).pipe(Effect.provide(makeEngineWithStores(model)))
})

it.effect("continues a generation that another runner took over, without repeating finished calls", () => {
  const recorder = new ToolRecorder()
  const model = new ScriptedModel((_, n) =>
    n === 0 ? [textPart("First."), callPart("price"), callPart("slow"), endPart] : [textPart("Then."), endPart]
  )
  return Effect.gen(function*() {
    const { principal } = yield* createKeyedAccount()
    const analyst = yield* Analyst
    const generations = yield* GenerationStore
    const { generation } = yield* analyst.start({ principal, request: { message: "why?" } })
    yield* settle
    // Another process takes over the generation, as happens after a runner's process was frozen.
    yield* TestClock.adjust(1_000)
    const takenGeneration = yield* generations.take(generation.id, 0)
    assert.strictEqual(takenGeneration?.epoch, 2)
    // The old runner notices the takeover when it next writes, and stops.
    yield* recorder.slowLatch.open
    const answer = yield* advanceUntilDone(analyst.follow(generation.id, 0).pipe(Stream.runCollect))
    const read = readLog((yield* readGenerationLog(generation.id)).events)
    assert.strictEqual(read.text, "First.\n\nThen.")
    assert.strictEqual(read.done?.outcome, "finished")
    assert.strictEqual(answer.length, (yield* readGenerationLog(generation.id)).events.length)
    assert.strictEqual(recorder.calls.filter((name) => name === "price").length, 1)
    assert.deepStrictEqual(yield* booksOf(principal.account), { reserved: 0, used: 20, today: 1 })
  }).pipe(Effect.provide(makeEngineWithStores(model, { recorder })))
})

it.effect("removes a conversation only if no answer is running, and hides it from other accounts", () => {
  const model = new ScriptedModel((_, n) => n === 0 ? [textPart("x"), waitForever] : [textPart("y"), endPart])
  return Effect.gen(function*() {
    const [{ principal }, { principal: other }] = [yield* createKeyedAccount(), yield* createKeyedAccount()]
    const analyst = yield* Analyst
    const { generation: { conversation } } = yield* analyst.start({ principal, request: { message: "why?" } })
    yield* settle
    assert.strictEqual((yield* Effect.flip(analyst.remove(principal, conversation)))._tag, "ConversationBusy")
    const foreignCalls = [
      analyst.findRunning(other, conversation),
      analyst.cancel(other, conversation),
      analyst.remove(other, conversation),
      analyst.getConversation(other, conversation, { limit: 1, cursor: null }),
      analyst.start({ principal: other, request: { message: "?", conversation_id: conversation } })
    ]
    for (const effect of foreignCalls) {
      assert.strictEqual(
        (yield* Effect.flip<unknown, { readonly _tag: string }, never>(effect))._tag,
        "ConversationNotFound"
      )
    }
    yield* analyst.cancel(principal, conversation)
    yield* analyst.remove(principal, conversation)
    assert.lengthOf((yield* analyst.listConversations(principal, { limit: 10, cursor: null })).items, 0)
    assert.isNull(yield* (yield* ConversationStore).find(principal.account, conversation))
  }).pipe(Effect.provide(makeEngineWithStores(model)))
})

it.effect("resumes an answer in another process from its last finished step", () => {
  const recorder = new ToolRecorder()
  const model = new ScriptedModel((_, n) =>
    n === 0
      ? [textPart("First."), callPart("price"), { _tag: "End", reason: "Calls", usage, providerState: "st\0ate" }]
      : n === 1
      ? [textPart("lost with its pro"), waitForever]
      : [textPart("Then."), endPart]
  )
  const engine = Layer.fresh(makeAgentEngine(model, { recorder }))
  return Effect.gen(function*() {
    const { generation, principal } = yield* Effect.gen(function*() {
      const { principal } = yield* createKeyedAccount()
      const { follow, start } = yield* Analyst
      const { generation } = yield* start({ principal, request: { message: "why?" } })
      const isLost = ({ data }: { readonly data: string }) => data.includes("lost with its pro")
      yield* advanceUntilDone(Stream.runDrain(Stream.takeUntil(follow(generation.id, 0), isLost)))
      return { generation, principal }
    }).pipe(Effect.provide(engine))
    assert.deepStrictEqual([model.openStreams, model.abortedStreams], [0, 1])
    const before = readLog((yield* readGenerationLog(generation.id)).events)
    assert.strictEqual(before.text, "First.\n\nlost with its pro")
    // The eight hours without a process do not count towards the time limit of the answer.
    yield* TestClock.adjust("8 hours")
    yield* Effect.gen(function*() {
      yield* advanceUntilDone(Stream.runCollect((yield* Analyst).follow(generation.id, 0)), 1_000)
      const { events } = yield* readGenerationLog(generation.id)
      const read = readLog(events)
      assert.deepStrictEqual([read.text, read.done?.outcome], ["First.\n\nThen.", "finished"])
      assert.isTrue(events.some((event) => event.kind === "status" && event.data.phase === "retrying"))
      assert.deepStrictEqual(yield* booksOf(principal.account), { reserved: 0, used: 0, today: 0 })
    }).pipe(Effect.provide(engine))
    assert.deepStrictEqual(recorder.calls, ["price"])
    const lastRequest = model.requests.findLast(({ purpose }) => purpose === "answer")!
    assert.isNotEmpty(lastRequest.tools)
    assert.deepInclude(lastRequest.turns[1], { _tag: "Assistant", providerState: "state" })
  }).pipe(Effect.provide(MemoryStores))
})

it.effect("fails a broken run uncharged, and accepts the next question in the conversation", () => {
  let isBroken = true
  const brokenStore = Layer.effect(
    ProposalStore,
    Effect.map(ProposalStore, (store) =>
      ProposalStore.of({
        ...store,
        list: (...args) => isBroken ? Effect.die(new Error("a bug")) : store.list(...args)
      }))
  )
  return Effect.gen(function*() {
    const { principal } = yield* createKeyedAccount()
    const { conversation_id, ...failed } = yield* askQuestion(principal, { message: "why?" })
    assert.deepInclude(failed, { answer: "", outcome: "failed", credits_used: 0 })
    assert.strictEqual(failed.error?.code, "broken")
    isBroken = false
    assert.strictEqual((yield* askQuestion(principal, { message: "why?", conversation_id })).outcome, "finished")
    assert.deepStrictEqual(yield* booksOf(principal.account), { reserved: 0, used: 20, today: 1 })
  }).pipe(
    Effect.provide(
      makeAgentEngine(new ScriptedModel(() => [textPart("so"), endPart])).pipe(
        Layer.provide(brokenStore),
        Layer.provideMerge(MemoryStores)
      )
    )
  )
})
