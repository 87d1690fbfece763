import { findMentionSpans } from "../../market/instrumentMentions.ts"
import type { Label, Labelled } from "./labels.ts"
import type { WriteRequest } from "./requests.ts"
import * as say from "./vocabulary.ts"

/** Returns whether a number may be a price. The instrument may follow its price: "stop 58000 BTC". */
const isPrice = (number: Labelled): boolean =>
  number.unit === "plain" || number.unit === "usd" || number.unit === "coins"

const labelled = ({ numbers }: WriteRequest, ...labels: ReadonlyArray<Label | null>): ReadonlyArray<Labelled> =>
  numbers.filter(({ label }) => labels.includes(label))

/** Prices that are said to be nothing else. */
export const loosePrices = (request: WriteRequest): ReadonlyArray<Labelled> => {
  const priced = labelled(request, "price").filter(isPrice)
  return priced.length > 0 ? priced : labelled(request, null).filter(({ unit }) => unit === "plain" || unit === "usd")
}

const spelled = new RegExp(`${say.half.source}|${say.fewCoins.source}`, "giu")

/** Returns the amounts of coins that stand in words: "half a coin", "two btc". */
const spelledSizes = ({ text }: WriteRequest): ReadonlyArray<string> => [
  ...Array.from(text.matchAll(spelled), ([words]) => words),
  ...findMentionSpans(text).flatMap(({ at }) => say.few.exec(text.slice(0, at))?.[0].trim() ?? [])
]

/** A smaller size without a unit probably counts coins: "size 0.2". */
const leastBareSize = 10

/**
 * Returns the sizes of a position that are not surely dollars, as they are written, except those whose dollars a caller
 * has calculated. Only dollars can be stored.
 */
export const foreignSizes = (request: WriteRequest, converted: ReadonlyArray<number> = []): ReadonlyArray<string> => {
  if (!/^(?:set|update|close)_position$/.test(request.tool)) return []
  const counted = labelled(request, "size_usd", null).filter(({ label, unit, value }) =>
    !(converted.includes(value) && unit !== "money") &&
    (unit === "coins" || unit === "money" || (label === "size_usd" && unit === "plain" && value < leastBareSize))
  )
  return [
    ...counted.map(({ at, end }) => request.text.slice(at, end).trim()),
    ...(request.tool === "close_position" ? [] : spelledSizes(request))
  ]
}

/** The part of a position that is to be closed; null when the whole is, or nothing is said. */
export const fractionOf = (request: WriteRequest): number | null => {
  const [share, ...others] = labelled(request, null, "price", "size_usd").filter(({ unit }) => unit === "percent")
  if (share !== undefined) return others.length === 0 ? Number((share.value / 100).toPrecision(12)) : Number.NaN
  return say.half.test(request.text) ? 0.5 : null
}
