/** A trader's question, the calls that answer it, and an answer whose numbers all come from these calls. */

/** The results of calls, by the names that the question gives them. */
export type Known = Readonly<Record<string, unknown>>

export interface Call {
  /** The name in the answer. */
  readonly as: string
  readonly tool: string
  /** The arguments, which can depend on the results of earlier calls. */
  readonly args: object | ((known: Known) => object)
}

/** A condition on the numbers that the answer's words require: a path, a relation and a bound. */
export type Claim = readonly [path: string, is: "<" | ">" | "=", bound: number | string | boolean]

export interface Question {
  readonly asks: string
  readonly calls: ReadonlyArray<Call>
  /** Text without digits, with placeholders such as `{d.funding_rate_pct|4}`: a path and its format. */
  readonly answer: string
  readonly claims: ReadonlyArray<Claim>
}

const step = (value: unknown, key: string): unknown => {
  if (typeof value !== "object" || value === null) return undefined
  if (Array.isArray(value) && key.startsWith("-")) return value.at(Number(key))
  const [field, wanted] = key.split("=")
  if (Array.isArray(value) && wanted !== undefined) {
    return value.find((row: unknown) => String(step(row, field!)) === wanted)
  }
  return Reflect.get(value, key)
}

/** Returns the value at a path such as `d.points[-1].foreign` or `m.cumulative_usd[within_pct=2].below`. */
export const at = (known: Known, path: string): unknown =>
  path.split(/[.[\]]+/u).filter((key) => key !== "").reduce<unknown>(step, known)

/** Returns the number at a path. */
export const numberAt = (known: Known, path: string): number => {
  const value = at(known, path)
  if (typeof value !== "number") throw new Error(`${path} is no number: ${JSON.stringify(value)}`)
  return value
}

const written = (value: number, decimals: number): string =>
  Math.abs(value).toLocaleString("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals })

const sizes = [[1e12, "tn"], [1e9, "bn"], [1e6, "m"], [1e3, "k"]] as const

/** Formats an amount of money as traders do: `1.08 bn`. */
const sum = (value: number): string => {
  const [size, unit] = sizes.find(([least]) => Math.abs(value) >= least) ?? [1, ""]
  const count = Math.abs(value) / size
  return `${written(count, count < 10 ? 2 : count < 100 ? 1 : 0)} ${unit}`.trimEnd()
}

const day = (value: string): string =>
  new Date(value).toLocaleDateString("en-GB", { day: "numeric", month: "long", timeZone: "UTC" })

/**
 * Formats a value: `2` gives two decimals, and `%1` a fraction as percent with one decimal. The text states the sign.
 */
const write = (value: unknown, how: string, path: string): string => {
  if (how === "text" && typeof value === "string") return value
  if (how === "day" && typeof value === "string") return day(value)
  if (typeof value !== "number") throw new Error(`${path} cannot be written as ${how}: ${JSON.stringify(value)}`)
  if (how === "usd") return `$${sum(value)}`
  if (how === "krw") return `₩${sum(value)}`
  return how.startsWith("%") ? written(100 * value, Number(how.slice(1))) : written(value, Number(how))
}

const place = /\{([^|}]+)\|([^}]+)\}/gu

const holds = (value: unknown, is: Claim[1], bound: unknown): boolean =>
  is === "=" ? value === bound : typeof value === "number" && typeof bound === "number" && (is === "<"
    ? value < bound
    : value > bound)

/** Checks all claims of a question. Returns the answer's text, and the quoted values by path. */
export const answered = ({ answer, asks, claims }: Question, known: Known) => {
  for (const [path, is, bound] of claims) {
    const value = at(known, path)
    // A bound that is a path means the value at that path.
    const beside = typeof bound === "string" && is !== "=" ? numberAt(known, bound) : bound
    if (!holds(value, is, beside)) {
      throw new Error(`${asks} The words suppose ${path} ${is} ${bound}, and it is ${JSON.stringify(value)}`)
    }
  }
  const quoted = new Map<string, unknown>()
  const words = answer.replaceAll(place, (_, path: string, how: string) => {
    const value = at(known, path)
    quoted.set(path, value)
    return write(value, how, path)
  })
  return { words, quoted }
}

/** The text of an answer without its placeholders. */
export const wordsOf = ({ answer }: Question): string => answer.replaceAll(place, "")
