import { Result } from "effect"
import { readerOf } from "./decode.ts"
import { type Fault, malformed } from "./fault.ts"
import { isPage, jsonOf } from "./judge.ts"
import type { FindRequest, Held, HeldRequest, JsonRequest, ParsedRequest } from "./request.ts"
import type { Received } from "./transport.ts"

/** How a received response becomes a value or a fault. */
export interface Shape<A> {
  /** Distinguishes requests to the same address that have different shapes. */
  readonly id: string
  readonly read: (received: Received) => Result.Result<A, Fault>
  /** Whether a response is valid whatever its status. */
  readonly accepts?: (received: Received) => boolean
  /** Parses a body that is not JSON. */
  readonly bodyOf?: (received: Received) => unknown
  /** Headers that are sent in addition to those of the source. */
  readonly headers?: Readonly<Record<string, string>>
}

export const asText: Shape<string> = { id: "text", read: ({ text }) => Result.succeed(text) }

const decoded = <A>({ schema, what }: JsonRequest<A>, format: string, bodyOf: (received: Received) => unknown) => {
  const { id, read } = readerOf(schema)
  return {
    id: `${format} ${id}`,
    read: (received: Received): Result.Result<A, Fault> => {
      if (isPage(received)) return Result.fail(malformed(`it sent a page instead of ${what}`))
      const body = bodyOf(received)
      if (body === undefined) return Result.fail(malformed(`its ${what}: not of the format asked for`))
      return Result.mapError(read(body), (place) => malformed(`its ${what}: not as expected ${place}`))
    }
  }
}

export const asJson = <A>(request: JsonRequest<A>): Shape<A> => decoded(request, "json", ({ text }) => jsonOf(text))

/** Parses a body only once, although it is searched for a rejection and then for data. */
export const asParsed = <A>(request: ParsedRequest<A>): Shape<A> => {
  const parsed = new WeakMap<Received, { readonly body: unknown }>()
  const bodyOf = (received: Received): unknown => {
    const known = parsed.get(received) ?? { body: request.parse(received.text) }
    parsed.set(received, known)
    return known.body
  }
  return { ...decoded(request, "parsed", bodyOf), bodyOf }
}

export const asFound = <A>(request: FindRequest<A>): Shape<A | null> => {
  const { bodyOf, id, read } = request.parse === undefined
    ? asJson(request)
    : asParsed({ ...request, parse: request.parse })
  const isAbsent = ({ status, text }: Received) => request.absent(jsonOf(text) ?? text, status)
  return {
    id: `find ${id}`,
    read: (received) => isAbsent(received) ? Result.succeed(null) : read(received),
    accepts: isAbsent,
    ...(bodyOf === undefined ? {} : { bodyOf })
  }
}

/** Returns a validator that can be sent back to the source, or null if it is missing or unsafe. */
const validatorOf = (headers: Headers, name: string): string | null => {
  const told = headers.get(name)?.trim() ?? ""
  return /^[\x20-\x7e]{1,500}$/u.test(told) ? told : null
}

let newestHeld = 0

/** A conditional request. Each has its own id, because its result depends on the caller's previous value. */
export const asHeld = <A>({ held, read, what }: HeldRequest<A>): Shape<Held<A>> => ({
  id: `held ${++newestHeld}`,
  headers: {
    ...(held?.etag == null ? {} : { "if-none-match": held.etag }),
    ...(held?.lastModified == null ? {} : { "if-modified-since": held.lastModified })
  },
  accepts: ({ status }) => status === 304 && held !== null,
  read: (received) => {
    if (received.status === 304 && held !== null) return Result.succeed(held)
    if (isPage(received)) return Result.fail(malformed(`it sent a page instead of ${what}`))
    const value = read(received.text)
    if (value === undefined) return Result.fail(malformed(`its ${what}: not as expected`))
    const [etag, lastModified] = [validatorOf(received.headers, "etag"), validatorOf(received.headers, "last-modified")]
    return Result.succeed({ value, etag, lastModified })
  }
})
