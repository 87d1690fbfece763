import type { Reply } from "./converse.ts"
import { isRounded, numbersOf } from "./numbers.ts"

/** Collects all numbers of a value, including those in texts and field names. */
const collect = (value: unknown, into: Set<number>): void => {
  if (typeof value === "number") into.add(value)
  else if (typeof value === "string") {
    for (const [digits] of value.matchAll(/\d+(?:\.\d+)?/g)) into.add(Number(digits))
    for (const { readings } of numbersOf(value)) for (const { value } of readings) into.add(value)
  } else if (Array.isArray(value)) { for (const item of value) collect(item, into) }
  else if (typeof value === "object" && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      collect(key, into)
      collect(item, into)
    }
  }
}

/**
 * Returns the numbers of a reply that have no source in the results or arguments of its calls, or in `given`. A number
 * may be rounded, or be a fraction in percent.
 */
export const ungrounded = ({ made, text }: Reply, given: ReadonlyArray<unknown>): ReadonlyArray<string> => {
  const known = new Set<number>()
  for (const { arguments: args, data } of made) {
    collect(args, known)
    collect(data, known)
  }
  for (const one of given) collect(one, known)
  return numbersOf(text).filter((stated) => ![...known].some((value) => isRounded(stated, value)))
    .map(({ text }) => text)
}
