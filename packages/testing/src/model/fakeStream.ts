import type { FakeResponseStep } from "./fakeReply.ts"

/** Encodes the steps of a response in the format of one API. */
export interface Dialect {
  readonly encodeStep: (act: Exclude<FakeResponseStep, string>) => ReadonlyArray<string>
  readonly end: (isComplete: boolean) => ReadonlyArray<string>
}

const formatEvent = (data: unknown, name?: string): string =>
  `${name === undefined ? "" : `event: ${name}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`

const formatArguments = (value: unknown): string => typeof value === "string" ? value : JSON.stringify(value)

const splitText = (text: string, pieces: number): ReadonlyArray<string> => {
  const length = Math.max(1, Math.ceil(text.length / pieces))
  return Array.from({ length: Math.ceil(text.length / length) }, (_, i) => text.slice(i * length, (i + 1) * length))
}

export const makeChatDialect = (model: unknown): Dialect => {
  const chunkFields = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model }
  const makeChoice = (fields: object) =>
    formatEvent({ ...chunkFields, choices: [{ index: 0, finish_reason: null, ...fields }] })
  const makeDelta = (fields: object) => makeChoice({ delta: fields })
  let calls = 0
  let isFinished = false
  return {
    encodeStep: (encodeStep) => {
      if ("text" in encodeStep) return [makeDelta({ content: encodeStep.text })]
      if ("reasoning" in encodeStep) {
        return [makeDelta({ [encodeStep.field ?? "reasoning_content"]: encodeStep.reasoning })]
      }
      if ("refusal" in encodeStep) return [makeDelta({ refusal: encodeStep.refusal })]
      if ("choice" in encodeStep) {
        isFinished ||= typeof encodeStep.choice["finish_reason"] === "string"
        return [makeChoice(encodeStep.choice)]
      }
      if ("call" in encodeStep) {
        const index = encodeStep.index === null ? {} : { index: encodeStep.index ?? calls }
        const id = encodeStep.id === null ? {} : { id: encodeStep.id ?? `toolu_${calls}_${"x".repeat(20)}` }
        calls++
        const [first = "", ...rest] = splitText(formatArguments(encodeStep.arguments), encodeStep.pieces ?? 1)
        return [
          makeDelta({
            tool_calls: [{ ...index, ...id, type: "function", function: { name: encodeStep.call, arguments: first } }]
          }),
          ...rest.map((piece) => makeDelta({ tool_calls: [{ ...index, function: { arguments: piece } }] }))
        ]
      }
      if ("finish" in encodeStep) {
        isFinished = true
        return [makeChoice({ delta: {}, finish_reason: encodeStep.finish })]
      }
      if ("usage" in encodeStep) return [formatEvent({ ...chunkFields, choices: [], usage: encodeStep.usage })]
      return []
    },
    end: (isComplete) => [
      ...(isFinished ? [] : [makeChoice({ delta: {}, finish_reason: calls > 0 ? "tool_calls" : "stop" })]),
      ...(isComplete ? [formatEvent("[DONE]")] : [])
    ]
  }
}

export const makeResponsesDialect = (model: unknown): Dialect => {
  let outputIndex = 0
  let isEnded = false
  let usage: object | undefined
  const makeEvent = (type: string, fields: object) => formatEvent({ type, ...fields }, type)
  const makeLastEvent = (status: string, fields: object = {}) => {
    isEnded = true
    const response = { id: "resp_1", object: "response", model, status, output: [], ...fields, usage: usage ?? null }
    return makeEvent(`response.${status}`, { response })
  }
  return {
    encodeStep: (encodeStep) => {
      if ("text" in encodeStep) {
        return [makeEvent("response.output_text.delta", { output_index: outputIndex, delta: encodeStep.text })]
      }
      if ("reasoning" in encodeStep) {
        return [makeEvent("response.reasoning_summary_text.delta", { delta: encodeStep.reasoning })]
      }
      if ("refusal" in encodeStep) {
        return [makeEvent("response.refusal.delta", { output_index: outputIndex, delta: encodeStep.refusal })]
      }
      if ("call" in encodeStep) {
        const itemFields = { output_index: ++outputIndex, item_id: `fc_${outputIndex}` }
        const item = {
          type: "function_call",
          id: `fc_${outputIndex}`,
          call_id: `call_${outputIndex}`,
          name: encodeStep.call
        }
        const argumentsText = formatArguments(encodeStep.arguments)
        return [
          makeEvent("response.output_item.added", { ...itemFields, item: { ...item, arguments: "" } }),
          ...splitText(argumentsText, encodeStep.pieces ?? 1).map((piece) =>
            makeEvent("response.function_call_arguments.delta", { ...itemFields, delta: piece })
          ),
          makeEvent("response.output_item.done", { ...itemFields, item: { ...item, arguments: argumentsText } })
        ]
      }
      if ("usage" in encodeStep) {
        usage = encodeStep.usage
        return []
      }
      if (!("finish" in encodeStep)) return []
      if (encodeStep.finish === "length") {
        return [makeLastEvent("incomplete", { incomplete_details: { reason: "max_output_tokens" } })]
      }
      if (encodeStep.finish === "content_filter") {
        return [makeLastEvent("incomplete", { incomplete_details: { reason: encodeStep.finish } })]
      }
      return [makeLastEvent("completed")]
    },
    end: () => isEnded ? [] : [makeLastEvent("completed")]
  }
}
