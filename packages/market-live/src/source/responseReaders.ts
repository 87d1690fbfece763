import { Result, Schema, SchemaIssue } from "effect"
import { type Fault, malformed } from "./fault.ts"
import { isHtmlPage, parseJson } from "./rejections.ts"
import type { ConditionalRequest, FindRequest, JsonRequest, ParsedRequest, ValidatedValue } from "./request.ts"
import type { RawResponse } from "./transport.ts"

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

/** Decodes values with a schema. If a value does not match, returns the path of the first mismatch. */
export interface PayloadReader<A> {
  /** The ID of the schema, which distinguishes requests to one URL that have different schemas. */
  readonly id: number
  readonly read: (payload: unknown) => Result.Result<A, string>
}

const describePath = (issue: SchemaIssue.Issue): string => {
  const path = issuesOf(issue).issues[0]?.path ?? []
  const place = path.map((part) => String(typeof part === "object" ? part.key : part)).join(".")
  // Keys of the payload are untrusted text, so a path is shown only if all its characters are harmless.
  return /^[\w.-]{1,100}$/u.test(place) ? `at ${place}` : "as a whole"
}

let lastId = 0
const readers = new WeakMap<object, PayloadReader<unknown>>()

const makeReader = <A>(schema: Schema.Decoder<A>): PayloadReader<A> => {
  const decode = Schema.decodeUnknownResult(schema)
  return {
    id: ++lastId,
    read: (payload) => {
      try {
        return Result.mapError(decode(payload), (error) => describePath(error.issue))
      } catch {
        // Decoding throws if the payload is nested too deeply for the call stack.
        return Result.fail("as a whole")
      }
    }
  }
}

/** Returns the reader of a schema. All calls with one schema return the same reader. */
export const readerOf = <A>(schema: Schema.Decoder<A>): PayloadReader<A> => {
  // The type cast is safe, because the stored reader was made for this schema.
  const known = readers.get(schema) as PayloadReader<A> | undefined
  if (known !== undefined) return known
  const made = makeReader(schema)
  readers.set(schema, made)
  return made
}

/** Converts a response to a value or a fault. */
export interface ResponseReader<A> {
  /** The ID of the reader, which distinguishes requests to one URL with different readers. */
  readonly id: string
  readonly read: (received: RawResponse) => Result.Result<A, Fault>
  /** Returns whether a response is valid regardless of its HTTP status. */
  readonly accepts?: (received: RawResponse) => boolean
  readonly bodyOf?: (received: RawResponse) => unknown
  /** The headers to send in addition to the headers of the source. */
  readonly headers?: Readonly<Record<string, string>>
}

export const textReader: ResponseReader<string> = { id: "text", read: ({ text }) => Result.succeed(text) }

const decodingReader = <A>(
  { schema, label }: JsonRequest<A>,
  format: string,
  bodyOf: (received: RawResponse) => unknown
) => {
  const { id, read } = readerOf(schema)
  return {
    id: `${format} ${id}`,
    read: (received: RawResponse): Result.Result<A, Fault> => {
      if (isHtmlPage(received)) return Result.fail(malformed(`an HTML page instead of ${label}`))
      const body = bodyOf(received)
      if (body === undefined) return Result.fail(malformed(`${label}: unexpected format`))
      return Result.mapError(read(body), (place) => malformed(`${label}: unexpected content ${place}`))
    }
  }
}

export const jsonReader = <A>(request: JsonRequest<A>): ResponseReader<A> =>
  decodingReader(request, "json", ({ text }) => parseJson(text))

/** Returns a reader for a custom format. The reader parses each response body only once. */
export const parsedReader = <A>(request: ParsedRequest<A>): ResponseReader<A> => {
  const parsed = new WeakMap<RawResponse, { readonly body: unknown }>()
  const bodyOf = (received: RawResponse): unknown => {
    const known = parsed.get(received) ?? { body: request.parse(received.text) }
    parsed.set(received, known)
    return known.body
  }
  return { ...decodingReader(request, "parsed", bodyOf), bodyOf }
}

export const optionalReader = <A>(request: FindRequest<A>): ResponseReader<A | null> => {
  const { bodyOf, id, read } = request.parse === undefined
    ? jsonReader(request)
    : parsedReader({ ...request, parse: request.parse })
  const isAbsent = ({ status, text }: RawResponse) => request.isAbsent(parseJson(text) ?? text, status)
  return {
    id: `find ${id}`,
    read: (received) => isAbsent(received) ? Result.succeed(null) : read(received),
    accepts: isAbsent,
    ...(bodyOf === undefined ? {} : { bodyOf })
  }
}

/**
 * Returns an `ETag` or `Last-Modified` header that can be sent back to the source, or null if the header is missing or
 * unsafe.
 */
const validatorOf = (headers: Headers, name: string): string | null => {
  const header = headers.get(name)?.trim() ?? ""
  return /^[\x20-\x7e]{1,500}$/u.test(header) ? header : null
}

let lastConditionalId = 0

/**
 * Returns the reader of a conditional request. A conditional request's reader has a unique ID, because the result
 * depends on the caller's previous value.
 */
export const conditionalReader = <A>(
  { previous, read, label }: ConditionalRequest<A>
): ResponseReader<ValidatedValue<A>> => ({
  id: `held ${++lastConditionalId}`,
  headers: {
    ...(previous?.etag == null ? {} : { "if-none-match": previous.etag }),
    ...(previous?.lastModified == null ? {} : { "if-modified-since": previous.lastModified })
  },
  accepts: ({ status }) => status === 304 && previous !== null,
  read: (received) => {
    if (received.status === 304 && previous !== null) return Result.succeed(previous)
    if (isHtmlPage(received)) return Result.fail(malformed(`an HTML page instead of ${label}`))
    const value = read(received.text)
    if (value === undefined) return Result.fail(malformed(`${label}: unexpected content`))
    const [etag, lastModified] = [validatorOf(received.headers, "etag"), validatorOf(received.headers, "last-modified")]
    return Result.succeed({ value, etag, lastModified })
  }
})
