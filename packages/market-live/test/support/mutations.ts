import { isFullRun } from "@tapeline/testing/fullRun"
import { seed } from "@tapeline/testing/seed"

export interface Mutation {
  /**
   * The path of the changed part without list indices, such as `symbols.price`. In a tuple, the path contains the
   * index.
   */
  readonly path: string
  readonly name: string
  readonly text: string
}

type Path = ReadonlyArray<string | number>

const marker = "here@@"

const numberReplacements = [
  "null",
  "true",
  "{}",
  "[]",
  `"12"`,
  `"NaN"`,
  "1e999",
  "-1e999",
  "9".repeat(400),
  "123456789e40"
]
const decimalReplacements = [
  "null",
  "true",
  "12",
  "{}",
  "[]",
  `""`,
  `" 1 "`,
  `"NaN"`,
  `"Infinity"`,
  `"-Infinity"`,
  `"1e999"`,
  `"0x10"`,
  `"1,5"`,
  `"${"9".repeat(400)}"`,
  `"1e40"`
]
const nameReplacements = ["null", "5", "true", "{}", "[]", `""`, `"a\\u0000b"`, `"${"a".repeat(5_000)}"`]

const isNumeric = (text: string): boolean => /^-?\d+(\.\d+)?$/u.test(text)

const replacementsOf = (leaf: unknown): ReadonlyArray<string> => {
  if (typeof leaf === "number") return numberReplacements
  if (typeof leaf === "string") return isNumeric(leaf) ? decimalReplacements : nameReplacements
  return ["{}", "[]", `"NaN"`]
}

/** The possible positions of the changed record in each list. */
export const recordPositions = ["first", "middle", "last"] as const
export type RecordPosition = typeof recordPositions[number]

const indexOfPlace = ({ length }: { readonly length: number }, position: RecordPosition): number =>
  position === "first" ? 0 : position === "middle" ? length >> 1 : length - 1

const findLeaves = (
  value: unknown,
  position: RecordPosition,
  path: Path = []
): ReadonlyArray<readonly [Path, unknown]> => {
  if (Array.isArray(value)) {
    const isTuple = value.length <= 16 && value.every((one) => typeof one !== "object" || one === null)
    const parts = value.map((one, i): readonly [number, unknown] => [i, one])
    const at = indexOfPlace(parts, position)
    return (isTuple ? parts : parts.slice(at, at + 1)).flatMap(([i, one]) => findLeaves(one, position, [...path, i]))
  }
  if (typeof value === "object" && value !== null) {
    return Object.entries(value).flatMap(([key, one]) => findLeaves(one, position, [...path, key]))
  }
  return [[path, value]]
}

const replaceAt = (value: unknown, path: Path, replacement: unknown): unknown => {
  const [first, ...rest] = path
  if (first === undefined) return replacement
  if (Array.isArray(value)) return value.map((one: unknown, i) => i === first ? replaceAt(one, rest, replacement) : one)
  // The type cast is safe, because the path was found in the value, so each entry on the path is an object.
  const entries = Object.entries(value as object)
  return Object.fromEntries(
    entries.flatMap(([key, one]) =>
      key !== first
        ? [[key, one]]
        : rest.length === 0 && replacement === undefined
        ? []
        : [[key, replaceAt(one, rest, replacement)]]
    )
  )
}

/** Returns all replacements in the full run, and otherwise one replacement, which depends on `nth`. */
const pickForms = (forms: ReadonlyArray<string>, nth: number): ReadonlyArray<string> =>
  isFullRun ? forms : [forms[nth % forms.length]!]

/**
 * Yields all mutations in the full run. In the usual run, yields about six mutations at equal distances, and then
 * further mutations until `hasShownFault` returns true.
 */
export const sampleMutations = function*(
  mutations: ReadonlyArray<Mutation>,
  hasShownFault: () => boolean
): Iterable<Mutation> {
  // The distance is odd, so that the sample contains both replaced and removed values.
  const distance = isFullRun ? 1 : Math.max(0, Math.floor(mutations.length / 6) - 1) | 1
  const isSampled = (_: Mutation, nth: number): boolean => (nth + seed) % distance === 0
  yield* mutations.filter(isSampled)
  for (const one of mutations.filter((one, nth) => !isSampled(one, nth))) {
    if (hasShownFault()) return
    yield one
  }
}

