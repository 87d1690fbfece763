import { Schema } from "effect"
import type { Message } from "../../engine/messages/dictionary.ts"
import { hasWords, isText, Text } from "../../engine/text/text.ts"
import { expects, integerBetween, optional } from "../../engine/tool/argument.ts"
import { WatchedMarket, WatchOp } from "../../personal/tasks/spec.ts"
import { taskBounds } from "../../personal/tasks/task.ts"

const watchMetrics = ["price", "vwap_cross", "gap", "score"] as const

const whatItMayBe = expects("a condition that code can check, or times", { key: "expected_task_spec" })

/** A condition or a schedule, as callers write it. The checks define which fields belong together. */
interface Given {
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

/** The fields that each metric requires in addition to `metric`. `market` is optional; no other field is allowed. */
const takes: Readonly<Record<typeof watchMetrics[number], ReadonlyArray<keyof Given>>> = {
  price: ["op", "symbol", "value"],
  score: ["op", "symbol", "value"],
  vwap_cross: ["dir", "symbol"],
  gap: ["symbol", "value"]
}

const others = ({ market: _, metric: _metric, ...given }: Given): string => Object.keys(given).sort().join()

const isOneKind = Schema.makeFilter<Given>(
  ({ at, every_min, metric }) => [at, every_min, metric].filter((one) => one !== undefined).length === 1,
  whatItMayBe,
  // A failure skips the later checks, which depend on this one.
  true
)

const within = (value: number | undefined, least: number, most: number): boolean =>
  value !== undefined && value >= least && value <= most

/** Makes a check for the specifications of one metric. */
const of = (
  metric: typeof watchMetrics[number],
  isSound: (given: Given) => boolean,
  expected: string,
  message: Message
) =>
  Schema.makeFilter<Given>(
    (given) => given.metric !== metric || (others(given) === takes[metric].join() && isSound(given)),
    expects(expected, message)
  )

const checks = [
  of(
    "price",
    ({ symbol, value }) => symbol !== "*" && within(value, 1e-15, 1e15),
    "price: symbol, op and value, a price above 0",
    { key: "expected_watch_price" }
  ),
  of(
    "score",
    ({ market = "coin", symbol, value }) => symbol !== "*" && market === "coin" && within(value, -100, 100),
    "score: a coin as symbol, op and value from -100 to 100",
    { key: "expected_watch_score" }
  ),
  of(
    "vwap_cross",
    ({ market = "coin", symbol }) => symbol !== "*" && market === "coin",
    "vwap_cross: a coin as symbol, and dir",
    { key: "expected_watch_vwap" }
  ),
  of(
    "gap",
    ({ market = "coin", symbol, value }) => within(value, 0.01, 1_000) && (symbol !== "*" || market === "coin"),
    "gap: symbol, or * for every coin, and value in percent, above 0",
    { key: "expected_watch_gap" }
  ),
  Schema.makeFilter<Given>(
    (given) => given.metric !== undefined || ["at", "at,tz_offset_hours", "every_min"].includes(scheduled(given)),
    whatItMayBe
  )
] as const

const scheduled = (given: Given): string => Object.keys(given).sort().join()

/** Names of coins and stocks, and `*`. */
const symbol = Schema.String.annotate({ description: "Ticker or name; gap: * for all coins" }).check(
  Schema.makeFilter(
    (text) => /^(?:\*|\$?[A-Za-z0-9À-ɏᄀ-ᇿㄱ-힣 .,&'()·’-]{1,64})$/u.test(text.trim()),
    expects("a ticker such as BTC, AAPL or 005930, or a name", { key: "expected_symbol" })
  )
)

/** The condition or schedule of a task, which `watchOf` and `scheduleOf` read. */
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
        expects("a time of day written HH:MM", { key: "expected_time_of_day" })
      )
    )
  ),
  tz_offset_hours: optional(
    Schema.Finite.check(
      Schema.makeFilter(
        (hours) => hours >= -12 && hours <= 14 && Number.isInteger(hours * 4),
        expects("hours from UTC, -12 to 14 in quarters", { key: "expected_offset" })
      )
    )
  ),
  every_min: optional(integerBetween(5, 43_200))
}).annotate({
  description:
    "watch: price|score {symbol,op,value}, vwap_cross {symbol,dir}, gap {symbol,value}; schedule: {at} or {every_min}",
  ...whatItMayBe
}).check(isOneKind, ...checks)
export type SpecArgument = typeof SpecArgument.Type

/** A name of a task and its conversation, on one line. */
export const title = Schema.String.check(
  Schema.isBetweenLength(1, taskBounds.titleLength),
  Schema.makeFilter(
    (text) => isText(text) && /^[^\p{Cc}]*[^\p{Cc}\s][^\p{Cc}]*$/u.test(text),
    expects("a name without control characters", { key: "expected_name" })
  )
)

/** A question for the analyst. */
export const prompt = Text.check(Schema.isBetweenLength(1, taskBounds.promptLength), hasWords)

/** A new question for the analyst, or an empty text to remove the question. */
export const promptOrNone = Text.check(Schema.isMaxLength(taskBounds.promptLength), hasWords)

/** The maximum number of firings. 0 means no limit, because null means an omitted argument. */
export const maxRuns = integerBetween(0, taskBounds.runs)

export const orEndless = (runs: number): number | null => runs === 0 ? null : runs

export const recordId = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }))
