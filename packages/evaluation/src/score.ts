import type { Reply } from "./converse.ts"
import type { Made } from "./market.ts"
import { numbersOf, quotes } from "./numbers.ts"
import type { Question } from "./question.ts"
import { valueAt } from "./valueAt.ts"

/** The errors of a reply. A reply without errors passes. */
export type Faults = ReadonlyArray<string>

/** Compares values by JSON, ignoring the case of texts such as coins. */
const same = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one)?.toUpperCase() === JSON.stringify(other)?.toUpperCase()

const called = (made: ReadonlyArray<Made>, [tool, args = {}]: Question["calls"][number]): boolean =>
  made.some((call) =>
    call.name === tool && Object.entries(args).every(([key, value]) => same(valueAt(call.arguments, key), value))
  )

/** Judges a reply by its question's criteria. */
export const faultsOf = (question: Question, { made, outcome, text }: Reply): Faults => {
  const faults: Array<string> = []
  for (const call of question.calls) {
    if (!called(made, call)) faults.push(`did not call ${call[0]} ${JSON.stringify(call[1] ?? {})}`)
  }
  const never = question.never ?? []
  for (const { name } of made) {
    if (never === "any" || never.includes(name)) faults.push(`called ${name}`)
  }
  const stated = numbersOf(text)
  for (const [tool, path] of question.quotes) {
    const values = made.filter(({ name, ok }) => ok && name === tool).map(({ data }) => valueAt(data, path))
    const numbers = values.filter((value) => typeof value === "number")
    if (numbers.length === 0) {
      // An unknown value has no number. Whether the tool was called is judged above.
      if (values.length === 0) faults.push(`has no result of ${tool}`)
    } else if (!numbers.some((value) => quotes(stated, value))) {
      faults.push(`does not quote ${tool} ${path} = ${numbers.join(" or ")}`)
    }
  }
  for (const pattern of question.says ?? []) {
    if (!pattern.test(text)) faults.push(`does not say ${String(pattern)}`)
  }
  for (const pattern of question.silent ?? []) {
    if (pattern.test(text)) faults.push(`says ${String(pattern)}`)
  }
  if (outcome !== "finished") faults.push(outcome)
  if (text.trim() === "") faults.push("says nothing")
  return faults
}
