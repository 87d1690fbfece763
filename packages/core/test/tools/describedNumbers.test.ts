import { makeCatalogue, specifications } from "@tapeline/core"
import { expect, test } from "vitest"

interface Json {
  readonly [key: string]: Json
}

/** Returns the paths of all numbers in a result schema that have no description. */
const undescribed = (schema: Json, path: string, isDescribed = false): ReadonlyArray<string> => {
  const isDocumented = isDescribed || schema["description"] !== undefined
  const isNumber = /number|integer/u.test(JSON.stringify(schema["type"] ?? null))
  return [
    ...isNumber && !isDocumented ? [path] : [],
    ...Object.values(schema["anyOf"] ?? {}).flatMap((one) => undescribed(one, path, isDocumented)),
    ...Object.entries(schema["properties"] ?? {}).flatMap(([name, one]) => undescribed(one, `${path}.${name}`)),
    ...schema["items"] === undefined ? [] : undescribed(schema["items"], `${path}[]`, isDocumented)
  ]
}

/** Returns whether a field's name explains its number: a count, the length of the requested window, or an id. */
const isPlain = (path: string): boolean =>
  /(?:^|\.)(?:id|\w+_id|n|n_without_r|count|trades|posts|wins|days|hours|bars|folds|paths|seed|combinations)$/u.test(
    path
  ) ||
  /(?:minutes_ago|leverage|fwd_days|open_market_trades|longest_win|longest_loss)$/u.test(path) ||
  /\.(?:breadth|counts|summary)\.\w+$/u.test(path) || path.endsWith("chosen[].value")

test("gives every number of a result a description or a self-explanatory name", () => {
  const undescribedPaths = makeCatalogue(specifications).flatMap(({ name, result }) =>
    // The type cast is safe, because the catalogue's schemas are JSON.
    undescribed(result as unknown as Json, "").map((path) => `${name}${path}`)
  )
  expect(undescribedPaths.filter((path) => !isPlain(path))).toEqual([])
})
