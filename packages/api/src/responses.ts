import { say } from "@tapeline/core/engine"
import { plainSchema } from "@tapeline/core/specifications"
import { sampleStream } from "./agent.ts"
import { countedHeaders, perhaps } from "./components.ts"
import { exampleOf, type Json, type JsonSchema } from "./example.ts"
import { kinds } from "./kinds.ts"
import { sampleBell } from "./notifications.ts"
import { notReturned } from "./notReturned.ts"
import { sampleProblems } from "./problem.ts"

/** Headers of every response. */
const always = ["x-request-id", "content-language"]

/** Headers by their names, each with the component that describes it. */
const refs = (names: Iterable<readonly [name: string, component: string]>): Json =>
  Object.fromEntries(Array.from(names, ([name, component]) => [name, { $ref: `#/components/headers/${component}` }]))

const asThemselves = (names: ReadonlyArray<string>) => names.map((name) => [name, name] as const)

/** What single operations add to their success: headers, and what it is where its schema does not say. */
const ofOperation: Readonly<
  Record<string, { readonly headers: ReadonlyArray<string>; readonly description?: string }>
> = {
  catalogue: { headers: ["etag"] },
  openapi: { headers: ["etag", "cache-control"], description: "This document" },
  chart: { headers: ["etag"], description: "The image, in the form that `accept` prefers" },
  ask: { headers: ["idempotent-replayed"] },
  stream: {
    headers: ["idempotent-replayed", "x-accel-buffering"],
    description: "The events of the answer, to its end"
  },
  resume: { headers: ["x-accel-buffering"] },
  notifications: { headers: ["x-accel-buffering"], description: "The events of the bell, without an end" },
  signIn: { headers: ["set-cookie"] },
  beginOpenId: { headers: ["location", "referrer-policy", "set-cookie"] },
  endOpenId: { headers: ["location", "referrer-policy", "set-cookie"] },
  metrics: { headers: [], description: "The measures, as Prometheus reads them" }
}

/** Operations whose caller may be told that its copy still holds. */
const kept = new Set(["catalogue", "openapi", "chart"])

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

/** Problems in one order, so that operations which declare the same refusals refer to one response. */
const inOrder = (schema: JsonSchema): JsonSchema =>
  Array.isArray(schema["anyOf"])
    ? { ...schema, anyOf: schema["anyOf"].toSorted((a: Json, b: Json) => a["$ref"] < b["$ref"] ? -1 : 1) }
    : schema

const failedCall = {
  error: { code: "source_unavailable", message: "The source `x` cannot be reached right now.", retryable: true }
}

/** What a tool's own example asks for: the example of its answer is an answer to that. */
const askedOf = (operation: Json): JsonSchema =>
  operation["requestBody"]?.content["application/json"].examples?.working.value ?? {}

