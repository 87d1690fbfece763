import { IdempotencyKey, Language } from "@tapeline/core/specifications"
import { Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { HttpApiMiddleware } from "effect/http-api"
import { CommonErrors } from "./middleware.ts"

/** The schema of a request id, as it appears in the log and in `x-request-id`. */
export const RequestId = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9._-]{1,128}$/u))

/** The optional headers of every request. The server ignores a header with an invalid value. */
const RequestHeaders = Schema.Struct({
  "x-lang": Schema.optionalKey(Language.annotate({ default: "en", description: "Language of messages" })),
  "x-request-id": Schema.optionalKey(
    RequestId.annotate({
      description: "The request's id, which the response has again; one is made when it is left out"
    })
  )
})

/** The optional headers of a tool call. */
export const CallHeaders = Schema.Struct({
  ...RequestHeaders.fields,
  "idempotency-key": Schema.optionalKey(IdempotencyKey.annotate({
    description:
      "A repeat within 24 hours returns the first answer and is charged once. Choose a new one for each call."
  }))
})

/** The header with which a client resumes an event stream. */
export const ResumeHeaders = Schema.Struct({
  "last-event-id": Schema.optionalKey(Schema.String.annotate({
    description: "The last `id` that was read: what came after it is sent. What is no id of this stream skips nothing."
  }))
})

/** The names of the optional headers of every request. */
export const requestHeaderNames: ReadonlyArray<string> = Object.keys(RequestHeaders.fields)

/** The names of the optional headers of a tool call. */
export const callHeaderNames: ReadonlyArray<string> = Object.keys(CallHeaders.fields)

/**
 * Returns a layer that makes a client send headers, such as the user's language, with each request. Headers of a single
 * call take precedence over the layer's headers.
 */
export const layerRequestHeaders = (headers: typeof RequestHeaders.Type) =>
  HttpApiMiddleware.layerClient(
    CommonErrors,
    ({ next, request }) => next(HttpClientRequest.setHeaders(request, { ...headers, ...request.headers }))
  )
