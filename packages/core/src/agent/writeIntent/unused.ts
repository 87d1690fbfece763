import { Predicate, type Schema } from "effect"
import { findMentionSpans } from "../../market/instrumentMentions.ts"
import { quantitiesIn, type Quantity } from "./quantities.ts"
import { folded } from "./readable.ts"
import { withoutZones } from "./zones.ts"

/** The arguments of a call; those that are null are left out of them. */
type Arguments = Readonly<Record<string, Schema.Json>>

/** The values that the arguments of some calls contain. */
interface Held {
  readonly numbers: ReadonlySet<number>
  readonly texts: ReadonlyArray<string>
  /** Whether a record is named by its number. The record's own check compares it with the instruments. */
  readonly hasRecord: boolean
  /** A watch on a move looks at an hour, which no argument holds. */
  readonly hasHour: boolean
  /** Whether a time of day is stored with its offset from UTC. */
  readonly hasZone: boolean
}

const clockMinutes = (text: string): number | null => {
  const [, hour, minute] = /^(\d{2}):(\d{2})$/.exec(text) ?? []
  return hour === undefined ? null : Number(hour) * 60 + Number(minute)
}

const collect = (value: Schema.Json, key: string, numbers: Set<number>, texts: Array<string>): void => {
  if (typeof value === "number") {
    numbers.add(value)
    // Half of a position is 50 percent in the message and 0.5 in the call.
    if (key === "tz_offset_hours") numbers.add(Math.abs(value))
    if (key === "fraction") numbers.add(Number((value * 100).toPrecision(12)))
  } else if (typeof value === "string") {
    const minutes = clockMinutes(value)
    if (minutes !== null) {
      // "At 9 in the evening" says 9 and means 21:00.
      for (const said of [minutes, minutes / 60, (minutes / 60 + 11) % 12 + 1]) numbers.add(said)
    }
    texts.push(folded(value))
    for (const quantity of quantitiesIn(folded(value))) numbers.add(quantity.value)
  } else if (Array.isArray(value)) {
    for (const one of value) collect(one, key, numbers, texts)
  } else if (value !== null && typeof value === "object") {
    for (const [name, one] of Object.entries(value)) collect(one, name, numbers, texts)
  }
}

/** The arguments that say what is stored. A title only repeats the message, unless a schedule asks it each time. */
const stored = (args: Schema.Json): Schema.Json => {
  if (typeof args !== "object" || args === null || Array.isArray(args)) return args
  // An object of JSON that is no list.
  const { title, ...rest } = args as Arguments
  return title !== undefined && rest["kind"] === "schedule" && rest["prompt"] === undefined ? args : rest
}

const heldBy = (calls: ReadonlyArray<Schema.Json>): Held => {
  const numbers = new Set<number>()
  const texts: Array<string> = []
  for (const args of calls) collect(stored(args), "", numbers, texts)
  return {
    numbers,
    texts,
    hasRecord: calls.some((args) => Predicate.hasProperty(args, "id")),
    hasHour: texts.includes("gap"),
    hasZone: calls.some((args) =>
      Predicate.hasProperty(args, "spec") && Predicate.hasProperty(args.spec, "tz_offset_hours")
    )
  }
}

/** A word or a number as it is written, with what belongs to it: `0.2btc`. */
const run = /[\p{L}\p{N}]+(?:[.,:/-]\p{N}[\p{L}\p{N}]*)*/gu

const isHeld = ({ hasHour, numbers }: Held, { old, unit, value }: Quantity): boolean =>
  old || numbers.has(value) || (hasHour && unit === "minutes" && value === 60)

/**
 * Returns the words of `text` that no argument of `calls` contains: numbers as they are written, and tickers of
 * instruments. A call without one of them stores less than its user said.
 */
export const unusedIn = (text: string, calls: ReadonlyArray<Schema.Json>): ReadonlyArray<string> => {
  const held = heldBy(calls)
  // The stored offset contains the zone, whose name may look like a ticker.
  const own = held.hasZone ? withoutZones(folded(text)) : folded(text)
  const quantities = quantitiesIn(own)
  const spans = findMentionSpans(own).filter(({ at, end }) => !quantities.some((one) => at < one.end && end > one.at))
  const covers = (from: number, to: number) =>
    [...quantities, ...spans].some(({ at: start, end }) => start < to && end > from)
  const isTold = (word: string) => held.texts.some((one) => one.toLowerCase().includes(word.toLowerCase()))
  const numbers = quantities.filter((one) => !isHeld(held, one)).map(({ at, end }) => own.slice(at, end).trim())
  const unread = Array.from(own.matchAll(run)).flatMap(({ 0: word, index }) =>
    !/\p{N}/u.test(word) || covers(index, index + word.length) || isTold(word) ? [] : [word]
  )
  const tickers = spans.flatMap(({ at, end, ticker }) =>
    held.hasRecord || isTold(ticker) || isTold(own.slice(at, end)) ? [] : [ticker]
  )
  return [...new Set([...numbers, ...unread, ...tickers])]
}
