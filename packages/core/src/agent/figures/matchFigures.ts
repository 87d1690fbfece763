import type { Language } from "../../engine/messages/languageCode.ts"
import { type Candidate, estimateChance, findCandidates } from "./candidates.ts"
import type { CheckedFigures, Figure, UnmatchedNumber } from "./figure.ts"
import { findNumbers, type StatedNumber } from "./numbers.ts"
import { maskNames } from "./prose.ts"
import { selectQuantities } from "./quantities.ts"
import { indexSources, quoteLength, type Source, type SourceIndex, type SourceValue } from "./sources.ts"

export interface FigureInput {
  readonly text: string
  readonly lang: Language
  /** The results of the answer's tool calls and the caller's facts, in the order of the calls. */
  readonly sources: ReadonlyArray<Source>
  /** Texts whose numbers the answer may repeat, such as the question and the arguments of calls. */
  readonly knownTexts: ReadonlyArray<string>
}

/** The maximum number of numbers of a text that are checked. */
const maxNumbers = 500
const maxKnownLength = 200_000
const maxKnownNumbers = 2_000

/** A number whose chance of a false match is below this limit supports other numbers of its line. */
const maxStrongChance = 0.02
/** The maximum chance of a false match without the support of another number, outside of and within long lists. */
const maxChance = 0.2
const maxListedChance = 0.1
/** The maximum chance outside of long lists, if no other number of the line is certain. */
const maxChanceAlone = 0.5
/** The maximum distance between a number and the label of the list item that it comes from, in characters. */
const labelDistance = 80
const maxDifferenceChance = 0.1
/** The maximum number of other numbers of a line that a difference may use. */
const maxOperands = 12

interface Entry {
  readonly number: StatedNumber
  readonly line: number
  readonly candidates: ReadonlyArray<Candidate>
  readonly isStrong: boolean
}

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")))

/** Returns the objects that contain a value: its own object, and the object around that. */
const containersOf = ({ call, path }: SourceValue): readonly [string, string] => {
  const parent = parentOf(path)
  return [`${call} ${parent}`, `${call} ${parentOf(parent)}`]
}

const countLines = (text: string, numbers: ReadonlyArray<StatedNumber>): ReadonlyArray<number> => {
  let line = 0
  let at = 0
  return numbers.map(({ offset }) => {
    for (; at < offset; at++) if (text.charCodeAt(at) === 10) line += 1
    return line
  })
}

/** The objects from which the certain numbers of one line come, with the numbers that come from each object. */
type LineSupport = ReadonlyMap<string, ReadonlySet<Entry>>

const collectSupport = (entries: ReadonlyArray<Entry>): ReadonlyMap<number, LineSupport> => {
  const lines = new Map<number, Map<string, Set<Entry>>>()
  for (const entry of entries) {
    if (!entry.isStrong) continue
    const support = lines.get(entry.line) ?? new Map<string, Set<Entry>>()
    lines.set(entry.line, support)
    for (const { source } of entry.candidates) {
      for (const container of containersOf(source)) {
        support.set(container, (support.get(container) ?? new Set()).add(entry))
      }
    }
  }
  return lines
}

/**
 * Returns 2 if another certain number of the line comes from the same object, 1 for the enclosing object, and 0
 * otherwise.
 */
const rankSupport = (support: LineSupport | undefined, entry: Entry, { source }: Candidate): 0 | 1 | 2 => {
  const [own, outer] = containersOf(source).map((container) => {
    const entries = support?.get(container)
    return entries !== undefined && entries.size > (entries.has(entry) ? 1 : 0)
  })
  return own === true ? 2 : outer === true ? 1 : 0
}

/**
 * Returns the value that a number of the text states, or null. A number that values match by chance, because it has few
 * digits or the results contain many values, needs the support of a certain number of the same line.
 */
const chooseSource = (
  index: SourceIndex,
  prose: string,
  support: LineSupport | undefined,
  entry: Entry
): SourceValue | null => {
  const { candidates, number } = entry
  if (candidates.length === 0) return null
  const stated = number.readings[0]?.value ?? 0
  const before = prose.slice(Math.max(0, number.offset - quoteLength), number.offset)
  const context = prose.slice(Math.max(0, number.offset - labelDistance), number.offset)
  const hasLabel = ({ source: { labels } }: Candidate) =>
    labels !== undefined && [...labels].some((label) => context.includes(label))
  const isQuote = ({ source }: Candidate) => before.length === quoteLength && source.before === before
  const ranked = candidates.map((candidate) => ({
    candidate,
    rank: isQuote(candidate) ? 3 : Math.max(hasLabel(candidate) ? 2 : 0, rankSupport(support, entry, candidate))
  }))
  const [best] = ranked.sort((a, b) =>
    b.rank - a.rank ||
    a.candidate.source.level - b.candidate.source.level ||
    Math.abs(a.candidate.value - stated) - Math.abs(b.candidate.value - stated)
  )
  if (best === undefined) return null
  const { source } = best.candidate
  const limit = source.level === 2 ? maxListedChance : support === undefined ? maxChanceAlone : maxChance
  const precision = best.candidate.value === stated ? number.scale : 1
  return best.rank > 0 || estimateChance(index, number, source.level, precision) <= limit ? source : null
}

