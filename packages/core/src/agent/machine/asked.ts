import type { Schema } from "effect"
import { isText, readTexts } from "../../engine/text/text.ts"
import type { AskedCall } from "../LanguageModel.ts"

/** Longer arguments than this no tool takes. */
const maxArgumentsLength = 65_536
/** What is shown of arguments that are no JSON. */
const shownLength = 500
const maxDepth = 64
const maxNameLength = 64

/** A text that every store can keep. */
export const storableText = (text: string): string => isText(text) ? text : text.replaceAll("\0", "").toWellFormed()

/** The arguments of a call; undefined when they are no JSON that a tool could be given. Nothing at all is `{}`. */
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

/** The arguments as events show them. */
export const shownArguments = (text: string): Schema.Json =>
  readArguments(text) ?? storableText(text.slice(0, shownLength))

/** A call as it was asked for, with a name and arguments that can be kept. */
export const askedCall = (step: number, index: number, name: string, args: string): AskedCall => ({
  callId: `${step}.${index}`,
  name: storableText(name.slice(0, maxNameLength)),
  arguments: storableText(args.slice(0, maxArgumentsLength + 1))
})
