import type { Reply } from "./converse.ts"
import type { RecordedCall } from "./engine.ts"
import type { Question } from "./question.ts"
import { valueAt } from "./valueAt.ts"

/** A number in a text, with all possible readings and the rounding tolerance of each reading. */
export interface StatedNumber {
  readonly text: string
  /** Whether the text states an upper or lower bound, as in `<0.1%`. */
  readonly isBound: boolean
  readonly readings: ReadonlyArray<{ readonly value: number; readonly tolerance: number }>
}

const scaleWords: ReadonlyArray<readonly [RegExp, number]> = [
  [/^\s?(?:trillion|trn|tn|T(?![a-zA-Z])|조(?!건|정|금)|трлн)/u, 1e12],
  [/^\s?(?:billion|bn|B(?![a-zA-Z])|млрд)/u, 1e9],
  [/^\s?억/u, 1e8],
  [/^\s?(?:million|mln|M(?![a-zA-Z])|백만|млн)/u, 1e6],
  [/^\s?만(?!기|큼|약|에)/u, 1e4],
  [/^\s?(?:thousand|[kK](?![a-zA-Z])|천|тыс)/u, 1e3]
]

const numberPattern = /(?<![\p{L}\d])[-−–]?\$?(?:\d{1,3}(?:[,\u00a0\u202f ]\d{3})+(?!\d)|\d+)(?:[.,]\d+)?/gu

const listReadings = (digits: string, scale: number) => {
  const plainNumber = digits.replace(/[-−–$]/g, "")
  const forms = new Set<string>()
  // A comma can be a decimal comma, or can separate groups of digits.
  forms.add(plainNumber.replace(/[, \u00a0\u202f]/g, ""))
  forms.add(plainNumber.replace(/[ \u00a0\u202f]/g, "").replace(",", "."))
  return [...forms].filter((form) => /^\d+(?:\.\d+)?$/.test(form)).map((form) => {
    const decimals = form.split(".")[1]?.length ?? 0
    return { value: Number(form) * scale, tolerance: 0.500_001 * 10 ** -decimals * scale }
  })
}

/** Returns the numbers in an English, Korean or Russian text, without their signs. */
export const findNumbers = (text: string): ReadonlyArray<StatedNumber> =>
  Array.from(text.matchAll(numberPattern), ({ 0: digits, index }) => {
    const rest = text.slice(index + digits.length)
    const scale = scaleWords.find(([pattern]) => pattern.test(rest))?.[1] ?? 1
    return { text: digits, isBound: /[<>]$/.test(text.slice(0, index)), readings: listReadings(digits, scale) }
  })

/** The factor by which the rounding tolerance grows for bounds such as `<0.1%`. */
const boundToleranceFactor = 2

const toFractionAndPercent = (value: number): ReadonlyArray<number> => [Math.abs(value), Math.abs(value) * 100]

export const isRounded = ({ isBound, readings }: StatedNumber, value: number): boolean =>
  readings.some((reading) =>
    toFractionAndPercent(value).some((form) =>
      Math.abs(form - reading.value) <= reading.tolerance * (isBound ? boundToleranceFactor : 1) + 1e-9 * Math.abs(form)
    )
  )

/** Returns whether a text quotes a value with a rounding error of at most about 0.5 %. */
export const isQuoted = (stated: ReadonlyArray<StatedNumber>, value: number): boolean =>
  stated.some((statedNumber) =>
    isRounded(statedNumber, value) &&
    statedNumber.readings.some((reading) =>
      toFractionAndPercent(value).some((form) =>
        Math.abs(form - reading.value) <= Math.max(0.005 * form, statedNumber.isBound ? 0.101 : 0.06)
      )
    )
  )

const collectNumbers = (value: unknown, numbers: Set<number>): void => {
  if (typeof value === "number") numbers.add(value)
  else if (typeof value === "string") {
    for (const [digits] of value.matchAll(/\d+(?:\.\d+)?/g)) numbers.add(Number(digits))
    for (const { readings } of findNumbers(value)) for (const { value } of readings) numbers.add(value)
  } else if (Array.isArray(value)) { for (const item of value) collectNumbers(item, numbers) }
  else if (typeof value === "object" && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      collectNumbers(key, numbers)
      collectNumbers(item, numbers)
    }
  }
}

/**
 * Returns the numbers in a reply that have no source. Sources are the tool results, the tool arguments and
 * `extraSources`. A reply may round a number from a source or convert the number to a percentage.
 */
export const findUngroundedNumbers = (
  { calls, text }: Reply,
  extraSources: ReadonlyArray<unknown>
): ReadonlyArray<string> => {
  const sourceNumbers = new Set<number>()
  for (const { arguments: args, data } of calls) {
    collectNumbers(args, sourceNumbers)
    collectNumbers(data, sourceNumbers)
  }
  for (const source of extraSources) collectNumbers(source, sourceNumbers)
  return findNumbers(text).filter((stated) => ![...sourceNumbers].some((value) => isRounded(stated, value)))
    .map(({ text }) => text)
}

export type ReplyErrors = ReadonlyArray<string>

/** Compares JSON values, ignoring the case of texts such as coin names. */
const isSameJson = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one)?.toUpperCase() === JSON.stringify(other)?.toUpperCase()

const hasCalled = (calls: ReadonlyArray<RecordedCall>, [tool, args = {}]: Question["requiredCalls"][number]): boolean =>
  calls.some((call) =>
    call.name === tool && Object.entries(args).every(([key, value]) => isSameJson(valueAt(call.arguments, key), value))
  )

export const listErrors = (question: Question, { calls, outcome, text }: Reply): ReplyErrors => {
  const errors: Array<string> = []
  for (const call of question.requiredCalls) {
    if (!hasCalled(calls, call)) errors.push(`did not call ${call[0]} ${JSON.stringify(call[1] ?? {})}`)
  }
  const never = question.forbiddenTools ?? []
  for (const { name } of calls) {
    if (never === "any" || never.includes(name)) errors.push(`called ${name}`)
  }
  const stated = findNumbers(text)
  for (const [tool, path] of question.quotedValues) {
    const values = calls.filter(({ name, ok }) => ok && name === tool).map(({ data }) => valueAt(data, path))
    const numbers = values.filter((value) => typeof value === "number")
    if (numbers.length === 0) {
      // A value that is not a number cannot be quoted. The answer fails only if no call of the tool succeeded.
      if (values.length === 0) errors.push(`has no result of ${tool}`)
    } else if (!numbers.some((value) => isQuoted(stated, value))) {
      errors.push(`does not quote ${tool} ${path} = ${numbers.join(" or ")}`)
    }
  }
  for (const pattern of question.requiredPatterns ?? []) {
    if (!pattern.test(text)) errors.push(`does not say ${String(pattern)}`)
  }
  for (const pattern of question.forbiddenPatterns ?? []) {
    if (pattern.test(text)) errors.push(`says ${String(pattern)}`)
  }
  if (outcome !== "finished") errors.push(outcome)
  if (text.trim() === "") errors.push("says nothing")
  return errors
}
