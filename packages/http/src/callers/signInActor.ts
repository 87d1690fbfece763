import type { AdminActor } from "@tapeline/core"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { currentRequestContext } from "../requestContext.ts"
import { exactClientAddress } from "./clientAddress.ts"
import type { ReverseProxySettings } from "./ReverseProxySettings.ts"

/** Returns the actor of a sign-in: the service, for the client of the request. */
export const signInActor = (
  proxySettings: ReverseProxySettings["Service"],
  request: HttpServerRequest.HttpServerRequest
): Effect.Effect<AdminActor> =>
  Effect.map(currentRequestContext, ({ requestId }) => ({
    actor: "service",
    requestId,
    address: exactClientAddress(proxySettings, request)
  }))
