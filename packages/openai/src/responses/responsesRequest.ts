import { type ModelRequest, type ModelTurn, placeContext } from "@tapeline/core/agent"
import type { ResponseCreateParamsStreaming, ResponseInputItem } from "openai/resources/responses/responses"
import { toDataUrl } from "../chat/chatRequest.ts"
import { isCurrentOpenAiModel, type OpenAiModelOptions } from "../options.ts"
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

type AssistantTurn = Extract<ModelTurn, { readonly _tag: "Assistant" }>

/**
 * Makes the items of a step in the order in which the model wrote them. A reasoning item is sent only before the item
 * that followed it.
 */
const toOutputItems = (
  turn: AssistantTurn,
  ids: ReadonlyArray<string>,
  { model }: OpenAiModelOptions
): ReadonlyArray<ResponseInputItem> => {
  const calls = turn.calls.map((call, i): ResponseInputItem => ({
    type: "function_call",
    call_id: ids[i]!,
    name: toValidName(call.name),
    arguments: toValidArguments(call.arguments)
  }))
  const toMessage = (phase: unknown): ReadonlyArray<ResponseInputItem> =>
    turn.text === "" ? [] : [{
      role: "assistant",
      content: toStorableText(turn.text),
      ...(phase === "commentary" || phase === "final_answer" ? { phase } : {})
    }]
  const output = toList(decodeProviderState(turn.providerState, "responses", model)["output"]).map(toFields)
  const items: Array<ResponseInputItem> = []
  let reasoning: ReadonlyArray<ResponseInputItem> = []
  let hasMessage = false
  const addItems = (added: ReadonlyArray<ResponseInputItem>): void => {
    if (added.length === 0) return
    items.push(...reasoning, ...added)
    reasoning = []
  }
  if (!output.some(({ type }) => type === "message")) addItems(toMessage(null))
  for (const item of output) {
    // The cast is safe, because `ResponsesReader` stores the reasoning items as the server sent them.
    if (item["type"] === "reasoning") reasoning = [...reasoning, item as unknown as ResponseInputItem]
    else if (item["type"] === "function_call") addItems(calls.splice(0, 1))
    else if (!hasMessage) {
      hasMessage = true
      addItems(toMessage(item["phase"]))
    }
  }
  return [...items, ...calls]
}

const toItems = (turn: ModelTurn, ids: CallIds, options: OpenAiModelOptions): ReadonlyArray<ResponseInputItem> => {
  const { readsImages = true } = options
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
      return toOutputItems(turn, ids.callIdsByTurn.get(turn)!, options)
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

const makeInstructions = (
  request: ModelRequest,
  options: OpenAiModelOptions
): { readonly instructions?: string; readonly items: ReadonlyArray<ResponseInputItem> } => {
  const text = toStorableText(request.instructions)
  if (text === "") return { items: [] }
  if (request.purpose !== "answer" || !isCurrentOpenAiModel(options)) return { instructions: text, items: [] }
  // The field `instructions` cannot have a breakpoint.
  const content = [{ type: "input_text" as const, text, prompt_cache_breakpoint: { mode: "explicit" as const } }]
  return { items: [{ role: "developer", content }] }
}

/**
 * Creates a request of the Responses API. The request contains all turns of the conversation, because the provider
 * stores no turns.
 */
export const makeResponsesRequest = (
  request: ModelRequest,
  options: OpenAiModelOptions
): ResponseCreateParamsStreaming => {
  const turns = placeContext(request)
  const ids = assignCallIds(turns)
  const { items, ...instructions } = makeInstructions(request, options)
  const effort = chooseEffort(request, options)
  return {
    model: options.model,
    ...instructions,
    input: [...items, ...turns.flatMap((turn) => toItems(turn, ids, options))],
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
