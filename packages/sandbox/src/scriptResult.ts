import type { ScriptFault } from "@tapeline/core/analysis"

/**
 * Returns the nesting depth of a JSON text without parsing, because parsing deeply nested JSON can overflow the stack.
 */
export const measureJsonDepth = (json: string): number => {
  let depth = 0
  let maxDepth = 0
  let isInString = false
  for (let i = 0; i < json.length; i++) {
    const character = json[i]
    if (isInString) {
      if (character === "\\") i++
      else if (character === "\"") isInString = false
    } else if (character === "\"") isInString = true
    else if (character === "{" || character === "[") maxDepth = Math.max(maxDepth, ++depth)
    else if (character === "}" || character === "]") depth--
  }
  return maxDepth
}

/** Replaces control characters and unpaired surrogates, and limits the length of the text. */
export const sanitizeText = (text: string): string => text.replaceAll(/\p{Cc}+/gu, " ").toWellFormed().slice(0, 600)

const findLineNumber = (stack: string): number | null => {
  const found = /\bscript:(\d{1,6})\b/u.exec(stack)
  return found === null ? null : Number(found[1])
}

export const toScriptFault = (
  description: string,
  isFull: boolean,
  limitMb: number
): { readonly fault: ScriptFault; readonly callId: number | null } => {
  const [call = "", stack = "", ...messageParts] = description.split("\u0001")
  const errorText = messageParts.join(" ")
  const callId = call === "" ? null : Number(call)
  // QuickJS throws null if too little memory remains for an error object.
  if (errorText === "InternalError: out of memory" || (errorText === "null" && isFull)) {
    return { fault: { _tag: "Memory", limitMb }, callId }
  }
  if (errorText === "InternalError: stack overflow") return { fault: { _tag: "Stack" }, callId }
  return { fault: { _tag: "Threw", error: sanitizeText(errorText), line: findLineNumber(stack) }, callId }
}

export const toThreadFault = (thrown: unknown, limitMb: number): ScriptFault => {
  const errorText = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown)
  if (/out of memory|OOM/iu.test(errorText)) return { _tag: "Memory", limitMb }
  if (/call stack|stack overflow/iu.test(errorText)) return { _tag: "Stack" }
  return { _tag: "Broke" }
}
