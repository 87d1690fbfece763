import type { GenerationEvent } from "../event.ts"

/** A tool that was shown to begin, and not yet to end. */
interface OpenTool {
  readonly callId: string
  readonly name: string
}

/** What a reader of a log has before them: the fold of its events. */
export interface Shown {
  /** The answer so far. */
  readonly text: string
  readonly reasoning: { readonly step: number; readonly text: string }
  readonly open: ReadonlyArray<OpenTool>
  readonly charts: ReadonlyArray<string>
  /** Whether anything came that is charged for: reasoning, a tool, or text. */
  readonly output: boolean
}

export const nothingShown: Shown = {
  text: "",
  reasoning: { step: 0, text: "" },
  open: [],
  charts: [],
  output: false
}

/** What is before a reader once `event` has come. */
export const show = (shown: Shown, event: GenerationEvent): Shown => {
  switch (event.kind) {
    case "delta": {
      const { offset, text } = event.data
      return { ...shown, text: shown.text.slice(0, offset) + text, output: true }
    }
    case "reasoning": {
      const { offset, step, text } = event.data
      const before = shown.reasoning.step === step ? shown.reasoning.text : ""
      return { ...shown, reasoning: { step, text: before.slice(0, offset) + text }, output: true }
    }
    case "tool": {
      const { call_id: callId, name } = event.data
      return { ...shown, open: [...shown.open, { callId, name }], output: true }
    }
    case "tool_done": {
      const { call_id, url } = event.data
      return {
        ...shown,
        open: shown.open.filter(({ callId }) => callId !== call_id),
        charts: url === undefined ? shown.charts : [...shown.charts, url]
      }
    }
    default:
      return shown
  }
}

/** What all of `events` show. */
export const shownOf = (events: Iterable<GenerationEvent>): Shown => {
  let shown = nothingShown
  for (const event of events) shown = show(shown, event)
  return shown
}
