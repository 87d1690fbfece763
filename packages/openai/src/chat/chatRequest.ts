import type { ModelImage, ModelRequest, ModelTurn } from "@tapeline/core/agent"
import type { ChatCompletionCreateParamsStreaming, ChatCompletionMessageParam } from "openai/resources/chat/completions"
import type { OpenAiModelOptions } from "../options.ts"
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

export const toDataUrl = ({ bytes, mediaType }: ModelImage): string =>
  `data:${mediaType};base64,${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64")}`

const toMessages = (turn: ModelTurn, ids: CallIds, readsImages: boolean): ReadonlyArray<ChatCompletionMessageParam> => {
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
      return [{
        role: "assistant",
        content: turn.text === "" ? null : toStorableText(turn.text),
        tool_calls: turn.calls.map((call, i) => ({
          type: "function",
          id: ids.callIdsByTurn.get(turn)![i]!,
          function: { name: toValidName(call.name), arguments: toValidArguments(call.arguments) }
        }))
      }]
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

const isOpenAiUrl = (baseUrl: string | undefined): boolean =>
  baseUrl === undefined || /(^|\.)(openai\.com|openai\.azure\.com)$/u.test(new URL(baseUrl).hostname)

/**
 * Creates a request of the Chat Completions API. A field that only some servers support is added only if the options
 * set the field.
 */
export const makeChatRequest = (
  request: ModelRequest,
  options: OpenAiModelOptions
): ChatCompletionCreateParamsStreaming => {
  const ids = assignCallIds(request.turns)
  const limitField = options.outputLimitField ?? (isOpenAiUrl(options.baseUrl) ? "max_completion_tokens" : "max_tokens")
  const effort = chooseEffort(request, options)
  return {
    model: options.model,
    messages: [
      ...(request.instructions === ""
        ? []
        : [{ role: "system" as const, content: toStorableText(request.instructions) }]),
      ...request.turns.flatMap((turn) => toMessages(turn, ids, options.readsImages ?? true))
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
