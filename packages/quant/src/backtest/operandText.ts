/**
 * A side of a condition: a number, or one of `price`, `rsi(n)`, `ema(n)`, `sma(n)`, `atr(n)`, `adx(n)`,
 * `highest(n)`, `lowest(n)` (of the n bars before), `macd`, `macd.signal`, `macd.histogram`, `bollinger.upper`,
 * `bollinger.middle`, `bollinger.lower` (also with `(n, k)`, as `bollinger(20, 2).upper`), `vwap`, `funding`,
 * `open_interest`, `score`.
 */
export type Operand = number | string

/** The maximum period of an operand, in bars. */
export const longestPeriod = 1000

interface Argument {
  readonly name: string
  /** The default value. */
  readonly initial: number
  readonly least: number
  readonly most: number
  readonly isWhole: boolean
}

interface Form {
  readonly takes: ReadonlyArray<Argument>
  /** The names that may follow a dot. The first one is the default. */
  readonly fields: ReadonlyArray<string>
}

const period = (initial: number, name = "n", least = 1): Argument => ({
  name,
  initial,
  least,
  most: longestPeriod,
  isWhole: true
})

/** An operand with one period, whose default is TA-Lib's. */
const ofPeriod = (takes: Argument): Form => ({ takes: [takes], fields: [] })

const plain: Form = { takes: [], fields: [] }

const forms = {
  price: plain,
  close: plain,
  rsi: ofPeriod(period(14)),
  ema: ofPeriod(period(20)),
  sma: ofPeriod(period(20)),
  atr: ofPeriod(period(14)),
  adx: ofPeriod(period(14, "n", 2)),
  highest: ofPeriod(period(20)),
  lowest: ofPeriod(period(20)),
  macd: {
    takes: [period(12, "fast"), period(26, "slow"), period(9, "signal")],
    fields: ["line", "signal", "histogram"]
  },
  bollinger: {
    takes: [period(20), { name: "k", initial: 2, least: 0, most: 100, isWhole: false }],
    fields: ["middle", "upper", "lower"]
  },
  vwap: plain,
  funding: plain,
  open_interest: plain,
  score: plain
} satisfies Record<string, Form>

export type OperandName = keyof typeof forms

const isName = (name: string): name is OperandName => Object.hasOwn(forms, name)

/** A parsed operand: its name, its arguments including defaults, and its field. */
export interface OperandCall {
  readonly name: OperandName
  readonly given: ReadonlyArray<number>
  readonly field: string | undefined
}

const CALL = /^([a-z_]+)(?:\(([^)]*)\))?(?:\.([a-z]+))?$/
const NUMBER = /^\d{1,6}(?:\.\d{1,6})?$/

/** The maximum length of an operand's text; every valid operand is shorter. */
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
 * Parses the text of an operand.
 *
 * Rule: `name`, `name(arguments)`, either with `.field`. Upper and lower case are equal, and surrounding blanks are
 * ignored. Unit: none.
 * Source: convention.
 *
 * @throws RangeError for an unknown name or field, or invalid arguments. The message lists the valid ones.
 * @example
 * import { parseOperand } from "@tapeline/quant"
 * parseOperand("Bollinger(10).upper") // => { name: "bollinger", given: [10, 2], field: "upper" }
 */
export function parseOperand(operand: string): OperandCall {
  if (operand.length > longest) throw unknown(operand)
  const [, name = "", list = "", field] = CALL.exec(operand.trim().toLowerCase()) ?? []
  const form: Form | undefined = isName(name) ? forms[name] : undefined
  const texts = list.trim() === "" ? [] : list.split(",").map((text) => text.trim())
  if (
    !isName(name) || form === undefined || texts.length > form.takes.length ||
    (field !== undefined && !form.fields.includes(field)) ||
    texts.some((text) => !NUMBER.test(text))
  ) throw unknown(operand)
  const given = form.takes.map((argument, i) =>
    checked(operand, i < texts.length ? Number(texts[i]) : argument.initial, argument)
  )
  if (name === "macd" && given[0]! >= given[1]!) {
    throw new RangeError(`strategy: fast of "${operand}" must be below slow`)
  }
  return { name, given, field }
}
