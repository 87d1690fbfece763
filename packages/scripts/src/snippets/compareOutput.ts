const typeName = (value: unknown): string => value === null ? "null" : Array.isArray(value) ? "array" : typeof value

/** The placeholder for further fields or further list items in an expected response. */
const ellipsis = "..."

/**
 * Returns the differences between the structures of an expected value and an actual value. In the expected value,
 * `"..."` allows further fields or list items, and null matches any value.
 */
export const findDifferences = (expected: unknown, actual: unknown, path = "$"): ReadonlyArray<string> => {
  if (expected === null || actual === null || expected === ellipsis) return []
  if (typeName(expected) !== typeName(actual)) {
    return [`${path} is documented as ${typeName(expected)}, but is ${typeName(actual)}`]
  }
  if (Array.isArray(expected) && Array.isArray(actual)) {
    const items = expected.filter((item) => item !== ellipsis)
    return items.flatMap((item, i) =>
      i < actual.length
        ? findDifferences(item, actual[i], `${path}[${i}]`)
        : [`the response lacks the documented item ${path}[${i}]`]
    )
  }
  if (typeof expected !== "object" || typeof actual !== "object") return []
  const allowsMore = ellipsis in expected
  return [
    ...Object.entries(expected).flatMap(([name, value]) =>
      name === ellipsis
        ? []
        : name in actual
        ? findDifferences(value, Reflect.get(actual, name), `${path}.${name}`)
        : [`the response lacks the documented field ${path}.${name}`]
    ),
    ...Object.keys(actual).flatMap((name) =>
      allowsMore || name in expected ? [] : [`the document lacks the field ${path}.${name} of the response`]
    )
  ]
}

const withoutNumbers = (line: string): string => line.trim().replaceAll(/\d[\d,]*(\.\d+)?/gu, "0")

/** Returns the expected lines that were not printed, ignoring numbers, where `...` matches any text. */
export const findMissingLines = (expected: string, printed: string): ReadonlyArray<string> => {
  const lines = printed.split("\n").map(withoutNumbers)
  return expected.split("\n").filter((line) => {
    const parts = withoutNumbers(line).split(ellipsis).map((part) =>
      part.replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`)
    )
    const pattern = new RegExp(`^${parts.join(".*")}$`, "u")
    return !lines.some((printedLine) => pattern.test(printedLine))
  })
}
