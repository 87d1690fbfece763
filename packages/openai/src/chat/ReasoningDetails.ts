import { toFields } from "../usage.ts"

type Detail = Record<string, unknown>

const isTextOfSameDetail = (last: Detail | undefined, next: Detail): last is Detail =>
  last !== undefined && last["type"] === next["type"] && last["index"] === next["index"] &&
  next["type"] !== "reasoning.encrypted"

/**
 * Joins the pieces of OpenRouter's `reasoning_details`. The next request must contain the details as the model wrote
 * them, in the same order.
 */
export class ReasoningDetails {
  readonly items: Array<Detail> = []
  /** The size of `items` in UTF-16 units. A field that each piece repeats counts once. */
  units = 0

  add(piece: unknown): void {
    const detail = { ...toFields(piece) }
    const last = this.items.at(-1)
    if (!isTextOfSameDetail(last, detail)) {
      this.units += JSON.stringify(detail).length
      this.items.push(detail)
      return
    }
    for (const [name, value] of Object.entries(detail)) {
      const lastValue = last[name]
      const isText = name === "text" || name === "summary"
      if (value === null || (!isText && value === lastValue)) continue
      this.units += JSON.stringify(value).length
      last[name] = isText && typeof value === "string" && typeof lastValue === "string" ? lastValue + value : value
    }
  }
}
