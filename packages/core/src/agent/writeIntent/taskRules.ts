import type { Schema } from "effect"
import { wordPattern } from "../../engine/text/wordPattern.ts"
import { noRecords } from "../writeProposal.ts"
import { calendarDaysIn } from "./calendarDays.ts"
import { clockTimesIn } from "./clockTimes.ts"
import { type Arguments, givenArguments, type Objection, position } from "./fields.ts"
import type { Labelled } from "./labels.ts"
import type { WriteRequest } from "./requests.ts"
import * as say from "./vocabulary.ts"
import { type Metric, straysInWatch } from "./watchWords.ts"
import { namedOffsets, unknownZoneIn } from "./zones.ts"

const fieldsOfTask = ["title", "kind", "spec", "prompt", "max_runs"]

/** Numbers that a watch may wait for: no times, lengths or counts. */
const levels = ({ numbers }: WriteRequest): ReadonlyArray<Labelled> =>
  numbers.filter(({ label, unit }) => unit !== "clock" && unit !== "minutes" && unit !== "count" && label !== "id")

/** Where symbols are looked for. */
const markets: ReadonlyArray<Schema.Json> = ["coin", "us", "kr"]

const upward = ["gt", "gte", "cross_above"]
const downward = ["lt", "lte", "cross_below"]

/** Words that say which way a price goes, and not what it passes. */
const rising = wordPattern("rises?|rising|climbs?|rall(?:y|ies)|higher", "상승|급등", "вверх|раст[уеё]т|вырастает")
const falling = wordPattern(
  "falls?|falling|drops?|dropping|dips?|sinks?|slips?|slides?|declines?|lower|down",
  "하락|급락",
  "вниз|падает|снижается"
)

/** "Moves up", but not "set up an alert". */
const movesUp = /(?<![a-z]|set (?:(?:me|it|us) )?)up(?![a-z])/iu

/** Whether `op` waits for what the words wait for; words that name no direction leave it open. */
const isDirection = (op: Schema.Json | undefined, text: string): boolean => {
  if (typeof op !== "string") return false
  const isUp = say.above.test(text) || rising.test(text)
  const isDown = say.below.test(text) || falling.test(text)
  if (isUp !== isDown) return (isUp ? upward : downward).includes(op)
  return !isUp && [...upward, ...downward].includes(op)
}

const isOneSymbol = (symbol: Schema.Json | undefined, { tickers }: WriteRequest): boolean =>
  typeof symbol === "string" && tickers.length === 1 && tickers[0] === symbol.toUpperCase()

/** How long a watch's words say that something takes: only moves have a time, and theirs is an hour. */
const isTimed = ({ numbers }: WriteRequest, isMove: boolean): boolean =>
  numbers.some(({ unit, value }) => unit === "clock" || (unit === "minutes" && !(isMove && value === 60)))

const isMetric = (metric: Schema.Json | undefined): metric is Metric =>
  metric === "price" || metric === "score" || metric === "vwap_cross" || metric === "gap"

const watchObjection = (spec: Arguments, request: WriteRequest): string | null => {
  const { text } = request
  const { metric } = spec
  if (!isMetric(metric) || request.isPart || isTimed(request, metric === "gap")) return "metric"
  if (straysInWatch(text, metric).length > 0) return "metric"
  const known = levels(request)
  const isLevel = known.length === 1 && known[0]!.value === spec["value"]
  const isMoney = known.length === 1 && !["percent", "times", "money"].includes(known[0]!.unit)
  if (say.unwatched.test(text)) return "metric"
  if (spec["market"] !== undefined && !markets.includes(spec["market"])) return "market"
  switch (metric) {
    case "price": {
      if (say.score.test(text) || say.vwap.test(text)) return "metric"
      if (!isOneSymbol(spec["symbol"], request)) return "symbol"
      const isKorean = /^\d{6}$/.test(request.tickers[0] ?? "")
      if (!isLevel || !isMoney || (known[0]!.unit === "won") !== (isKorean && known[0]!.unit !== "plain")) {
        return "value"
      }
      return isDirection(spec["op"], text) ? null : "op"
    }
    case "score":
      if (!say.score.test(text)) return "metric"
      if (!isOneSymbol(spec["symbol"], request)) return "symbol"
      return isLevel ? isDirection(spec["op"], text) ? null : "op" : "value"
    case "vwap_cross": {
      if (!say.vwap.test(text)) return "metric"
      if (!isOneSymbol(spec["symbol"], request)) return "symbol"
      const [isUp, isDown] = [say.above.test(text), say.below.test(text)]
      if (known.length > 0) return "value"
      return isUp !== isDown && spec["dir"] === (isUp ? "above" : "below") ? null : "dir"
    }
    case "gap": {
      // A watch on a move fires whichever way the price goes.
      if (!say.gap.test(text) || (rising.test(text) || movesUp.test(text)) !== falling.test(text)) return "metric"
      const isAll = spec["symbol"] === "*" && request.tickers.length === 0 && say.anyOf.test(text)
      if (!isAll && !isOneSymbol(spec["symbol"], request)) return "symbol"
      return isLevel && known[0]!.unit === "percent" ? null : "value"
    }
  }
}

