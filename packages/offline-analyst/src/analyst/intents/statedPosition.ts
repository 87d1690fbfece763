import { labelledIn, type WriteRequest, writeRequestsIn } from "@tapeline/core/agent"
import type { Schema } from "effect"
import { ask, type Desk, type Planned } from "../intent.ts"
import { coinsOf } from "../reading/coinNames.ts"
import { recordsIt } from "../reading/requestText.ts"
import { plain, rule } from "../reading/rule.ts"
import { isStockTicker } from "../reading/stockNames.ts"
import { text } from "../writing/text.ts"

const converted = text(
  "The journal keeps sizes in dollars: {quantity} {coin} at {entry} is {usd}.",
  "일지는 규모를 달러로 기록합니다. {coin} {quantity}개 × {entry} = {usd}.",
  "Журнал хранит размер в долларах: {quantity} {coin} по {entry} это {usd}."
)

type Label = WriteRequest["numbers"][number]["label"]

/** Returns whether a number can be stored, because money is only stored in dollars. */
const isStored = ({ label, unit }: WriteRequest["numbers"][number]): boolean =>
  unit === "coins" ? !/^(?:size|fees|account)_usd$/.test(label ?? "") : unit !== "money" && unit !== "won"

/** Returns the numbers with a label. "Bought 2 SOL at 128" names no entry of 2. */
export const all = ({ numbers }: Pick<WriteRequest, "numbers">, label: Label): ReadonlyArray<number> =>
  numbers.flatMap((number) =>
    number.label === label && isStored(number) && !(label === "entry" && number.unit === "coins") ? [number.value] : []
  )

/** Returns the labelled numbers of a request, for labels that are also argument names. */
export const told = (
  request: Pick<WriteRequest, "numbers">,
  ...labels: ReadonlyArray<NonNullable<Label>>
): Record<string, Schema.Json> =>
  Object.fromEntries(labels.flatMap((label) => {
    const [first] = all(request, label)
    return first === undefined ? [] : [[label, label === "takes" ? all(request, label) : first]]
  }))

export const only = <A>(list: ReadonlyArray<A>): A | undefined => list.length === 1 ? list[0] : undefined

/** Returns whether a number without a unit is a size in coins: it has decimals and is far below the entry. */
const isCoinSize = (value: number, entry: number): boolean =>
  !Number.isInteger(value) && value < 10 && value * 20 < entry

/** Returns the size in coins of a request for a position with an entry, or null. */
const coinSizeOf = ({ numbers }: WriteRequest, entry: number): number | null => {
  const [size, ...others] = numbers.filter(({ label, unit, value }) =>
    value > 0 && value !== entry &&
    (unit === "coins"
      ? /^(?:null|size_usd|entry)$/.test(String(label))
      : unit === "plain" && (label === null || label === "size_usd") && isCoinSize(value, entry))
  )
  return size === undefined || others.length > 0 ? null : size.value
}

/** The arguments of a position, and its size in coins if the arguments contain the worth of the size in dollars. */
export interface StatedPosition {
  readonly coin: string
  readonly entry: number | undefined
  readonly args: Readonly<Record<string, Schema.Json>>
  readonly coins: number | null
}

/** Returns the stated fields of a position, or null if the message does not state the coin and the side. */
export const positionOf = (request: WriteRequest): StatedPosition | null => {
  const { numbers, text, tickers } = request
  const coin = only(tickers)
  const [isLong, isShort] = [/long|buy|bought|롱|매수|лонг|купил/iu, /short|sell|sold|숏|매도|шорт|продал/iu].map((
    one
  ) => one.test(text))
  if (coin === undefined || isLong === isShort) return null
  const loose = numbers.filter(({ label, unit }) => label === null && unit === "plain")
  const dollars = only(numbers.filter(({ label, unit }) => label === null && unit === "usd"))
  const highest = loose.toSorted((a, b) => b.value - a.value)[0]?.value
  const stated = all(request, "entry")[0] ?? all(request, "price")[0] ?? only(loose)?.value ?? highest
  const coins = stated === undefined ? null : coinSizeOf(request, stated)
  // Of two bare numbers, the lower one must be a size.
  const entry = stated === highest && loose.length > 1 && coins === null ? undefined : stated
  const { size_usd: usd = dollars?.value, ...fields } = told(request, "stop", "takes", "size_usd", "leverage")
  const usdSize = coins !== null && entry !== undefined ? Number((coins * entry).toPrecision(12)) : usd
  return {
    coin,
    entry,
    args: {
      coin,
      side: isLong === true ? "long" : "short",
      ...(entry === undefined ? {} : { entry }),
      ...fields,
      ...(usdSize === undefined ? {} : { size_usd: usdSize })
    },
    coins
  }
}

