import { quantitiesIn, type Quantity } from "./quantities.ts"
import { nouns } from "./vocabulary.ts"

/** What a number is said to be. `price` is one that something happens at; null when nothing is said. */
export type Label =
  | "stop"
  | "takes"
  | "leverage"
  | "entry"
  | "size_usd"
  | "fees_usd"
  | "account_usd"
  | "risk_pct"
  | "max_leverage"
  | "max_open_risk_pct"
  | "price"
  | "id"

/** A number with what it is said to be. */
export interface Labelled extends Quantity {
  readonly label: Label | null
}

const labels: ReadonlyArray<readonly [Label, RegExp]> = ([
  ["max_leverage", nouns.maxLeverage],
  ["max_open_risk_pct", nouns.openRisk],
  ["stop", nouns.stop],
  ["takes", nouns.take],
  ["leverage", nouns.leverage],
  ["entry", nouns.entry],
  // Before the size: "account size" is the account.
  ["account_usd", nouns.accountSize],
  ["size_usd", nouns.size],
  ["fees_usd", nouns.fee],
  ["risk_pct", nouns.risk],
  ["price", nouns.at]
] as const).map(([label, { source }]) => [label, new RegExp(source, "giu")])

/** Said right before a number, it is the number of a record. */
const beforeId =
  /(?:(?:positions?|trades?|tasks?|alerts?|notes?|notifications?|reminders?|watch|id)(?: (?:number|no\.?|id))?|번호|позици[а-я]*|сделк[а-я]*|задач[а-я]*|алерт[а-я]*|уведомлени[а-я]*|номер)(?: ?[#№])? ?$/iu

interface Item {
  readonly at: number
  readonly end: number
  readonly label: Label | null
  readonly quantity: Quantity | null
}

const itemsOf = (text: string, quantities: ReadonlyArray<Quantity>): ReadonlyArray<Item> => {
  const items: Array<Item> = quantities.map((quantity) => ({
    at: quantity.at,
    end: quantity.end,
    label: null,
    quantity
  }))
  for (const [label, pattern] of labels) {
    for (const { 0: { length }, index } of text.matchAll(pattern)) {
      const overlaps = items.some(({ at, end }) => index < end && index + length > at)
      if (!overlaps) items.push({ at: index, end: index + length, label, quantity: null })
    }
  }
  const sorted = items.sort((a, b) => a.at - b.at)
  // "A stop at 58,000" is a stop.
  return sorted.filter(({ label }, i) => label !== "price" || (sorted[i - 1]?.label ?? null) === null)
}

const isId = (text: string, { at, unit, value }: Quantity): boolean =>
  unit === "id" ||
  ((unit === "plain" || unit === "coins") && Number.isInteger(value) && beforeId.test(text.slice(0, at)))

/** What a number's neighbours say it is: a word before it, or after it where words follow their numbers. */
const labelOf = (items: ReadonlyArray<Item>, i: number): Label | null => {
  const before = items[i - 1]
  const after = items[i + 1]
  const isPrefixed = items.at(-1)?.quantity !== null
  const near = isPrefixed ? before : after
  if (near !== undefined && near.quantity === null && near.label !== "price") return near.label
  const isFirst = i === 0 || (i === 1 && before?.label === "price")
  const far = isPrefixed ? undefined : isFirst ? undefined : before
  if (far !== undefined && far.quantity === null && far.label !== "price" && items[i - 2]?.quantity === undefined) {
    return far.label
  }
  return before?.label === "price" ? "price" : null
}

const separator =
  /,(?!\d)|\n|;|(?<![a-z])(?:and|with|plus)(?![a-z])|그리고|(?<![а-я])и(?![а-я])|&|(?<=[가-힣])고(?= )/giu

const chunksOf = (text: string): ReadonlyArray<readonly [from: number, to: number]> => {
  const chunks: Array<readonly [number, number]> = []
  let from = 0
  for (const { 0: { length }, index } of text.matchAll(separator)) {
    chunks.push([from, index])
    from = index + length
  }
  return [...chunks, [from, text.length]]
}

/** What a number is changed to, after what it was. */
const changedTo = /^[^.!?,\n]{0,14}?(?:(?:to|until|till|на|до) [$₩]?\d|에서 ?[$₩]?[\d.,]+ ?[가-힣]{0,4}?(?:로|까지))/iu

/** Where a new position was opened: "long from 130" leaves nothing behind. */
const isOpening = (text: string, { end, old, unit }: Quantity): boolean =>
  old && (unit === "plain" || unit === "usd") && !changedTo.test(text.slice(end))

/** Whether a number is told with what it is changed to: "from 130 to 140". */
export const hasChange = (text: string): boolean => quantitiesIn(text).some((one) => one.old && !isOpening(text, one))

/**
 * The numbers of a request, each with what it is said to be. Numbers that are left behind are not among them.
 * `opens`: the request tells of a position that is new.
 */
export const labelledIn = (text: string, opens = false): ReadonlyArray<Labelled> => {
  const found: Array<Labelled> = []
  const all = quantitiesIn(text)
  const numbers = all.filter(({ old }) => !old)
  if (opens) { for (const one of all) if (isOpening(text, one)) found.push({ ...one, label: "entry" }) }
  for (const number of numbers) if (isId(text, number)) found.push({ ...number, label: "id" })
  const rest = numbers.filter((number) => !isId(text, number))
  for (const [from, to] of chunksOf(text)) {
    const own = rest.filter(({ at }) => at >= from && at < to).map((one) => ({
      ...one,
      at: one.at - from,
      end: one.end - from
    }))
    const items = itemsOf(text.slice(from, to), own)
    const alone = items.every((item) => item.quantity !== null)
    items.forEach(({ quantity }, i) => {
      if (quantity === null) return
      const near = labelOf(items, i)
      const follows = alone && found.at(-1)?.label === "takes" && quantity.unit !== "times"
      const label = quantity.unit === "times" && near !== "max_leverage" ? "leverage" : follows ? "takes" : near
      found.push({ ...quantity, at: quantity.at + from, end: quantity.end + from, label })
    })
  }
  return found
}
