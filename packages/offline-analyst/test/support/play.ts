import { assert } from "@effect/vitest"
import { LanguageModel, type ModelPart, type ModelRequest, type ModelTurn } from "@tapeline/core/agent"
import type { Language } from "@tapeline/core/engine"
import { makeModelRequest } from "@tapeline/testing/agent/modelRequest"
import { Effect, Stream } from "effect"

type Answers = Readonly<Record<string, unknown>>

export const tool = (name: string): ModelRequest["tools"][number] => ({
  name,
  area: "crypto",
  summary: name,
  credits: 1,
  parameters: { type: "object" }
})

/** The result of a call that the service turned into a proposal. */
export const proposed = { proposed: true, written: false }

export interface Scene {
  readonly question: string
  readonly lang?: Language
  readonly tools?: ReadonlyArray<string>
  readonly answers?: Answers
  readonly earlier?: ModelRequest["brief"]["earlier"]
  readonly facts?: ModelRequest["brief"]["facts"]
  readonly images?: number
  readonly accepted?: ModelRequest["brief"]["accepted"]
  readonly mode?: "analyst" | "mentor"
}

export const ask = (request: ModelRequest) =>
  Effect.flatMap(LanguageModel, (model) => Stream.runCollect(model.stream(request)))

export const textOf = (parts: ReadonlyArray<ModelPart>): string =>
  parts.flatMap((part) => part._tag === "Text" ? part.text : []).join("")

const langOf = (text: string): Language => /[가-힣]/u.test(text) ? "ko" : /[а-я]/iu.test(text) ? "ru" : "en"

/** Answers a question from given tool results, and returns the calls and the text. */
export const play = Effect.fnUntraced(function*(scene: Scene) {
  const { answers = {}, question } = scene
  const tools = (scene.tools ?? Object.keys(answers)).map(tool)
  const brief: ModelRequest["brief"] = {
    lang: scene.lang ?? langOf(question),
    mode: scene.mode ?? "analyst",
    question,
    coin: null,
    facts: scene.facts ?? {},
    earlier: scene.earlier ?? [],
    images: scene.images ?? 0,
    accepted: scene.accepted ?? null
  }
  let turns: ReadonlyArray<ModelTurn> = [{ _tag: "User", text: question, images: [] }]
  const calls: Array<{ readonly name: string; readonly arguments: unknown }> = []
  for (let step = 1; step <= 12; step++) {
    const parts = yield* ask(makeModelRequest({ turns, tools, brief, step, maxOutputTokens: 4_000 }))
    const asked = parts.flatMap((part, i) =>
      part._tag === "Call" ? { callId: `${step}.${i}`, name: part.name, arguments: part.arguments } : []
    )
    if (asked.length === 0) return { text: textOf(parts), calls, parts }
    calls.push(...asked.map((call) => ({ name: call.name, arguments: JSON.parse(call.arguments) })))
    turns = [
      ...turns,
      { _tag: "Assistant", text: "", calls: asked },
      ...asked.map(({ callId, name }): ModelTurn => ({
        _tag: "Result",
        callId,
        name,
        ok: answers[name] !== undefined && answers[name] !== proposed,
        text: JSON.stringify(answers[name] ?? { code: "unavailable", message: "The source does not answer." })
      }))
    ]
  }
  return yield* Effect.die(new Error("it never answers"))
})

/** Asserts that each question is answered without a tool call, and that the answer contains the given texts. */
export const answersWithoutCalls = Effect.fnUntraced(function*(
  tools: ReadonlyArray<string>,
  rows: ReadonlyArray<readonly [question: string, ...texts: ReadonlyArray<string>]>
) {
  for (const [question, ...texts] of rows) {
    const { calls, text } = yield* play({ question, tools })
    assert.deepStrictEqual(calls, [], question)
    for (const part of texts) assert.include(text, part, question)
  }
})
