import { assert, it } from "@effect/vitest"
import { Analyst, ConversationStore, type ModelRequest, ModelUnavailable } from "@tapeline/core/agent"
import { createKeyedAccount } from "@tapeline/testing"
import { failWith, type ScriptedAct, ScriptedModel, textPart } from "@tapeline/testing/agent/ScriptedModel"
import { Effect } from "effect"
import { estimateRequestTokens } from "../../src/agent/context/composeRequest.ts"
import { countUtf8Bytes } from "../../src/agent/context/tokens.ts"
import { askQuestion, makeEngineWithStores } from "./agentEngine.ts"

/** A model with a small context that writes long answers, so that the conversation exceeds the model's context. */
const talkative = (others: (request: ModelRequest) => ReturnType<typeof textPart>) =>
  new ScriptedModel((_, n) => [textPart(`${n}: ${"x".repeat(6_000)}`), silent], {
    contextTokens: 24_000,
    getOtherActs: (request) => [others(request), silent]
  })

/** Ends a response without a report of the used tokens, so that the estimates are not corrected. */
const silent: ScriptedAct = { _tag: "End", reason: "Stop", usage: null }

const talk = Effect.gen(function*() {
  const { principal } = yield* createKeyedAccount()
  let conversation_id: number | null = null
  for (let i = 0; i < 12; i++) {
    const answer: { readonly conversation_id: number; readonly outcome: string } = yield* askQuestion(principal, {
      message: `question ${i}?`,
      conversation_id
    })
    assert.strictEqual(answer.outcome, "finished")
    conversation_id = answer.conversation_id
  }
  return { principal, conversation: conversation_id! }
})

it.effect("summarises a conversation that exceeds the context, and stores the summary", () => {
  const model = talkative(({ purpose }) => textPart(purpose === "summary" ? "They asked a lot." : "And?"))
  return Effect.gen(function*() {
    const { conversation, principal } = yield* talk
    const summaries = model.requests.filter(({ purpose }) => purpose === "summary")
    assert.isAtLeast(summaries.length, 1)
    assert.isAtMost(summaries.length, 5)
    const memory = yield* (yield* ConversationStore).readHistory(principal.account, conversation, {
      upTo: null,
      limit: 100
    })
    assert.strictEqual(memory?.summary?.text, "They asked a lot.")
    const last = model.requests.findLast(({ purpose }) => purpose === "answer")!
    assert.include(last.context, "They asked a lot.")
    assert.isBelow(last.turns.length, 12)
    assert.isTrue(last.turns.some((turn) => turn.text.startsWith("10: ")))
  }).pipe(Effect.provide(makeEngineWithStores(model)))
})

it.effect("limits the length of a summary, whatever the model returns", () => {
  const model = talkative(({ purpose }) => textPart(purpose === "summary" ? "요약 🚀".repeat(100_000) : "And?"))
  return Effect.gen(function*() {
    const { conversation, principal } = yield* talk
    const memory = yield* (yield* ConversationStore).readHistory(principal.account, conversation, {
      upTo: null,
      limit: 100
    })
    assert.isAtMost(countUtf8Bytes(memory!.summary!.text), 12_000)
    assert.isTrue(memory!.summary!.text.isWellFormed())
  }).pipe(Effect.provide(makeEngineWithStores(model)))
})

it.effect("keeps the request for a summary and its output within a small context", () => {
  const contextTokens = 4_000
  const model = new ScriptedModel(() => [textPart("x".repeat(1_500)), silent], {
    contextTokens,
    getOtherActs: ({ purpose }) => [textPart(purpose === "summary" ? "y".repeat(10_000) : "And?"), silent]
  })
  return Effect.gen(function*() {
    yield* talk
    const summaries = model.requests.filter(({ purpose }) => purpose === "summary")
    assert.isAtLeast(summaries.length, 2)
    for (const request of summaries) {
      assert.isAtMost(estimateRequestTokens(request) + request.maxOutputTokens, contextTokens)
    }
  }).pipe(Effect.provide(makeEngineWithStores(model)))
})

it.effect("summarises many short messages before it omits them", () => {
  const model = new ScriptedModel(() => [textPart("ok"), silent], {
    getOtherActs: ({ purpose }) => [textPart(purpose === "summary" ? "They asked a lot." : "And?"), silent]
  })
  return Effect.gen(function*() {
    const { principal } = yield* createKeyedAccount()
    const { conversation_id } = yield* askQuestion(principal, { message: "I am long 3 BTC from 60,000" })
    const conversations = yield* ConversationStore
    for (let i = 0; i < 160; i++) {
      yield* conversations.addReport(principal.account, conversation_id, `r${i}`, {
        role: "task",
        content: `report ${i}`,
        lang: "en",
        images: [],
        charts: [],
        tools: [],
        suggestions: [],
        outcome: null
      })
    }
    yield* askQuestion(principal, { conversation_id, message: "how am I doing?" })
    const summary = model.requests.filter(({ purpose }) => purpose === "summary")
    assert.lengthOf(summary, 1)
    assert.isTrue(summary[0]!.turns.some((turn) => turn.text.includes("long 3 BTC")))
    const last = model.requests.findLast(({ purpose }) => purpose === "answer")!
    assert.include(last.context, "They asked a lot.")
    assert.isTrue(last.turns.some((turn) => turn.text.includes("report 159")))
  }).pipe(Effect.provide(makeEngineWithStores(model)))
})

it.effect("answers with excerpts of the conversation if the model cannot summarise it", () => {
  const unavailableError = failWith(new ModelUnavailable({ detail: "reset" }))
  const model = talkative(() => unavailableError)
  return Effect.gen(function*() {
    const { conversation, principal } = yield* talk
    const memory = yield* (yield* ConversationStore).readHistory(principal.account, conversation, {
      upTo: null,
      limit: 100
    })
    assert.isNull(memory?.summary)
    const last = model.requests.findLast(({ purpose }) => purpose === "answer")!
    assert.include(last.context, "user: question 1?")
    const view = yield* (yield* Analyst).getConversation(principal, conversation, { limit: 100, cursor: null })
    assert.lengthOf(view.messages.items, 24)
  }).pipe(Effect.provide(makeEngineWithStores(model)))
})
