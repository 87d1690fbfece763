import type { FakeAct } from "./fakeReply.ts"

/** The encoding of acts in one API. */
export interface Dialect {
  readonly act: (act: Exclude<FakeAct, string>) => ReadonlyArray<string>
  /** The remaining output at the end. */
  readonly end: (done: boolean) => ReadonlyArray<string>
}

const event = (data: unknown, name?: string): string =>
  `${name === undefined ? "" : `event: ${name}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`

const argumentsOf = (value: unknown): string => typeof value === "string" ? value : JSON.stringify(value)

const cutInto = (text: string, pieces: number): ReadonlyArray<string> => {
  const length = Math.max(1, Math.ceil(text.length / pieces))
  return Array.from({ length: Math.ceil(text.length / length) }, (_, i) => text.slice(i * length, (i + 1) * length))
}

export const chatDialect = (model: unknown): Dialect => {
  const head = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model }
  const choice = (fields: object) => event({ ...head, choices: [{ index: 0, finish_reason: null, ...fields }] })
  const delta = (fields: object) => choice({ delta: fields })
  let calls = 0
  let isFinished = false
  return {
    act: (act) => {
      if ("text" in act) return [delta({ content: act.text })]
      if ("reasoning" in act) return [delta({ [act.under ?? "reasoning_content"]: act.reasoning })]
      if ("refusal" in act) return [delta({ refusal: act.refusal })]
      if ("choice" in act) {
        isFinished ||= typeof act.choice["finish_reason"] === "string"
        return [choice(act.choice)]
      }
      if ("call" in act) {
        const index = act.index === null ? {} : { index: act.index ?? calls }
        const id = act.id === null ? {} : { id: act.id ?? `toolu_${calls}_${"x".repeat(20)}` }
        calls++
        const [first = "", ...rest] = cutInto(argumentsOf(act.arguments), act.pieces ?? 1)
        return [
          delta({
            tool_calls: [{ ...index, ...id, type: "function", function: { name: act.call, arguments: first } }]
          }),
          ...rest.map((piece) => delta({ tool_calls: [{ ...index, function: { arguments: piece } }] }))
        ]
      }
      if ("finish" in act) {
        isFinished = true
        return [choice({ delta: {}, finish_reason: act.finish })]
      }
      if ("usage" in act) return [event({ ...head, choices: [], usage: act.usage })]
      return []
    },
    end: (done) => [
      ...(isFinished ? [] : [choice({ delta: {}, finish_reason: calls > 0 ? "tool_calls" : "stop" })]),
      ...(done ? [event("[DONE]")] : [])
    ]
  }
}

export const responsesDialect = (model: unknown): Dialect => {
  let place = 0
  let isEnded = false
  let usage: object | undefined
  const send = (type: string, fields: object) => event({ type, ...fields }, type)
  const last = (status: string, fields: object = {}) => {
    isEnded = true
    const response = { id: "resp_1", object: "response", model, status, output: [], ...fields, usage: usage ?? null }
    return send(`response.${status}`, { response })
  }
  return {
    act: (act) => {
      if ("text" in act) return [send("response.output_text.delta", { output_index: place, delta: act.text })]
      if ("reasoning" in act) return [send("response.reasoning_summary_text.delta", { delta: act.reasoning })]
      if ("refusal" in act) return [send("response.refusal.delta", { output_index: place, delta: act.refusal })]
      if ("call" in act) {
        const at = { output_index: ++place, item_id: `fc_${place}` }
        const item = { type: "function_call", id: `fc_${place}`, call_id: `call_${place}`, name: act.call }
        const whole = argumentsOf(act.arguments)
        return [
          send("response.output_item.added", { ...at, item: { ...item, arguments: "" } }),
          ...cutInto(whole, act.pieces ?? 1).map((piece) =>
            send("response.function_call_arguments.delta", { ...at, delta: piece })
          ),
          send("response.output_item.done", { ...at, item: { ...item, arguments: whole } })
        ]
      }
      if ("usage" in act) {
        usage = act.usage
        return []
      }
      if (!("finish" in act)) return []
      if (act.finish === "length") return [last("incomplete", { incomplete_details: { reason: "max_output_tokens" } })]
      if (act.finish === "content_filter") return [last("incomplete", { incomplete_details: { reason: act.finish } })]
      return [last("completed")]
    },
    end: () => isEnded ? [] : [last("completed")]
  }
}
