import { Effect } from "effect"
import type { Interval } from "../series.ts"
import { MarketStoreRefusal } from "./errors.ts"
import type { StoragePeriod } from "./kinds.ts"
import { marketStoreLimits } from "./limits.ts"
import { periodOf, validTimes } from "./periods.ts"
import type { CoverageUpdate, DocumentsWrite, EventsWrite, PointsWrite } from "./writes.ts"

/** A sentence that states how to correct an invalid write; null for a valid write. */
type Fault = string | null

const findFirstFault = <A>(items: Iterable<A>, check: (item: A, index: number) => Fault): Fault => {
  let index = 0
  for (const item of items) {
    const fault = check(item, index++)
    if (fault !== null) return fault
  }
  return null
}

const subjectPattern = /^[\x21-\x7e]{1,64}$/
const sourcePattern = /^[\w.:-]+(\+[\w.:-]+)*$/
const encoder = new TextEncoder()

/** Returns the number of UTF-8 bytes of a text. */
export const utf8Length = (text: string): number => encoder.encode(text).length

const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes("\0")

const checkSubject = (subject: string): Fault =>
  subjectPattern.test(subject)
    ? null
    : `the subject "${subject}" must be 1 to 64 printable ASCII characters without spaces`

const checkSource = (source: string): Fault =>
  source.length <= 64 && sourcePattern.test(source)
    ? null
    : `the source "${source}" must be names of letters, digits, ".", ":", "-" and "_", joined by "+", with at most 64 characters`

const checkText = (label: string, text: string, maxLength: number): Fault =>
  text.length === 0 || text.length > maxLength
    ? `${label} has ${text.length} characters, and must have 1 to ${maxLength}`
    : isStorable(text)
    ? null
    : `${label} contains a NUL or an unpaired surrogate: remove it`

const checkDocument = (label: string, document: string | null): Fault =>
  document === null
    ? null
    : !isStorable(document)
    ? `the document of ${label} contains a NUL or an unpaired surrogate: write it as JSON, which escapes both`
    : utf8Length(document) > marketStoreLimits.maxDocumentBytes
    ? `the document of ${label} is longer than ${marketStoreLimits.maxDocumentBytes} bytes: shorten it`
    : null

const checkTime = (label: string, time: number, { from, to }: Interval): Fault =>
  Number.isSafeInteger(time) && time >= from && time < to
    ? null
    : `the time ${time} of ${label} is not in whole milliseconds of the years ${new Date(from).getUTCFullYear()} to ` +
      `${new Date(to).getUTCFullYear() - 1}: check its unit`

const checkNumbers = (label: string, row: Readonly<Record<string, unknown>>, columns: ReadonlyArray<string>): Fault =>
  findFirstFault(columns, (column) => {
    const value = row[column]
    return value === null || (typeof value === "number" && Number.isFinite(value))
      ? null
      : `${column} of ${label} is ${
        typeof value === "number" ? value : typeof value
      }: write a finite number, or null if unknown`
  })

const checkIntervals = (label: string, intervals: ReadonlyArray<Interval>, years: Interval): Fault =>
  intervals.length > marketStoreLimits.maxIntervalsPerWrite
    ? `${label} has ${intervals.length} intervals: write at most ${marketStoreLimits.maxIntervalsPerWrite} at once`
    : findFirstFault(
      intervals,
      ({ from, to }) =>
        checkTime(`an interval of ${label}`, from, years) ??
          (from < to && Number.isSafeInteger(to) && to <= years.to
            ? null
            : `the interval [${from}, ${to}) of ${label} is empty or ends beyond the kind's years`)
    )

const checkCoverageUpdate = (subject: string, { covers = [], lost = [] }: CoverageUpdate, years: Interval): Fault =>
  checkSubject(subject) ?? checkIntervals(`covers of ${subject}`, covers, years) ??
    checkIntervals(`lost of ${subject}`, lost, years)

const checkDistinct = (label: string, names: ReadonlyArray<string>): Fault => {
  const seen = new Set<string>()
  return findFirstFault(names, (item) => {
    if (seen.has(item)) return `${label} "${item}" occurs twice: merge the two`
    seen.add(item)
    return null
  })
}

