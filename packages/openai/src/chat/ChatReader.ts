import { type ModelPart, ModelUnavailable, type Usage } from "@tapeline/core/agent"
import { type AnswerReader, toTextParts } from "../AnswerReader.ts"
import { CallAssembler, type FinishedCall } from "../CallAssembler.ts"
import { encodeProviderState, toList } from "../providerState.ts"
import { TextAssembler } from "../text.ts"
import { readUsage, toFields } from "../usage.ts"
import { ReasoningDetails } from "./ReasoningDetails.ts"

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

/** The names under which servers send the reasoning, and expect it in the next request. */
const reasoningFields = ["reasoning_content", "reasoning"] as const

/** Reads the chunks of a Chat Completion, in the variants of different providers. */
export class ChatReader implements AnswerReader {
  private readonly text = new TextAssembler()
  private readonly reasoning = new TextAssembler()
  private readonly calls = new CallAssembler()
  private readonly details = new ReasoningDetails()
  private reasoningField: (typeof reasoningFields)[number] | undefined
  private reasoningText = ""
  private usage: Usage | null = null
  private reason: string | undefined
  private writtenUnits = 0
  private readonly model: string

  constructor(model: string) {
    this.model = model
  }

  get isFinished(): boolean {
    return this.reason !== undefined
  }

  get units(): number {
    return this.writtenUnits + this.calls.units + this.details.units
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
    this.reasoningField ??= reasoningFields.find((name) => typeof delta[name] === "string")
    for (const detail of toList(delta["reasoning_details"])) this.details.add(detail)
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
    return [...this.addReasoning(this.reasoning.add(reasoning)), ...toTextParts("Text", this.text.add(text))]
  }

  private addReasoning(text: string): ReadonlyArray<ModelPart> {
    this.reasoningText += text
    return toTextParts("Reasoning", text)
  }

  private addCall(call: unknown): void {
    const { extra_content: extra, function: requestedFunction, id, index } = toFields(call)
    const { arguments: args, name } = toFields(requestedFunction)
    this.calls.add({ index, id, name, arguments: args, extra })
  }

  /** Returns the data that the server requires with the calls in the next request, or undefined for none. */
  private encodeState(calls: ReadonlyArray<FinishedCall>): string | undefined {
    const field = this.reasoningField
    // One server requires the field even if the reasoning is empty. Another server rejects an empty `reasoning`.
    const hasReasoning = this.reasoningText !== "" || field === "reasoning_content"
    const details = this.details.items
    const reasoning = details.length > 0
      ? { reasoning_details: details }
      : field !== undefined && hasReasoning
      ? { [field]: this.reasoningText }
      : {}
    const hasExtras = calls.some(({ extra }) => extra !== undefined && extra !== null)
    if (calls.length === 0 || (Object.keys(reasoning).length === 0 && !hasExtras)) return undefined
    const callIds = calls.map(({ id }) => id !== undefined && details.some((detail) => detail["id"] === id) ? id : null)
    return encodeProviderState("chat", this.model, {
      message: reasoning,
      ...(callIds.some((id) => id !== null) ? { callIds } : {}),
      ...(hasExtras ? { extras: calls.map(({ extra }) => extra ?? null) } : {})
    })
  }

  end(isTruncated: boolean): ReadonlyArray<ModelPart> | null {
    if (this.reason === undefined && !isTruncated) return null
    const isCut = isTruncated || lengthReasons.has(this.reason ?? "")
    const isFiltered = filterReasonPattern.test(this.reason ?? "")
    const calls = isFiltered ? [] : this.calls.finish(isCut)
    const reasoningParts = this.addReasoning(this.reasoning.end())
    const providerState = this.encodeState(calls)
    return [
      ...reasoningParts,
      ...toTextParts("Text", this.text.end()),
      ...calls.map(({ part }) => part),
      {
        _tag: "End",
        reason: isFiltered ? "Filtered" : isCut ? "Length" : calls.length > 0 ? "Calls" : "Stop",
        usage: this.usage,
        ...(providerState === undefined ? {} : { providerState })
      }
    ]
  }
}
