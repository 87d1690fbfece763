import { Clock, Effect, Schema, SchemaGetter, SchemaIssue } from "effect"
import type { Message } from "../messages/dictionary.ts"

const form = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/u

/** Epoch ms of an instant as RFC 3339 writes it; undefined of what is none, as on a day that no calendar has. */
const timeOf = (text: string): number | undefined => {
  const local = form.exec(text)?.[1]
  if (local === undefined) return undefined
  const asUtc = Date.parse(`${local}Z`)
  // `Date` alone would take the 31st of June for the 1st of July.
  return Number.isNaN(asUtc) || !new Date(asUtc).toISOString().startsWith(local) ? undefined : Date.parse(text)
}

/** What is not an instant, or not one of the past, says what it should be. */
const expects = (message: Message, expected: string) =>
  Schema.makeFilter<string>((text) => timeOf(text) !== undefined, { expected, expectedMessage: message })

const isInstant = expects({ key: "expected_instant" }, "an instant that exists, such as 2027-01-31T00:00:00Z")

const notPast = (now: number): SchemaIssue.Issue => {
  const at = new Date(now).toISOString()
  const filter = expects({ key: "expected_past", params: { now: at } }, `an instant of the past, not after ${at}`)
  return new SchemaIssue.Filter(filter, new SchemaIssue.InvalidValue())
}

/** An instant up to the present, with `Z` or an offset, as epoch ms. */
export const PastInstant = Schema.String.annotate({ format: "date-time" })
  .check(isInstant)
  .pipe(Schema.decodeTo(Schema.Finite, {
    decode: SchemaGetter.transformEffect((text: string) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const time = timeOf(text) ?? NaN
        return time <= now ? Effect.succeed(time) : Effect.fail(notPast(now))
      })
    ),
    encode: SchemaGetter.transform((time: number) => new Date(time).toISOString())
  }))
