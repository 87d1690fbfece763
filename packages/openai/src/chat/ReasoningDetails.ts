import { toFields } from "../usage.ts"

type Detail = Record<string, unknown>

const isTextOfSameDetail = (last: Detail | undefined, next: Detail): last is Detail =>
  last !== undefined && last["type"] === next["type"] && last["index"] === next["index"] &&
  next["type"] !== "reasoning.encrypted"

const joinTexts = (one: unknown, other: unknown): unknown =>
  typeof one === "string" && typeof other === "string" ? one + other : other ?? one

/**
 * Joins the pieces of OpenRouter's `reasoning_details`. The next request must contain the details as the model wrote
 * them, in the same order.
 */
export class ReasoningDetails {
  readonly items: Array<Detail> = []
  units = 0

  add(piece: unknown): void {
    const detail = { ...toFields(piece) }
    this.units += JSON.stringify(detail).length
    const last = this.items.at(-1)
    if (!isTextOfSameDetail(last, detail)) {
      this.items.push(detail)
      return
    }
    for (const [name, value] of Object.entries(detail)) {
      last[name] = name === "text" || name === "summary" ? joinTexts(last[name], value) : value ?? last[name]
    }
  }
}
