import { Predicate } from "effect"
import type { HttpServerRequest } from "effect/http"
import { ServerResponse } from "node:http"

/** Returns the Node response of a request; undefined on other platforms. */
export const nodeResponseOf = (request: HttpServerRequest.HttpServerRequest): ServerResponse | undefined =>
  Predicate.hasProperty(request, "resolvedResponse") && request.resolvedResponse instanceof ServerResponse
    ? request.resolvedResponse
    : undefined
