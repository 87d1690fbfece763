import { LanguageModel, type ModelPart, type ModelRequest } from "@tapeline/core/agent"
import { Effect, Layer, Stream } from "effect"
import { nextStep } from "./answer.ts"
import { suggestions } from "./suggest.ts"
import { summaryOf } from "./summary.ts"

/** Splits a text after spaces into chunks of at most six words, so no chunk splits a surrogate pair. */
const chunksOf = (text: string): ReadonlyArray<string> => text.match(/(?:\S+\s*){1,6}|\s+/gu) ?? []

/** The assumed number of UTF-8 bytes per token. */
const bytesOfToken = 3
const encoder = new TextEncoder()

const bounded = (chunks: ReadonlyArray<string>, maxOutputTokens: number) => {
  let left = maxOutputTokens * bytesOfToken
  const kept = chunks.findIndex((chunk) => (left -= encoder.encode(chunk).length) < 0)
  return kept < 0 ? { chunks, whole: true } : { chunks: chunks.slice(0, kept), whole: false }
}

const written = (text: string, maxOutputTokens: number): ReadonlyArray<ModelPart> => {
  const { chunks, whole } = bounded(chunksOf(text.toWellFormed().replaceAll("\0", " ")), maxOutputTokens)
  return [
    ...chunks.map((text): ModelPart => ({ _tag: "Text", text })),
    { _tag: "End", reason: whole ? "Stop" : "Length", usage: null }
  ]
}

export const partsOf = (request: ModelRequest): ReadonlyArray<ModelPart> => {
  if (request.purpose === "suggest") return written(suggestions(request), request.maxOutputTokens)
  if (request.purpose === "summary") return written(summaryOf(request), request.maxOutputTokens)
  const step = nextStep(request)
  if (step._tag === "Write") return written(step.text, request.maxOutputTokens)
  return [
    ...step.calls.map(({ arguments: args, name }): ModelPart => ({
      _tag: "Call",
      name,
      arguments: JSON.stringify(args)
    })),
    { _tag: "End", reason: "Calls", usage: null }
  ]
}

/**
 * A rule-based `LanguageModel` that plans tool calls from the user's question and writes an answer from their results,
 * without network access or randomness. Facts, tool results and earlier answers are data, and never change which tools
 * the analyst calls.
 */
export const OfflineAnalyst: Layer.Layer<LanguageModel> = Layer.succeed(LanguageModel, {
  name: "offline-analyst",
  contextTokens: 100_000,
  readsImages: false,
  disclaimer: {
    en: "Offline analyst (rules, no language model)",
    ko: "오프라인 애널리스트(규칙 기반, 언어 모델 아님)",
    ru: "Офлайн-аналитик (правила, без языковой модели)"
  },
  stream: (request) => Stream.unwrap(Effect.sync(() => Stream.fromIterable(partsOf(request))))
})
