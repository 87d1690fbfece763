import { Option, Schema } from "effect"
import type { Message } from "../../../engine/messages/dictionary.ts"
import { formatMessage } from "../../../engine/messages/language.ts"
import type { Language } from "../../../engine/messages/languageCode.ts"
import { formatInstant } from "../../../engine/tool/result.ts"
import { amount } from "../../../engine/tool/rounding.ts"
import { minuteMs } from "../../../market/timeframe.ts"
import type { WatchFiring } from "../evaluateMinutes.ts"
import { WatchSpec } from "../task.ts"
import type { MinuteSeries } from "./minuteSeries.ts"

const Move = Schema.Struct({ symbol: Schema.String, move_pct: Schema.Finite, price: Schema.Finite })

/** The observed values of a watch that fired, as the firing stores them. */
const Observed = Schema.Struct({
  spec: WatchSpec,
  /** The end of the minute at which the watch fired, ISO 8601. */
  time: Schema.String,
  value: Schema.Finite,
  /** The last known value before the watch fired. */
  before: Schema.NullOr(Schema.Finite),
  /** The price of the coin. `price`, `vwap` and `distance_pct` are present only for the metric `vwap_cross`. */
  price: Schema.optionalKey(Schema.Finite),
  vwap: Schema.optionalKey(Schema.Finite),
  distance_pct: Schema.optionalKey(Schema.Finite),
  /**
   * The largest price moves for the metric `gap`, largest first. `moved` is the number of all moves that reach the
   * watch's level.
   */
  moves: Schema.optionalKey(Schema.Array(Move)),
  moved: Schema.optionalKey(Schema.Int)
})
type Observed = typeof Observed.Type

const decodeObserved = Schema.decodeUnknownOption(Observed)

export const makeObserved = (
  spec: WatchSpec,
  { previousValue, dueAt, value }: WatchFiring,
  series: MinuteSeries
): Schema.Json => ({
  spec,
  time: formatInstant(dueAt),
  value: amount(value),
  before: previousValue === null ? null : amount(previousValue),
  ...series.detailsAt(dueAt, spec)
})

/** Formats an ISO 8601 instant for people, to the minute. */
export const formatTime = (time: string): string => `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`

const formatSignedPercent = (percent: number): string => `${percent > 0 ? "+" : ""}${Number(percent.toFixed(2))} %`

const toMessage = (
  { moved = 0, moves = [], price = 0, spec, time: at, value, vwap = 0 }: Observed,
  lang: Language
): Message => {
  const time = formatTime(at)
  const { symbol } = spec
  switch (spec.metric) {
    case "price":
    case "score": {
      const comparisonText = formatMessage({ key: `task_did_${spec.op}` }, lang)
      const params = { symbol, value: `${value}`, time, did: comparisonText, level: `${spec.value}` }
      return spec.metric === "price" ? { key: "task_saw_price", params } : { key: "task_saw_score", params }
    }
    case "vwap_cross":
      return { key: "task_saw_vwap", params: { symbol, price: `${price}`, vwap: `${vwap}`, time, dir: spec.dir } }
    case "gap": {
      const listedMoves = moves.map((move) => `${move.symbol} ${formatSignedPercent(move.move_pct)}`).join(", ")
      return {
        key: "task_saw_gap",
        params: { moves: listedMoves, level: `${spec.value}`, time, more: moved - moves.length }
      }
    }
  }
}

/**
 * The minimum delay that a notification mentions. Smaller delays are normal, because a minute is evaluated some seconds
 * after its end.
 */
const minReportedDelayMs = 2 * minuteMs

/** Returns the sentences about a firing's delay and about missed firings, if there are any. */
export const formatDelay = (lateByMs: number, missed: number, lang: Language): ReadonlyArray<string> => [
  ...(lateByMs < minReportedDelayMs
    ? []
    : [formatMessage({ key: "task_late", params: { minutes: Math.round(lateByMs / minuteMs) } }, lang)]),
  ...(missed === 0 ? [] : [formatMessage({ key: "task_missed", params: { times: missed } }, lang)])
]

/** Returns a text with the observed values, the condition and the time, or "" if nothing was observed. */
export const formatObserved = (observed: Schema.Json | null, lang: Language): string =>
  Option.match(decodeObserved(observed), {
    onNone: () => "",
    onSome: (observedValues) => formatMessage(toMessage(observedValues, lang), lang)
  })