/** Returns the call that records a position. */
export const recording = ({ args, coins }: StatedPosition): Planned => ({
  ...ask("set_position", args),
  from: coins === null ? [] : [coins]
})

/** Returns the line about a size in coins, whose worth in dollars is recorded. */
export const sizeLine = (position: StatedPosition | null, { format, say }: Desk): string | null =>
  position === null || position.coins === null || position.entry === undefined ? null : say(converted, {
    quantity: format.plain(position.coins),
    coin: position.coin,
    entry: format.usd(position.entry),
    usd: format.usd(position.coins * position.entry)
  })

/** Matches words of exits, orders, plans and conditions, which never occur in a statement of an open position. */
export const notOpened = rule(
  "sell|selling|sold|clos(?:e|ed|ing)|exit(?:ed|ing)?|cover(?:ed)?|out of|takes? profits? (?:on|from|of)|took|(?<!(?:stops?|stop[- ]?loss|sl|targets?|tp) )(?:above|below|over|under)|if|when|once|unless|until|want|wanna|would|should|will|going|plan(?:ning)?|thinking",
  "팔|판매|매도|정리|청산했|청산함|익절(?:했|함)|손절(?:했|함)|나왔|싶|원해|예정|계획|이상|이하|넘|으면|하면|되면",
  "прода|закры|вышел|вышла|выход|выш[еи]|выйти|зафиксир|хо[чт]|план|буду|если|когда|выше|ниже"
)

export const recordOf = (position: string): string =>
  /[가-힣]/u.test(position)
    ? `${position} 기록해줘`
    : /[а-я]/iu.test(position)
    ? `запиши ${position}`
    : `record ${position}`

/** Returns the request for a position that a journal entry describes: "add to my journal: short btc at 67200". */
export const asPosition = (request: WriteRequest): WriteRequest => {
  if (request.tool !== "add_journal_note" || /note|memo|메모|노트|заметк/iu.test(request.text)) return request
  const [position, ...others] = notOpened.test(plain(request.content)) ? [] : writeRequestsIn(recordOf(request.content))
  const stated = position?.tool === "set_position" && others.length === 0 ? positionOf(position) : null
  return position === undefined || stated?.entry === undefined ? request : position
}

/** Returns the position that a message states or asks to record, or null. */
const positionIn = (message: string): StatedPosition | null => {
  if (/[?？]/u.test(message)) return null
  const requests = writeRequestsIn(message).map(asPosition)
  const [request, ...others] = requests.length > 0 ? requests : writeRequestsIn(recordOf(message))
  const stated = request?.tool === "set_position" && others.length === 0 ? positionOf(request) : null
  return stated?.entry === undefined || (requests.length === 0 && notOpened.test(plain(message)))
    ? null
    : stated
}

/** The words of a message that only changes fields of a position. */
const amending = rule(
  "make|move|set|change|put|raise|lower|trail|to|at|is|the|my|its?|now|and|ok|please|with|on|stop(?:[- ]?loss)?|sl|tp|targets?|take[- ]?profit|leverage|lev|entry",
  "손절[가선]?|목표가?|익절가?|레버리지|진입가?|으로|로|은|는|를|을|가|에|바꿔줘?|변경해?줘?|수정해?줘?|옮겨줘?|잡아줘?|걸어줘?|해줘?",
  "стоп[а-я]*|тейк[а-я]*|цель|плечо|вход|на|по|до|и|теперь|поставь|сделай|перенеси|подвинь|поменяй|измени"
)
const amendingWords = new RegExp(amending.source, "gu")

/** Returns the fields of a position that a message without an instrument changes, or null. */
export const amendmentIn = (message: string): Readonly<Record<string, Schema.Json>> | null => {
  const words = plain(message)
  if (recordsIt.test(words)) return {}
  const numbers = labelledIn(words)
  const fields = told({ numbers }, "stop", "takes", "leverage", "entry")
  const isWhole = numbers.length > 0 && Object.values(fields).flat().length === numbers.length
  const rest = numbers.toSorted((a, b) => b.at - a.at).reduce(
    (text, { at, end }) => `${text.slice(0, at)} ${text.slice(end)}`,
    words
  )
  return isWhole && !/[\p{L}\d?]/u.test(rest.replaceAll(amendingWords, " ")) ? fields : null
}

/** Returns the last position of the earlier messages, with the later changes of its fields, or null. */
export const openPosition = (earlier: ReadonlyArray<string>): StatedPosition | null =>
  earlier.reduce<StatedPosition | null>((open, message) => {
    const stated = positionIn(message)
    if (stated !== null) return stated
    const fields = open === null || coinsOf(message, isStockTicker).coins.length > 0 ? null : amendmentIn(message)
    return open === null || fields === null ? open : { ...open, args: { ...open.args, ...fields } }
  }, null)
