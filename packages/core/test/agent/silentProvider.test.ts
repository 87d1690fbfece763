import { assert, describe, it } from "@effect/vitest"
import { AnswerBounds, type ChatMessage, ConversationStore, type ModelPart, ModelTimeout } from "@tapeline/core/agent"
import { createKeyedAccount } from "@tapeline/testing"
import { endPart, failWith, ScriptedModel, textPart } from "@tapeline/testing/agent/ScriptedModel"
import { Effect } from "effect"
import type { Bounds } from "../../src/agent/machine/bounds.ts"
import type { Input, RunState } from "../../src/agent/machine/state.ts"
import { restoreRun, transition } from "../../src/agent/machine/transition.ts"
import { askQuestion, makeEngineWithStores } from "./agentEngine.ts"
import { MachineRun } from "./MachineRun.ts"

const report: ChatMessage = {
  id: 0,
  role: "task",
  content: "report",
  createdAt: 0,
  lang: "en",
  images: [],
  charts: [],
  tools: [],
  suggestions: [],
  outcome: null
}

describe("Silent provider", () => {
  const tools = new Map([["cheap", { credits: 1, writes: false }]])
  const bounds: Bounds = {
    steps: 4,
    toolCalls: 6,
    toolCredits: 60,
    tokens: 200_000,
    runMs: 300_000,
    graceMs: 60_000,
    attempts: 10,
    silenceMs: 10_000,
    stepOutputTokens: 100,
    maxConcurrentCalls: 8,
    resultTokens: 2_000
  }
  const { setup } = new MachineRun({ scripts: [], disturbances: [], tools, bounds })
  const silent = (requestId: number, waitedMs: number): Input => {
    const error = new ModelTimeout({ waitedMs })
    return { _tag: "ModelFailed", requestId, error, inputTokens: 10, ranMs: 0 }
  }

  /** Returns the commands of the machine after the inputs: model requests, pauses and ends. */
  const commandsAfter = (initialState: RunState, inputs: ReadonlyArray<(ask: number) => Input>) => {
    let state = initialState
    return inputs.flatMap((input) => {
      const transitionResult = transition(setup, state, input(state.requestId))
      state = transitionResult.state
      return transitionResult.commands.flatMap((command) => {
        switch (command._tag) {
          case "CallModel":
            return [`may be silent for ${command.silenceMs} ms`]
          case "Pause":
            return [`pause of ${command.ms} ms`]
          case "End":
            return [command.runOutcome.failure]
          default:
            return []
        }
      })
    })
  }
  const begin = (): Input => ({ _tag: "Begin", ranMs: 0 })
  const retry = (requestId: number): Input => ({ _tag: "Retry", requestId, ranMs: 0 })
  const silentFor = (waitedMs: number) => (ask: number) => silent(ask, waitedMs)

  it("is abandoned after `silenceMs`, including the pauses between attempts", () => {
    assert.deepStrictEqual(
      commandsAfter(restoreRun([]), [begin, silentFor(4_000), retry, silentFor(4_000), retry, silentFor(500)]),
      [
        "may be silent for 10000 ms",
        "pause of 500 ms",
        "may be silent for 5500 ms",
        "pause of 1000 ms",
        "may be silent for 500 ms",
        "answer_model_unavailable"
      ]
    )
    assert.deepStrictEqual(
      commandsAfter(restoreRun([]), [begin, silentFor(10_000)]),
      ["may be silent for 10000 ms", "answer_model_unavailable"]
    )
  })

  it("receives no request if its silence during the summary used up `silenceMs`", () => {
    assert.deepStrictEqual(
      commandsAfter(restoreRun([], undefined, 4_000), [begin]),
      ["may be silent for 6000 ms"]
    )
    assert.deepStrictEqual(commandsAfter(restoreRun([], undefined, 10_000), [begin]), ["answer_model_unavailable"])
  })

  it("gets the full `silenceMs` again after a finished step", () => {
    const parts: ReadonlyArray<ModelPart> = [
      { _tag: "Call", name: "cheap", arguments: "{}" },
      { _tag: "End", reason: "Calls", usage: null }
    ]
    const inputs = parts.map((part) => (requestId: number): Input => ({
      _tag: "Part",
      requestId,
      part,
      inputTokens: 10,
      ranMs: 0
    }))
    const result = (): Input => ({
      _tag: "ToolResult",
      callId: "1.1",
      result: { name: "cheap", ok: true, text: "1", credits: 1 },
      tookMs: 1,
      ranMs: 0
    })
    assert.deepStrictEqual(
      commandsAfter(restoreRun([]), [begin, silentFor(4_000), retry, ...inputs, result]),
      [
        "may be silent for 10000 ms",
        "pause of 500 ms",
        "may be silent for 5500 ms",
        "may be silent for 10000 ms"
      ]
    )
  })

  it.effect("fails the answer, uncharged, if it is silent for `silenceMs` during the summary", () => {
    const model = new ScriptedModel(() => [textPart("ok"), endPart], {
      getOtherActs: ({ purpose }) =>
        purpose === "summary" ? [failWith(new ModelTimeout({ waitedMs: 30_000 }))] : [textPart("And?"), endPart]
    })
    return Effect.gen(function*() {
      const { principal } = yield* createKeyedAccount()
      const { conversation_id } = yield* askQuestion(principal, { message: "question 1?" })
      const conversations = yield* ConversationStore
      for (let i = 0; i < 130; i++) {
        yield* conversations.addReport(principal.account, conversation_id, `r${i}`, { ...report, images: [] })
      }
      const before = model.requests.length
      const failed = yield* askQuestion(principal, { conversation_id, message: "question 2?" })
      assert.deepInclude(failed, { outcome: "failed", credits_used: 0 })
      assert.deepStrictEqual(model.requests.slice(before).map(({ purpose, silenceMs }) => [purpose, silenceMs]), [
        ["summary", 30_000]
      ])
    }).pipe(
      Effect.provide(makeEngineWithStores(model)),
      Effect.provideServiceEffect(
        AnswerBounds,
        Effect.map(AnswerBounds, (defaults) => ({ ...defaults, silenceMs: 30_000 }))
      )
    )
  })
})
