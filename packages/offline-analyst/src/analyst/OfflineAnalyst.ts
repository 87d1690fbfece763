import { LanguageModel, type ModelPart, type ModelRequest } from "@tapeline/core/agent"
import { Effect, Layer, Stream } from "effect"
import { nextStep } from "./answer.ts"
import { suggestions } from "./suggest.ts"
import { summaryOf } from "./summary.ts"

/** A few words at a time, as people see others write. No part splits a pair of surrogates: it ends after a space. */
const chunksOf = (text: string): ReadonlyArray<string> => text.match(/(?:\S+\s*){1,6}|\s+/gu) ?? []

/** What a token stands for at least, in UTF-8 bytes. */
const bytesOfToken = 3
const encoder = new TextEncoder()

/** As much of the chunks as may be written, and whether that is all. */
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

/** All that it says to a request: a pure function. */
export const partsOf = (request: ModelRequest): ReadonlyArray<ModelPart> => {
  if (request.purpose === "suggest") return written(suggestions(request), request.maxOutputTokens)
  if (request.purpose === "summary") return written(summaryOf(request), request.maxOutputTokens)
  const step = nextStep(request)
  if (step._tag === "Write") return written(step.text, request.maxOutputTokens)
  return [
    ...step.looks.map((text): ModelPart => ({ _tag: "Reasoning", text: `${text}\n` })),
    ...step.calls.map(({ arguments: args, name }): ModelPart => ({
      _tag: "Call",
      name,
      arguments: JSON.stringify(args)
    })),
    { _tag: "End", reason: "Calls", usage: null }
  ]
}

/**
 * `LanguageModel` by rule: it reads the question, plans calls of the tools that it is given, and writes the answer from
 * their results. No network, no randomness: the same request has the same parts. What stands in facts, results and
 * earlier answers is data, and changes neither what it asks nor what it calls.
 */
export const OfflineAnalyst: Layer.Layer<LanguageModel> = Layer.succeed(LanguageModel, {
  name: "offline-analyst",
  contextTokens: 100_000,
  readsImages: false,
  stream: (request) => Stream.unwrap(Effect.sync(() => Stream.fromIterable(partsOf(request))))
})
