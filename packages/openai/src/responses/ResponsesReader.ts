import type { ModelPart } from "@tapeline/core/agent"
import { type AnswerReader, toTextParts } from "../AnswerReader.ts"
import { isJson, toCallPart } from "../CallAssembler.ts"
import { encodeProviderState, toList } from "../providerState.ts"
import { TextAssembler } from "../text.ts"
import { readUsage, toFields } from "../usage.ts"

const toText = (u: unknown): string => typeof u === "string" ? u : ""

/** An item of the output. `fields` is what the next request needs of the item. */
type OutputItem =
  | { readonly type: "reasoning" | "message"; readonly fields: object }
  | { readonly type: "function_call"; readonly name: string; arguments: string }

/** Returns the fields of a reasoning item that the server needs to continue the reasoning, or null for none. */
const readReasoningItem = (item: unknown): object | null => {
  const { content, encrypted_content: encrypted, id, summary } = toFields(item)
  const hasContent = toList(content).length > 0
  if (typeof encrypted !== "string" && !hasContent) return null
  return {
    type: "reasoning",
    id,
    summary: toList(summary),
    ...(typeof encrypted === "string" ? { encrypted_content: encrypted } : {}),
    ...(hasContent ? { content } : {})
  }
}

/** Reads the events of the Responses API; `throwError` converts the provider's error object and throws it. */
export class ResponsesReader implements AnswerReader {
  private readonly text = new TextAssembler()
  private readonly reasoning = new TextAssembler()
  private hasWrittenText = false
  private hasWrittenReasoning = false
  private finalResponse: { readonly incomplete: string | undefined; readonly response: unknown } | undefined
  /**
   * The items of the answer, keyed by the index of the output item. A complete item replaces the pieces of the item
   * that arrived before.
   */
  private readonly items = new Map<unknown, OutputItem>()
  units = 0
  private readonly model: string
  private readonly throwError: (error: unknown) => never

  constructor(model: string, throwError: (error: unknown) => never) {
    this.model = model
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

  private addArguments(itemKey: unknown, more: string): void {
    const item = this.items.get(itemKey)
    this.units += more.length
    if (item?.type === "function_call") item.arguments += more
  }

  private readItem(itemKey: unknown, item: unknown): void {
    const { arguments: args, name, phase, type } = toFields(item)
    if (type === "function_call") {
      const known = this.items.get(itemKey)
      const text = toText(args)
      this.units += Math.max(0, text.length - (known?.type === type ? known.arguments.length : 0))
      this.items.set(itemKey, { type, name: toText(name), arguments: text })
    }
    if (type !== "message" && type !== "reasoning") return
    const fields = type === "message" ? { type, phase } : readReasoningItem(item)
    if (fields === null) return
    this.units += JSON.stringify(fields).length
    this.items.set(itemKey, { type, fields })
  }

  /**
   * Reads the complete response at the end, because some servers send their whole answer only in the complete response.
   */
  private finish(response: unknown): ReadonlyArray<ModelPart> {
    const { incomplete_details: incomplete, output } = toFields(response)
    const reason = toFields(incomplete)["reason"]
    this.finalResponse = { incomplete: typeof reason === "string" ? reason : undefined, response }
    const items = toList(output)
    if (items.length > 0 && ![...this.items.values()].some(({ type }) => type === "function_call")) {
      this.items.clear()
      for (const [place, item] of items.entries()) this.readItem(place, item)
    }
    if (this.hasWrittenText) return []
    const contents = items.flatMap((item) => toList(toFields(item)["type"] === "message" && toFields(item)["content"]))
    return this.addText(contents.map((part) => toText(toFields(part)["text"])).join(""))
  }

  end(isTruncated: boolean): ReadonlyArray<ModelPart> | null {
    if (this.finalResponse === undefined && !isTruncated) return null
    const { incomplete, response } = this.finalResponse ?? {}
    const isFiltered = incomplete === "content_filter"
    const isCut = isTruncated || (incomplete !== undefined && !isFiltered)
    const output = isFiltered ?
      [] :
      [...this.items.values()].filter((item) =>
        item.type !== "function_call" || (item.name !== "" && (!isCut || isJson(item.arguments)))
      )
    const calls = output.flatMap((item) => item.type === "function_call" ? [toCallPart(item.name, item.arguments)] : [])
    const providerState = calls.length > 0 && output.some(({ type }) => type === "reasoning")
      ? encodeProviderState("responses", this.model, {
        output: output.map((item) => item.type === "function_call" ? { type: item.type } : item.fields)
      })
      : undefined
    return [
      ...toTextParts("Reasoning", this.reasoning.end()),
      ...toTextParts("Text", this.text.end()),
      ...calls,
      {
        _tag: "End",
        reason: isFiltered ? "Filtered" : isCut ? "Length" : calls.length > 0 ? "Calls" : "Stop",
        usage: readUsage(toFields(response)["usage"]),
        ...(providerState === undefined ? {} : { providerState })
      }
    ]
  }
}
