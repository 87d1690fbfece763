import { assert } from "@effect/vitest"
import { makeWeekFeeds } from "./weekNews.ts"

/** The tolerated relative difference: the database and the market sometimes add up sums in a different order. */
const relativeTolerance = 1e-11

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** The collected sources, by their names in results. */
const collectedSources = [
  "binance",
  "upbit",
  "bithumb",
  "bluesky",
  "coinpaprika",
  "deribit",
  "ecb",
  ...makeWeekFeeds("").map(({ name }) => name)
]

/** The sources are the only permitted difference: real source names in place of `simulated`. */
const hasEquivalentSources = (actual: string, expected: string, allowedSources: ReadonlyArray<string>): boolean => {
  const [names, known] = [actual.split(", "), expected.split(", ")]
  return known.includes("simulated") && names.every((name) => known.includes(name) || allowedSources.includes(name)) &&
    known.every((name) => name === "simulated" || names.includes(name))
}

/** Whether a note only names the sources of payments. The simulated market has one source, and no such note. */
const namesSources = (note: unknown, allowedSources: ReadonlyArray<string>): boolean => {
  const names = typeof note === "string" ? /with payments of (.+)\.$/.exec(note)?.[1] : undefined
  return names !== undefined && names.split(", ").every((name) => allowedSources.includes(name))
}

/** The paths at which two answers differ. */
const differences = (
  actualValue: unknown,
  expected: unknown,
  allowedSources: ReadonlyArray<string>,
  path = ""
): ReadonlyArray<string> => {
  const actual = path.endsWith(".notes") && Array.isArray(actualValue)
    ? actualValue.filter((note) => !namesSources(note, allowedSources))
    : actualValue
  if (Object.is(actual, expected)) return []
  if (
    typeof actual === "number" && typeof expected === "number" &&
    Math.abs(actual - expected) <= relativeTolerance * Math.abs(expected)
  ) return []
  const areTexts = typeof actual === "string" && typeof expected === "string"
  if (/\.sources?$/.test(path) && areTexts && hasEquivalentSources(actual, expected, allowedSources)) return []
  if (!isObject(actual) || !isObject(expected)) {
    return [`${path}: ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`]
  }
  return [...new Set([...Object.keys(actual), ...Object.keys(expected)])].flatMap((key) =>
    differences(actual[key], expected[key], allowedSources, `${path}.${key}`)
  )
}

/**
 * Asserts that two answers to a question are equal, except for the names of sources and the last digits of sums.
 *
 * @param fallbackSources further sources that may have contributed, in addition to those that are always requested.
 */
export const assertSameResult = (
  question: string,
  actual: unknown,
  expected: unknown,
  fallbackSources: ReadonlyArray<string> = []
): void => {
  assert.deepStrictEqual(differences(actual, expected, [...collectedSources, ...fallbackSources]), [], question)
}
