import { assert, describe, it } from "@effect/vitest"
import { Analyst, ConversationStore } from "@tapeline/core/agent"
import { createKeyedAccount } from "@tapeline/testing"
import { callPart, endPart, type ScriptedAct, ScriptedModel, textPart } from "@tapeline/testing/agent/ScriptedModel"
import { Effect } from "effect"
import { askQuestion, makeEngineWithStores } from "./agentEngine.ts"
import { Journal, makeJournalTools } from "./journalTools.ts"

const long = { coin: "BTC", side: "long", entry: 60_000, stop: 58_000 }
const other = { coin: "PEPE", side: "long", leverage: 50, size_usd: 20_000 }
const propose = (args: unknown): ScriptedAct => callPart("propose_write", { tool: "set_position", arguments: args })

const scene = () => {
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
   * Returns a conversation in which another device has continued, so that the last answer contains other proposals than
   * the seen answer.
   */
  const wentOn = Effect.fnUntraced(function*(script: { acts: ReadonlyArray<ScriptedAct> }) {
    const { principal } = yield* createKeyedAccount()
    script.acts = [propose(long)]
    const first = yield* askQuestion(principal, { message: "How would you trade BTC?" })
    const { conversation_id } = first
    const conversations = yield* ConversationStore
    const lastOf = Effect.map(
      conversations.readHistory(principal.account, conversation_id, { upTo: null, limit: 1 }),
      (memory) => memory!.messages[0]!.id
    )
    const shown = yield* lastOf
    script.acts = [propose(other)]
    yield* askQuestion(principal, { message: "And PEPE?", conversation_id })
    return { principal, conversation_id, shown, last: yield* lastOf }
  })

  it.effect("is rejected without starting an answer if the conversation has a newer message", () => {
    const { engine, journal, model, script } = scene()
    return Effect.gen(function*() {
      const { conversation_id, last, principal, shown } = yield* wentOn(script)
      const analyst = yield* Analyst
      script.acts = [callPart("set_position", other)]
      const before = model.requests.length
      const yes = { message: "yes", conversation_id }
      const refused = yield* Effect.flip(
        analyst.start({ principal, request: { ...yes, last_message_id: shown }, idempotencyKey: "one" })
      )
      assert.deepStrictEqual(
        [refused._tag, refused._tag === "ConversationChanged" ? [refused.shown, refused.last] : null],
        ["ConversationChanged", [shown, last]]
      )
      assert.match(refused.message, new RegExp(`message ${shown}; read it again`))
      assert.deepStrictEqual([model.requests.length, journal.written], [before, []])
      yield* askQuestion(principal, { ...yes, last_message_id: last })
      assert.deepStrictEqual(journal.written, [["set_position", other]])
    }).pipe(Effect.provide(engine))
  })

  it.effect("replays its answer under its idempotency key after the conversation has continued", () => {
    const { engine, journal, script } = scene()
    return Effect.gen(function*() {
      const { conversation_id, last, principal } = yield* wentOn(script)
      const analyst = yield* Analyst
      const request = { message: "yes", conversation_id, last_message_id: last }
      const start = analyst.start({ principal, request, idempotencyKey: "two" })
      script.acts = [callPart("set_position", other)]
      const { generation } = yield* start
      yield* analyst.awaitAnswer(generation)
      const again = yield* start
      assert.deepStrictEqual([again.replayed, again.generation.id], [true, generation.id])
      assert.deepStrictEqual(journal.written, [["set_position", other]])
    }).pipe(Effect.provide(engine))
  })

  it.effect("requires a conversation_id", () => {
    const { engine } = scene()
    return Effect.gen(function*() {
      const { principal } = yield* createKeyedAccount()
      const analyst = yield* Analyst
      const wrong = yield* Effect.flip(analyst.start({ principal, request: { message: "yes", last_message_id: 1 } }))
      assert.deepStrictEqual(wrong._tag === "InvalidArguments" ? wrong.issues.map(({ path }) => path) : wrong._tag, [
        ["conversation_id"]
      ])
    }).pipe(Effect.provide(engine))
  })
})
