import { findNumbers, type StatedNumber } from "@tapeline/core/agent"
import type { Language } from "@tapeline/core/engine"
import type { Reply } from "./converse.ts"
import type { RecordedCall } from "./engine.ts"
import type { Question } from "./question.ts"
import { valueAt } from "./valueAt.ts"

/** A number in an answer. */
interface QuotedNumber {
  /** Whether the text states an upper or lower bound, as in `<0.1%`. */
  readonly isBound: boolean
  readonly readings: StatedNumber["readings"]
}

const findQuotedNumbers = (text: string, lang: Language): ReadonlyArray<QuotedNumber> =>
  findNumbers(text, lang).map(({ offset, readings }) => ({
    isBound: /[<>]$/.test(text.slice(0, offset)),
    readings
  }))

/** The factor by which the rounding tolerance grows for bounds such as `<0.1%`. */
const boundToleranceFactor = 2

const toFractionAndPercent = (value: number): ReadonlyArray<number> => [Math.abs(value), Math.abs(value) * 100]

const isRounded = ({ isBound, readings }: QuotedNumber, value: number): boolean =>
  readings.some((reading) =>
    toFractionAndPercent(value).some((form) =>
      Math.abs(form - reading.value) <= reading.tolerance * (isBound ? boundToleranceFactor : 1) + 1e-6 * Math.abs(form)
    )
  )

/** Returns whether a text quotes a value with a rounding error of at most about 0.5 %. */
const isQuoted = (stated: ReadonlyArray<QuotedNumber>, value: number): boolean =>
  stated.some((statedNumber) =>
    isRounded(statedNumber, value) &&
    statedNumber.readings.some((reading) =>
      toFractionAndPercent(value).some((form) =>
        Math.abs(form - reading.value) <= Math.max(0.005 * form, statedNumber.isBound ? 0.101 : 0.06)
      )
    )
  )

export type ReplyErrors = ReadonlyArray<string>

/** Compares JSON values, ignoring the case of texts such as coin names. */
const isSameJson = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one)?.toUpperCase() === JSON.stringify(other)?.toUpperCase()

const hasCalled = (calls: ReadonlyArray<RecordedCall>, [tool, args = {}]: Question["requiredCalls"][number]): boolean =>
  calls.some((call) =>
    call.name === tool && Object.entries(args).every(([key, value]) => isSameJson(valueAt(call.arguments, key), value))
  )

export const listErrors = (question: Question, lang: Language, { calls, outcome, text }: Reply): ReplyErrors => {
  const errors: Array<string> = []
  for (const call of question.requiredCalls) {
    if (!hasCalled(calls, call)) errors.push(`did not call ${call[0]} ${JSON.stringify(call[1] ?? {})}`)
  }
  const never = question.forbiddenTools ?? []
  for (const { name } of calls) {
    if (never === "any" || never.includes(name)) errors.push(`called ${name}`)
  }
  const stated = findQuotedNumbers(text, lang)
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
