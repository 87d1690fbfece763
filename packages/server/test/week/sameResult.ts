import { assert } from "@effect/vitest"
import { makeWeekFeeds } from "./weekNews.ts"

/** The tolerance for sums, which the database and the simulated market may add up in different orders. */
const relativeTolerance = 1e-11

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

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

/** Returns whether two lists of sources are equal, apart from real names in place of `simulated`. */
const hasEquivalentSources = (actual: string, expected: string, allowedSources: ReadonlyArray<string>): boolean => {
  const [names, known] = [actual.split(", "), expected.split(", ")]
  return known.includes("simulated") && names.every((name) => known.includes(name) || allowedSources.includes(name)) &&
    known.every((name) => name === "simulated" || names.includes(name))
}

/**
 * Returns whether a note only names the sources of funding payments. The simulated market returns no note about
 * sources.
 */
const namesSources = (note: unknown, allowedSources: ReadonlyArray<string>): boolean => {
  const names = typeof note === "string" ? /with payments of (.+)\.$/.exec(note)?.[1] : undefined
  return names !== undefined && names.split(", ").every((name) => allowedSources.includes(name))
}

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
 * Asserts that two results are equal, except for the last digits of sums and the names of sources. The names of sources
 * may include `fallbackSources`.
 */
export const assertSameResult = (
  question: string,
  actual: unknown,
  expected: unknown,
  fallbackSources: ReadonlyArray<string> = []
): void => {
  assert.deepStrictEqual(differences(actual, expected, [...collectedSources, ...fallbackSources]), [], question)
}