const xmlNumberReplacements = ["", "NaN", "-Infinity", "1e999", "0x10", "1,5", "<a>5</a>", "9".repeat(400), "1e40"]
const xmlTextReplacements = ["", "<a>b</a>", "a\u0000b", "a".repeat(5_000)]

/** For each element name in an XML document, returns the last element that contains only text. */
const xmlLeavesOf = (text: string) => {
  const last = new Map<string, { readonly from: number; readonly to: number; readonly content: string }>()
  for (const match of text.matchAll(/<([\w:.-]+)(?:\s[^<>]*)?>([^<>]*)<\/\1>/gu)) {
    const [element, name, content] = match
    last.set(name!, { from: match.index, to: match.index + element.length, content: content! })
  }
  return [...last]
}

const xmlMutationsOf = (text: string): ReadonlyArray<Mutation> =>
  xmlLeavesOf(text).flatMap(([at, { from, content, to }], nth) => {
    const element = text.slice(from, to)
    const open = element.slice(0, element.indexOf(">") + 1)
    const replacedBy = (replacement: string): string => `${text.slice(0, from)}${replacement}${text.slice(to)}`
    const wrongValues = pickForms(isNumeric(content) ? xmlNumberReplacements : xmlTextReplacements, nth).map((
      replacement
    ) => ({
      path: at,
      name: `${at}: ${replacement.length > 40 ? `${replacement.slice(0, 20)}...` : replacement}`,
      text: replacedBy(`${open}${replacement}</${at}>`)
    }))
    return [...wrongValues, { path: at, name: `${at}: gone`, text: replacedBy("") }]
  })

/**
 * Returns mutations of the last event of an iCalendar file: each line without its value, with an overlong value, and
 * without the line itself.
 */
const calendarMutationsOf = (text: string): ReadonlyArray<Mutation> => {
  const lines = text.split("\r\n")
  const eventStart = lines.lastIndexOf("BEGIN:VEVENT") + 1
  return lines.slice(eventStart, lines.indexOf("END:VEVENT", eventStart)).flatMap((line, i) => {
    const [name = ""] = line.split(":")
    const replacedBy = (replacementLines: ReadonlyArray<string>): string =>
      lines.toSpliced(eventStart + i, 1, ...replacementLines).join("\r\n")
    return [
      { path: name, name: `${name}: nothing`, text: replacedBy([`${name}:`]) },
      { path: name, name: `${name}: long`, text: replacedBy([`${name}:${"9".repeat(5_000)}`]) },
      { path: name, name: `${name}: gone`, text: replacedBy([]) }
    ]
  })
}

/**
 * Returns mutations of a payload: each value replaced by invalid values, and each key removed. A mutation changes only
 * the record at `position` of each list, the last event of a calendar, or the last XML element of each name.
 */
export const mutationsOf = (text: string, position: RecordPosition): ReadonlyArray<Mutation> => {
  // The ZIP archive is not compressed, so its content can be changed as text.
  if (/^\s*(<|PK)/u.test(text)) return xmlMutationsOf(text)
  if (text.startsWith("BEGIN:VCALENDAR")) return calendarMutationsOf(text)
  const payload: unknown = JSON.parse(text.replace(/^\uFEFF/u, ""))
  return findLeaves(payload, position).flatMap(([path, leaf], nth) => {
    const at = path.filter((part, i) => typeof part === "string" || i === path.length - 1).join(".")
    const jsonPath = path.join(".")
    const markedText = JSON.stringify(replaceAt(payload, path, marker))
    const wrongValues = pickForms(replacementsOf(leaf), nth).map((replacement) => ({
      path: at,
      name: `${jsonPath}: ${replacement.length > 40 ? `${replacement.slice(0, 20)}...` : replacement}`,
      text: markedText.replace(`"${marker}"`, () => replacement)
    }))
    return typeof path.at(-1) === "number"
      ? wrongValues
      : [...wrongValues, {
        path: at,
        name: `${jsonPath}: gone`,
        text: JSON.stringify(replaceAt(payload, path, undefined))
      }]
  })
}
