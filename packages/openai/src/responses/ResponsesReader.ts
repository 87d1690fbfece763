import type { ModelPart } from "@tapeline/core/agent"
import { CallPieces } from "../CallPieces.ts"
import { type Reader, said } from "../Reader.ts"
import { Pieces } from "../text.ts"
import { fieldsOf, usageOf } from "../usage.ts"

const listOf = (u: unknown): ReadonlyArray<unknown> => Array.isArray(u) ? u : []

const textOf = (u: unknown): string => typeof u === "string" ? u : ""

/** Reads the events of a response. `complain` throws the error for the provider's error object. */
export class ResponsesReader implements Reader {
  private readonly text = new Pieces()
  private readonly reasoning = new Pieces()
  private wroteText = false
  private wroteReasoning = false
  private last: { readonly incomplete: string | undefined; readonly response: unknown } | undefined
  /** Calls by the index of their item. A complete item replaces its pieces. */
  private readonly calls = new Map<unknown, { name: string; arguments: string }>()
  units = 0
  private readonly complain: (error: unknown) => never

  constructor(complain: (error: unknown) => never) {
    this.complain = complain
  }

  get finished(): boolean {
    return this.last !== undefined
  }

  read(event: unknown): ReadonlyArray<ModelPart> {
    const fields = fieldsOf(event)
    switch (fields["type"]) {
      case "response.output_text.delta":
      case "response.refusal.delta":
        return this.write(textOf(fields["delta"]))
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        return this.reason(textOf(fields["delta"]))
      case "response.reasoning_summary_part.added":
        return this.wroteReasoning ? this.reason("\n\n") : []
      case "response.output_item.added":
      case "response.output_item.done":
        this.takeItem(fields["output_index"] ?? fieldsOf(fields["item"])["id"], fields["item"])
        return []
      case "response.function_call_arguments.delta":
        this.addArguments(fields["output_index"] ?? fields["item_id"], textOf(fields["delta"]))
        return []
      case "response.completed":
      case "response.incomplete":
        return this.finish(fields["response"])
      case "response.failed":
        return this.complain(fieldsOf(fields["response"])["error"])
      case "error":
        return this.complain(fields["error"] ?? fields)
      default:
        return []
    }
  }

  private write(text: string): ReadonlyArray<ModelPart> {
    this.wroteText = true
    this.units += text.length
    return said("Text", this.text.add(text))
  }

  private reason(text: string): ReadonlyArray<ModelPart> {
    this.wroteReasoning = true
    this.units += text.length
    return said("Reasoning", this.reasoning.add(text))
  }

  private addArguments(place: unknown, more: string): void {
    const call = this.calls.get(place)
    this.units += more.length
    if (call !== undefined) call.arguments += more
  }

  private takeItem(place: unknown, item: unknown): void {
    const { arguments: args, name, type } = fieldsOf(item)
    if (type !== "function_call") return
    this.calls.set(place, { name: textOf(name), arguments: textOf(args) })
  }

  /** Reads the complete response at the end. Servers that stream less send their whole answer only there. */
  private finish(response: unknown): ReadonlyArray<ModelPart> {
    const { incomplete_details: incomplete, output } = fieldsOf(response)
    const why = fieldsOf(incomplete)["reason"]
    this.last = { incomplete: typeof why === "string" ? why : undefined, response }
    const items = listOf(output)
    if (this.calls.size === 0) { for (const [place, item] of items.entries()) this.takeItem(place, item) }
    if (this.wroteText) return []
    const contents = items.flatMap((item) => listOf(fieldsOf(item)["type"] === "message" && fieldsOf(item)["content"]))
    return this.write(contents.map((part) => textOf(fieldsOf(part)["text"])).join(""))
  }

  end(cut: boolean): ReadonlyArray<ModelPart> | null {
    if (this.last === undefined && !cut) return null
    const { incomplete, response } = this.last ?? {}
    const isFiltered = incomplete === "content_filter"
    const isCut = cut || (incomplete !== undefined && !isFiltered)
    const pieces = new CallPieces()
    for (const [place, call] of this.calls.entries()) pieces.add({ index: place, id: String(place), ...call })
    const calls = isFiltered ? [] : pieces.parts(isCut)
    return [
      ...said("Reasoning", this.reasoning.end()),
      ...said("Text", this.text.end()),
      ...calls,
      {
        _tag: "End",
        reason: isFiltered ? "Filtered" : isCut ? "Length" : calls.length > 0 ? "Calls" : "Stop",
        usage: usageOf(fieldsOf(response)["usage"])
      }
    ]
  }
}
