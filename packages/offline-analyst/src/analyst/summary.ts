import type { ModelRequest } from "@tapeline/core/agent"

const questionLength = 200
const answerLength = 300
const mostTurns = 40

const firstSentence = (text: string): string =>
  Array.from(text.split(/\n\n|(?<=[.!?。])\s/u)[0] ?? "").slice(0, answerLength).join("")

export const summaryOf = ({ turns }: ModelRequest): string =>
  turns.slice(-mostTurns).flatMap((turn) =>
    turn._tag === "User"
      ? [`- ${Array.from(turn.text.replace(/\s+/g, " ")).slice(0, questionLength).join("")}`]
      : turn._tag === "Assistant" && turn.text.trim() !== ""
      ? [`  ${firstSentence(turn.text.trim())}`]
      : []
  ).join("\n")
