import type { ModelRequest, ModelTurn } from "@tapeline/core/agent"
import type { ResponseCreateParamsStreaming, ResponseInputItem } from "openai/resources/responses/responses"
import { toDataUrl } from "../chat/chatRequest.ts"
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

const toItems = (turn: ModelTurn, ids: CallIds, readsImages: boolean): ReadonlyArray<ResponseInputItem> => {
  switch (turn._tag) {
    case "User":
      return [{
        role: "user",
        content: [
          {
            type: "input_text",
            text: toStorableText(turn.text + (readsImages ? "" : makeImageNote(turn.images.length)))
          },
          ...(readsImages ? turn.images : []).map((image) => ({
            type: "input_image" as const,
            image_url: toDataUrl(image),
            detail: "auto" as const
          }))
        ]
      }]
    case "Assistant":
      return [
        ...(turn.text === "" ? [] : [{ role: "assistant" as const, content: toStorableText(turn.text) }]),
        ...turn.calls.map((call, i) => ({
          type: "function_call" as const,
          call_id: ids.callIdsByTurn.get(turn)![i]!,
          name: toValidName(call.name),
          arguments: toValidArguments(call.arguments)
        }))
      ]
    case "Result": {
      const id = ids.resultIdByTurn.get(turn)
      return [
        id === undefined
          ? { role: "user", content: toStorableText(`${turn.name}: ${turn.text}`) }
          : { type: "function_call_output", call_id: id, output: toStorableText(turn.text) }
      ]
    }
  }
}

/**
 * Creates a request of the Responses API. The request contains all turns of the conversation, because the provider
 * stores no turns.
 */
export const makeResponsesRequest = (
  request: ModelRequest,
  options: OpenAiModelOptions
): ResponseCreateParamsStreaming => {
  const ids = assignCallIds(request.turns)
  const effort = chooseEffort(request, options)
  return {
    model: options.model,
    ...(request.instructions === "" ? {} : { instructions: toStorableText(request.instructions) }),
    input: request.turns.flatMap((turn) => toItems(turn, ids, options.readsImages ?? true)),
    stream: true,
    store: false,
    // The Responses API rejects a token limit below 16.
    max_output_tokens: Math.max(16, request.maxOutputTokens),
    ...(effort === undefined ? {} : { reasoning: { effort, summary: "auto" as const } }),
    ...(request.tools.length === 0 ? {} : {
      tools: request.tools.map((call) => ({
        type: "function" as const,
        name: call.name,
        description: call.summary,
        parameters: toFunctionParameters(call),
        strict: false
      }))
    })
  }
}
