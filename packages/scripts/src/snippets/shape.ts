/** Compares the form of a response with that on a page. */

const kindOf = (value: unknown): string => value === null ? "null" : Array.isArray(value) ? "array" : typeof value

/** As a name, it represents further names. As a list item, it represents further items. */
const andSoOn = "..."

/**
 * Returns the differences in form: names and kinds of values. The name `"..."` allows further names, and at the end of
 * a list further items. A null on either side matches any value.
 */
export const differences = (shown: unknown, answered: unknown, path = "$"): ReadonlyArray<string> => {
  if (shown === null || answered === null || shown === andSoOn) return []
  if (kindOf(shown) !== kindOf(answered)) return [`${path} is shown as ${kindOf(shown)}, and is ${kindOf(answered)}`]
  if (Array.isArray(shown) && Array.isArray(answered)) {
    const items = shown.filter((item) => item !== andSoOn)
    return items.flatMap((item, i) =>
      i < answered.length ? differences(item, answered[i], `${path}[${i}]`) : [`${path} has no item ${i}`]
    )
  }
  if (typeof shown !== "object" || typeof answered !== "object") return []
  const open = andSoOn in shown
  return [
    ...Object.entries(shown).flatMap(([name, value]) =>
      name === andSoOn
        ? []
        : name in answered
        ? differences(value, Reflect.get(answered, name), `${path}.${name}`)
        : [`${path}.${name} is shown, and is not there`]
    ),
    ...Object.keys(answered).flatMap((name) => open || name in shown ? [] : [`${path}.${name} is there, and not shown`])
  ]
}

const formOf = (line: string): string => line.trim().replaceAll(/\d[\d,]*(\.\d+)?/gu, "0")

/** Returns the shown lines that were not printed, ignoring numbers. `...` matches any text. */
export const linesMissing = (shown: string, printed: string): ReadonlyArray<string> => {
  const lines = printed.split("\n").map(formOf)
  return shown.split("\n").filter((line) => {
    const parts = formOf(line).split(andSoOn).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`))
    const pattern = new RegExp(`^${parts.join(".*")}$`, "u")
    return !lines.some((printedLine) => pattern.test(printedLine))
  })
}
