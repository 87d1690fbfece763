import { Effect } from "effect"
import type { Interval } from "../series.ts"
import { marketBounds } from "./bounds.ts"
import { MarketStoreRefusal } from "./errors.ts"
import type { Span } from "./kinds.ts"
import { spanOf, timesOf } from "./spans.ts"
import type { Covering, DocumentsWrite, EventsWrite, PointsWrite } from "./writes.ts"

/**
 * The fault of a write, as a sentence that states what to change, or null. Writes are checked before anything is
 * written.
 */
type Reason = string | null

const firstOf = <A>(all: Iterable<A>, look: (one: A, place: number) => Reason): Reason => {
  let place = 0
  for (const one of all) {
    const reason = look(one, place++)
    if (reason !== null) return reason
  }
  return null
}

const printable = /^[\x21-\x7e]{1,64}$/
const sourceForm = /^[\w.:-]+(\+[\w.:-]+)*$/
const encoder = new TextEncoder()

/** The UTF-8 bytes of a text. */
export const bytesOf = (text: string): number => encoder.encode(text).length

const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes("\0")

const ofSubject = (subject: string): Reason =>
  printable.test(subject) ? null : `the subject "${subject}" is not 1 to 64 printable ASCII characters without a space`

const ofSource = (source: string): Reason =>
  source.length <= 64 && sourceForm.test(source)
    ? null
    : `the source "${source}" is not names of letters, digits, ".", ":", "-" and "_", joined by "+", 64 characters at most`

const ofText = (what: string, text: string, atMost: number): Reason =>
  text.length === 0 || text.length > atMost
    ? `${what} has ${text.length} characters: give 1 to ${atMost}`
    : isStorable(text)
    ? null
    : `${what} holds a NUL or half of a surrogate pair: leave it out`

const ofDocument = (what: string, document: string | null): Reason =>
  document === null
    ? null
    : !isStorable(document)
    ? `the document of ${what} holds a NUL or half of a surrogate pair: write it as JSON, which escapes both`
    : bytesOf(document) > marketBounds.documentBytes
    ? `the document of ${what} is longer than ${marketBounds.documentBytes} bytes: shorten it`
    : null

const ofTime = (what: string, time: number, { from, to }: Interval): Reason =>
  Number.isSafeInteger(time) && time >= from && time < to
    ? null
    : `the time ${time} of ${what} is not whole milliseconds of the years ${new Date(from).getUTCFullYear()} to ` +
      `${new Date(to).getUTCFullYear() - 1}: check its unit`

const ofNumbers = (what: string, row: Readonly<Record<string, unknown>>, columns: ReadonlyArray<string>): Reason =>
  firstOf(columns, (column) => {
    const value = row[column]
    return value === null || (typeof value === "number" && Number.isFinite(value))
      ? null
      : `${column} of ${what} is ${
        typeof value === "number" ? value : typeof value
      }: give a finite number, or null where it is not known`
  })

const ofIntervals = (what: string, intervals: ReadonlyArray<Interval>, years: Interval): Reason =>
  intervals.length > marketBounds.intervalsWritten
    ? `${what} has ${intervals.length} intervals: write at most ${marketBounds.intervalsWritten} at once`
    : firstOf(
      intervals,
      ({ from, to }) =>
        ofTime(`an interval of ${what}`, from, years) ??
          (from < to && Number.isSafeInteger(to) && to <= years.to
            ? null
            : `the interval [${from}, ${to}) of ${what} is empty or ends beyond the kind's years`)
    )

const ofCovering = (subject: string, { covers = [], lost = [] }: Covering, years: Interval): Reason =>
  ofSubject(subject) ?? ofIntervals(`covers of ${subject}`, covers, years) ??
    ofIntervals(`lost of ${subject}`, lost, years)

const once = (what: string, names: ReadonlyArray<string>): Reason => {
  const seen = new Set<string>()
  return firstOf(names, (name) => {
    if (seen.has(name)) return `${what} "${name}" is there twice: make one of the two`
    seen.add(name)
    return null
  })
}

