import type { ModelPart } from "@tapeline/core/agent"
import { type AnswerReader, toTextParts } from "../AnswerReader.ts"
import { CallAssembler } from "../CallAssembler.ts"
import { TextAssembler } from "../text.ts"
import { readUsage, toFields } from "../usage.ts"

const toList = (u: unknown): ReadonlyArray<unknown> => Array.isArray(u) ? u : []

const toText = (u: unknown): string => typeof u === "string" ? u : ""

/** Reads the events of the Responses API; `throwError` converts the provider's error object and throws it. */
export class ResponsesReader implements AnswerReader {
  private readonly text = new TextAssembler()
  private readonly reasoning = new TextAssembler()
  private hasWrittenText = false
  private hasWrittenReasoning = false
  private finalResponse: { readonly incomplete: string | undefined; readonly response: unknown } | undefined
  /**
   * The calls of the answer, keyed by the index of the output item. A call's complete output item replaces the pieces
   * of the call that arrived before.
   */
  private readonly calls = new Map<unknown, { name: string; arguments: string }>()
  units = 0
  private readonly throwError: (error: unknown) => never

  constructor(throwError: (error: unknown) => never) {
    this.throwError = throwError
  }

  get isFinished(): boolean {
    return this.finalResponse !== undefined
  }

  read(event: unknown): ReadonlyArray<ModelPart> {
    const fields = toFields(event)
    switch (fields["type"]) {
      case "response.output_text.delta":
      case "response.refusal.delta":
        return this.addText(toText(fields["delta"]))
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        return this.addReasoning(toText(fields["delta"]))
      case "response.reasoning_summary_part.added":
        return this.hasWrittenReasoning ? this.addReasoning("\n\n") : []
      case "response.output_item.added":
      case "response.output_item.done":
        this.readItem(fields["output_index"] ?? toFields(fields["item"])["id"], fields["item"])
        return []
      case "response.function_call_arguments.delta":
        this.addArguments(fields["output_index"] ?? fields["item_id"], toText(fields["delta"]))
        return []
      case "response.completed":
      case "response.incomplete":
        return this.finish(fields["response"])
      case "response.failed":
        return this.throwError(toFields(fields["response"])["error"])
      case "error":
        return this.throwError(fields["error"] ?? fields)
      default:
        return []
    }
  }

  private addText(text: string): ReadonlyArray<ModelPart> {
    this.hasWrittenText = true
    this.units += text.length
    return toTextParts("Text", this.text.add(text))
  }

  private addReasoning(text: string): ReadonlyArray<ModelPart> {
    this.hasWrittenReasoning = true
    this.units += text.length
    return toTextParts("Reasoning", this.reasoning.add(text))
  }

  private addArguments(callKey: unknown, more: string): void {
    const call = this.calls.get(callKey)
    this.units += more.length
    if (call !== undefined) call.arguments += more
  }

  private readItem(callKey: unknown, item: unknown): void {
    const { arguments: args, name, type } = toFields(item)
    if (type !== "function_call") return
    this.calls.set(callKey, { name: toText(name), arguments: toText(args) })
  }

  /**
   * Reads the complete response at the end, because some servers send their whole answer only in the complete response.
   */
  private finish(response: unknown): ReadonlyArray<ModelPart> {
    const { incomplete_details: incomplete, output } = toFields(response)
    const reason = toFields(incomplete)["reason"]
    this.finalResponse = { incomplete: typeof reason === "string" ? reason : undefined, response }
    const items = toList(output)
    if (this.calls.size === 0) { for (const [place, item] of items.entries()) this.readItem(place, item) }
    if (this.hasWrittenText) return []
    const contents = items.flatMap((item) => toList(toFields(item)["type"] === "message" && toFields(item)["content"]))
    return this.addText(contents.map((part) => toText(toFields(part)["text"])).join(""))
  }

  end(isTruncated: boolean): ReadonlyArray<ModelPart> | null {
    if (this.finalResponse === undefined && !isTruncated) return null
    const { incomplete, response } = this.finalResponse ?? {}
    const isFiltered = incomplete === "content_filter"
    const isCut = isTruncated || (incomplete !== undefined && !isFiltered)
    const assembler = new CallAssembler()
    for (const [place, call] of this.calls.entries()) assembler.add({ index: place, id: String(place), ...call })
    const calls = isFiltered ? [] : assembler.finish(isCut)
    return [
      ...toTextParts("Reasoning", this.reasoning.end()),
      ...toTextParts("Text", this.text.end()),
      ...calls,
      {
        _tag: "End",
        reason: isFiltered ? "Filtered" : isCut ? "Length" : calls.length > 0 ? "Calls" : "Stop",
        usage: readUsage(toFields(response)["usage"])
      }
    ]
  }
}
