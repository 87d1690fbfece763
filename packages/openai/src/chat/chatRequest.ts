import type { ModelImage, ModelRequest, ModelTurn } from "@tapeline/core/agent"
import type { ChatCompletionCreateParamsStreaming, ChatCompletionMessageParam } from "openai/resources/chat/completions"
import { type CallIds, callIdsOf, soundArguments, soundName } from "../callIds.ts"
import { effortOf } from "../effort.ts"
import { imageNote } from "../imageNote.ts"
import type { OpenAiModelOptions } from "../options.ts"
import { sound } from "../text.ts"
import { functionParameters } from "../toolSchema.ts"

export const dataUrl = ({ bytes, mediaType }: ModelImage): string =>
  `data:${mediaType};base64,${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64")}`

const messagesOf = (turn: ModelTurn, ids: CallIds, readsImages: boolean): ReadonlyArray<ChatCompletionMessageParam> => {
  switch (turn._tag) {
    case "User": {
      if (turn.images.length === 0 || !readsImages) {
        return [{ role: "user", content: sound(turn.text + imageNote(turn.images.length)) }]
      }
      return [{
        role: "user",
        content: [
          ...(turn.text === "" ? [] : [{ type: "text" as const, text: sound(turn.text) }]),
          ...turn.images.map((image) => ({ type: "image_url" as const, image_url: { url: dataUrl(image) } }))
        ]
      }]
    }
    case "Assistant": {
      if (turn.calls.length === 0) return turn.text === "" ? [] : [{ role: "assistant", content: sound(turn.text) }]
      return [{
        role: "assistant",
        content: turn.text === "" ? null : sound(turn.text),
        tool_calls: turn.calls.map((call, i) => ({
          type: "function",
          id: ids.asked.get(turn)![i]!,
          function: { name: soundName(call.name), arguments: soundArguments(call.arguments) }
        }))
      }]
    }
    case "Result": {
      const id = ids.answered.get(turn)
      return [
        id === undefined
          ? { role: "user", content: sound(`${turn.name}: ${turn.text}`) }
          : { role: "tool", tool_call_id: id, content: sound(turn.text) }
      ]
    }
  }
}

const isOpenAis = (baseUrl: string | undefined): boolean =>
  baseUrl === undefined || /(^|\.)(openai\.com|openai\.azure\.com)$/u.test(new URL(baseUrl).hostname)

/**
 * Makes a request of Chat Completions. Fields that only some servers support are included only if they are configured.
 */
export const chatRequest = (
  request: ModelRequest,
  options: OpenAiModelOptions
): ChatCompletionCreateParamsStreaming => {
  const ids = callIdsOf(request.turns)
  const limit = options.outputLimitField ?? (isOpenAis(options.baseUrl) ? "max_completion_tokens" : "max_tokens")
  const effort = effortOf(request, options)
  return {
    model: options.model,
    messages: [
      ...(request.instructions === "" ? [] : [{ role: "system" as const, content: sound(request.instructions) }]),
      ...request.turns.flatMap((turn) => messagesOf(turn, ids, options.readsImages ?? true))
    ],
    stream: true,
    stream_options: { include_usage: true },
    [limit]: request.maxOutputTokens,
    ...(effort === undefined ? {} : { reasoning_effort: effort }),
    ...(request.tools.length === 0 ? {} : {
      tools: request.tools.map((call) => ({
        type: "function" as const,
        function: { name: call.name, description: call.summary, parameters: functionParameters(call) }
      }))
    })
  }
}
