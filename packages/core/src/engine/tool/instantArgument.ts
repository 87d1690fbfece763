import { Clock, Effect, Schema, SchemaGetter, SchemaIssue } from "effect"
import type { Message } from "../messages/dictionary.ts"

const rfc3339Pattern = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/u

/** Parses an RFC 3339 time to epoch ms, or returns undefined for other texts and for dates that do not exist. */
const parseTime = (text: string): number | undefined => {
  const local = rfc3339Pattern.exec(text)?.[1]
  if (local === undefined) return undefined
  const asUtc = Date.parse(`${local}Z`)
  // `Date` alone would parse the 31st of June as the 1st of July.
  return Number.isNaN(asUtc) || !new Date(asUtc).toISOString().startsWith(local) ? undefined : Date.parse(text)
}

const timeCheck = (message: Message, expected: string) =>
  Schema.makeFilter<string>((text) => parseTime(text) !== undefined, { expected, expectedMessage: message })

const isInstant = timeCheck({ key: "expected_instant" }, "an instant that exists, such as 2027-01-31T00:00:00Z")

const makeFutureTimeIssue = (now: number): SchemaIssue.Issue => {
  const at = new Date(now).toISOString()
  const filter = timeCheck({ key: "expected_past", params: { now: at } }, `an instant in the past, not after ${at}`)
  return new SchemaIssue.Filter(filter, new SchemaIssue.InvalidValue())
}

/** A time that is not in the future, with `Z` or an offset, decoded to epoch ms. */
export const PastInstant = Schema.String.annotate({ format: "date-time" })
  .check(isInstant)
  .pipe(Schema.decodeTo(Schema.Finite, {
    decode: SchemaGetter.transformEffect((text: string) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const time = parseTime(text) ?? NaN
        return time <= now ? Effect.succeed(time) : Effect.fail(makeFutureTimeIssue(now))
      })
    ),
    encode: SchemaGetter.transform((time: number) => new Date(time).toISOString())
  }))