const ofBeginning = (beginning: string): Reason =>
  ofText("a beginning of ids", beginning, 256) ??
    (beginning.endsWith("/")
      ? null
      : `the beginning of ids "${beginning}" does not end with "/": so it would be of others too`)

const atMost = (what: string, count: number, most: number): Reason =>
  count > most ? `${count} ${what} are too many for one write: write at most ${most} at once` : null

const ofSpans = (span: Span, times: Iterable<number>): Reason => {
  const names = new Set<string>()
  let known = { from: 0, to: 0 }
  for (const time of times) {
    if (time >= known.from && time < known.to) continue
    const one = spanOf(span, time)
    known = one
    names.add(one.name)
  }
  return atMost(`${span}s`, names.size, marketBounds.spansWritten)
}

const judge = (kind: string, reason: () => Reason): Effect.Effect<void, MarketStoreRefusal> =>
  Effect.suspend(() => {
    const found = reason()
    return found === null ? Effect.void : Effect.fail(new MarketStoreRefusal({ subject: kind, reason: found }))
  })

export const checkPoints = <Column extends string>(
  { kind, series }: PointsWrite<Column>
): Effect.Effect<void, MarketStoreRefusal> =>
  judge(kind.name, () => {
    const columns = Object.keys(kind.columns)
    const years = timesOf[kind.span]
    return atMost("subjects", series.length, marketBounds.subjectsWritten) ??
      atMost("rows", series.reduce((sum, { rows }) => sum + rows.length, 0), marketBounds.rowsWritten) ??
      once("the subject", series.map(({ subject }) => subject)) ??
      firstOf(series, ({ rows, source, subject, ...covering }) => {
        let before = -Infinity
        return ofCovering(subject, covering, years) ?? ofSource(source) ??
          firstOf(rows, (row) => {
            const what = `${subject} at ${row.time}`
            const reason = ofTime(subject, row.time, years) ??
              (row.time > before
                ? null
                : `the rows of ${subject} do not ascend at ${row.time}: sort them, each time once`)
            before = row.time
            return reason ?? ofNumbers(what, row, columns)
          })
      }) ??
      ofSpans(kind.span, series.flatMap(({ rows }) => rows.map(({ time }) => time)))
  })

export const checkEvents = <Column extends string>(
  { covering = [], events, kind, removed = [], removedUnder = [] }: EventsWrite<Column>
): Effect.Effect<void, MarketStoreRefusal> =>
  judge(kind.name, () => {
    const years = timesOf[kind.span]
    const rows = events.reduce(
      (sum, { subjects }) => sum + Math.max(1, subjects.length),
      removed.length + removedUnder.length
    )
    const subjects = new Set([...covering.map(({ subject }) => subject), ...events.flatMap((event) => event.subjects)])
    return atMost("rows", rows, marketBounds.rowsWritten) ??
      atMost("subjects", subjects.size, marketBounds.subjectsWritten) ??
      once("the id", [...events.map(({ id }) => id), ...removed]) ??
      firstOf(removedUnder, ofBeginning) ??
      once("the subject", covering.map(({ subject }) => subject)) ??
      firstOf(covering, ({ subject, ...one }) => ofCovering(subject, one, years)) ??
      firstOf(removed, (id) => ofText("an id", id, 256)) ??
      firstOf(events, (event) =>
        ofText("an id", event.id, 256) ?? ofTime(`event ${event.id}`, event.time, years) ?? ofSource(event.source) ??
          (event.subjects.length > marketBounds.subjectsOfEvent
            ? `event ${event.id} has ${event.subjects.length} subjects: give at most ${marketBounds.subjectsOfEvent}`
            : null) ??
          once(`event ${event.id}: the subject`, event.subjects) ?? firstOf(event.subjects, ofSubject) ??
          (event.label === null ? null : ofText(`the label of event ${event.id}`, event.label, 256)) ??
          ofNumbers(`event ${event.id}`, event, kind.columns) ?? ofDocument(`event ${event.id}`, event.document)) ??
      atMost(
        "bytes of documents",
        events.reduce((sum, { document, subjects }) =>
          sum + (document === null ? 0 : bytesOf(document) * Math.max(1, subjects.length)), 0),
        marketBounds.bytesAtOnce
      ) ??
      ofSpans(
        kind.span,
        events.map(({ time }) =>
          time
        )
      )
  })

