import { IdempotencyKey, Language } from "@tapeline/core/specifications"
import { Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { HttpApiMiddleware } from "effect/http-api"
import { CommonErrors } from "./middleware.ts"

/** The id of a request in the log. */
export const RequestId = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9._-]{1,128}$/u))

/** The headers that any request may carry. An invalid one is ignored. */
const RequestHeaders = Schema.Struct({
  "x-lang": Schema.optionalKey(Language.annotate({ default: "en", description: "Language of messages" })),
  "x-request-id": Schema.optionalKey(
    RequestId.annotate({
      description: "The request's id, which the response has again; one is made when it is left out"
    })
  )
})

/** The headers that a tool call may carry. */
export const CallHeaders = Schema.Struct({
  ...RequestHeaders.fields,
  "idempotency-key": Schema.optionalKey(IdempotencyKey.annotate({
    description:
      "A repeat within 24 hours returns the first answer and is charged once. Choose a new one for each call."
  }))
})

/** The headers with which a request resumes a stream, in addition to the common ones. */
export const ResumeHeaders = Schema.Struct({
  "last-event-id": Schema.optionalKey(Schema.String.annotate({
    description: "The last `id` that was read: what came after it is sent. What is no id of this stream skips nothing."
  }))
})

/** The names of the headers that any request may carry. */
export const requestHeaderNames: ReadonlyArray<string> = Object.keys(RequestHeaders.fields)

/** The names of the headers that a tool call may carry. */
export const callHeaderNames: ReadonlyArray<string> = Object.keys(CallHeaders.fields)

/**
 * Makes a client send these headers, such as its user's language, with each request. Headers of a single call take
 * precedence.
 */
export const layerRequestHeaders = (headers: typeof RequestHeaders.Type) =>
  HttpApiMiddleware.layerClient(
    CommonErrors,
    ({ next, request }) => next(HttpClientRequest.setHeaders(request, { ...headers, ...request.headers }))
  )