/** The offsets that a schedule may have: those that a text names, else UTC or that of most who write its language. */
const offsets = (text: string): ReadonlyArray<number> => {
  // A word in capitals may be the subject of a report: "9am RSI report".
  if (unknownZoneIn(text, () => true) !== null) return []
  const said = namedOffsets(text)
  if (said.length > 0) return said
  return /[가-힣]/u.test(text) ? [0, 9] : /[а-я]/iu.test(text) ? [0, 3] : [0]
}

const scheduleObjection = (spec: Arguments, { numbers, text }: WriteRequest): string | null => {
  if (calendarDaysIn(text) !== null) return "at"
  const clocks = clockTimesIn(text).filter(({ isContent, isExact }) => isExact && !isContent)
  const { at, every_min: everyMin, tz_offset_hours: zone } = spec
  if (at !== undefined) {
    const [, hour, minute] = /^(\d{2}):(\d{2})$/.exec(typeof at === "string" ? at : "") ?? []
    const isAt = clocks.length === 1 && Number(hour) * 60 + Number(minute) === clocks[0]!.value
    if (!isAt || everyMin !== undefined) return "at"
    const known = offsets(text)
    return (zone === undefined && known[0] === 0) || (typeof zone === "number" && known.includes(zone))
      ? null
      : "tz_offset_hours"
  }
  const lengths = numbers.filter(({ unit }) => unit === "minutes").map(({ value }) => value)
  const meant = lengths.length === 0 && say.hourly.test(text) ? [60] : lengths
  return numbers.every(({ unit }) => unit !== "clock") && meant.length === 1 && meant[0] === everyMin &&
      zone === undefined
    ? null
    : "every_min"
}

/** Why a new task is not what was asked for; null when it is. */
export const isTask = (args: Arguments, request: WriteRequest): Objection => {
  const stray = Object.keys(args).find((field) => !fieldsOfTask.includes(field))
  if (stray !== undefined) return { kind: "differs", field: stray }
  const spec = args["spec"] === undefined ? null : givenArguments(args["spec"])
  if (spec === null || args["title"] === undefined) return { kind: "missing", field: "title, kind, spec" }
  const isSchedule = say.every.test(request.text)
  if (args["kind"] !== (isSchedule ? "schedule" : "watch")) return { kind: "differs", field: "kind" }
  const allowed = isSchedule
    ? ["at", "tz_offset_hours", "every_min"]
    : ["metric", "symbol", "op", "value", "dir", "market"]
  const extra = Object.keys(spec).find((field) => !allowed.includes(field))
  const wrong = extra ?? (isSchedule ? scheduleObjection(spec, request) : watchObjection(spec, request))
  if (wrong !== null) return { kind: "differs", field: `spec.${wrong}` }
  const { max_runs: maxRuns, prompt, title } = args
  if (!position.ownText(true)(title, request, noRecords)) return { kind: "differs", field: "title" }
  if (prompt !== undefined && !position.ownText(true)(prompt, request, noRecords)) {
    return { kind: "differs", field: "prompt" }
  }
  return maxRuns === undefined || position.runs(maxRuns, request, noRecords)
    ? null
    : { kind: "differs", field: "max_runs" }
}
