import { languages } from "@tapeline/core/engine"
import { toStrictSchema } from "@tapeline/core/specifications"
import { Schema } from "effect"
import type { Json } from "./example.ts"
import { CallHeaders, ResumeHeaders } from "./headers.ts"
import { headerDescriptions } from "./problemKinds.ts"

const headerComponent = (description: string, schema: Json = { type: "string" }, required = true) => ({
  description,
  required,
  schema
})

const wholeNumber = { type: "integer", minimum: 0 }

export const rateLimitHeaders = ["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"] as const

/** Returns the OpenAPI component name of a response header that may be absent. */
export const optionalHeader = (name: string): string => `${name}-perhaps`

export const headerComponents: Readonly<Record<string, Json>> = {
  "x-request-id": headerComponent(
    "The request's id: the caller's `x-request-id` if it is valid, otherwise a generated id"
  ),
  "content-language": headerComponent("The language of messages", { type: "string", enum: [...languages] }),
  "cache-control": headerComponent("Whether and how long the response may be cached"),
  "idempotent-replayed": headerComponent(
    "`true` if the response repeats the first response to the same `Idempotency-Key`",
    { type: "string", enum: ["true"] },
    false
  ),
  "tapeline-call-id": headerComponent(
    "The id of the call or answer. The service's operator can refund a charged call by its id. A replayed response has " +
      "the id of the first call"
  ),
  "x-accel-buffering": headerComponent(
    "`no` makes proxies pass the stream on without buffering",
    { type: "string", enum: ["no"] },
    false
  ),
  "set-cookie": headerComponent(
    "The cookie of a session that was opened, renewed or ended; otherwise absent",
    { type: "string" },
    false
  ),
  location: headerComponent("The address to which the browser is redirected"),
  "referrer-policy": headerComponent("`no-referrer` keeps the current address out of the next request", {
    type: "string",
    enum: ["no-referrer"]
  }),
  etag: headerComponent("The version of the response. Send it as `if-none-match` to get a 304 if nothing has changed"),
  ...Object.fromEntries(
    Object.entries(headerDescriptions).map(([name, description]) => [
      name,
      headerComponent(description, name.startsWith("ratelimit-") || name === "retry-after" ? wholeNumber : undefined)
    ])
  ),
  ...Object.fromEntries(rateLimitHeaders.map((name) => [
    optionalHeader(name),
    headerComponent(`${headerDescriptions[name]}; absent if no key was accepted`, wholeNumber, false)
  ])),
  [optionalHeader("retry-after")]: headerComponent(
    `${headerDescriptions["retry-after"]}; absent if waiting does not help`,
    wholeNumber,
    false
  )
}

/**
 * An example idempotency key. The flag `x-disabled` keeps the documentation page from sending the example key, because
 * two calls with an equal key count as one call.
 */
const idempotencyKeyExample = {
  working: {
    summary: "A random key that the caller generates",
    value: "3f2b8c1e-9a4d-4c57-8f0e-6d1b2a7c9e05",
    "x-disabled": true
  }
}

export const parameterComponents: Readonly<Record<string, Json>> = Object.fromEntries(
  Object.entries({ ...CallHeaders.fields, ...ResumeHeaders.fields }).map(([name, field]) => {
    const { description, ...schema } = toStrictSchema(Schema.toJsonSchemaDocument(field).schema)
    const parameter = { name, in: "header", required: false, description, schema }
    return [name, name === "idempotency-key" ? { ...parameter, examples: idempotencyKeyExample } : parameter]
  })
)
