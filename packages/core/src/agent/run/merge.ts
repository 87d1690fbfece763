import type { GenerationEvent } from "../event.ts"

type Written = Extract<GenerationEvent, { readonly kind: "delta" | "reasoning" }>

const isWritten = (event: GenerationEvent): event is Written => event.kind === "delta" || event.kind === "reasoning"

/** Joins two events if the second continues the first; null otherwise. */
const joined = (a: GenerationEvent, b: GenerationEvent): GenerationEvent | null => {
  if (!isWritten(a) || !isWritten(b)) return null
  const text = a.data.text + b.data.text
  if (a.data.offset + a.data.text.length !== b.data.offset) return null
  if (a.kind === "delta" && b.kind === "delta") return { kind: "delta", data: { offset: a.data.offset, text } }
  return a.kind === "reasoning" && b.kind === "reasoning" && a.data.step === b.data.step
    ? { kind: "reasoning", data: { ...a.data, text } }
    : null
}

/** Joins consecutive pieces of text into one event each. */
export const merged = (events: ReadonlyArray<GenerationEvent>): ReadonlyArray<GenerationEvent> => {
  const out: Array<GenerationEvent> = []
  for (const event of events) {
    const last = out.at(-1)
    const one = last === undefined ? null : joined(last, event)
    if (one === null) out.push(event)
    else out[out.length - 1] = one
  }
  return out
}
