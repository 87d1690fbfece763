import { assert } from "@effect/vitest"
import { weekFeeds } from "./weekNews.ts"

/** Sums are added up in another order here and there, by the database and by the market. */
const dust = 1e-11

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** Who is collected of, by the names that results have for them. */
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

/** Whom it came from is the one thing that is another: sources of the simulated market instead of itself. */
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

/** Where two answers differ. */
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
 * Two answers to a question are the same, but for who told, and the last digits of sums.
 *
 * @param standIns who may have told of it besides those that are always asked.
 */
export const assertAlike = (
  question: string,
  mine: unknown,
  its: unknown,
  standIns: ReadonlyArray<string> = []
): void => {
  assert.deepStrictEqual(differences(mine, its, [...collected, ...standIns]), [], question)
}
