import { Predicate, type Schema } from "effect"
import { findMentionSpans, isKnownTicker } from "../../market/instrumentMentions.ts"
import { type KnownRecords, noRecords } from "../writeProposal.ts"
import type { Label, Labelled } from "./labels.ts"
import type { WriteRequest } from "./requests.ts"
import * as say from "./vocabulary.ts"
import { foreignIn } from "./words.ts"

/**
 * Why a call is not what was asked for: the argument that differs, is missing or is unclear, or the words that no
 * argument holds. Null when it is.
 */
export type Objection = { readonly kind: "differs" | "missing" | "unclear" | "unused"; readonly field: string } | null

/** The arguments of a call; those that are null are left out of them. */
export type Arguments = Readonly<Record<string, Schema.Json>>

/** Whether an argument is as it was asked for. */
type Check = (value: Schema.Json, request: WriteRequest, records: KnownRecords) => boolean

/** What a tool's arguments must hold to. What a request tells under `labels` must stand in its arguments. */
export interface Rules {
  readonly fields: Readonly<Record<string, Check>>
  readonly required: ReadonlyArray<string>
  /** Of these at least one. */
  readonly some?: ReadonlyArray<string>
}

const isNumber = (value: Schema.Json): value is number => typeof value === "number" && Number.isFinite(value)

/** Numbers that are dollars or nothing in particular. */
const isPlain = ({ unit }: Labelled): boolean => unit === "plain" || unit === "usd"

/** Returns whether a number may be a price. The instrument may follow its price: "stop 58000 BTC". */
const isPrice = (number: Labelled): boolean => isPlain(number) || number.unit === "coins"

export const labelled = ({ numbers }: WriteRequest, ...labels: ReadonlyArray<Label | null>): ReadonlyArray<Labelled> =>
  numbers.filter(({ label }) => labels.includes(label))

const oneOf = (value: Schema.Json, numbers: ReadonlyArray<Labelled>): boolean =>
  isNumber(value) && numbers.some((number) => number.value === value)

/** A price, under a word of its own. */
const price = (label: Label): Check => (value, request) => oneOf(value, labelled(request, label).filter(isPrice))

/** An amount of dollars, under a word of its own. */
const amount = (label: Label): Check => (value, request) => oneOf(value, labelled(request, label).filter(isPlain))

const percent = (label: Label): Check => (value, request) =>
  oneOf(value, labelled(request, label).filter(({ unit }) => unit === "percent" || unit === "plain"))

const multiple = (label: Label): Check => (value, request) =>
  oneOf(value, labelled(request, label).filter(({ unit }) => unit === "times" || unit === "plain"))

/** Prices that are said to be nothing else. */
export const loosePrices = (request: WriteRequest): ReadonlyArray<Labelled> => {
  const priced = labelled(request, "price").filter(isPrice)
  return priced.length > 0 ? priced : labelled(request, null).filter(({ unit }) => unit === "plain" || unit === "usd")
}

const entry: Check = (value, request) => {
  const said = labelled(request, "entry").filter(isPrice)
  const isSized = labelled(request, "size_usd").length > 0
  // Dollars that are called nothing may be the size.
  const loose = loosePrices(request).filter(({ label, unit }) => label === "price" || unit === "plain" || isSized)
  return oneOf(value, said.length > 0 ? said : loose.length === 1 ? loose : labelled(request, "price").slice(0, 1))
}

const size: Check = (value, request) => {
  const said = labelled(request, "size_usd").filter(isPlain)
  const dollars = labelled(request, null).filter(({ unit }) => unit === "usd")
  return oneOf(value, said.length > 0 ? said : dollars.length === 1 ? dollars : [])
}

const spelled = new RegExp(`${say.half.source}|${say.fewCoins.source}`, "giu")

/** Returns the amounts of coins that stand in words: "half a coin", "two btc". */
const spelledSizes = ({ text }: WriteRequest): ReadonlyArray<string> => [
  ...Array.from(text.matchAll(spelled), ([words]) => words),
  ...findMentionSpans(text).flatMap(({ at }) => say.few.exec(text.slice(0, at))?.[0].trim() ?? [])
]

/** A smaller size without a unit probably counts coins: "size 0.2". */
const leastBareSize = 10

