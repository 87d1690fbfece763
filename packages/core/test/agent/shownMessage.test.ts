import { assert, describe, it } from "@effect/vitest"
import { Analyst, ConversationStore } from "@tapeline/core/agent"
import { createKeyedAccount } from "@tapeline/testing"
import { callPart, endPart, type ScriptedAct, ScriptedModel, textPart } from "@tapeline/testing/agent/ScriptedModel"
import { Effect } from "effect"
import { askQuestion, makeEngineWithStores } from "./agentEngine.ts"
import { Journal, makeJournalTools } from "./journalTools.ts"

const long = { coin: "BTC", side: "long", entry: 60_000, stop: 58_000 }
const other = { coin: "PEPE", side: "long", leverage: 50, size_usd: 20_000 }
const propose = (args: object): ScriptedAct => callPart("set_position", args)

const makeMessageBench = () => {
  const journal = new Journal()
  const script: { acts: ReadonlyArray<ScriptedAct> } = { acts: [] }
  const model = new ScriptedModel(({ turns }) =>
    turns.at(-1)?._tag === "User" && script.acts.length > 0
      ? [...script.acts, endPart]
      : [textPart("So it is."), endPart]
  )
  return {
    journal,
    model,
    script,
    engine: makeEngineWithStores(model, { toolbox: makeJournalTools(journal, () => "quiet") })
  }
}

describe("Question with last_message_id", () => {
  /**
   * Returns a conversation that another device has continued. The last answer contains other proposals than the answer
   * that the user saw.
   */
  const continueConversation = Effect.fnUntraced(function*(script: { acts: ReadonlyArray<ScriptedAct> }) {
    const { principal } = yield* createKeyedAccount()
    script.acts = [propose(long)]
    const first = yield* askQuestion(principal, { message: "How would you trade BTC?" })
    const { conversation_id } = first
    const conversations = yield* ConversationStore
    const lastOf = Effect.map(
      conversations.readHistory(principal.account, conversation_id, { upTo: null, limit: 1 }),
      (memory) => memory!.messages[0]!.id
    )
    const shownMessage = yield* lastOf
    script.acts = [propose(other)]
    yield* askQuestion(principal, { message: "And PEPE?", conversation_id })
    return { principal, conversation_id, shownMessage, last: yield* lastOf }
  })

  it.effect("is rejected without starting an answer if the conversation has a newer message", () => {
    const { engine, journal, model, script } = makeMessageBench()
    return Effect.gen(function*() {
      const { conversation_id, last, principal, shownMessage } = yield* continueConversation(script)
      const analyst = yield* Analyst
      script.acts = [callPart("set_position", other)]
      const before = model.requests.length
      const yes = { message: "yes", conversation_id }
      const startError = yield* Effect.flip(
        analyst.start({ principal, request: { ...yes, last_message_id: shownMessage }, idempotencyKey: "one" })
      )
      assert.deepStrictEqual(
        [startError._tag, startError._tag === "ConversationChanged" ? [startError.shown, startError.last] : null],
        ["ConversationChanged", [shownMessage, last]]
      )
      assert.match(startError.message, new RegExp(`message ${shownMessage}; read it again`))
      assert.deepStrictEqual([model.requests.length, journal.writes], [before, []])
      yield* askQuestion(principal, { ...yes, last_message_id: last })
      assert.deepStrictEqual(journal.writes, [["set_position", other]])
    }).pipe(Effect.provide(engine))
  })

  it.effect("replays its answer under its idempotency key after the conversation has continued", () => {
    const { engine, journal, script } = makeMessageBench()
    return Effect.gen(function*() {
      const { conversation_id, last, principal } = yield* continueConversation(script)
      const analyst = yield* Analyst
      const request = { message: "yes", conversation_id, last_message_id: last }
      const start = analyst.start({ principal, request, idempotencyKey: "two" })
      script.acts = [callPart("set_position", other)]
      const { generation } = yield* start
      yield* analyst.awaitAnswer(generation)
      const secondStart = yield* start
      assert.deepStrictEqual([secondStart.replayed, secondStart.generation.id], [true, generation.id])
      assert.deepStrictEqual(journal.writes, [["set_position", other]])
    }).pipe(Effect.provide(engine))
  })

  it.effect("requires a conversation_id", () => {
    const { engine } = makeMessageBench()
    return Effect.gen(function*() {
      const { principal } = yield* createKeyedAccount()
      const analyst = yield* Analyst
      const conversationlessError = yield* Effect.flip(
        analyst.start({ principal, request: { message: "yes", last_message_id: 1 } })
      )
      assert.deepStrictEqual(
        conversationlessError._tag === "InvalidArguments"
          ? conversationlessError.issues.map(({ path }) => path)
          : conversationlessError._tag,
        [
          ["conversation_id"]
        ]
      )
    }).pipe(Effect.provide(engine))
  })
})
