import { runCodeName } from "../../analysis/code/CodeSandbox.ts"
import type { GenerationEvent } from "../event.ts"

/** A tool call whose begin was shown, but not its end. */
interface OpenTool {
  readonly callId: string
  readonly name: string
}

/** The state that a reader of a log sees: the fold of its events. */
export interface Shown {
  /** The answer so far. */
  readonly text: string
  readonly reasoning: { readonly step: number; readonly text: string }
  readonly open: ReadonlyArray<OpenTool>
  readonly charts: ReadonlyArray<string>
  /** Whether a tool call succeeded, or an earlier step showed reasoning. A retry of a step withdraws neither. */
  readonly lasting: boolean
}

export const nothingShown: Shown = {
  text: "",
  reasoning: { step: 0, text: "" },
  open: [],
  charts: [],
  lasting: false
}

/**
 * Whether text, reasoning, a successful tool call or an open call of `run_code` is shown. An answer that ends early is
 * charged for them. An open script counts because a reader could cancel an answer as soon as its script loops. The log
 * does not record whether the script has begun, so a queued script counts as well.
 */
export const hasOutput = ({ lasting, open, reasoning, text }: Shown): boolean =>
  lasting || text !== "" || reasoning.text !== "" || open.some(({ name }) => name === runCodeName)

/** Returns the state after `event`. */
export const show = (shown: Shown, event: GenerationEvent): Shown => {
  switch (event.kind) {
    case "delta": {
      const { offset, text } = event.data
      return { ...shown, text: shown.text.slice(0, offset) + text }
    }
    case "reasoning": {
      const { offset, step, text } = event.data
      const isSame = shown.reasoning.step === step
      const before = isSame ? shown.reasoning.text : ""
      return {
        ...shown,
        reasoning: { step, text: before.slice(0, offset) + text },
        lasting: shown.lasting || (!isSame && shown.reasoning.text !== "")
      }
    }
    case "tool": {
      const { call_id: callId, name } = event.data
      return { ...shown, open: [...shown.open, { callId, name }] }
    }
    case "tool_done": {
      const { call_id, ok, url } = event.data
      return {
        ...shown,
        open: shown.open.filter(({ callId }) => callId !== call_id),
        charts: url === undefined ? shown.charts : [...shown.charts, url],
        lasting: shown.lasting || ok
      }
    }
    default:
      return shown
  }
}

/** Returns the state after all `events`. */
export const shownOf = (events: Iterable<GenerationEvent>): Shown => {
  let shown = nothingShown
  for (const event of events) shown = show(shown, event)
  return shown
}