/** Returns the sizes of a position that are not surely dollars, as they are written. Only dollars can be stored. */
export const foreignSizes = (request: WriteRequest): ReadonlyArray<string> => {
  if (!/^(?:set|update|close)_position$/.test(request.tool)) return []
  const counted = labelled(request, "size_usd", null).filter(({ label, unit, value }) =>
    unit === "coins" || unit === "money" || (label === "size_usd" && unit === "plain" && value < leastBareSize)
  )
  return [
    ...counted.map(({ at, end }) => request.text.slice(at, end).trim()),
    ...(request.tool === "close_position" ? [] : spelledSizes(request))
  ]
}

const takes: Check = (value, request) => {
  const said = labelled(request, "takes").filter(isPrice)
  return Array.isArray(value) && value.length > 0 && new Set(value).size === value.length &&
    value.every((one: Schema.Json) => oneOf(one, said)) && said.every((one) => value.includes(one.value))
}

const ownText = (isTitle: boolean): Check => (value, { content, text }) =>
  typeof value === "string" && value.trim() !== "" && (!isTitle || value.length <= 120) &&
  foreignIn(value, isTitle ? `${text} ${content}` : content, isTitle) === null

const coin: Check = (value, { tickers }) =>
  typeof value === "string" && tickers.length === 1 && tickers[0] === value.toUpperCase()

const side: Check = (value, { text }) =>
  (value === "long" && say.long.test(text) && !say.short.test(text)) ||
  (value === "short" && say.short.test(text) && !say.long.test(text))

const oneId: Check = (value, request) => {
  const said = labelled(request, "id")
  return said.length === 1 && said[0]!.value === value
}

/** Whether the instruments that a message names beside a record's number are the record's own. */
const isOf = (tickers: ReadonlyArray<string>, coin: string | undefined): boolean =>
  coin === undefined ? tickers.every(isKnownTicker) : tickers.every((ticker) => ticker === coin.toUpperCase())

/** A record is named by its number, or by its instrument where it is the only one. */
const positionId: Check = (value, request, { positions }) => {
  if (labelled(request, "id").length > 0) {
    return oneId(value, request, noRecords) && isOf(request.tickers, positions.find(({ id }) => id === value)?.coin)
  }
  const isLong = say.long.test(request.text)
  const isShort = say.short.test(request.text)
  const meant = positions.filter((one) =>
    request.tickers.length === 1 && one.coin.toUpperCase() === request.tickers[0] &&
    (isLong === isShort || one.side === (isLong ? "long" : "short"))
  )
  return meant.length === 1 && meant[0]!.id === value
}

const taskId: Check = (value, request, { tasks }) => {
  if (labelled(request, "id").length > 0) {
    return oneId(value, request, noRecords) && isOf(request.tickers, tasks.find(({ id }) => id === value)?.symbol)
  }
  const meant = tasks.filter(({ symbol }) =>
    request.tickers.length === 1 && symbol.toUpperCase() === request.tickers[0]
  )
  return meant.length === 1 && meant[0]!.id === value
}

/** Of two prices nobody knows which is meant. */
const exit: Check = (value, request) =>
  oneOf(value, loosePrices(request)) && labelled(request, "price", null).filter(isPrice).length === 1

/** The part of a position that is to be closed; null when the whole is, or nothing is said. */
export const fractionOf = (request: WriteRequest): number | null => {
  const [share, ...others] = labelled(request, null, "price", "size_usd").filter(({ unit }) => unit === "percent")
  if (share !== undefined) return others.length === 0 ? Number((share.value / 100).toPrecision(12)) : Number.NaN
  return say.half.test(request.text) ? 0.5 : null
}

const coinsTo = (act: "Add" | "Delete"): Check => (value, request) =>
  Array.isArray(value) && (request.act === "Delete") === (act === "Delete") &&
  value.every((one: Schema.Json) => typeof one === "string" && request.tickers.includes(one.toUpperCase()))

