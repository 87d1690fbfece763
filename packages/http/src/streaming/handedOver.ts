import { Context, Effect, type Fiber } from "effect"
import type { ServerResponse } from "node:http"

const nothing = Context.empty()

/**
 * Clears the context of a fiber when the fiber ends. A fiber that is still referenced keeps its context, which here is
 * the whole exchange.
 */
const forgetful = (fiber: Fiber.Fiber<unknown, unknown>): void => {
  fiber.addObserver(() => fiber.setContext(nothing))
}

/** Replaces the `end` of a response that other code ends. */
function leftOpen(this: ServerResponse): ServerResponse {
  return this
}

/**
 * Takes over a response from the platform. The platform has written the head, and then believes that it has ended the
 * response.
 *
 * Removes the platform's listeners, which would keep request, fiber and response in memory until the response ends.
 * Must run in the fiber of the request.
 */
export const handedOver = (response: ServerResponse): Effect.Effect<ServerResponse> =>
  Effect.withFiber((fiber) => {
    forgetful(fiber)
    response.removeAllListeners("drain")
    Object.assign(response, { end: leftOpen })
    return Effect.succeed(response)
  })
