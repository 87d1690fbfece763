import { findNumbers, type Unit } from "./numbers.ts"
import { maskNames } from "./prose.ts"

/**
 * The unit of a result's value, from the name of its field. `number` is a value of unknown unit, which may be a
 * fraction. `text` is a number within a text, and `count` is the length of a list.
 */
export type ValueUnit = "percent" | "bps" | "money" | "number" | "text" | "count"

export type Level = 0 | 1 | 2

/** A number of a tool's result. */
export interface SourceValue {
  readonly call: string
  /** The JSON pointer of the value in the result. */
  readonly path: string
  readonly value: number
  /**
   * 0 for a field of the result itself, 1 for other values, and 2 for values within long lists except the first and the
   * last item. A text states values of a low level more often.
   */
  readonly level: Level
  /** The characters before a number within a text. */
  readonly before?: string
  /** Texts of the list item that contains the value, such as `ETH`, which no other item of the list contains. */
  readonly labels?: ReadonlySet<string>
}

/** A tool's result, or the facts of a request. */
export interface Source {
  readonly call: string
  readonly data: unknown
}

/** For each level, the values up to that level in the order of their absolute values. */
export type SortedValues = Readonly<Record<Level, ReadonlyArray<SourceValue>>>

export interface SourceIndex {
  readonly values: Readonly<Record<ValueUnit, SortedValues>>
  /** Whole numbers that are keys of objects, such as the periods of `ema`. */
  readonly names: ReadonlySet<number>
}

const percentKey = /(?:^|_)(?:pct|percent|percentile|pp)(?:_|$)/i
const bpsKey = /(?:^|_)bps(?:_|$)/i
const moneyKey =
  /(?:^|_)(?:usd|krw|usdt|price|strike|spot|vwap)(?:_|$)|^(?:close|open|high|low|bid|ask|mark|mid|entry|exit|stop|target|pivot)(?:_|$)/i

const unitOfKey = (key: string): ValueUnit =>
  percentKey.test(key) ? "percent" : bpsKey.test(key) ? "bps" : moneyKey.test(key) ? "money" : "number"

const unitOfText: Readonly<Record<Unit, ValueUnit>> = { percent: "percent", bps: "bps", money: "money", plain: "text" }

/** The notes that `shortenJson` leaves in place of omitted items, characters and fields. */
const omittedItems = /^… (\d+) of (\d+) left out …$/
const omittedText = /… \(\d+ more of \d+\)$/
const omittedFields = "…"
const timestamp = /^\d{4}-\d{2}-\d{2}T[\d:.]{5,12}Z$/

/** The limits of an index. Results are much smaller, because a run shortens each result. */
const maxValues = 50_000
const maxPathLength = 300
const maxTextLength = 20_000
const maxNumbersPerText = 100
const maxDepth = 40
const maxLabelLength = 24
const maxShortList = 12
/** The number of characters before a number that a text must repeat to quote it. */
export const quoteLength = 10

interface Place {
  readonly path: string
  readonly unit: ValueUnit
  readonly level: Level
  readonly labels?: ReadonlySet<string>
  readonly depth: number
}

const escapeKey = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1")

const isLabel = (value: unknown): value is string =>
  typeof value === "string" && value.length >= 2 && value.length <= maxLabelLength && /\p{L}/u.test(value)

/** Returns for each item of a list its short texts that no other item has. */
const collectLabels = (list: ReadonlyArray<unknown>): ReadonlyArray<ReadonlySet<string>> => {
  const texts = list.map((item) =>
    new Set(typeof item === "object" && item !== null ? Object.values(item).filter(isLabel) : [])
  )
  const counts = new Map<string, number>()
  for (const text of texts.flatMap((own) => [...own])) counts.set(text, (counts.get(text) ?? 0) + 1)
  return texts.map((own) => new Set([...own].filter((text) => counts.get(text) === 1)))
}

class Collector {
  readonly values: Record<ValueUnit, Array<SourceValue>> = {
    percent: [],
    bps: [],
    money: [],
    number: [],
    text: [],
    count: []
  }
  readonly names = new Set<number>()
  #count = 0

  #add(call: string, { labels, level, path }: Place, value: number, unit: ValueUnit, before?: string): void {
    if (this.#count >= maxValues || path.length > maxPathLength || !Number.isFinite(value)) return
    this.#count += 1
    this.values[unit].push({
      call,
      path,
      value,
      level,
      ...(before === undefined ? {} : { before }),
      ...(labels === undefined ? {} : { labels })
    })
  }

  #collectText(call: string, text: string, place: Place): void {
    if (!/\d/.test(text) || timestamp.test(text)) return
    const prose = maskNames(text.slice(0, maxTextLength).replace(omittedText, ""))
    for (const { offset, readings, sign, unit } of findNumbers(prose, "en", maxNumbersPerText)) {
      const before = prose.slice(Math.max(0, offset - quoteLength), offset)
      for (const { value } of readings) this.#add(call, place, sign < 0 ? -value : value, unitOfText[unit], before)
    }
  }

  #collectList(call: string, list: ReadonlyArray<unknown>, place: Place): void {
    let shift = 0
    const labels = collectLabels(list)
    for (const [i, item] of list.entries()) {
      const note = typeof item === "string" ? omittedItems.exec(item) : null
      // A path counts the items of the whole list. The note replaces several of them.
      if (note !== null) shift = Number(note[1]) - 1
      else {
        this.collect(call, item, {
          path: `${place.path}/${i + shift}`,
          unit: place.unit,
          level: list.length > maxShortList && i > 0 && i < list.length - 1 ? 2 : place.level,
          ...(labels[i] === undefined ? {} : { labels: labels[i] }),
          depth: place.depth + 1
        })
      }
    }
    this.#add(call, place, list.length + shift, "count")
  }

  collect(call: string, data: unknown, place: Place): void {
    if (typeof data === "number") return this.#add(call, place, data, place.unit)
    if (typeof data === "string") return this.#collectText(call, data, place)
    if (typeof data !== "object" || data === null || place.depth > maxDepth) return
    if (Array.isArray(data)) return this.#collectList(call, data, place)
    for (const [key, value] of Object.entries(data)) {
      if (key === omittedFields) continue
      if (/^\d{1,4}$/.test(key)) this.names.add(Number(key))
      const unit = unitOfKey(key)
      this.collect(call, value, {
        path: `${place.path}/${escapeKey(key)}`,
        // The name of an enclosing object gives the unit of its values: `atm_iv_pct/30`.
        unit: unit === "number" ? place.unit : unit,
        ...(place.labels === undefined ? {} : { labels: place.labels }),
        level: place.level === 0 && place.depth > 0 ? 1 : place.level,
        depth: place.depth + 1
      })
    }
  }
}

const sortValues = (values: Array<SourceValue>): SortedValues => {
  const sorted = values.sort((a, b) => Math.abs(a.value) - Math.abs(b.value))
  return { 0: sorted.filter(({ level }) => level === 0), 1: sorted.filter(({ level }) => level < 2), 2: sorted }
}

/** Collects the numbers of tool results, including numbers within texts and the lengths of lists. */
export const indexSources = (sources: ReadonlyArray<Source>): SourceIndex => {
  const collector = new Collector()
  for (const { call, data } of sources) {
    collector.collect(call, data, { path: "", unit: "number", level: 0, depth: 0 })
  }
  const { bps, count, money, number, percent, text } = collector.values
  return {
    values: {
      percent: sortValues(percent),
      bps: sortValues(bps),
      money: sortValues(money),
      number: sortValues(number),
      text: sortValues(text),
      count: sortValues(count)
    },
    names: collector.names
  }
}
