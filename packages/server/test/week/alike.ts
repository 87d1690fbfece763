import { assert } from "@effect/vitest"
import { weekFeeds } from "./weekNews.ts"

/** Sums are added up in another order here and there, by the database and by the market. */
const dust = 1e-11

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** Who is collected of, by the names that results have for them. */
const collected = [
  "binance",
  "bybit",
  "upbit",
  "bithumb",
  "coinpaprika",
  "ecb",
  ...weekFeeds("").map(({ name }) => name)
]

/** Whom it came from is the one thing that is another: sources of the simulated market instead of itself. */
const isToldBySources = (mine: string, its: string): boolean => {
  const [names, known] = [mine.split(", "), its.split(", ")]
  return known.includes("simulated") && names.every((name) => known.includes(name) || collected.includes(name)) &&
    known.every((name) => name === "simulated" || names.includes(name))
}

/** Where two answers differ. */
const differences = (mine: unknown, its: unknown, path: string): ReadonlyArray<string> => {
  if (Object.is(mine, its)) return []
  if (typeof mine === "number" && typeof its === "number" && Math.abs(mine - its) <= dust * Math.abs(its)) return []
  if (/\.sources?$/.test(path) && typeof mine === "string" && typeof its === "string" && isToldBySources(mine, its)) {
    return []
  }
  if (!isObject(mine) || !isObject(its)) return [`${path}: ${JSON.stringify(mine)}, not ${JSON.stringify(its)}`]
  return [...new Set([...Object.keys(mine), ...Object.keys(its)])].flatMap((key) =>
    differences(mine[key], its[key], `${path}.${key}`)
  )
}

/** Two answers to a question are the same, but for who told, and the last digits of sums. */
export const assertAlike = (question: string, mine: unknown, its: unknown): void => {
  assert.deepStrictEqual(differences(mine, its, ""), [], question)
}
