import { Result, Schema, SchemaIssue } from "effect"

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

/** Reads payloads of one schema: returns the value, or the place in the payload that does not match. */
export interface Reader<A> {
  /** Distinguishes requests to the same address that have different schemas. */
  readonly id: number
  readonly read: (payload: unknown) => Result.Result<A, string>
}

const placeOf = (issue: SchemaIssue.Issue): string => {
  const path = issuesOf(issue).issues[0]?.path ?? []
  const place = path.map((part) => String(typeof part === "object" ? part.key : part)).join(".")
  // A key of a payload is foreign text, so it is shown only if it is harmless.
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
        // The payload is nested deeper than the stack allows.
        return Result.fail("as a whole")
      }
    }
  }
}

/** Returns the reader of a schema. Each schema has only one. */
export const readerOf = <A>(schema: Schema.Decoder<A>): Reader<A> => {
  // The reader was made of this schema.
  const known = readers.get(schema) as Reader<A> | undefined
  if (known !== undefined) return known
  const made = makeReader(schema)
  readers.set(schema, made)
  return made
}