/** Both answers that a tool gives: its result, and that it could not be had. */
const toolMedia = (media: Json, definitions: JsonSchema, operation: Json) => {
  const answer: Json = {
    // An answer is an object, so its example is one.
    ...exampleOf(media["schema"], definitions, "", askedOf(operation)) as Json,
    credits_used: operation["x-credits"],
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

/**
 * A stream of events is a text, and what is in it a list of them. A later OpenAPI says so in `itemSchema`, which stands
 * beside under a name of its own for those who look for it.
 */
const streamMedia = ({ schema }: Json, operation: Json) => ({
  schema: {
    type: "string",
    description: "Server-sent events; lines that begin with a colon tell nothing",
    contentMediaType: "text/event-stream",
    contentSchema: { type: "array", items: schema }
  },
  "x-item-schema": schema,
  example: operation["operationId"] === "notifications" ? sampleBell : sampleStream
})

const successMedia = (type: string, media: Json, definitions: JsonSchema, operation: Json) =>
  "x-effect-stream" in media
    ? streamMedia(media, operation)
    : operation["x-area"] !== undefined
    ? toolMedia(media, definitions, operation)
    // An image's bytes are no text that could be shown; a text says what it is by itself.
    : type === "application/json"
    ? { ...media, example: exampleOf(media["schema"], definitions) }
    : media

/** The media of a body, with their schemas in the plain form that the catalogue has too. */
export const plainMedia = (content: Json | undefined): ReadonlyArray<readonly [string, Json]> =>
  Object.entries<Json>(content ?? {}).map(([type, media]) => [type, { ...media, schema: plainSchema(media["schema"]) }])

/** The headers that go with a code's problem. */
const headersOf = (code: string): ReadonlyArray<string> =>
  // A key that `kinds` has is one of its codes.
  Object.hasOwn(kinds, code) ? kinds[code as keyof typeof kinds].headers : []

const finishProblem = (response: Json, definitions: JsonSchema, hasSessions: boolean): Json => {
  const entries = plainMedia(response["content"])
  const codes = [...new Set(entries.flatMap(([, { schema }]) => codesOf(schema, definitions)))].sort()
  const own = new Set(codes.flatMap(headersOf))
  return {
    ...response,
    headers: refs([
      ...asThemselves([...always, "cache-control"]),
      // Whoever is refused before its key was read is told nothing of its requests.
      ...countedHeaders.map((name) => [name, perhaps(name)] as const),
      ...asThemselves(hasSessions ? ["set-cookie"] : []),
      ...Array.from(
        own,
        (name) => [name, codes.every((code) => headersOf(code).includes(name)) ? name : perhaps(name)] as const
      )
    ]),
    content: Object.fromEntries(entries.map(([type, media]) => [type, {
      ...media,
      schema: inOrder(media["schema"]),
      examples: Object.fromEntries(codes.map((code) => [code, { value: problemExamples.get(code) }]))
    }]))
  }
}

const isOpenedBy = (scheme: string, operation: Json): boolean =>
  (operation["security"] ?? []).some((requirement: Json) => scheme in requirement)

/** The headers of whatever is no refusal. */
const headersOfSuccess = (operation: Json): ReadonlyArray<string> => [
  ...always,
  "cache-control",
  ...(isOpenedBy("key", operation) ? countedHeaders : []),
  ...(isOpenedBy("session", operation) ? ["set-cookie"] : []),
  ...(ofOperation[operation["operationId"]]?.headers ?? []),
  ...(operation["x-area"] === undefined ? [] : ["idempotent-replayed"])
]

const finishSuccess = (response: Json, operation: Json, definitions: JsonSchema): Json => {
  const entries = plainMedia(response["content"])
  return {
    ...response,
    description: ofOperation[operation["operationId"]]?.description ?? response["description"],
    headers: refs(asThemselves(headersOfSuccess(operation))),
    ...(entries.length === 0 ? {} : {
      content: Object.fromEntries(
        entries.map(([type, media]) => [type, successMedia(type, media, definitions, operation)])
      )
    })
  }
}

/**
 * What an operation answers, whole: headers, examples, and that the caller's copy still holds. Where people sign in,
 * any answer may carry a cookie.
 */
export const finishResponses = (operation: Json, definitions: JsonSchema, hasSessions: boolean): Json => ({
  ...Object.fromEntries(
    Object.entries<Json>({ ...operation["responses"], ...notReturned(operation) }).map((
      [status, response]
    ) => [
      status,
      Number(status) >= 400
        ? finishProblem(response, definitions, hasSessions)
        : finishSuccess(response, operation, definitions)
    ])
  ),
  ...(kept.has(operation["operationId"])
    ? {
      304: {
        description: "Nothing has changed since the `etag` sent",
        headers: refs(asThemselves(headersOfSuccess(operation)))
      }
    }
    : {})
})

const pascalCase = (words: string): string =>
  words.split(/[ _]/).map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("")

/** A refusal's response is named by its code, and where it has several by its status. */
const nameOf = (status: string, { content, "x-returned": isReturned = true }: Json, taken: Json): string => {
  const codes = Object.values<Json>(content).flatMap(({ examples }) => Object.keys(examples))
  const base = !isReturned ? `NotReturned${status}` : codes.length === 1 ? pascalCase(codes[0]!) : `Refused${status}`
  const same = Object.keys(taken).filter((name) => name === base || name.startsWith(`${base}_`)).length
  return same === 0 ? base : `${base}_${same + 1}`
}

/** Takes each refusal once, for operations to refer to: most of them are the same for all. */
export class Refusals {
  readonly components: Json = {}
  readonly #names = new Map<string, string>()

  /** An operation's responses, refusals by reference. */
  shared(responses: Json): Json {
    return Object.fromEntries(
      Object.entries<Json>(responses).map(([status, response]) => [
        status,
        Number(status) < 400 ? response : { $ref: `#/components/responses/${this.#named(status, response)}` }
      ])
    )
  }

  #named(status: string, response: Json): string {
    const text = JSON.stringify(response)
    const known = this.#names.get(text)
    if (known !== undefined) return known
    const name = nameOf(status, response, this.components)
    this.#names.set(text, name)
    this.components[name] = response
    return name
  }
}
