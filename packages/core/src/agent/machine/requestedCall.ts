import type { Schema } from "effect"
import { checkTexts, isStorableText } from "../../engine/text/text.ts"
import type { RequestedCall } from "../LanguageModel.ts"

const maxArgumentsLength = 65_536
const maxShownLength = 500
const maxDepth = 64
const maxNameLength = 64

/** Removes the characters that some stores cannot keep. */
export const toStorableText = (text: string): string =>
  isStorableText(text) ? text : text.replaceAll("\0", "").toWellFormed()

/**
 * Parses the JSON arguments of a tool call. Returns undefined if the arguments are invalid, too long or too deeply
 * nested.
 */
export const parseArguments = (text: string): Schema.Json | undefined => {
  if (text.trim() === "") return {}
  if (text.length > maxArgumentsLength) return undefined
  try {
    const args: Schema.Json = JSON.parse(text)
    const report = checkTexts(args, maxDepth)
    return report._tag === "Read" && report.faults.length === 0 ? args : undefined
  } catch {
    return undefined
  }
}

export const toShownArguments = (text: string): Schema.Json =>
  parseArguments(text) ?? toStorableText(text.slice(0, maxShownLength))

export const makeRequestedCall = (step: number, index: number, name: string, args: string): RequestedCall => ({
  callId: `${step}.${index}`,
  name: toStorableText(name.slice(0, maxNameLength)),
  arguments: toStorableText(args.slice(0, maxArgumentsLength + 1))
})
