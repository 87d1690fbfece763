import { Context, Effect, type Fiber, Predicate } from "effect"
import type { HttpServerRequest } from "effect/http"
import { ServerResponse } from "node:http"

/** Returns the Node response object of a request, or undefined on platforms other than Node. */
export const nodeResponseOf = (request: HttpServerRequest.HttpServerRequest): ServerResponse | undefined =>
  Predicate.hasProperty(request, "resolvedResponse") && request.resolvedResponse instanceof ServerResponse
    ? request.resolvedResponse
    : undefined

const emptyContext = Context.empty()

/**
 * Clears the context of a fiber when the fiber ends. A reference to the ended fiber then no longer keeps the request
 * context in memory.
 */
const clearContextAtEnd = (fiber: Fiber.Fiber<unknown, unknown>): void => {
  fiber.addObserver(() => fiber.setContext(emptyContext))
}

function ignoreEnd(this: ServerResponse): ServerResponse {
  return this
}

/**
 * Lets the caller write the body of a response whose headers the platform has written. The platform's listeners of the
 * response are removed, because they would keep request, fiber and response in memory. The effect must run in the fiber
 * of the request.
 */
export const takeOverResponse = (response: ServerResponse): Effect.Effect<ServerResponse> =>
  Effect.withFiber((fiber) => {
    clearContextAtEnd(fiber)
    response.removeAllListeners("drain")
    Object.assign(response, { end: ignoreEnd })
    return Effect.succeed(response)
  })