interface Matched {
  readonly entry: Entry
  readonly source: SourceValue
}

/** Returns the two values whose difference a number states: both are stated by other numbers of the same line. */
const findDifference = (
  { number }: Entry,
  operands: ReadonlyArray<Matched>
): { readonly source: SourceValue; readonly minus: SourceValue } | null => {
  const { readings: [reading], unit } = number
  if (reading === undefined) return null
  const pairs = operands.flatMap((one) => operands.flatMap((other) => one === other ? [] : [[one, other] as const]))
  if (pairs.length * reading.tolerance / (0.25 * reading.value) > maxDifferenceChance) return null
  for (const [one, other] of pairs) {
    const [a, b] = [one.source.value, other.source.value]
    if (one.entry.number.unit !== other.entry.number.unit || a === b) continue
    const isRelative = unit === "percent" && one.entry.number.unit !== "percent"
    if (!isRelative && one.entry.number.unit !== unit) continue
    const difference = isRelative ? (a - b) / Math.abs(b) * 100 : a - b
    const isSigned = number.sign !== 0 && Math.sign(difference) !== number.sign
    if (!isSigned && Math.abs(Math.abs(difference) - reading.value) <= reading.tolerance * (1 + 1e-9)) {
      return { source: one.source, minus: other.source }
    }
  }
  return null
}

const collectKnown = (texts: ReadonlyArray<string>, lang: Language): ReadonlySet<number> => {
  const known = new Set<number>()
  let length = 0
  for (const text of texts) {
    if (length >= maxKnownLength || known.size >= maxKnownNumbers) break
    const part = text.slice(0, maxKnownLength - length)
    length += part.length
    for (const { readings } of findNumbers(part, lang, maxKnownNumbers)) {
      for (const { value } of readings) known.add(value)
    }
  }
  return known
}

/**
 * Finds for each number of an answer the value of a tool result that the number states: rounded, in percent, in another
 * unit, or as the difference of two values that the same line states. The result depends only on the input, and its
 * computation time grows almost linearly with the input.
 */
export const matchFigures = ({ knownTexts, lang, sources, text }: FigureInput): CheckedFigures => {
  const index = indexSources(sources)
  const prose = maskNames(text)
  const numbers = selectQuantities(prose, findNumbers(prose, lang, maxNumbers), index.names)
  const lines = countLines(text, numbers)
  const entries = numbers.map((number, i): Entry => {
    const candidates = findCandidates(index, number)
    const isStrong = candidates.length > 0 && estimateChance(index, number, 2) < maxStrongChance
    return { number, line: lines[i]!, candidates, isStrong }
  })
  const support = collectSupport(entries)
  const matches = new Map<Entry, SourceValue>()
  const byLine = new Map<number, Array<Matched>>()
  for (const entry of entries) {
    const source = chooseSource(index, prose, support.get(entry.line), entry)
    if (source === null) continue
    matches.set(entry, source)
    const line = byLine.get(entry.line) ?? []
    byLine.set(entry.line, line)
    if (line.length < maxOperands) line.push({ entry, source })
  }
  const known = collectKnown(knownTexts, lang)
  const figures: Array<Figure> = []
  const unmatched: Array<UnmatchedNumber> = []
  for (const entry of entries) {
    const { number: { offset, readings, text } } = entry
    const source = matches.get(entry)
    const difference = source === undefined ? findDifference(entry, byLine.get(entry.line) ?? []) : null
    const found = source ?? difference?.source
    if (found !== undefined) {
      figures.push({
        text,
        offset,
        call: found.call,
        path: found.path,
        ...(difference === null ? {} : { minus: { call: difference.minus.call, path: difference.minus.path } })
      })
    } else if (!readings.some(({ value }) => known.has(value))) unmatched.push({ text, offset })
  }
  return { figures, unmatched }
}
