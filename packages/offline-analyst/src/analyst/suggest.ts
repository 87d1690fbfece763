import type { ModelRequest } from "@tapeline/core/agent"
import { understood } from "./answer.ts"
import { intentsOf, readingsFor } from "./intents.ts"
import { help } from "./intents/talk.ts"
import { trend } from "./intents/trend.ts"
import { nearNames } from "./reading/nearNames.ts"
import { saysUnknown } from "./writing/compose.ts"
import { fill } from "./writing/text.ts"

const wanted = 3

/** Returns suggested follow-up questions in the language of the answer, one per line. */
export const suggestions = (request: ModelRequest): string => {
  const { intents, reading } = understood(request)
  const answer = request.turns.findLast(({ _tag }) => _tag === "Assistant")
  const coin = reading.coins[0] ?? reading.strange[0] ?? "BTC"
  // An unknown name is replaced by a similar known name, because no tool has data for an unknown name.
  const isUnknown = (reading.strange.length > 0 && !reading.named) ||
    (answer?._tag === "Assistant" && saysUnknown(reading.lang, coin, answer.text))
  const known = isUnknown ? nearNames(coin).find((name) => /^[A-Z0-9]+$/.test(name)) ?? "BTC" : coin
  const name = reading.stocks[0]?.name ?? known
  const asked = reading.question.trim().toLowerCase()
  const lines = [...intents, help, trend].flatMap(({ next }) => next).flatMap((next) =>
    fill(reading.lang, next, { name }) ?? []
  )
  const before = new Set(intents)
  // Questions of the intents that were just answered are not suggested.
  const fresh = [...new Set(lines)].filter((line) => {
    const kinds = intentsOf(readingsFor({ ...request.brief, question: line, coin: null, earlier: [] }))
    return line.toLowerCase() !== asked && !kinds.some((kind) => before.has(kind))
  })
  return fresh.slice(0, wanted).join("\n")
}
