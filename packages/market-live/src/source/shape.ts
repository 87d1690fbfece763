import { Result } from "effect"
import { readerOf } from "./decode.ts"
import { type Fault, malformed } from "./fault.ts"
import { isPage, jsonOf } from "./judge.ts"
import type { FindRequest, JsonRequest } from "./request.ts"
import type { Received } from "./transport.ts"

/** How a received answer becomes a value, or where it fails to. */
export interface Shape<A> {
  /** Tells apart what is asked of one address in several shapes. */
  readonly id: string
  readonly read: (received: Received) => Result.Result<A, Fault>
  /** What is an answer whatever its status. */
  readonly accepts?: (received: Received) => boolean
}

export const asText: Shape<string> = { id: "text", read: ({ text }) => Result.succeed(text) }

export const asJson = <A>({ schema, what }: JsonRequest<A>): Shape<A> => {
  const { id, read } = readerOf(schema)
  return {
    id: `json ${id}`,
    read: (received) => {
      if (isPage(received)) return Result.fail(malformed(`it sent a page instead of ${what}`))
      const body = jsonOf(received.text)
      if (body === undefined) return Result.fail(malformed(`its ${what}: no JSON`))
      return Result.mapError(read(body), (place) => malformed(`its ${what}: not as expected ${place}`))
    }
  }
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