const checkIdPrefix = (prefix: string): Fault =>
  checkText("an id prefix", prefix, 256) ??
    (prefix.endsWith("/")
      ? null
      : `the id prefix "${prefix}" must end with "/", so that it matches no other ids`)

const checkMaximum = (what: string, count: number, max: number): Fault =>
  count > max ? `${count} ${what} are too many for one write: write at most ${max} at once` : null

const checkPeriodCount = (period: StoragePeriod, times: Iterable<number>): Fault => {
  const names = new Set<string>()
  let current = { from: 0, to: 0 }
  for (const time of times) {
    if (time >= current.from && time < current.to) continue
    const containing = periodOf(period, time)
    current = containing
    names.add(containing.name)
  }
  return checkMaximum(`${period}s`, names.size, marketStoreLimits.maxPeriodsPerWrite)
}

const rejectFaulty = (kind: string, findFault: () => Fault): Effect.Effect<void, MarketStoreRefusal> =>
  Effect.suspend(() => {
    const fault = findFault()
    return fault === null ? Effect.void : Effect.fail(new MarketStoreRefusal({ subject: kind, reason: fault }))
  })

export const checkPoints = <Column extends string>(
  { kind, series }: PointsWrite<Column>
): Effect.Effect<void, MarketStoreRefusal> =>
  rejectFaulty(kind.name, () => {
    const columns = Object.keys(kind.columns)
    const years = validTimes[kind.period]
    return checkMaximum("subjects", series.length, marketStoreLimits.maxSubjectsPerWrite) ??
      checkMaximum("rows", series.reduce((sum, { rows }) => sum + rows.length, 0), marketStoreLimits.maxRowsPerWrite) ??
      checkDistinct("the subject", series.map(({ subject }) => subject)) ??
      findFirstFault(series, ({ rows, source, subject, ...covering }) => {
        let before = -Infinity
        return checkCoverageUpdate(subject, covering, years) ?? checkSource(source) ??
          findFirstFault(rows, (row) => {
            const pointName = `${subject} at ${row.time}`
            const reason = checkTime(subject, row.time, years) ??
              (row.time > before
                ? null
                : `the rows of ${subject} are not in ascending order at ${row.time}: sort them, with each time once`)
            before = row.time
            return reason ?? checkNumbers(pointName, row, columns)
          })
      }) ??
      checkPeriodCount(kind.period, series.flatMap(({ rows }) => rows.map(({ time }) => time)))
  })

export const checkEvents = <Column extends string>(
  { covering = [], events, kind, removed = [], removedUnder = [] }: EventsWrite<Column>
): Effect.Effect<void, MarketStoreRefusal> =>
  rejectFaulty(kind.name, () => {
    const years = validTimes[kind.period]
    const rows = events.reduce(
      (sum, { subjects }) => sum + Math.max(1, subjects.length),
      removed.length + removedUnder.length
    )
    const subjects = new Set([...covering.map(({ subject }) => subject), ...events.flatMap((event) => event.subjects)])
    return checkMaximum("rows", rows, marketStoreLimits.maxRowsPerWrite) ??
      checkMaximum("subjects", subjects.size, marketStoreLimits.maxSubjectsPerWrite) ??
      checkDistinct("the id", [...events.map(({ id }) => id), ...removed]) ??
      findFirstFault(removedUnder, checkIdPrefix) ??
      checkDistinct("the subject", covering.map(({ subject }) => subject)) ??
      findFirstFault(covering, ({ subject, ...one }) => checkCoverageUpdate(subject, one, years)) ??
      findFirstFault(removed, (id) => checkText("an id", id, 256)) ??
      findFirstFault(events, (event) =>
        checkText("an id", event.id, 256) ?? checkTime(`event ${event.id}`, event.time, years) ??
          checkSource(event.source) ??
          (event.subjects.length > marketStoreLimits.maxSubjectsPerEvent
            ? `event ${event.id} has ${event.subjects.length} subjects: write at most ${marketStoreLimits.maxSubjectsPerEvent}`
            : null) ??
          checkDistinct(`event ${event.id}: the subject`, event.subjects) ??
          findFirstFault(event.subjects, checkSubject) ??
          (event.label === null ? null : checkText(`the label of event ${event.id}`, event.label, 256)) ??
          checkNumbers(`event ${event.id}`, event, kind.columns) ??
          checkDocument(`event ${event.id}`, event.document)) ??
      checkMaximum(
        "bytes of documents",
        events.reduce((sum, { document, subjects }) =>
          sum + (document === null ? 0 : utf8Length(document) * Math.max(1, subjects.length)), 0),
        marketStoreLimits.maxTotalDocumentBytes
      ) ??
      checkPeriodCount(
        kind.period,
        events.map(({ time }) =>
          time
        )
      )
  })

