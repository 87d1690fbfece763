import { runCodeToolName } from "../../analysis/code/CodeSandbox.ts"
import type { GenerationEvent } from "../event.ts"

/** A tool call whose begin was shown, but not its end. */
interface OpenTool {
  readonly callId: string
  readonly name: string
}

/** The state that a reader of a log sees: the fold of its events. */
export interface ShownOutput {
  /** The answer so far. */
  readonly text: string
  readonly reasoning: { readonly step: number; readonly text: string }
  readonly openTools: ReadonlyArray<OpenTool>
  readonly charts: ReadonlyArray<string>
  /** Whether a tool call succeeded, or an earlier step showed reasoning. A retry of a step withdraws neither. */
  readonly hasLastingOutput: boolean
}

export const noOutput: ShownOutput = {
  text: "",
  reasoning: { step: 0, text: "" },
  openTools: [],
  charts: [],
  hasLastingOutput: false
}

/**
 * Whether text, reasoning, a successful tool call or an open call of `run_code` is shown. An answer that ends early is
 * charged for them. An open script counts because a reader could cancel an answer as soon as its script loops. The log
 * does not record whether the script has begun, so a queued script counts as well.
 */
export const hasOutput = ({ hasLastingOutput, openTools, reasoning, text }: ShownOutput): boolean =>
  hasLastingOutput || text !== "" || reasoning.text !== "" || openTools.some(({ name }) => name === runCodeToolName)

/** Returns the state after `event`. */
export const applyEvent = (output: ShownOutput, event: GenerationEvent): ShownOutput => {
  switch (event.kind) {
    case "delta": {
      const { offset, text } = event.data
      return { ...output, text: output.text.slice(0, offset) + text }
    }
    case "reasoning": {
      const { offset, step, text } = event.data
      const isSame = output.reasoning.step === step
      const previousText = isSame ? output.reasoning.text : ""
      return {
        ...output,
        reasoning: { step, text: previousText.slice(0, offset) + text },
        hasLastingOutput: output.hasLastingOutput || (!isSame && output.reasoning.text !== "")
      }
    }
    case "tool": {
      const { call_id: callId, name } = event.data
      return { ...output, openTools: [...output.openTools, { callId, name }] }
    }
    case "tool_done": {
      const { call_id, ok, url } = event.data
      return {
        ...output,
        openTools: output.openTools.filter(({ callId }) => callId !== call_id),
        charts: url === undefined ? output.charts : [...output.charts, url],
        hasLastingOutput: output.hasLastingOutput || ok
      }
    }
    default:
      return output
  }
}

/** Returns the state after all `events`. */
export const foldEvents = (events: Iterable<GenerationEvent>): ShownOutput => {
  let output = noOutput
  for (const event of events) output = applyEvent(output, event)
  return output
}
