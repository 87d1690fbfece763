import { assert } from "@effect/vitest"

/** Sums are added up in another order here and there, by the database and by the market. */
const dust = 1e-11

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** Where two answers differ. */
const differences = (mine: unknown, its: unknown, path: string): ReadonlyArray<string> => {
  if (Object.is(mine, its)) return []
  if (typeof mine === "number" && typeof its === "number" && Math.abs(mine - its) <= dust * Math.abs(its)) return []
  // Whom it came from is the one thing that is another.
  if (/\.sources?$/.test(path) && mine === "binance" && its === "simulated") return []
  if (!isObject(mine) || !isObject(its)) return [`${path}: ${JSON.stringify(mine)}, not ${JSON.stringify(its)}`]
  return [...new Set([...Object.keys(mine), ...Object.keys(its)])].flatMap((key) =>
    differences(mine[key], its[key], `${path}.${key}`)
  )
}

/** Two answers to a question are the same, but for who told, and the last digits of sums. */
export const assertAlike = (question: string, mine: unknown, its: unknown): void =>
  assert.deepStrictEqual(differences(mine, its, ""), [], question)
