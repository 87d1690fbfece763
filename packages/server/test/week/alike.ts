import { assert } from "@effect/vitest"
import { weekFeeds } from "./weekNews.ts"

/** The tolerated relative difference: the database and the market sometimes add up sums in a different order. */
const dust = 1e-11

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** The collected sources, by their names in results. */
const collected = [
  "binance",
  "upbit",
  "bithumb",
  "bluesky",
  "coinpaprika",
  "deribit",
  "ecb",
  ...weekFeeds("").map(({ name }) => name)
]

/** The sources are the only permitted difference: real source names in place of `simulated`. */
const isToldBySources = (mine: string, its: string, tellers: ReadonlyArray<string>): boolean => {
  const [names, known] = [mine.split(", "), its.split(", ")]
  return known.includes("simulated") && names.every((name) => known.includes(name) || tellers.includes(name)) &&
    known.every((name) => name === "simulated" || names.includes(name))
}

/** Whether a note only names the sources of payments. The simulated market has one source, and no such note. */
const namesSources = (note: unknown, tellers: ReadonlyArray<string>): boolean => {
  const names = typeof note === "string" ? /with payments of (.+)\.$/.exec(note)?.[1] : undefined
  return names !== undefined && names.split(", ").every((name) => tellers.includes(name))
}

/** The paths at which two answers differ. */
const differences = (
  given: unknown,
  its: unknown,
  tellers: ReadonlyArray<string>,
  path = ""
): ReadonlyArray<string> => {
  const mine = path.endsWith(".notes") && Array.isArray(given)
    ? given.filter((note) => !namesSources(note, tellers))
    : given
  if (Object.is(mine, its)) return []
  if (typeof mine === "number" && typeof its === "number" && Math.abs(mine - its) <= dust * Math.abs(its)) return []
  const areTexts = typeof mine === "string" && typeof its === "string"
  if (/\.sources?$/.test(path) && areTexts && isToldBySources(mine, its, tellers)) return []
  if (!isObject(mine) || !isObject(its)) return [`${path}: ${JSON.stringify(mine)}, not ${JSON.stringify(its)}`]
  return [...new Set([...Object.keys(mine), ...Object.keys(its)])].flatMap((key) =>
    differences(mine[key], its[key], tellers, `${path}.${key}`)
  )
}

/**
 * Asserts that two answers to a question are equal, except for the names of sources and the last digits of sums.
 *
 * @param standIns further sources that may have contributed, in addition to those that are always requested.
 */
export const assertAlike = (
  question: string,
  mine: unknown,
  its: unknown,
  standIns: ReadonlyArray<string> = []
): void => {
  assert.deepStrictEqual(differences(mine, its, [...collected, ...standIns]), [], question)
}
