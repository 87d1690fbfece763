import { quoted } from "../../engine/text/quoted.ts"

const longest = 60

/** Returns the title of a conversation: the beginning of its first question, cut between words. */
export const titleOf = (question: string): string => {
  const line = quoted(question, 400)
  if (line === "") return "…"
  const characters = Array.from(line)
  if (characters.length <= longest) return line
  const head = characters.slice(0, longest - 1).join("")
  const space = head.lastIndexOf(" ")
  return `${(space > longest / 2 ? head.slice(0, space) : head).replace(/[\s.,;:!?-]+$/u, "")}…`
}
