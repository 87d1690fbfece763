import { sameLength, type Series } from "../check.ts"
import { ema, sma } from "../indicators/averages.ts"
import { rollingMax, rollingMin } from "../indicators/extremes.ts"
import { macd, rsi } from "../indicators/oscillators.ts"
import { adx, atr, bollinger } from "../indicators/ranges.ts"
import { vwap } from "../indicators/volume.ts"
import type { BacktestBars } from "./engine.ts"

/**
 * What a condition compares: a number, or one of `price`, `rsi(n)`, `ema(n)`, `sma(n)`, `atr(n)`, `adx(n)`,
 * `highest(n)`, `lowest(n)` (of the n bars before), `macd`, `macd.signal`, `macd.histogram`, `bollinger.upper`,
 * `bollinger.middle`, `bollinger.lower` (also with `(n, k)`, as `bollinger(20, 2).upper`), `vwap`, `funding`,
 * `open_interest`, `score`.
 */
export type Operand = number | string

/** Bars, and the series that are not computed from them. A NaN in those makes a condition false. */
export interface StrategyMarket extends BacktestBars {
  /** For `vwap`: traded amounts, and the session of each bar, say its day; one session when left out. */
  readonly volume?: Series | undefined
  readonly session?: Series | undefined
  readonly funding?: Series | undefined
  readonly open_interest?: Series | undefined
  readonly score?: Series | undefined
}

/** The longest period that an operand takes, in bars. */
export const longestPeriod = 1000

interface Argument {
  readonly name: string
  /** When it is left out. */
  readonly initial: number
  readonly least: number
  readonly most: number
  readonly isWhole: boolean
}

interface Kind {
  readonly takes: ReadonlyArray<Argument>
  /** What may follow a dot, the first being what is meant without one. */
  readonly fields: ReadonlyArray<string>
  readonly series: (
    market: StrategyMarket,
    given: ReadonlyArray<number>,
    field: string | undefined,
    operand: string
  ) => Series
}

const period = (initial: number, name = "n", least = 1): Argument => ({
  name,
  initial,
  least,
  most: longestPeriod,
  isWhole: true
})

/** An operand of no arguments. */
const plain = (series: Kind["series"]): Kind => ({ takes: [], fields: [], series })

/** An operand of one period, TA-Lib's where none is given. */
const ofPeriod = (takes: Argument, series: (market: StrategyMarket, n: number) => Series): Kind => ({
  takes: [takes],
  fields: [],
  series: (market, [n]) => series(market, n!)
})

const supplied =
  (name: "volume" | "funding" | "open_interest" | "score") => (market: StrategyMarket, operand: string): Series => {
    const series = market[name]
    if (series === undefined) {
      throw new RangeError(`strategy: the operand "${operand}" needs a ${name} series, and none was given`)
    }
    sameLength("strategy", `close and ${name}`, market.close.length, series)
    return series
  }

const outside = (name: "funding" | "open_interest" | "score"): Kind =>
  plain((market, _given, _field, operand) => supplied(name)(market, operand))

/** What was known one bar before. */
const before = (x: Float64Array): Float64Array => {
  x.copyWithin(1, 0)
  if (x.length > 0) x[0] = NaN
  return x
}

const kinds: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ["price", plain(({ close }) => close)],
  ["close", plain(({ close }) => close)],
  ["rsi", ofPeriod(period(14), ({ close }, n) => rsi(close, n))],
  ["ema", ofPeriod(period(20), ({ close }, n) => ema(close, n))],
  ["sma", ofPeriod(period(20), ({ close }, n) => sma(close, n))],
  ["atr", ofPeriod(period(14), ({ close, high, low }, n) => atr(high, low, close, n))],
  ["adx", ofPeriod(period(14, "n", 2), ({ close, high, low }, n) => adx(high, low, close, n).adx)],
  ["highest", ofPeriod(period(20), ({ high }, n) => before(rollingMax(high, n)))],
  ["lowest", ofPeriod(period(20), ({ low }, n) => before(rollingMin(low, n)))],
  ["macd", {
    takes: [period(12, "fast"), period(26, "slow"), period(9, "signal")],
    fields: ["line", "signal", "histogram"],
    series: ({ close }, [fast, slow, smoothing], field) => {
      const { histogram, line, signal } = macd(close, fast, slow, smoothing)
      return field === "signal" ? signal : field === "histogram" ? histogram : line
    }
  }],
  ["bollinger", {
    takes: [period(20), { name: "k", initial: 2, least: 0, most: 100, isWhole: false }],
    fields: ["middle", "upper", "lower"],
    series: ({ close }, [n, k], field) => {
      const { lower, middle, upper } = bollinger(close, n, k)
      return field === "upper" ? upper : field === "lower" ? lower : middle
    }
  }],
  [
    "vwap",
    plain((market, _given, _field, operand) =>
      vwap(market.high, market.low, market.close, supplied("volume")(market, operand), market.session)
    )
  ],
  ["funding", outside("funding")],
  ["open_interest", outside("open_interest")],
  ["score", outside("score")]
])

