import { Predicate } from "effect"
import type { HttpServerRequest } from "effect/http"
import { ServerResponse } from "node:http"

/** The response of Node that a request is answered with, where the platform is Node. */
export const nodeResponseOf = (request: HttpServerRequest.HttpServerRequest): ServerResponse | undefined =>
  Predicate.hasProperty(request, "resolvedResponse") && request.resolvedResponse instanceof ServerResponse
    ? request.resolvedResponse
    : undefined
