import { type ModelPart, ModelUnavailable, type Usage } from "@tapeline/core/agent"
import { type AnswerReader, toTextParts } from "../AnswerReader.ts"
import { CallAssembler } from "../CallAssembler.ts"
import { TextAssembler } from "../text.ts"
import { readUsage, toFields } from "../usage.ts"

const errorReasons = new Set(["error", "abort", "insufficient_system_resource"])

/** Matches the finish reasons of content filters, in the names of several providers. */
const filterReasonPattern =
  /^(content_filter\b|refusal$|safety$|sensitive$|prohibited_content$|blocklist$|recitation$)/iu

const lengthReasons = new Set(["length", "model_length", "max_tokens"])

/** Reads a text, which some providers send as a list of parts. */
const readText = (content: unknown): string => {
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return ""
  return content.map((part: unknown) => toFields(part)["text"]).filter((text) => typeof text === "string").join("")
}

/** Reads the chunks of a Chat Completion, in the variants of different providers. */
export class ChatReader implements AnswerReader {
  private readonly text = new TextAssembler()
  private readonly reasoning = new TextAssembler()
  private readonly calls = new CallAssembler()
  private usage: Usage | null = null
  private reason: string | undefined

  private writtenUnits = 0

  get isFinished(): boolean {
    return this.reason !== undefined
  }

  get units(): number {
    return this.writtenUnits + this.calls.units
  }

  read(event: unknown): ReadonlyArray<ModelPart> {
    const chunk = toFields(event)
    const choices: unknown = chunk["choices"]
    const choice = toFields(Array.isArray(choices) ? choices[0] : undefined)
    // Some providers report the usage so far with each chunk. The last report contains the total usage.
    this.usage = readUsage(chunk["usage"]) ?? readUsage(choice["usage"]) ?? this.usage
    const delta = toFields(choice["delta"] ?? choice["message"])
    // Some providers send the same reasoning in both fields, so only one field is read.
    const reasoning = readText(delta["reasoning_content"]) || readText(delta["reasoning"])
    const text = readText(delta["content"]) + readText(delta["refusal"])
    this.writtenUnits += reasoning.length + text.length
    const calls: unknown = delta["tool_calls"]
    for (const call of Array.isArray(calls) ? calls : []) this.addCall(call)
    const legacyCall = toFields(delta["function_call"])
    if (Object.keys(legacyCall).length > 0) this.addCall({ index: 0, function: legacyCall })
    const reason = choice["finish_reason"]
    if (typeof reason === "string" && reason !== "") this.reason = reason
    if (errorReasons.has(this.reason ?? "")) {
      throw new ModelUnavailable({ detail: `the answer ended with "${this.reason}"` })
    }
    return [...toTextParts("Reasoning", this.reasoning.add(reasoning)), ...toTextParts("Text", this.text.add(text))]
  }

  private addCall(call: unknown): void {
    const { function: requestedFunction, id, index } = toFields(call)
    const { arguments: args, name } = toFields(requestedFunction)
    this.calls.add({ index, id, name, arguments: args })
  }

  end(isTruncated: boolean): ReadonlyArray<ModelPart> | null {
    if (this.reason === undefined && !isTruncated) return null
    const isCut = isTruncated || lengthReasons.has(this.reason ?? "")
    const isFiltered = filterReasonPattern.test(this.reason ?? "")
    const calls = isFiltered ? [] : this.calls.finish(isCut)
    return [
      ...toTextParts("Reasoning", this.reasoning.end()),
      ...toTextParts("Text", this.text.end()),
      ...calls,
      {
        _tag: "End",
        reason: isFiltered ? "Filtered" : isCut ? "Length" : calls.length > 0 ? "Calls" : "Stop",
        usage: this.usage
      }
    ]
  }
}
