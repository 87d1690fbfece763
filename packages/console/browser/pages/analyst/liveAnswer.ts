import type { AnswerEvent } from "@tapeline/client"

type DataOf<Kind extends AnswerEvent["kind"]> = Extract<AnswerEvent, { readonly kind: Kind }>["data"]

export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly args: unknown
  /**
   * The state of a tool call: `running`, `done`, `failed`, or `stopped` if the call was running when the answer was
   * cancelled.
   */
  readonly state: "running" | "done" | "failed" | "stopped"
  /** The duration of the tool call in ms; undefined while the call is running. */
  readonly tookMs: number | undefined
}

/** The state of a running answer, computed from all events received so far. */
export interface LiveAnswer {
  readonly text: string
  readonly reasoning: ReadonlyArray<{ readonly step: number; readonly text: string }>
  readonly tools: ReadonlyArray<ToolCall>
  readonly charts: ReadonlyArray<string>
  readonly status: DataOf<"status"> | undefined
  readonly done: DataOf<"done"> | undefined
  readonly suggestions: ReadonlyArray<string>
  /**
   * The id of the last received event. After an interruption, the page resumes the stream after the event with this id.
   */
  readonly lastId: string | undefined
  /** The id of the stored message, if the service sent the stored message instead of events. */
  readonly message: number | undefined
}

export const emptyAnswer: LiveAnswer = {
  text: "",
  reasoning: [],
  tools: [],
  charts: [],
  status: undefined,
  done: undefined,
  suggestions: [],
  lastId: undefined,
  message: undefined
}

const insertAt = (text: string, offset: number, added: string): string => text.slice(0, offset) + added

const withReasoning = (
  { reasoning }: LiveAnswer,
  { offset, step, text }: DataOf<"reasoning">
): LiveAnswer["reasoning"] => {
  const before = reasoning.find((one) => one.step === step)
  return [...reasoning.filter((one) => one !== before), { step, text: insertAt(before?.text ?? "", offset, text) }]
}

/**
 * Marks the tool calls that a cancellation interrupted as stopped. The service reports a call that a cancellation
 * interrupted as failed after 0 ms.
 */
const stopOpenCalls = ({ outcome }: DataOf<"done">, tools: LiveAnswer["tools"]): LiveAnswer["tools"] =>
  outcome !== "cancelled" ?
    tools :
    tools.map((one) =>
      one.state === "failed" && one.tookMs === 0 ? { ...one, state: "stopped", tookMs: undefined } : one
    )

/**
 * Returns whether the user pays for a cancelled answer. The service charges a cancelled answer if the answer has shown
 * text, reasoning or a successful tool call.
 */
export const hasShownOutput = ({ reasoning, text, tools }: LiveAnswer): boolean =>
  text !== "" || reasoning.some((one) => one.text !== "") || tools.some(({ state }) => state === "done")

const reduce = (live: LiveAnswer, event: AnswerEvent): LiveAnswer => {
  switch (event.kind) {
    case "status":
      return { ...live, status: event.data }
    case "reasoning":
      return { ...live, reasoning: withReasoning(live, event.data) }
    case "tool": {
      const { arguments: args, call_id: id, name } = event.data
      return { ...live, tools: [...live.tools, { id, name, args, state: "running", tookMs: undefined }] }
    }
    case "tool_done": {
      const { call_id: id, ok, proposal, took_ms: tookMs, url } = event.data
      // A call that became a proposal has not failed.
      const state = ok || proposal !== undefined ? "done" : "failed"
      return {
        ...live,
        tools: live.tools.map((one) => one.id === id ? { ...one, state, tookMs } : one),
        charts: url === undefined ? live.charts : [...live.charts, url]
      }
    }
    case "delta":
      return { ...live, text: insertAt(live.text, event.data.offset, event.data.text) }
    case "done":
      return { ...live, done: event.data, status: undefined, tools: stopOpenCalls(event.data, live.tools) }
    case "suggest":
      return { ...live, suggestions: event.data.questions }
    case "stored": {
      const { charts, content, id: message, suggestions } = event.data.message
      return { ...live, text: content, charts, suggestions, status: undefined, message }
    }
    default:
      // The event `conversation` is handled by `AnswerStreams`. Events that only a newer service knows are ignored.
      return live
  }
}

export const applyEvent = (live: LiveAnswer, event: AnswerEvent): LiveAnswer => {
  const next = reduce(live, event)
  return event.id === undefined ? next : { ...next, lastId: event.id }
}
