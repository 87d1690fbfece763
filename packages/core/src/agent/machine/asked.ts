import type { Schema } from "effect"
import { isText, readTexts } from "../../engine/text/text.ts"
import type { AskedCall } from "../LanguageModel.ts"

/** The length of the longest arguments that any tool accepts. */
const maxArgumentsLength = 65_536
/** The number of characters that are shown of arguments that are not JSON. */
const shownLength = 500
const maxDepth = 64
const maxNameLength = 64

/** Returns the text without characters that some stores cannot keep. */
export const storableText = (text: string): string => isText(text) ? text : text.replaceAll("\0", "").toWellFormed()

/**
 * Parses the arguments of a call. Returns undefined if they are not JSON that a tool accepts. An empty text is `{}`.
 */
export const readArguments = (text: string): Schema.Json | undefined => {
  if (text.trim() === "") return {}
  if (text.length > maxArgumentsLength) return undefined
  try {
    const args: Schema.Json = JSON.parse(text)
    const report = readTexts(args, maxDepth)
    return report._tag === "Read" && report.faults.length === 0 ? args : undefined
  } catch {
    return undefined
  }
}

/** Returns the arguments as events show them. */
export const shownArguments = (text: string): Schema.Json =>
  readArguments(text) ?? storableText(text.slice(0, shownLength))

/** Builds a requested call, with a name and arguments that can be stored. */
export const askedCall = (step: number, index: number, name: string, args: string): AskedCall => ({
  callId: `${step}.${index}`,
  name: storableText(name.slice(0, maxNameLength)),
  arguments: storableText(args.slice(0, maxArgumentsLength + 1))
})
