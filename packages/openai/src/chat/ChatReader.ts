import { type ModelPart, ModelUnavailable, type Usage } from "@tapeline/core/agent"
import { CallPieces } from "../CallPieces.ts"
import { type Reader, said } from "../Reader.ts"
import { Pieces } from "../text.ts"
import { fieldsOf, usageOf } from "../usage.ts"

/** Finish reasons that are errors of the server. */
const broken = new Set(["error", "abort", "insufficient_system_resource"])

/** Finish reasons of content filters, in the names of several providers. */
const filteredBy = /^(content_filter\b|refusal$|safety$|sensitive$|prohibited_content$|blocklist$|recitation$)/iu

const cutBy = new Set(["length", "model_length", "max_tokens"])

/** Some providers send a text as a list of parts. */
const textOf = (content: unknown): string => {
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return ""
  return content.map((part: unknown) => fieldsOf(part)["text"]).filter((text) => typeof text === "string").join("")
}

/** Reads the chunks of a Chat Completion, in the variants of different providers. */
export class ChatReader implements Reader {
  private readonly text = new Pieces()
  private readonly reasoning = new Pieces()
  private readonly calls = new CallPieces()
  private usage: Usage | null = null
  private reason: string | undefined

  private written = 0

  get finished(): boolean {
    return this.reason !== undefined
  }

  get units(): number {
    return this.written + this.calls.units
  }

  read(event: unknown): ReadonlyArray<ModelPart> {
    const chunk = fieldsOf(event)
    const choices: unknown = chunk["choices"]
    const choice = fieldsOf(Array.isArray(choices) ? choices[0] : undefined)
    // Some providers report usage with each chunk. The last report is the total.
    this.usage = usageOf(chunk["usage"]) ?? usageOf(choice["usage"]) ?? this.usage
    const delta = fieldsOf(choice["delta"] ?? choice["message"])
    // Some providers send the same reasoning under both names.
    const reasoning = textOf(delta["reasoning_content"]) || textOf(delta["reasoning"])
    const text = textOf(delta["content"]) + textOf(delta["refusal"])
    this.written += reasoning.length + text.length
    const calls: unknown = delta["tool_calls"]
    for (const call of Array.isArray(calls) ? calls : []) this.addCall(call)
    const old = fieldsOf(delta["function_call"])
    if (Object.keys(old).length > 0) this.addCall({ index: 0, function: old })
    const reason = choice["finish_reason"]
    if (typeof reason === "string" && reason !== "") this.reason = reason
    if (broken.has(this.reason ?? "")) throw new ModelUnavailable({ detail: `it ended with "${this.reason}"` })
    return [...said("Reasoning", this.reasoning.add(reasoning)), ...said("Text", this.text.add(text))]
  }

  private addCall(call: unknown): void {
    const { function: asked, id, index } = fieldsOf(call)
    const { arguments: args, name } = fieldsOf(asked)
    this.calls.add({ index, id, name, arguments: args })
  }

  end(cut: boolean): ReadonlyArray<ModelPart> | null {
    if (this.reason === undefined && !cut) return null
    const isCut = cut || cutBy.has(this.reason ?? "")
    const isFiltered = filteredBy.test(this.reason ?? "")
    const calls = isFiltered ? [] : this.calls.parts(isCut)
    return [
      ...said("Reasoning", this.reasoning.end()),
      ...said("Text", this.text.end()),
      ...calls,
      {
        _tag: "End",
        reason: isFiltered ? "Filtered" : isCut ? "Length" : calls.length > 0 ? "Calls" : "Stop",
        usage: this.usage
      }
    ]
  }
}
