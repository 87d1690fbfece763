import type { ModelRequest, ModelTurn } from "@tapeline/core/agent"
import type { ResponseCreateParamsStreaming, ResponseInputItem } from "openai/resources/responses/responses"
import { type CallIds, callIdsOf, soundArguments, soundName } from "../callIds.ts"
import { dataUrl } from "../chat/chatRequest.ts"
import { effortOf } from "../effort.ts"
import { imageNote } from "../imageNote.ts"
import type { OpenAiModelOptions } from "../options.ts"
import { sound } from "../text.ts"
import { functionParameters } from "../toolSchema.ts"

const itemsOf = (turn: ModelTurn, ids: CallIds, readsImages: boolean): ReadonlyArray<ResponseInputItem> => {
  switch (turn._tag) {
    case "User":
      return [{
        role: "user",
        content: [
          { type: "input_text", text: sound(turn.text + (readsImages ? "" : imageNote(turn.images.length))) },
          ...(readsImages ? turn.images : []).map((image) => ({
            type: "input_image" as const,
            image_url: dataUrl(image),
            detail: "auto" as const
          }))
        ]
      }]
    case "Assistant":
      return [
        ...(turn.text === "" ? [] : [{ role: "assistant" as const, content: sound(turn.text) }]),
        ...turn.calls.map((call, i) => ({
          type: "function_call" as const,
          call_id: ids.asked.get(turn)![i]!,
          name: soundName(call.name),
          arguments: soundArguments(call.arguments)
        }))
      ]
    case "Result": {
      const id = ids.answered.get(turn)
      return [
        id === undefined
          ? { role: "user", content: sound(`${turn.name}: ${turn.text}`) }
          : { type: "function_call_output", call_id: id, output: sound(turn.text) }
      ]
    }
  }
}

/** Makes a request of the Responses API. The provider stores nothing: each request contains all turns. */
export const responsesRequest = (
  request: ModelRequest,
  options: OpenAiModelOptions
): ResponseCreateParamsStreaming => {
  const ids = callIdsOf(request.turns)
  const effort = effortOf(request, options)
  return {
    model: options.model,
    ...(request.instructions === "" ? {} : { instructions: sound(request.instructions) }),
    input: request.turns.flatMap((turn) => itemsOf(turn, ids, options.readsImages ?? true)),
    stream: true,
    store: false,
    // The API rejects values below 16.
    max_output_tokens: Math.max(16, request.maxOutputTokens),
    ...(effort === undefined ? {} : { reasoning: { effort, summary: "auto" as const } }),
    ...(request.tools.length === 0 ? {} : {
      tools: request.tools.map((call) => ({
        type: "function" as const,
        name: call.name,
        description: call.summary,
        parameters: functionParameters(call),
        strict: false
      }))
    })
  }
}
