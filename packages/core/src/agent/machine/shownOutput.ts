import { runCodeToolName } from "../../analysis/code/CodeSandbox.ts"
import type { GenerationEvent } from "../event.ts"

interface OpenTool {
  readonly callId: string
  readonly name: string
}

/** The output that a reader of an event log sees, computed from the log's events. */
export interface ShownOutput {
  readonly text: string
  readonly reasoning: { readonly step: number; readonly text: string }
  readonly openTools: ReadonlyArray<OpenTool>
  readonly charts: ReadonlyArray<string>
  /**
   * Whether some output stays visible after a retry of the current step. Results of successful tool calls and the
   * reasoning of earlier steps stay visible.
   */
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
 * Returns whether a reader of the event log has seen output. An answer that ends early is only charged if a reader has
 * seen output. An open `run_code` call counts as output, because otherwise a user could cancel during a script to avoid
 * the charge. A call whose script still waits in the queue counts too, because the log does not record when a script
 * starts.
 */
export const hasOutput = ({ hasLastingOutput, openTools, reasoning, text }: ShownOutput): boolean =>
  hasLastingOutput || text !== "" || reasoning.text !== "" || openTools.some(({ name }) => name === runCodeToolName)

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

export const foldEvents = (events: Iterable<GenerationEvent>): ShownOutput => {
  let output = noOutput
  for (const event of events) output = applyEvent(output, event)
  return output
}
