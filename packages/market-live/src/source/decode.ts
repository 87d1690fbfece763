import { Result, Schema, SchemaIssue } from "effect"

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

/** What reads payloads of one schema: the value, or where in the payload it is not as expected. */
export interface Reader<A> {
  /** Tells apart what is asked of one address in several shapes. */
  readonly id: number
  readonly read: (payload: unknown) => Result.Result<A, string>
}

const placeOf = (issue: SchemaIssue.Issue): string => {
  const path = issuesOf(issue).issues[0]?.path ?? []
  const place = path.map((part) => String(typeof part === "object" ? part.key : part)).join(".")
  // A key of a payload is what somebody sent: it is told only as far as it is harmless.
  return /^[\w.-]{1,100}$/u.test(place) ? `at ${place}` : "as a whole"
}

let newest = 0
const readers = new WeakMap<object, Reader<unknown>>()

const makeReader = <A>(schema: Schema.Decoder<A>): Reader<A> => {
  const decode = Schema.decodeUnknownResult(schema)
  return {
    id: ++newest,
    read: (payload) => {
      try {
        return Result.mapError(decode(payload), (error) => placeOf(error.issue))
      } catch {
        // Nested deeper than a stack is.
        return Result.fail("as a whole")
      }
    }
  }
}

/** The reader of a schema, made once. */
export const readerOf = <A>(schema: Schema.Decoder<A>): Reader<A> => {
  // It was made of this very schema.
  const known = readers.get(schema) as Reader<A> | undefined
  if (known !== undefined) return known
  const made = makeReader(schema)
  readers.set(schema, made)
  return made
}
