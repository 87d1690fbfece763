import { languages, say } from "@tapeline/core/messages"
import { plainSchema } from "@tapeline/core/specifications"
import { Schema } from "effect"
import { type HttpApi, type HttpApiGroup, OpenApi } from "effect/http-api"
import { sampleStream } from "./agent.ts"
import { exampleOf, type Json, type JsonSchema } from "./example.ts"
import { CallHeaders, requestHeaderNames, ResumeHeaders } from "./headers.ts"
import { headerDescriptions, kinds } from "./kinds.ts"
import { sampleBell } from "./notifications.ts"
import { sampleProblems } from "./problem.ts"

const header = (description: string, schema: Json = { type: "string" }, required = true) => ({
  description,
  required,
  schema
})

const wholeNumber = { type: "integer", minimum: 0 }

/** Every header that a response may carry; the document refers to them by name. */
const headers: Readonly<Record<string, Json>> = {
  "x-request-id": header("The request's id: the caller's own when it sent a sound one"),
  "content-language": header("The language of messages", { type: "string", enum: [...languages] }),
  "cache-control": header("Whether and how long the answer may be kept"),
  "idempotent-replayed": header(
    "`true` when this is the first answer to the same `Idempotency-Key`, again",
    { type: "string", enum: ["true"] },
    false
  ),
  etag: header("Send it back as `if-none-match`; the answer is a 304 while nothing has changed"),
  ...Object.fromEntries(
    Object.entries(headerDescriptions).map(([name, description]) => [
      name,
      header(description, name.startsWith("ratelimit-") || name === "retry-after" ? wholeNumber : undefined)
    ])
  )
}

const named = (names: ReadonlyArray<string>): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

/** Headers of every response, and those of responses to a key that was let in. */
const always = ["x-request-id", "content-language"]
const counted = ["cache-control", "ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"]

/** Headers that single operations add to their success. */
const ofOperation: Readonly<Record<string, ReadonlyArray<string>>> = {
  catalogue: ["etag"],
  openapi: ["etag", "cache-control"],
  chart: ["etag"],
  ask: ["idempotent-replayed"],
  stream: ["idempotent-replayed"]
}

/**
 * By the name of the body's example. The page of documentation does not send what is marked so: two calls with one key
 * would be one.
 */
const ownKey = {
  working: { summary: "One of your own", value: "3f2b8c1e-9a4d-4c57-8f0e-6d1b2a7c9e05", "x-disabled": true }
}

/** The headers that a request may carry, as their schemas have them; the document refers to them by name. */
const parameters: Readonly<Record<string, Json>> = Object.fromEntries(
  Object.entries({ ...CallHeaders.fields, ...ResumeHeaders.fields }).map(([name, field]) => {
    const { description, ...schema } = plainSchema(Schema.toJsonSchemaDocument(field).schema)
    const parameter = { name, in: "header", required: false, description, schema }
    return [name, name === "idempotency-key" ? { ...parameter, examples: ownKey } : parameter]
  })
)

/** A request id as examples show it. */
const sampleId = "3f2b8c1e-9a4d-4c57-8f0e-6d1b2a7c9e05"

