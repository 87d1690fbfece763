import { formatMessage } from "@tapeline/core/engine"
import { toStrictSchema } from "@tapeline/core/specifications"
import { sampleAnswerStream } from "./agent.ts"
import { optionalHeader, rateLimitHeaders } from "./components.ts"
import { type Json, type JsonSchema, makeExample } from "./example.ts"
import { sampleNotificationStream } from "./notifications.ts"
import { sampleProblems } from "./problem.ts"
import { problemKinds } from "./problemKinds.ts"
import { statusesNotReturned } from "./statusesNotReturned.ts"

const commonHeaders = ["x-request-id", "content-language"]

const headerRefs = (names: Iterable<readonly [name: string, component: string]>): Json =>
  Object.fromEntries(Array.from(names, ([name, component]) => [name, { $ref: `#/components/headers/${component}` }]))

const sameNames = (names: ReadonlyArray<string>) => names.map((name) => [name, name] as const)

/**
 * The headers that the OpenAPI document adds to the successful response of each operation. `description` is set only if
 * the response schema has no description.
 */
const successByOperation: Readonly<
  Record<string, { readonly headers: ReadonlyArray<string>; readonly description?: string }>
> = {
  catalogue: { headers: ["etag"] },
  openapi: { headers: ["etag", "cache-control"], description: "This document" },
  chart: { headers: ["etag"], description: "The image, in the format that `accept` prefers" },
  ask: { headers: ["idempotent-replayed", "tapeline-call-id"] },
  stream: {
    headers: ["idempotent-replayed", "tapeline-call-id", "x-accel-buffering"],
    description: "The events of the answer, until it ends"
  },
  resume: { headers: ["x-accel-buffering"] },
  notifications: { headers: ["x-accel-buffering"], description: "The notifications, without an end" },
  signIn: { headers: ["set-cookie"] },
  beginOpenId: { headers: ["location", "referrer-policy", "set-cookie"] },
  endOpenId: { headers: ["location", "referrer-policy", "set-cookie"] },
  metrics: { headers: [], description: "The metrics in the Prometheus text format" }
}

/** The operations that return 304 if the caller's `etag` is current. */
const cacheableOperations = new Set(["catalogue", "openapi", "chart"])

const sampleRequestId = "3f2b8c1e-9a4d-4c57-8f0e-6d1b2a7c9e05"

/** The example problem of each error code, from the first entry of `problemMappings` with that code. */
const exampleByCode: ReadonlyMap<string, unknown> = new Map(
  sampleProblems(sampleRequestId, (message) => formatMessage(message, "en"))
    .map((problem) => [problem.code, problem] as const)
    .toReversed()
)

const codesOf = (schema: JsonSchema, definitions: JsonSchema): ReadonlyArray<string> => {
  const { $ref, anyOf, oneOf, properties } = schema
  if ($ref !== undefined) return codesOf(definitions[$ref.split("/").at(-1)], definitions)
  const members: ReadonlyArray<JsonSchema> | undefined = anyOf ?? oneOf
  if (members !== undefined) return members.flatMap((member) => codesOf(member, definitions))
  const code = properties?.code
  return code?.enum ?? (code?.const === undefined ? [] : [code.const])
}

/** Sorts the problem schemas of a response. Operations with the same errors can then share one response component. */
const sortProblems = (schema: JsonSchema): JsonSchema =>
  Array.isArray(schema["anyOf"])
    ? { ...schema, anyOf: schema["anyOf"].toSorted((a: Json, b: Json) => a["$ref"] < b["$ref"] ? -1 : 1) }
    : schema

const failedCall = {
  error: { code: "source_unavailable", message: "The source `x` cannot be reached right now.", retryable: true }
}

/** Returns the arguments in a tool's example request. */
const exampleArguments = (operation: Json): JsonSchema =>
  operation["requestBody"]?.content["application/json"].examples?.working.value ?? {}

/** Adds two examples to the response media type of a tool: a result and a failed call. */
const toolMedia = (media: Json, definitions: JsonSchema, operation: Json) => {
  const response: Json = {
    // The cast is safe because the response schema of a tool describes an object, so the example is an object.
    ...makeExample(media["schema"], definitions, "", exampleArguments(operation)) as Json,
    credits_used: operation["x-credits"],
    credits_left: 59_940
  }
  return {
    ...media,
    examples: {
      answered: { summary: "A result", value: { ...response, took_ms: 12 } },
      failed: {
        summary: "A failed call, which is not charged",
        value: { ...response, credits_used: 0, took_ms: 12, data: failedCall }
      }
    }
  }
}

/** Describes an event stream as a string, because OpenAPI versions before 3.2 have no `itemSchema`. */
const streamMedia = ({ schema }: Json, operation: Json) => ({
  schema: {
    type: "string",
    description: "Server-sent events. Lines that begin with a colon are comments",
    contentMediaType: "text/event-stream",
    contentSchema: { type: "array", items: schema }
  },
  "x-item-schema": schema,
  example: operation["operationId"] === "notifications" ? sampleNotificationStream : sampleAnswerStream
})

