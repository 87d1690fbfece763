import { Result } from "effect"
import { readerOf } from "./decode.ts"
import { type Fault, malformed } from "./fault.ts"
import { isPage, jsonOf } from "./judge.ts"
import type { FindRequest, JsonRequest, ParsedRequest } from "./request.ts"
import type { Received } from "./transport.ts"

/** How a received answer becomes a value, or where it fails to. */
export interface Shape<A> {
  /** Tells apart what is asked of one address in several shapes. */
  readonly id: string
  readonly read: (received: Received) => Result.Result<A, Fault>
  /** What is an answer whatever its status. */
  readonly accepts?: (received: Received) => boolean
  /** What a body holds, where it is no JSON. */
  readonly bodyOf?: (received: Received) => unknown
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

/** A body is parsed once, though it is looked at for a refusal and for data. */
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
  const { id, read } = asJson(request)
  const isAbsent = (received: Received) => {
    const body = jsonOf(received.text)
    return body !== undefined && request.absent(body, received.status)
  }
  return {
    id: `find ${id}`,
    read: (received) => isAbsent(received) ? Result.succeed(null) : read(received),
    accepts: isAbsent
  }
}
