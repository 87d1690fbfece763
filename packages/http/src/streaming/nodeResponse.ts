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
 * Clears the context of a fiber when the fiber ends. Otherwise, a fiber that is still referenced would keep the request
 * context in memory.
 */
const clearContextAtEnd = (fiber: Fiber.Fiber<unknown, unknown>): void => {
  fiber.addObserver(() => fiber.setContext(emptyContext))
}

function ignoreEnd(this: ServerResponse): ServerResponse {
  return this
}

/**
 * Takes over a response after the platform has written the headers. The platform then considers the response ended, and
 * the caller writes the body. The platform's listeners of the response are removed, because they would keep request,
 * fiber and response in memory. This effect must run in the fiber of the request.
 */
export const takeOverResponse = (response: ServerResponse): Effect.Effect<ServerResponse> =>
  Effect.withFiber((fiber) => {
    clearContextAtEnd(fiber)
    response.removeAllListeners("drain")
    Object.assign(response, { end: ignoreEnd })
    return Effect.succeed(response)
  })