export const checkDocuments = (
  { documents, kind, now = Number.MAX_SAFE_INTEGER, removed = [] }: DocumentsWrite
): Effect.Effect<void, MarketStoreRefusal> =>
  judge(kind.name, () =>
    (Number.isSafeInteger(now) ? null : `now is ${now}: give whole milliseconds`) ??
      atMost("documents", documents.length + removed.length, marketBounds.rowsWritten) ??
      once("the key", [...documents.map(({ key }) => key), ...removed]) ??
      firstOf(removed, (key) => ofText("a key", key, 128)) ??
      firstOf(documents, ({ document, key, source, time }) =>
        ofText("a key", key, 128) ?? ofTime(`document ${key}`, time, timesOf.year) ?? ofSource(source) ??
          ofDocument(key, document)) ??
      atMost(
        "bytes of documents",
        documents.reduce((sum, { document }) =>
          sum + bytesOf(document), 0),
        marketBounds.bytesAtOnce
      ))

export const checkLead = (
  { holder, source, ttlMs }: { readonly source: string; readonly holder: string; readonly ttlMs: number }
): Effect.Effect<void, MarketStoreRefusal> =>
  judge(`the lead of ${source}`, () =>
    ofSource(source) ?? ofText("the holder", holder, 128) ??
      (ttlMs > 0 && ttlMs <= marketBounds.leaseMs
        ? null
        : `${ttlMs} ms is no time for a lease: give more than 0 and at most ${marketBounds.leaseMs}`))

/**
 * Checks a query: the interval must be in whole milliseconds, the other numbers must be whole and above 0. Also limits
 * the number of steps.
 */
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
    judge(kind, () =>
      (Number.isSafeInteger(from) && Number.isSafeInteger(to) && from <= to
        ? null
        : `[${from}, ${to}) is no interval of whole milliseconds`) ??
        firstOf(Object.entries(counts), ([name, count]) =>
          count === undefined || (Number.isSafeInteger(count) && count > 0)
            ? null
            : `${name} is ${count}: give a whole number above 0`)),
    Effect.suspend(() => {
      const steps = counts.stepMs === undefined ? 0 : Math.ceil((to - from) / counts.stepMs) * subjects
      return steps > marketBounds.rowsRead ? Effect.fail(tooMuch(kind, `${steps} steps`)) : Effect.void
    })
  )

/** The error for a read whose result would be too large. */
export const tooMuch = (kind: string, what: string): MarketStoreRefusal =>
  new MarketStoreRefusal({
    subject: kind,
    isTooMuch: true,
    reason: `${what} are more than one read tells: ask for a shorter interval, longer steps or fewer subjects`
  })

/** The error for a store that has reached a limit of data which is never deleted automatically. */
export const tooMany = (kind: string, what: string, most: number): MarketStoreRefusal =>
  new MarketStoreRefusal({
    subject: kind,
    isFull: true,
    reason: `more than ${most} ${what} are not kept: write fewer, or prune what is no longer written`
  })

/** The error for a write that leaves too many separate covered intervals. */
export const tooScattered = (kind: string, subject: string, most: number): MarketStoreRefusal =>
  new MarketStoreRefusal({
    subject: kind,
    reason:
      `more than ${most} separate intervals of ${subject} are covered: fill the holes between them, or say that ` +
      "they are lost"
  })