/** What is said of all notifications alike. */
const ofAll = new RegExp(
  "^(?:mark|set|please|pls|can|could|will|would|you|i|d|m|like|want|need|to|the|my|of|them|it|as|and|then|also|now|just|ok|okay|" +
    "yes|hey|hi|hello|thanks|thank|отмет[а-я]+|помет[а-я]+|пожалуйста|мо[а-я]|их|как|и|можешь|можете|мне|" +
    "(?:내|제|들|을|를|은|좀|으로|로|그리고|처리|표시|하|해|줘|주|요|세요|십시오|줄래|부탁|드려|드립니다|합니다)+)$",
  "u"
)

/** Whether all notifications are meant, and none of them is told apart from others: by a coin, a number, a day. */
export const areAllMeant = ({ numbers, text, tickers }: WriteRequest): boolean => {
  const known = [say.nouns.notifications, say.nouns.read, say.allOf]
  const rest = known.reduce((left, { source }) => left.replaceAll(new RegExp(`(?:${source})[а-я]*`, "giu"), " "), text)
  const words = rest.toLowerCase().match(/\p{L}+/gu) ?? []
  return numbers.length + tickers.length === 0 && words.every((word) => ofAll.test(word))
}

const ids: Check = (value, request) => {
  const said = labelled(request, "id", null).filter(({ unit }) => unit === "id" || unit === "plain")
  return Array.isArray(value) && value.length > 0 && value.every((one: Schema.Json) => oneOf(one, said))
}

const runs: Check = (value, { numbers }) =>
  value === 1 || oneOf(value, numbers.filter(({ unit }) => unit === "count" || unit === "id"))

const status: Check = (value, { act }) =>
  value === (act === "Pause" ? "paused" : act === "Resume" ? "active" : undefined)

const trade: Check = (value, request) => oneId(value, request, noRecords)

const positionFields = {
  leverage: multiple("leverage"),
  size_usd: size,
  entry,
  stop: price("stop"),
  takes,
  notes: ownText(false)
} as const

export const position = { coin, side, positionId, taskId, ownText, runs, exit, entry } as const

/** What each tool's arguments are held to; `create_task` has rules of its own. */
export const rulesOf: Readonly<Record<Exclude<WriteRequest["tool"], "create_task">, Rules>> = {
  set_position: { fields: { coin, side, ...positionFields }, required: ["coin", "side"] },
  update_position: {
    fields: {
      id: positionId,
      ...positionFields,
      entry: price("entry"),
      size_usd: amount("size_usd")
    },
    required: ["id"],
    some: ["leverage", "size_usd", "entry", "stop", "takes"]
  },
  close_position: {
    fields: {
      id: positionId,
      exit,
      fraction: (value, request) => value === (fractionOf(request) ?? 1),
      fees_usd: (value, request) =>
        (value === 0 && labelled(request, "fees_usd").length === 0) || amount("fees_usd")(value, request, noRecords),
      notes: ownText(false)
    },
    required: ["id", "exit"]
  },
  delete_position: { fields: { id: positionId }, required: ["id"] },
  add_journal_note: { fields: { text: ownText(false), trade_id: trade, coin }, required: ["text"] },
  set_risk_profile: {
    fields: {
      account_usd: amount("account_usd"),
      risk_pct: percent("risk_pct"),
      max_leverage: (value, request) =>
        multiple("max_leverage")(value, request, noRecords) || multiple("leverage")(value, request, noRecords),
      max_open_risk_pct: percent("max_open_risk_pct")
    },
    required: [],
    some: ["account_usd", "risk_pct", "max_leverage", "max_open_risk_pct"]
  },
  update_watchlist: {
    fields: { add: coinsTo("Add"), remove: coinsTo("Delete") },
    required: [],
    some: ["add", "remove"]
  },
  update_task: {
    fields: { id: taskId, status, max_runs: runs },
    required: ["id"],
    some: ["status", "max_runs"]
  },
  delete_task: { fields: { id: taskId }, required: ["id"] },
  mark_notifications_read: { fields: { ids }, required: [] }
}

/** The arguments of a call that are given: an object's, without those that are null. */
export const givenArguments = (args: Schema.Json): Arguments | null => {
  if (!Predicate.isReadonlyObject(args) || Array.isArray(args)) return null
  // An object that was read as JSON holds nothing else.
  return Object.fromEntries(Object.entries(args as Arguments).filter(([, value]) => value !== null))
}
