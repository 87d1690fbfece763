/**
 * A trader's question, the tool calls that answer it, and an answer whose numbers come from the results of the calls.
 */

export type CallResults = Readonly<Record<string, unknown>>

export interface Call {
  readonly resultName: string
  readonly tool: string
  /** The arguments of a tool call, which can depend on the results of earlier calls. */
  readonly args: object | ((results: CallResults) => object)
}

/** A condition on tool results that must hold for the answer's wording to be true. */
export type Claim = readonly [path: string, is: "<" | ">" | "=", bound: number | string | boolean]

export interface Question {
  readonly question: string
  readonly calls: ReadonlyArray<Call>
  /**
   * The text of the answer. A placeholder such as `{d.funding_rate_pct|4}` contains the path of a number and its
   * format. All numbers in the text must be placeholders.
   */
  readonly answer: string
  readonly claims: ReadonlyArray<Claim>
}

const readStep = (value: unknown, key: string): unknown => {
  if (typeof value !== "object" || value === null) return undefined
  if (Array.isArray(value) && key.startsWith("-")) return value.at(Number(key))
  const [field, expected] = key.split("=")
  if (Array.isArray(value) && expected !== undefined) {
    return value.find((row: unknown) => String(readStep(row, field!)) === expected)
  }
  return Reflect.get(value, key)
}

/** Returns the value at a path such as `d.points[-1].foreign` or `m.cumulative_usd[within_pct=2].below`. */
export const valueAt = (results: CallResults, path: string): unknown =>
  path.split(/[.[\]]+/u).filter((key) => key !== "").reduce<unknown>(readStep, results)

export const numberAt = (results: CallResults, path: string): number => {
  const value = valueAt(results, path)
  if (typeof value !== "number") throw new Error(`${path} is not a number: ${JSON.stringify(value)}`)
  return value
}

const formatDecimals = (value: number, decimals: number): string =>
  Math.abs(value).toLocaleString("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals })

const sizes = [[1e12, "tn"], [1e9, "bn"], [1e6, "m"], [1e3, "k"]] as const

/** Formats an amount of money as traders do, such as `1.08 bn`. */
const formatMoney = (value: number): string => {
  const [size, unit] = sizes.find(([least]) => Math.abs(value) >= least) ?? [1, ""]
  const count = Math.abs(value) / size
  return `${formatDecimals(count, count < 10 ? 2 : count < 100 ? 1 : 0)} ${unit}`.trimEnd()
}

const formatDay = (value: string): string =>
  new Date(value).toLocaleDateString("en-GB", { day: "numeric", month: "long", timeZone: "UTC" })

/**
 * Formats a value without its sign. The format `2` means two decimals, and `%1` means a percentage with one decimal.
 */
const formatValue = (value: unknown, format: string, path: string): string => {
  if (format === "text" && typeof value === "string") return value
  if (format === "day" && typeof value === "string") return formatDay(value)
  if (typeof value !== "number") throw new Error(`${path} cannot be written as ${format}: ${JSON.stringify(value)}`)
  if (format === "usd") return `$${formatMoney(value)}`
  if (format === "krw") return `₩${formatMoney(value)}`
  return format.startsWith("%")
    ? formatDecimals(100 * value, Number(format.slice(1)))
    : formatDecimals(value, Number(format))
}

const placeholder = /\{([^|}]+)\|([^}]+)\}/gu

const isSatisfied = (value: unknown, relation: Claim[1], bound: unknown): boolean =>
  relation === "=" ? value === bound : typeof value === "number" && typeof bound === "number" && (relation === "<"
    ? value < bound
    : value > bound)

/**
 * Returns the text of an answer with its placeholders filled in, and the quoted values by path. Throws if one of the
 * question's claims does not hold.
 */
export const renderAnswer = ({ answer, question, claims }: Question, results: CallResults) => {
  for (const [path, relation, bound] of claims) {
    const value = valueAt(results, path)
    // If the bound of an inequality is a string, the string is the path of the value to compare.
    const boundValue = typeof bound === "string" && relation !== "=" ? numberAt(results, bound) : bound
    if (!isSatisfied(value, relation, boundValue)) {
      throw new Error(`${question} The answer claims ${path} ${relation} ${bound}, but it is ${JSON.stringify(value)}`)
    }
  }
  const quotedValues = new Map<string, unknown>()
  const answerText = answer.replaceAll(placeholder, (_, path: string, format: string) => {
    const value = valueAt(results, path)
    quotedValues.set(path, value)
    return formatValue(value, format, path)
  })
  return { words: answerText, quoted: quotedValues }
}

export const withoutPlaceholders = ({ answer }: Question): string => answer.replaceAll(placeholder, "")