/** An example of each problem, by the code that it shows: of several with one code, the first in the table. */
const problemExamples: ReadonlyMap<string, unknown> = new Map(
  sampleProblems(sampleId, (message) => say(message, "en"))
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

const problemMedia = (media: Json, definitions: JsonSchema) => ({
  ...media,
  examples: Object.fromEntries(
    codesOf(media["schema"], definitions).map((code) => [code, { value: problemExamples.get(code) }])
  )
})

const failedCall = {
  error: { code: "source_unavailable", message: "The source `x` cannot be reached right now.", retryable: true }
}

/** Both answers that a tool gives: its result, and that it could not be had. */
const toolMedia = (media: Json, definitions: JsonSchema, credits: number) => {
  const answer: Json = {
    // An answer is an object, so its example is one.
    ...exampleOf(media["schema"], definitions) as Json,
    credits_used: credits,
    credits_left: 59_940
  }
  return {
    ...media,
    examples: {
      answered: { summary: "Answered", value: { ...answer, took_ms: 12 } },
      failed: {
        summary: "Could not be answered; nothing is charged",
        value: { ...answer, credits_used: 0, took_ms: 12, data: failedCall }
      }
    }
  }
}

/** A stream of events is a text; what each event in it is stands beside, as a later OpenAPI has it. */
const streamMedia = ({ schema }: Json, operation: Json) => ({
  schema: { type: "string", description: "Server-sent events; lines that begin with a colon tell nothing" },
  "x-item-schema": schema,
  example: operation["operationId"] === "notifications" ? sampleBell : sampleStream
})

const successMedia = (media: Json, definitions: JsonSchema, operation: Json) =>
  "x-effect-stream" in media
    ? streamMedia(media, operation)
    : operation["x-credits"] === undefined
    ? { ...media, example: exampleOf(media["schema"], definitions) }
    : toolMedia(media, definitions, operation["x-credits"])

/** The media of a body, with their schemas in the plain form that the catalogue has too. */
const plainMedia = (content: Json | undefined): ReadonlyArray<readonly [string, Json]> =>
  Object.entries<Json>(content ?? {}).map(([type, media]) => [type, { ...media, schema: plainSchema(media["schema"]) }])

const finishResponse = (status: string, response: Json, operation: Json, definitions: JsonSchema): Json => {
  const keyed = (operation["security"] ?? []).some((requirement: Json) => "key" in requirement)
  const entries = plainMedia(response["content"])
  const isProblem = Number(status) >= 400
  const own = isProblem
    ? entries.flatMap(([, media]) => codesOf(media["schema"], definitions)).flatMap((code) =>
      // A key that `kinds` has is one of its codes.
      Object.hasOwn(kinds, code) ? kinds[code as keyof typeof kinds].headers : []
    )
    : [
      ...(ofOperation[operation["operationId"]] ?? []),
      ...(operation["x-credits"] === undefined ? [] : ["idempotent-replayed"])
    ]
  return {
    ...response,
    headers: named([...always, ...(keyed && status !== "401" ? counted : []), ...own]),
    ...(entries.length === 0 ? {} : {
      content: Object.fromEntries(entries.map(([type, media]) => [
        type,
        isProblem ? problemMedia(media, definitions) : successMedia(media, definitions, operation)
      ]))
    })
  }
}

/** The catalogue and the document may answer that the caller's copy still holds. */
const notModified = (operation: Json) =>
  ["catalogue", "openapi", "chart"].includes(operation["operationId"])
    ? { 304: { description: "Nothing has changed since the `etag` sent", headers: named([...always, "etag"]) } }
    : {}

const finishRequest = (body: Json, definitions: JsonSchema) => ({
  ...body,
  content: Object.fromEntries(
    plainMedia(body["content"]).map(([type, media]) => [
      type,
      "example" in media || "examples" in media ? media : { ...media, example: exampleOf(media["schema"], definitions) }
    ])
  )
})

/** The parameters of an operation: its own as they are, headers by name, and those that any request may carry. */
const finishParameters = (declared: ReadonlyArray<Json>): ReadonlyArray<Json> => {
  const inHeaders = declared.filter((one) => one["in"] === "header").map((one): string => one["name"])
  return [
    ...declared.filter((one) => one["in"] !== "header").map((one) => ({ ...one, schema: plainSchema(one["schema"]) })),
    ...[...new Set([...inHeaders, ...requestHeaderNames])].map((name) => ({ $ref: `#/components/parameters/${name}` }))
  ]
}

const finishOperation = (operation: Json, definitions: JsonSchema): Json => ({
  ...operation,
  parameters: finishParameters(operation["parameters"] ?? []),
  ...(operation["requestBody"] === undefined
    ? {}
    : { requestBody: finishRequest(operation["requestBody"], definitions) }),
  responses: {
    ...Object.fromEntries(
      Object.entries<Json>(operation["responses"])
        .map(([status, response]) => [status, finishResponse(status, response, operation, definitions)])
    ),
    ...notModified(operation)
  }
})

const mapOperations = (paths: Json, change: (operation: Json) => Json): Json =>
  Object.fromEntries(
    Object.entries<Json>(paths).map(([path, item]) => [
      path,
      Object.fromEntries(Object.entries<Json>(item).map(([method, operation]) => [method, change(operation)]))
    ])
  )

/** Puts each refusal that several operations share among the components, once: most of them are the same for all. */
const shareRefusals = (paths: Json): { readonly paths: Json; readonly responses: Json } => {
  const names = new Map<string, string>()
  const responses: Json = {}
  const share = (status: string, response: Json) => {
    if (Number(status) < 400) return response
    const text = JSON.stringify(response)
    const name = names.get(text) ??
      `Refused${status}_${Object.keys(responses).filter((known) => known.includes(status)).length + 1}`
    names.set(text, name)
    responses[name] = response
    return { $ref: `#/components/responses/${name}` }
  }
  return {
    paths: mapOperations(paths, (operation) => ({
      ...operation,
      responses: Object.fromEntries(
        Object.entries<Json>(operation["responses"]).map(([status, response]) => [status, share(status, response)])
      )
    })),
    responses
  }
}

/** Gives every operation of a document what is true of all: headers, examples, the parameters that any may carry. */
const finishDocument = (document: Json): Json => {
  const definitions: JsonSchema = Object.fromEntries(
    Object.entries<Json>(document["components"]["schemas"]).map(([name, schema]) => [name, plainSchema(schema)])
  )
  const { paths, responses } = shareRefusals(
    mapOperations(document["paths"], (operation) => finishOperation(operation, definitions))
  )
  const text = JSON.stringify([paths, responses])
  const used = (components: Readonly<Record<string, Json>>, kind: string) =>
    Object.fromEntries(
      Object.entries(components).filter(([name]) => text.includes(`"#/components/${kind}/${name}"`))
    )
  return {
    ...document,
    info: { ...document["info"], contact: { name: "Tapeline" } },
    paths,
    components: {
      ...document["components"],
      schemas: definitions,
      parameters: used(parameters, "parameters"),
      headers: used(headers, "headers"),
      responses
    }
  }
}

/**
 * An API whose OpenAPI document is whole. It stands apart from the definition, since clients have no use for what it
 * takes: examples, messages, descriptions of headers.
 */
export const documented = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
) => api.annotate(OpenApi.Transform, finishDocument)
