import { Schema } from "effect"
import type { Message } from "../../engine/messages/dictionary.ts"
import { isNotBlank, isStorableText, Text } from "../../engine/text/text.ts"
import { expectation, integerBetween, optional } from "../../engine/tool/argument.ts"
import { taskLimits, WatchedMarket, WatchOp } from "../../personal/tasks/task.ts"

const watchMetrics = ["price", "vwap_cross", "gap", "score"] as const

const expectedSpec = expectation("a condition that code can check, or a schedule", { key: "expected_task_spec" })

/** A condition or a schedule, as callers write it. */
interface SpecInput {
  readonly metric?: typeof watchMetrics[number]
  readonly symbol?: string
  readonly op?: WatchOp
  readonly value?: number
  readonly dir?: "above" | "below"
  readonly market?: WatchedMarket
  readonly at?: string
  readonly tz_offset_hours?: number
  readonly every_min?: number
}

/** The fields that each metric requires in addition to `metric`; only `market` is optional. */
const requiredFields: Readonly<Record<typeof watchMetrics[number], ReadonlyArray<keyof SpecInput>>> = {
  price: ["op", "symbol", "value"],
  score: ["op", "symbol", "value"],
  vwap_cross: ["dir", "symbol"],
  gap: ["symbol", "value"]
}

const listOtherFields = ({ market: _, metric: _metric, ...given }: SpecInput): string =>
  Object.keys(given).sort().join()

const hasOneKind = Schema.makeFilter<SpecInput>(
  ({ at, every_min, metric }) => [at, every_min, metric].filter((one) => one !== undefined).length === 1,
  expectedSpec,
  // If this check fails, `true` skips the later checks, which require a condition or schedule of exactly one kind.
  true
)

const isBetween = (value: number | undefined, minimum: number, maximum: number): boolean =>
  value !== undefined && value >= minimum && value <= maximum

const makeMetricCheck = (
  metric: typeof watchMetrics[number],
  isValid: (given: SpecInput) => boolean,
  expected: string,
  message: Message
) =>
  Schema.makeFilter<SpecInput>(
    (input) => input.metric !== metric || (listOtherFields(input) === requiredFields[metric].join() && isValid(input)),
    expectation(expected, message)
  )

const specChecks = [
  makeMetricCheck(
    "price",
    ({ symbol, value }) => symbol !== "*" && isBetween(value, 1e-15, 1e15),
    "price: symbol, op and value, a price above 0",
    { key: "expected_watch_price" }
  ),
  makeMetricCheck(
    "score",
    ({ market = "coin", symbol, value }) => symbol !== "*" && market === "coin" && isBetween(value, -100, 100),
    "score: a coin as symbol, op and value from -100 to 100",
    { key: "expected_watch_score" }
  ),
  makeMetricCheck(
    "vwap_cross",
    ({ market = "coin", symbol }) => symbol !== "*" && market === "coin",
    "vwap_cross: a coin as symbol, and dir",
    { key: "expected_watch_vwap" }
  ),
  makeMetricCheck(
    "gap",
    ({ market = "coin", symbol, value }) => isBetween(value, 0.01, 1_000) && (symbol !== "*" || market === "coin"),
    "gap: symbol, or * for all coins, and value in percent, above 0",
    { key: "expected_watch_gap" }
  ),
  Schema.makeFilter<SpecInput>(
    (input) => input.metric !== undefined || ["at", "at,tz_offset_hours", "every_min"].includes(listFields(input)),
    expectedSpec
  )
] as const

const listFields = (given: SpecInput): string => Object.keys(given).sort().join()

/** The name of a coin or stock, or `*` for all coins. */
const symbol = Schema.String.annotate({ description: "Ticker or name; gap: * for all coins" }).check(
  Schema.makeFilter(
    (text) => /^(?:\*|\$?[A-Za-z0-9À-ɏᄀ-ᇿㄱ-힣 .,&'()·’-]{1,64})$/u.test(text.trim()),
    expectation("a ticker such as BTC, AAPL or 005930, or a name", { key: "expected_symbol" })
  )
)

/** The condition or schedule of a task, which `readTrigger` converts to a trigger. */
export const SpecArgument = Schema.Struct({
  metric: optional(Schema.Literals(watchMetrics)),
  symbol: optional(symbol),
  op: optional(WatchOp),
  value: optional(Schema.Finite.annotate({ description: "Level; gap: percent within 60 min" })),
  dir: optional(Schema.Literals(["above", "below"])),
  market: optional(WatchedMarket),
  at: optional(
    Schema.String.annotate({ description: "HH:MM" }).check(
      Schema.makeFilter(
        (text) => /^(?:[01]\d|2[0-3]):[0-5]\d$/u.test(text),
        expectation("a time of day written HH:MM", { key: "expected_time_of_day" })
      )
    )
  ),
  tz_offset_hours: optional(
    Schema.Finite.check(
      Schema.makeFilter(
        (hours) => hours >= -12 && hours <= 14 && Number.isInteger(hours * 4),
        expectation("hours from UTC, -12 to 14 in steps of 0.25", { key: "expected_offset" })
      )
    )
  ),
  every_min: optional(integerBetween(5, 43_200))
}).annotate({
  description:
    "watch: price|score {symbol,op,value}, vwap_cross {symbol,dir}, gap {symbol,value}; schedule: {at} or {every_min}",
  ...expectedSpec
}).check(hasOneKind, ...specChecks)
export type SpecArgument = typeof SpecArgument.Type

/** The title of a task and its conversation, on one line. */
export const title = Schema.String.check(
  Schema.isBetweenLength(1, taskLimits.titleLength),
  Schema.makeFilter(
    (text) => isStorableText(text) && /^[^\p{Cc}]*[^\p{Cc}\s][^\p{Cc}]*$/u.test(text),
    expectation("a name without control characters", { key: "expected_name" })
  )
)

export const prompt = Text.check(Schema.isBetweenLength(1, taskLimits.promptLength), isNotBlank)

/** A new question for the analyst, or an empty text to remove the question. */
export const optionalPrompt = Text.check(Schema.isMaxLength(taskLimits.promptLength), isNotBlank)

/** The maximum number of firings. 0 means no limit, because null means that the argument was omitted. */
export const maxRuns = integerBetween(0, taskLimits.runs)

export const zeroToUnlimited = (runs: number): number | null => runs === 0 ? null : runs

export const recordId = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }))
