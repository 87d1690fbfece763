import { quoteText } from "../../engine/text/formatting.ts"

const maxLength = 60

/** Returns the title of a conversation: the beginning of the conversation's first question, cut between words. */
export const makeTitle = (question: string): string => {
  const line = quoteText(question, 400)
  if (line === "") return "…"
  const characters = Array.from(line)
  if (characters.length <= maxLength) return line
  const head = characters.slice(0, maxLength - 1).join("")
  const space = head.lastIndexOf(" ")
  return `${(space > maxLength / 2 ? head.slice(0, space) : head).replace(/[\s.,;:!?-]+$/u, "")}…`
}
