/** One value in the text format of Prometheus. */
export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const samplePattern = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})? (\S+)(?: -?\d+)?$/
const labelPattern = /([A-Za-z_]\w*)="((?:[^"\\]|\\.)*)"/g

const unescapeLabel = (text: string): string =>
  text.replaceAll(/\\(.)/g, (_, character: string) => character === "n" ? "\n" : character)

/** Parses a number of the format, which writes an infinite number as `+Inf` or `-Inf`. */
const parseValue = (text: string): number => text === "+Inf" ? Infinity : text === "-Inf" ? -Infinity : Number(text)

/** Parses metrics in the text format of Prometheus. Omits comments, and lines that are not valid. */
export const parseMetrics = (text: string): ReadonlyArray<Sample> =>
  text.split("\n").flatMap((line) => {
    const match = line.startsWith("#") ? null : samplePattern.exec(line.trim())
    if (match === null) return []
    const labels = [...(match[2] ?? "").matchAll(labelPattern)].map(([, name, value]) => [
      name!,
      unescapeLabel(value!)
    ])
    return [{ name: match[1]!, labels: Object.fromEntries(labels), value: parseValue(match[3]!) }]
  })

/** Returns the sum of the samples with a name and with the given labels; undefined if no sample has the name. */
export const sumOf = (
  samples: ReadonlyArray<Sample>,
  name: string,
  labels: Readonly<Record<string, string>> = {}
): number | undefined => {
  const named = samples.filter((sample) => sample.name === name)
  return named.length === 0 ? undefined : named
    .filter((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
    .reduce((sum, { value }) => sum + value, 0)
}
