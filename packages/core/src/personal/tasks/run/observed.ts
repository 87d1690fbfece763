import { Option, Schema } from "effect"
import type { Message } from "../../../engine/messages/dictionary.ts"
import { say } from "../../../engine/messages/language.ts"
import type { Language } from "../../../engine/messages/languageCode.ts"
import { instant } from "../../../engine/tool/result.ts"
import { amount } from "../../../engine/tool/rounding.ts"
import { minuteMs } from "../../../market/timeframe.ts"
import type { WatchFiring } from "../judgeMinutes.ts"
import { WatchSpec } from "../spec.ts"
import type { MinuteSeries } from "./series.ts"

const Move = Schema.Struct({ symbol: Schema.String, move_pct: Schema.Finite, price: Schema.Finite })

/** The observed values of a watch that fired, as its firing stores them. */
const Observed = Schema.Struct({
  spec: WatchSpec,
  /** The end of the minute, ISO 8601. */
  time: Schema.String,
  value: Schema.Finite,
  /** The last known value before that minute. */
  before: Schema.NullOr(Schema.Finite),
  /** Present for `vwap_cross`, as are `vwap` and `distance_pct`. */
  price: Schema.optionalKey(Schema.Finite),
  vwap: Schema.optionalKey(Schema.Finite),
  distance_pct: Schema.optionalKey(Schema.Finite),
  /** Present for `gap`: the moves, largest first, and their total number in `moved`. */
  moves: Schema.optionalKey(Schema.Array(Move)),
  moved: Schema.optionalKey(Schema.Int)
})
type Observed = typeof Observed.Type

const read = Schema.decodeUnknownOption(Observed)

/** Returns the observed values that a firing stores. */
export const observedOf = (
  spec: WatchSpec,
  { before, dueAt, value }: WatchFiring,
  series: MinuteSeries
): Schema.Json => ({
  spec,
  time: instant(dueAt),
  value: amount(value),
  before: before === null ? null : amount(before),
  ...series.detailsAt(dueAt, spec)
})

/** Formats an instant for people, to the minute. */
export const timeText = (time: string): string => `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`

const signed = (percent: number): string => `${percent > 0 ? "+" : ""}${Number(percent.toFixed(2))} %`

const seen = (
  { moved = 0, moves = [], price = 0, spec, time: at, value, vwap = 0 }: Observed,
  lang: Language
): Message => {
  const time = timeText(at)
  const { symbol } = spec
  switch (spec.metric) {
    case "price":
    case "score": {
      const did = say({ key: `task_did_${spec.op}` }, lang)
      const params = { symbol, value: `${value}`, time, did, level: `${spec.value}` }
      return spec.metric === "price" ? { key: "task_saw_price", params } : { key: "task_saw_score", params }
    }
    case "vwap_cross":
      return { key: "task_saw_vwap", params: { symbol, price: `${price}`, vwap: `${vwap}`, time, dir: spec.dir } }
    case "gap": {
      const named = moves.map((one) => `${one.symbol} ${signed(one.move_pct)}`).join(", ")
      return {
        key: "task_saw_gap",
        params: { moves: named, level: `${spec.value}`, time, more: moved - moves.length }
      }
    }
  }
}

/** A shorter delay is not mentioned, because a minute is judged some seconds after it closed. */
const toldFromMs = 2 * minuteMs

/** Returns the texts about a delay and about missed firings. Empty if there was neither. */
export const latenessText = (lateByMs: number, missed: number, lang: Language): ReadonlyArray<string> => [
  ...(lateByMs < toldFromMs
    ? []
    : [say({ key: "task_late", params: { minutes: Math.round(lateByMs / minuteMs) } }, lang)]),
  ...(missed === 0 ? [] : [say({ key: "task_missed", params: { times: missed } }, lang)])
]

/** Returns a text with the observed values, the condition and the time. Empty if nothing was observed. */
export const observedText = (observed: Schema.Json | null, lang: Language): string =>
  Option.match(read(observed), { onNone: () => "", onSome: (one) => say(seen(one, lang), lang) })
