import type { AnswerEvent } from "@tapeline/client"

type DataOf<Kind extends AnswerEvent["kind"]> = Extract<AnswerEvent, { readonly kind: Kind }>["data"]

/** A tool that an answer called. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly args: unknown
  /** `stopped` is one that ran when its answer was. */
  readonly state: "running" | "done" | "failed" | "stopped"
  /** Undefined while it runs. */
  readonly tookMs: number | undefined
}

/** An answer as far as it has come: the fold of its events. */
export interface Live {
  readonly text: string
  /** What was considered, step by step. */
  readonly reasoning: ReadonlyArray<{ readonly step: number; readonly text: string }>
  readonly tools: ReadonlyArray<ToolCall>
  /** Addresses of what it drew. */
  readonly charts: ReadonlyArray<string>
  readonly status: DataOf<"status"> | undefined
  readonly done: DataOf<"done"> | undefined
  readonly suggestions: ReadonlyArray<string>
  /** The last event's id, after which it is gone on with. */
  readonly lastId: string | undefined
  /** The message that has it, where the service told that instead of the events. */
  readonly message: number | undefined
}

export const nothingYet: Live = {
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

const put = (text: string, offset: number, added: string): string => text.slice(0, offset) + added

const withReasoning = ({ reasoning }: Live, { offset, step, text }: DataOf<"reasoning">): Live["reasoning"] => {
  const before = reasoning.find((one) => one.step === step)
  return [...reasoning.filter((one) => one !== before), { step, text: put(before?.text ?? "", offset, text) }]
}

/** What still ran when an answer was cancelled is closed by the service as failed, after no time. */
const endedBy = ({ outcome }: DataOf<"done">, tools: Live["tools"]): Live["tools"] =>
  outcome !== "cancelled" ?
    tools :
    tools.map((one) =>
      one.state === "failed" && one.tookMs === 0 ? { ...one, state: "stopped", tookMs: undefined } : one
    )

/** Whether something is shown that is charged if the answer is stopped: text, reasoning, or a tool that succeeded. */
export const isAnyShown = ({ reasoning, text, tools }: Live): boolean =>
  text !== "" || reasoning.some((one) => one.text !== "") || tools.some(({ state }) => state === "done")

const folded = (live: Live, event: AnswerEvent): Live => {
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
      const { call_id: id, ok, took_ms: tookMs, url } = event.data
      return {
        ...live,
        tools: live.tools.map((one) => one.id === id ? { ...one, state: ok ? "done" : "failed", tookMs } : one),
        charts: url === undefined ? live.charts : [...live.charts, url]
      }
    }
    case "delta":
      return { ...live, text: put(live.text, event.data.offset, event.data.text) }
    case "done":
      return { ...live, done: event.data, status: undefined, tools: endedBy(event.data, live.tools) }
    case "suggest":
      return { ...live, suggestions: event.data.questions }
    case "stored": {
      const { charts, content, id: message, suggestions } = event.data.message
      return { ...live, text: content, charts, suggestions, status: undefined, message }
    }
    default:
      // The conversation's own event says where it is kept; of a newer service there may be others.
      return live
  }
}

/** What an answer is after an event. */
export const liveAfter = (live: Live, event: AnswerEvent): Live => {
  const next = folded(live, event)
  return event.id === undefined ? next : { ...next, lastId: event.id }
}
