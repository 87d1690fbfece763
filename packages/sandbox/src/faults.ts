import type { ScriptFault } from "@tapeline/core/analysis"

/** Replaces control characters and unpaired surrogates, and shortens the text. */
export const readable = (text: string): string => text.replaceAll(/\p{Cc}+/gu, " ").toWellFormed().slice(0, 600)

const lineIn = (stack: string): number | null => {
  const found = /\bscript:(\d{1,6})\b/u.exec(stack)
  return found === null ? null : Number(found[1])
}

/** Converts the prelude's description of the value that the script threw. */
export const faultOfDescription = (
  described: string,
  isFull: boolean,
  limitMb: number
): { readonly fault: ScriptFault; readonly asked: number | null } => {
  const [call = "", stack = "", ...said] = described.split("\u0001")
  const error = said.join(" ")
  const asked = call === "" ? null : Number(call)
  // QuickJS throws null if it lacks the memory even for an error.
  if (error === "InternalError: out of memory" || (error === "null" && isFull)) {
    return { fault: { _tag: "Memory", limitMb }, asked }
  }
  if (error === "InternalError: stack overflow") return { fault: { _tag: "Stack" }, asked }
  return { fault: { _tag: "Threw", error: readable(error), line: lineIn(stack) }, asked }
}

/** Converts an error of the thread itself. */
export const faultOfThrown = (thrown: unknown, limitMb: number): ScriptFault => {
  const told = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown)
  if (/out of memory|OOM/iu.test(told)) return { _tag: "Memory", limitMb }
  if (/call stack|stack overflow/iu.test(told)) return { _tag: "Stack" }
  return { _tag: "Broke" }
}
