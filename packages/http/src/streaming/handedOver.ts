import { Context, Effect, type Fiber } from "effect"
import type { ServerResponse } from "node:http"

const nothing = Context.empty()

/** A fiber that is over and still referred to keeps what it ran with; here that is the whole exchange. */
const forgetful = (fiber: Fiber.Fiber<unknown, unknown>): void => {
  fiber.addObserver(() => fiber.setContext(nothing))
}

/** In place of the `end` of a response that somebody else ends. */
function leftOpen(this: ServerResponse): ServerResponse {
  return this
}

/**
 * Takes a response from the platform, which has written its head, and which believes from now on that it has ended it.
 * What the platform listens to it by would keep request, fiber and answer in memory for as long as it lasts: that is
 * let go of. Run in the fiber of the request.
 */
export const handedOver = (response: ServerResponse): Effect.Effect<ServerResponse> =>
  Effect.withFiber((fiber) => {
    forgetful(fiber)
    response.removeAllListeners("drain")
    Object.assign(response, { end: leftOpen })
    return Effect.succeed(response)
  })