const successMedia = (type: string, media: Json, definitions: JsonSchema, operation: Json) =>
  "x-effect-stream" in media
    ? streamMedia(media, operation)
    : operation["x-area"] !== undefined
    ? toolMedia(media, definitions, operation)
    : type === "application/json" || type === "text/csv" || type === "application/jsonl"
    ? { ...media, example: makeExample(media["schema"], definitions) }
    : media

/** Returns the media types of a request or response body, with their schemas in plain JSON Schema. */
export const plainMedia = (content: Json | undefined): ReadonlyArray<readonly [string, Json]> =>
  Object.entries<Json>(content ?? {}).map((
    [type, media]
  ) => [type, { ...media, schema: toStrictSchema(media["schema"]) }])

const headersOfCode = (code: string): ReadonlyArray<string> =>
  // The cast is safe because `Object.hasOwn` has found the code in `problemKinds`.
  Object.hasOwn(problemKinds, code) ? problemKinds[code as keyof typeof problemKinds].headers : []

const finishProblem = (response: Json, definitions: JsonSchema, hasSessions: boolean): Json => {
  const entries = plainMedia(response["content"])
  const codes = [...new Set(entries.flatMap(([, { schema }]) => codesOf(schema, definitions)))].sort()
  const problemHeaders = new Set(codes.flatMap(headersOfCode))
  return {
    ...response,
    headers: headerRefs([
      ...sameNames([...commonHeaders, "cache-control"]),
      // The rate-limit headers are optional, because a request can be rejected before the key is checked.
      ...rateLimitHeaders.map((name) => [name, optionalHeader(name)] as const),
      ...sameNames(hasSessions ? ["set-cookie"] : []),
      ...Array.from(
        problemHeaders,
        (name) =>
          [name, codes.every((code) => headersOfCode(code).includes(name)) ? name : optionalHeader(name)] as const
      )
    ]),
    content: Object.fromEntries(entries.map(([type, media]) => [type, {
      ...media,
      schema: sortProblems(media["schema"]),
      examples: Object.fromEntries(codes.map((code) => [code, { value: exampleByCode.get(code) }]))
    }]))
  }
}

const acceptsCredential = (scheme: string, operation: Json): boolean =>
  (operation["security"] ?? []).some((requirement: Json) => scheme in requirement)

const headersOfSuccess = (operation: Json): ReadonlyArray<string> => [
  ...commonHeaders,
  "cache-control",
  ...(acceptsCredential("key", operation) ? rateLimitHeaders : []),
  ...(acceptsCredential("session", operation) ? ["set-cookie"] : []),
  ...(successByOperation[operation["operationId"]]?.headers ?? []),
  ...(operation["x-area"] === undefined ? [] : ["idempotent-replayed", "tapeline-call-id"])
]

const finishSuccess = (response: Json, operation: Json, definitions: JsonSchema): Json => {
  const entries = plainMedia(response["content"])
  return {
    ...response,
    description: successByOperation[operation["operationId"]]?.description ?? response["description"],
    headers: headerRefs(sameNames(headersOfSuccess(operation))),
    ...(entries.length === 0 ? {} : {
      content: Object.fromEntries(
        entries.map(([type, media]) => [type, successMedia(type, media, definitions, operation)])
      )
    })
  }
}

/** Adds headers, examples and the 304 response to the responses of an operation. */
export const finishResponses = (operation: Json, definitions: JsonSchema, hasSessions: boolean): Json => ({
  ...Object.fromEntries(
    Object.entries<Json>({ ...operation["responses"], ...statusesNotReturned(operation) }).map((
      [status, response]
    ) => [
      status,
      Number(status) >= 400
        ? finishProblem(response, definitions, hasSessions)
        : finishSuccess(response, operation, definitions)
    ])
  ),
  ...(cacheableOperations.has(operation["operationId"])
    ? {
      304: {
        description: "The response has not changed since the version in `if-none-match`",
        headers: headerRefs(sameNames(headersOfSuccess(operation)))
      }
    }
    : {})
})

const pascalCase = (words: string): string =>
  words.split(/[ _]/).map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("")

/** Returns a component name for an error response: the error code, or the status if the response has several codes. */
const nameResponse = (status: string, { content, "x-returned": isReturned = true }: Json, taken: Json): string => {
  const codes = Object.values<Json>(content).flatMap(({ examples }) => Object.keys(examples))
  const base = !isReturned ? `NotReturned${status}` : codes.length === 1 ? pascalCase(codes[0]!) : `Refused${status}`
  const same = Object.keys(taken).filter((name) => name === base || name.startsWith(`${base}_`)).length
  return same === 0 ? base : `${base}_${same + 1}`
}

/** Collects the error responses of all operations. Equal error responses share one OpenAPI component. */
export class ErrorResponses {
  readonly components: Json = {}
  readonly #names = new Map<string, string>()

  shareErrors(responses: Json): Json {
    return Object.fromEntries(
      Object.entries<Json>(responses).map(([status, response]) => [
        status,
        Number(status) < 400 ? response : { $ref: `#/components/responses/${this.#named(status, response)}` }
      ])
    )
  }

  #named(status: string, response: Json): string {
    const text = JSON.stringify(response)
    const existing = this.#names.get(text)
    if (existing !== undefined) return existing
    const name = nameResponse(status, response, this.components)
    this.#names.set(text, name)
    this.components[name] = response
    return name
  }
}