/** An operand that was read: which kind, its arguments with those left out filled in, and its field. */
export interface OperandCall {
  readonly name: string
  readonly given: ReadonlyArray<number>
  readonly field: string | undefined
}

const CALL = /^([a-z_]+)(?:\(([^)]*)\))?(?:\.([a-z]+))?$/
const NUMBER = /^\d{1,6}(?:\.\d{1,6})?$/

/** Longer than any operand. */
const longest = 64

const unknown = (operand: string): RangeError =>
  new RangeError(
    `strategy: unknown operand "${
      operand.slice(0, longest)
    }"; use price, rsi(n), ema(n), sma(n), atr(n), adx(n), highest(n), lowest(n), macd[.signal|.histogram], ` +
      "bollinger[.upper|.lower], vwap, funding, open_interest, score or a number"
  )

const checked = (operand: string, value: number, { isWhole, least, most, name }: Argument): number => {
  if (value >= least && value <= most && (!isWhole || Number.isInteger(value))) return value
  const kind = isWhole ? "a whole number" : "a number"
  throw new RangeError(`strategy: ${name} of "${operand}" must be ${kind} from ${least} to ${most}, got ${value}`)
}

/**
 * Reads an operand that is a text.
 *
 * Rule: `name`, `name(arguments)`, either with `.field`; in any case, blanks around it left out. Unit: none.
 * Source: convention.
 *
 * @throws RangeError for a name, a field or arguments that there are not, with what there is.
 * @example
 * import { parseOperand } from "@tapeline/quant"
 * parseOperand("Bollinger(10).upper") // => { name: "bollinger", given: [10, 2], field: "upper" }
 */
export function parseOperand(operand: string): OperandCall {
  if (operand.length > longest) throw unknown(operand)
  const [, name = "", list = "", field] = CALL.exec(operand.trim().toLowerCase()) ?? []
  const kind = kinds.get(name)
  const texts = list.trim() === "" ? [] : list.split(",").map((text) => text.trim())
  if (
    kind === undefined || texts.length > kind.takes.length || (field !== undefined && !kind.fields.includes(field)) ||
    texts.some((text) => !NUMBER.test(text))
  ) throw unknown(operand)
  const given = kind.takes.map((argument, i) =>
    checked(operand, i < texts.length ? Number(texts[i]) : argument.initial, argument)
  )
  if (name === "macd" && given[0]! >= given[1]!) {
    throw new RangeError(`strategy: fast of "${operand}" must be below slow`)
  }
  return { name, given, field }
}

/**
 * Series of an operand.
 *
 * Formula: the indicator of that name, with TA-Lib's usual periods where none are given (14; MACD 12, 26, 9; Bollinger
 * 20, 2); `highest(n)` and `lowest(n)` are the extremes of the n bars before, the bar itself left out, so that a close
 * may cross them. Unit: that of the indicator. A number gives a constant series.
 * Source: the indicators' own.
 *
 * @throws RangeError for an unknown operand or arguments it does not take, or when a series is asked for that is not
 * given.
 * @example
 * import { operandSeries } from "@tapeline/quant"
 * const price = [1, 2, 3, 4]
 * const market = { open: price, high: price, low: price, close: price }
 * operandSeries("sma(2)", market) // => [NaN, 1.5, 2.5, 3.5]
 * operandSeries("highest(2)", market) // => [NaN, NaN, 2, 3]
 */
export function operandSeries(operand: Operand, market: StrategyMarket): Series {
  if (typeof operand === "number") {
    if (!Number.isFinite(operand)) throw new RangeError(`strategy: an operand must be a finite number, got ${operand}`)
    return new Float64Array(market.close.length).fill(operand)
  }
  const { field, given, name } = parseOperand(operand)
  return kinds.get(name)!.series(market, given, field, operand)
}

/** Gives the series of operands, and computes each once. */
export type OperandSource = (operand: Operand) => Series

/**
 * Series of a market's operands, each computed when it is first asked for.
 *
 * Formula: {@link operandSeries}. Unit: as there.
 * Source: as there.
 *
 * @example
 * import { operandSource } from "@tapeline/quant"
 * const price = [1, 2, 3, 4]
 * const series = operandSource({ open: price, high: price, low: price, close: price })
 * series("sma(2)") === series("sma(2)") // => true
 */
export function operandSource(market: StrategyMarket): OperandSource {
  const known = new Map<Operand, Series>()
  return (operand) => {
    let found = known.get(operand)
    if (found === undefined) known.set(operand, found = operandSeries(operand, market))
    return found
  }
}
