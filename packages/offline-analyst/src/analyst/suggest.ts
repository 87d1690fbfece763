import type { ModelRequest } from "@tapeline/core/agent"
import { understood } from "./answer.ts"
import { help } from "./intents/talk.ts"
import { fill } from "./writing/text.ts"

const wanted = 3

/** Questions that follow well from what was asked, in the answer's language, one on a line. */
export const suggestions = (request: ModelRequest): string => {
  const { intents, reading } = understood(request)
  const name = reading.stocks[0]?.name ?? reading.coins[0] ?? "BTC"
  const asked = reading.question.trim().toLowerCase()
  const lines = [...intents, help].flatMap(({ next }) => next).flatMap((next) =>
    fill(reading.lang, next, { name }) ?? []
  )
  return [...new Set(lines)].filter((line) => line.toLowerCase() !== asked).slice(0, wanted).join("\n")
}
