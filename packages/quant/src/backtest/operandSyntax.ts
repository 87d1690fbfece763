/**
 * An operand of a strategy's condition: a number, or one of `price`, `rsi(n)`, `ema(n)`, `sma(n)`, `atr(n)`, `adx(n)`,
 * `highest(n)`, `lowest(n)` (of the previous n bars), `macd`, `macd.signal`, `macd.histogram`, `bollinger.upper`,
 * `bollinger.middle`, `bollinger.lower` (also with `(n, k)`, as `bollinger(20, 2).upper`), `vwap`, `funding`,
 * `open_interest`, `score`.
 */
export type Operand = number | string

/** The maximum period of an operand, in bars. */
export const maxPeriod = 1000

interface Argument {
  readonly name: string
  readonly defaultValue: number
  readonly min: number
  readonly max: number
  readonly isInteger: boolean
}

interface OperandForm {
  readonly parameters: ReadonlyArray<Argument>
  /** The names that may follow the dot of an operand. The first field is the default. */
  readonly fields: ReadonlyArray<string>
}

const makePeriod = (defaultValue: number, name = "n", min = 1): Argument => ({
  name,
  defaultValue,
  min,
  max: maxPeriod,
  isInteger: true
})

const makePeriodForm = (parameter: Argument): OperandForm => ({ parameters: [parameter], fields: [] })

const noParameters: OperandForm = { parameters: [], fields: [] }

const forms = {
  price: noParameters,
  close: noParameters,
  rsi: makePeriodForm(makePeriod(14)),
  ema: makePeriodForm(makePeriod(20)),
  sma: makePeriodForm(makePeriod(20)),
  atr: makePeriodForm(makePeriod(14)),
  adx: makePeriodForm(makePeriod(14, "n", 2)),
  highest: makePeriodForm(makePeriod(20)),
  lowest: makePeriodForm(makePeriod(20)),
  macd: {
    parameters: [makePeriod(12, "fast"), makePeriod(26, "slow"), makePeriod(9, "signal")],
    fields: ["line", "signal", "histogram"]
  },
  bollinger: {
    parameters: [makePeriod(20), { name: "k", defaultValue: 2, min: 0, max: 100, isInteger: false }],
    fields: ["middle", "upper", "lower"]
  },
  vwap: noParameters,
  funding: noParameters,
  open_interest: noParameters,
  score: noParameters
} satisfies Record<string, OperandForm>

export type OperandName = keyof typeof forms

const isOperandName = (name: string): name is OperandName => Object.hasOwn(forms, name)

/** A parsed operand: the name, the arguments including defaults, and the field. */
export interface OperandCall {
  readonly name: OperandName
  readonly given: ReadonlyArray<number>
  readonly field: string | undefined
}

const CALL_PATTERN = /^([a-z_]+)(?:\(([^)]*)\))?(?:\.([a-z]+))?$/
const NUMBER_PATTERN = /^\d{1,6}(?:\.\d{1,6})?$/

/** The maximum length of an operand's text, which is more than any valid operand needs. */
const maxOperandLength = 64

const makeUnknownOperandError = (operand: string): RangeError =>
  new RangeError(
    `strategy: unknown operand "${
      operand.slice(0, maxOperandLength)
    }"; use price, rsi(n), ema(n), sma(n), atr(n), adx(n), highest(n), lowest(n), macd[.signal|.histogram], ` +
      "bollinger[.upper|.lower], vwap, funding, open_interest, score or a number"
  )

const checkArgument = (operand: string, value: number, { isInteger, min, max, name }: Argument): number => {
  if (value >= min && value <= max && (!isInteger || Number.isInteger(value))) return value
  const kind = isInteger ? "a whole number" : "a number"
  throw new RangeError(`strategy: ${name} of "${operand}" must be ${kind} from ${min} to ${max}, got ${value}`)
}

/**
 * Parses the text of an operand.
 *
 * Rule: an operand has the form `name` or `name(arguments)`, optionally followed by `.field`. Letter case and
 * surrounding blanks are ignored.
 * Unit: none.
 * Source: convention.
 *
 * @throws RangeError for an unknown name or field, or invalid arguments. The error message lists the valid values.
 * @example
 * import { parseOperand } from "@tapeline/quant"
 * parseOperand("Bollinger(10).upper") // => { name: "bollinger", given: [10, 2], field: "upper" }
 */
export function parseOperand(operand: string): OperandCall {
  if (operand.length > maxOperandLength) throw makeUnknownOperandError(operand)
  const [, name = "", list = "", field] = CALL_PATTERN.exec(operand.trim().toLowerCase()) ?? []
  const form: OperandForm | undefined = isOperandName(name) ? forms[name] : undefined
  const texts = list.trim() === "" ? [] : list.split(",").map((text) => text.trim())
  if (
    !isOperandName(name) || form === undefined || texts.length > form.parameters.length ||
    (field !== undefined && !form.fields.includes(field)) ||
    texts.some((text) => !NUMBER_PATTERN.test(text))
  ) throw makeUnknownOperandError(operand)
  const given = form.parameters.map((argument, i) =>
    checkArgument(operand, i < texts.length ? Number(texts[i]) : argument.defaultValue, argument)
  )
  if (name === "macd" && given[0]! >= given[1]!) {
    throw new RangeError(`strategy: fast of "${operand}" must be below slow`)
  }
  return { name, given, field }
}
