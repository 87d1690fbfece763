import type { GenerationEvent } from "../event.ts"

type TextEvent = Extract<GenerationEvent, { readonly kind: "delta" | "reasoning" }>

const isTextEvent = (event: GenerationEvent): event is TextEvent => event.kind === "delta" || event.kind === "reasoning"

/** If the second text event continues the first, returns one event with both texts, or null otherwise. */
const joinEvents = (a: GenerationEvent, b: GenerationEvent): GenerationEvent | null => {
  if (!isTextEvent(a) || !isTextEvent(b)) return null
  const text = a.data.text + b.data.text
  if (a.data.offset + a.data.text.length !== b.data.offset) return null
  if (a.kind === "delta" && b.kind === "delta") return { kind: "delta", data: { offset: a.data.offset, text } }
  return a.kind === "reasoning" && b.kind === "reasoning" && a.data.step === b.data.step
    ? { kind: "reasoning", data: { ...a.data, text } }
    : null
}

export const mergeEvents = (events: ReadonlyArray<GenerationEvent>): ReadonlyArray<GenerationEvent> => {
  const result: Array<GenerationEvent> = []
  for (const event of events) {
    const last = result.at(-1)
    const joinedEvent = last === undefined ? null : joinEvents(last, event)
    if (joinedEvent === null) result.push(event)
    else result[result.length - 1] = joinedEvent
  }
  return result
}
