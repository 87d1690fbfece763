/** A question that a trader asks, the calls that answer it, and an answer whose every number is quoted from them. */

/** What calls have answered, by the names that the question gives them. */
export type Known = Readonly<Record<string, unknown>>

export interface Call {
  /** How the answer names it. */
  readonly as: string
  readonly tool: string
  /** Of a call that follows from others, from what those have answered. */
  readonly args: object | ((known: Known) => object)
}

/** What the words of an answer suppose of its numbers: a path, and what lies beside it. */
export type Claim = readonly [path: string, is: "<" | ">" | "=", bound: number | string | boolean]

export interface Question {
  readonly asks: string
  readonly calls: ReadonlyArray<Call>
  /** Words without a digit of their own, with places such as `{d.funding_rate_pct|4}`: a path, how it is written. */
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

/** What stands at a path such as `d.points[-1].foreign` or `m.cumulative_usd[within_pct=2].below`. */
export const at = (known: Known, path: string): unknown =>
  path.split(/[.[\]]+/u).filter((key) => key !== "").reduce<unknown>(step, known)

/** The number at a path. */
export const numberAt = (known: Known, path: string): number => {
  const value = at(known, path)
  if (typeof value !== "number") throw new Error(`${path} is no number: ${JSON.stringify(value)}`)
  return value
}

const written = (value: number, decimals: number): string =>
  Math.abs(value).toLocaleString("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals })

const sizes = [[1e12, "tn"], [1e9, "bn"], [1e6, "m"], [1e3, "k"]] as const

/** A sum of money as a desk says it: `1.08 bn`. */
const sum = (value: number): string => {
  const [size, unit] = sizes.find(([least]) => Math.abs(value) >= least) ?? [1, ""]
  const count = Math.abs(value) / size
  return `${written(count, count < 10 ? 2 : count < 100 ? 1 : 0)} ${unit}`.trimEnd()
}

const day = (value: string): string =>
  new Date(value).toLocaleDateString("en-GB", { day: "numeric", month: "long", timeZone: "UTC" })

/** Writes a value: `2` to as many decimals, `%1` a fraction as percent; signs are the words' affair. */
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

/** The answer in words, once everything that they suppose holds, and the values that they quote, by their paths. */
export const answered = ({ answer, asks, claims }: Question, known: Known) => {
  for (const [path, is, bound] of claims) {
    const value = at(known, path)
    // A bound that is itself a path is compared with what stands there.
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

/** The words of an answer alone. */
export const wordsOf = ({ answer }: Question): string => answer.replaceAll(place, "")
