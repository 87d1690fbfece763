import {
  LanguageModel,
  type ModelError,
  type ModelPart,
  ModelRefused,
  type ModelRequest,
  type ModelTurn,
  ModelUnavailable,
  placeContext
} from "@tapeline/core/agent"
import { Effect, Layer, Schema, Stream } from "effect"

/** The fields of one line of Ollama's stream that the adapter reads. */
const Line = Schema.Struct({
  message: Schema.optionalKey(Schema.Struct({
    content: Schema.optionalKey(Schema.String),
    thinking: Schema.optionalKey(Schema.String),
    tool_calls: Schema.optionalKey(Schema.Array(Schema.Struct({
      function: Schema.Struct({ name: Schema.String, arguments: Schema.Unknown })
    })))
  })),
  done: Schema.Boolean,
  done_reason: Schema.optionalKey(Schema.String),
  prompt_eval_count: Schema.optionalKey(Schema.Number),
  eval_count: Schema.optionalKey(Schema.Number)
})
const readLine = Schema.decodeUnknownSync(Schema.fromJsonString(Line))

const jsonOr = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

/** Removes NUL and replaces halves of surrogate pairs, which other systems cannot read. */
const toValidText = (text: string): string => text.replaceAll("\0", "").toWellFormed()

const messageOf = (turn: ModelTurn): object => {
  switch (turn._tag) {
    case "User":
      return { role: "user", content: toValidText(turn.text) }
    case "Result":
      return { role: "tool", tool_name: turn.name, content: toValidText(turn.text) }
    case "Assistant":
      return {
        role: "assistant",
        content: toValidText(turn.text),
        tool_calls: turn.calls.map((call) => ({ function: { name: call.name, arguments: jsonOr(call.arguments) } }))
      }
  }
}

const bodyOf = (model: string, contextTokens: number, request: ModelRequest): string =>
  JSON.stringify({
    model,
    stream: true,
    messages: [{ role: "system", content: toValidText(request.instructions) }, ...placeContext(request).map(messageOf)],
    tools: request.tools.map(({ name, parameters, summary }) => ({
      type: "function",
      function: { name, description: summary, parameters }
    })),
    options: { num_ctx: contextTokens, num_predict: request.maxOutputTokens }
  })

/** Returns the model parts in one line, of which the last line of a stream contains the end. */
const partsOf = (
  { done, done_reason: reason, eval_count, message, prompt_eval_count }: typeof Line.Type,
  called: boolean
) => {
  const parts: Array<ModelPart> = []
  const [thinking, text] = [toValidText(message?.thinking ?? ""), toValidText(message?.content ?? "")]
  if (thinking !== "") parts.push({ _tag: "Reasoning", text: thinking })
  if (text !== "") parts.push({ _tag: "Text", text })
  for (const { function: { arguments: given, name } } of message?.tool_calls ?? []) {
    parts.push({ _tag: "Call", name, arguments: JSON.stringify(given) })
  }
  if (done) {
    const calls = called || parts.some(({ _tag }) => _tag === "Call")
    parts.push({
      _tag: "End",
      reason: reason === "length" ? "Length" : calls ? "Calls" : "Stop",
      usage: eval_count === undefined || prompt_eval_count === undefined
        ? null
        : { inputTokens: prompt_eval_count, outputTokens: eval_count, cachedTokens: 0, reasoningTokens: 0 }
    })
  }
  return parts
}

async function* ask(url: string, body: string, signal: AbortSignal): AsyncGenerator<ModelPart> {
  const response = await fetch(`${url}/api/chat`, { method: "POST", body, signal })
  if (!response.ok || response.body === null) {
    const detail = `Ollama answered with ${response.status}`
    throw response.status < 500 ? new ModelRefused({ detail }) : new ModelUnavailable({ detail })
  }
  let rest = ""
  let called = false
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = `${rest}${text}`.split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines.filter((one) => one.trim() !== "")) {
      const parts = partsOf(readLine(line), called)
      called ||= parts.some(({ _tag }) => _tag === "Call")
      yield* parts
      if (parts.at(-1)?._tag === "End") return
    }
  }
  throw new ModelUnavailable({ detail: "Ollama broke off" })
}

const isModelError = (error: unknown): error is ModelError =>
  error instanceof ModelRefused || error instanceof ModelUnavailable

/** Provides a `LanguageModel` for a local Ollama server in Ollama's own protocol, without retries. */
export const ollamaModel = (
  options: { readonly url: string; readonly model: string; readonly contextTokens: number }
) =>
  Layer.succeed(LanguageModel, {
    name: options.model,
    contextTokens: options.contextTokens,
    readsImages: false,
    stream: (request) =>
      Stream.unwrap(Effect.map(
        Effect.acquireRelease(
          Effect.sync(() => new AbortController()),
          (controller) => Effect.sync(() => controller.abort())
        ),
        ({ signal }) =>
          Stream.fromAsyncIterable(
            ask(options.url, bodyOf(options.model, options.contextTokens, request), signal),
            (error) => isModelError(error) ? error : new ModelUnavailable({ detail: "Ollama cannot be read" })
          )
      ))
  })
