import { type ModelImage, type ModelRequest, type ModelTurn, placeContext } from "@tapeline/core/agent"
import type { ChatCompletionCreateParamsStreaming, ChatCompletionMessageParam } from "openai/resources/chat/completions"
import { isCurrentOpenAiModel, isOpenAiUrl, type OpenAiModelOptions } from "../options.ts"
import { decodeProviderState, toList } from "../providerState.ts"
import {
  assignCallIds,
  type CallIds,
  chooseEffort,
  makeImageNote,
  toFunctionParameters,
  toValidArguments,
  toValidName
} from "../requestFields.ts"
import { toStorableText } from "../text.ts"
import { toFields } from "../usage.ts"

export const toDataUrl = ({ bytes, mediaType }: ModelImage): string =>
  `data:${mediaType};base64,${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64")}`

/**
 * Replaces the provider's ids of calls in `reasoning_details` with the ids of this request. By these ids, OpenRouter
 * finds the call to which a signature of Gemini belongs.
 */
const renameCallIds = (details: unknown, callIds: unknown, ids: ReadonlyArray<string>): ReadonlyArray<unknown> => {
  const newIds = new Map(toList(callIds).map((id, i) => [id, ids[i]]))
  return toList(details).map((detail) => {
    const fields = toFields(detail)
    const id = fields["id"] == null ? undefined : newIds.get(fields["id"])
    return id === undefined ? fields : { ...fields, id }
  })
}

/** Makes the message of a step with calls, with the data of the provider that belongs to the step. */
const toCallMessage = (
  { calls, providerState, text }: Extract<ModelTurn, { readonly _tag: "Assistant" }>,
  ids: ReadonlyArray<string>,
  { model }: OpenAiModelOptions
): ChatCompletionMessageParam => {
  const { callIds, extras, message } = decodeProviderState(providerState, "chat", model)
  const { reasoning_details: details, ...reasoning } = toFields(message)
  const extraContents = toList(extras)
  return {
    ...reasoning,
    ...(details === undefined ? {} : { reasoning_details: renameCallIds(details, callIds, ids) }),
    role: "assistant",
    content: text === "" ? null : toStorableText(text),
    tool_calls: calls.map((call, i) => ({
      type: "function",
      id: ids[i]!,
      function: { name: toValidName(call.name), arguments: toValidArguments(call.arguments) },
      ...(extraContents[i] == null ? {} : { extra_content: extraContents[i] })
    }))
  }
}

const toMessages = (
  turn: ModelTurn,
  ids: CallIds,
  options: OpenAiModelOptions
): ReadonlyArray<ChatCompletionMessageParam> => {
  const { readsImages = true } = options
  switch (turn._tag) {
    case "User": {
      if (turn.images.length === 0 || !readsImages) {
        return [{ role: "user", content: toStorableText(turn.text + makeImageNote(turn.images.length)) }]
      }
      return [{
        role: "user",
        content: [
          ...(turn.text === "" ? [] : [{ type: "text" as const, text: toStorableText(turn.text) }]),
          ...turn.images.map((image) => ({ type: "image_url" as const, image_url: { url: toDataUrl(image) } }))
        ]
      }]
    }
    case "Assistant": {
      if (turn.calls.length === 0) {
        return turn.text === ""
          ? []
          : [{ role: "assistant", content: toStorableText(turn.text) }]
      }
      return [toCallMessage(turn, ids.callIdsByTurn.get(turn)!, options)]
    }
    case "Result": {
      const id = ids.resultIdByTurn.get(turn)
      return [
        id === undefined
          ? { role: "user", content: toStorableText(`${turn.name}: ${turn.text}`) }
          : { role: "tool", tool_call_id: id, content: toStorableText(turn.text) }
      ]
    }
  }
}

const toSystemMessage = (request: ModelRequest, options: OpenAiModelOptions): ChatCompletionMessageParam => {
  const text = toStorableText(request.instructions)
  return {
    role: "system",
    content: request.purpose === "answer" && isCurrentOpenAiModel(options)
      ? [{ type: "text", text, prompt_cache_breakpoint: { mode: "explicit" } }]
      : text
  }
}

/**
 * Creates a request of the Chat Completions API. A field that only some servers support is added only if the options
 * set the field.
 */
export const makeChatRequest = (
  request: ModelRequest,
  options: OpenAiModelOptions
): ChatCompletionCreateParamsStreaming => {
  const turns = placeContext(request)
  const ids = assignCallIds(turns)
  const limitField = options.outputLimitField ?? (isOpenAiUrl(options.baseUrl) ? "max_completion_tokens" : "max_tokens")
  const effort = chooseEffort(request, options)
  return {
    model: options.model,
    messages: [
      ...(request.instructions === "" ? [] : [toSystemMessage(request, options)]),
      ...turns.flatMap((turn) => toMessages(turn, ids, options))
    ],
    stream: true,
    stream_options: { include_usage: true },
    [limitField]: request.maxOutputTokens,
    ...(effort === undefined ? {} : { reasoning_effort: effort }),
    ...(request.tools.length === 0 ? {} : {
      tools: request.tools.map((call) => ({
        type: "function" as const,
        function: { name: call.name, description: call.summary, parameters: toFunctionParameters(call) }
      }))
    })
  }
}