export const checkDocuments = (
  { documents, kind, now = Number.MAX_SAFE_INTEGER, removed = [] }: DocumentsWrite
): Effect.Effect<void, MarketStoreRefusal> =>
  rejectFaulty(kind.name, () =>
    (Number.isSafeInteger(now) ? null : `now is ${now}, and must be whole milliseconds`) ??
      checkMaximum("documents", documents.length + removed.length, marketStoreLimits.maxRowsPerWrite) ??
      checkDistinct("the key", [...documents.map(({ key }) => key), ...removed]) ??
      findFirstFault(removed, (key) => checkText("a key", key, 128)) ??
      findFirstFault(documents, ({ document, key, source, time }) =>
        checkText("a key", key, 128) ?? checkTime(`document ${key}`, time, validTimes.year) ?? checkSource(source) ??
          checkDocument(key, document)) ??
      checkMaximum(
        "bytes of documents",
        documents.reduce((sum, { document }) =>
          sum + utf8Length(document), 0),
        marketStoreLimits.maxTotalDocumentBytes
      ))

export const checkLead = (
  { holder, source, ttlMs }: { readonly source: string; readonly holder: string; readonly ttlMs: number }
): Effect.Effect<void, MarketStoreRefusal> =>
  rejectFaulty(`the lead of ${source}`, () =>
    checkSource(source) ?? checkText("the holder", holder, 128) ??
      (ttlMs > 0 && ttlMs <= marketStoreLimits.maxLeaseMs
        ? null
        : `${ttlMs} ms is not a valid lease time: it must be above 0 and at most ${marketStoreLimits.maxLeaseMs}`))

/** Checks that a query has an interval in whole milliseconds, positive whole numbers, and not too many steps. */
export const checkQuery = (
  kind: string,
  { from, to, ...counts }:
    & Interval
    & { readonly everyMs?: number | undefined; readonly stepMs?: number | undefined }
    & {
      readonly last?: number | undefined
    },
  subjects: number
): Effect.Effect<void, MarketStoreRefusal> =>
  Effect.andThen(
    rejectFaulty(kind, () =>
      (Number.isSafeInteger(from) && Number.isSafeInteger(to) && from <= to
        ? null
        : `[${from}, ${to}) is not an interval of whole milliseconds`) ??
        findFirstFault(Object.entries(counts), ([name, count]) =>
          count === undefined || (Number.isSafeInteger(count) && count > 0)
            ? null
            : `${name} is ${count}, and must be a whole number above 0`)),
    Effect.suspend(() => {
      const steps = counts.stepMs === undefined ? 0 : Math.ceil((to - from) / counts.stepMs) * subjects
      return steps > marketStoreLimits.maxRowsPerRead ? Effect.fail(readTooLarge(kind, `${steps} steps`)) : Effect.void
    })
  )

/** Creates the error for a read whose result would be too large. */
export const readTooLarge = (kind: string, what: string): MarketStoreRefusal =>
  new MarketStoreRefusal({
    subject: kind,
    isTooMuch: true,
    reason: `${what} exceed the limit of one read: request a shorter interval, longer steps or fewer subjects`
  })

/** Creates the error for a write that would exceed a limit of the store. */
export const storeFull = (kind: string, what: string, max: number): MarketStoreRefusal =>
  new MarketStoreRefusal({
    subject: kind,
    isFull: true,
    reason: `at most ${max} ${what} can be stored: write fewer, or delete the unused ones`
  })

/** Creates the error for a write after which a subject would have too many separate covered intervals. */
export const tooManyIntervals = (kind: string, subject: string, max: number): MarketStoreRefusal =>
  new MarketStoreRefusal({
    subject: kind,
    reason: `more than ${max} separate intervals of ${subject} are covered: fill the gaps between them, or mark ` +
      "the gaps as lost"
  })
