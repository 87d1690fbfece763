import { plainSchema } from "@tapeline/core/specifications"
import { type HttpApi, type HttpApiGroup, OpenApi } from "effect/http-api"
import { headers, parameters } from "./components.ts"
import { exampleOf, type Json, type JsonSchema } from "./example.ts"
import { requestHeaderNames } from "./headers.ts"
import { finishResponses, plainMedia, Refusals } from "./responses.ts"
import { opensSessions, withoutSessions } from "./sessionsOf.ts"
import { tagsAndGroups, tagsOf } from "./tags.ts"

const finishRequest = (body: Json, definitions: JsonSchema) => ({
  ...body,
  content: Object.fromEntries(
    plainMedia(body["content"]).map(([type, media]) => [
      type,
      "example" in media || "examples" in media ? media : { ...media, example: exampleOf(media["schema"], definitions) }
    ])
  )
})

/** Completes the parameters of an operation: its own, headers by reference, and those that any request may carry. */
const finishParameters = (declared: ReadonlyArray<Json>): ReadonlyArray<Json> => {
  const inHeaders = declared.filter((one) => one["in"] === "header").map((one): string => one["name"])
  return [
    ...declared.filter((one) => one["in"] !== "header").map((one) => {
      // A text that contains JSON, such as a number in a path, is documented as that JSON.
      const { contentMediaType: _, contentSchema, description, ...text } = plainSchema(one["schema"])
      const schema = contentSchema === undefined ? text : contentSchema
      return { ...one, ...(description === undefined ? {} : { description }), schema }
    }),
    ...[...new Set([...inHeaders, ...requestHeaderNames])].map((name) => ({ $ref: `#/components/parameters/${name}` }))
  ]
}

const finishOperation = (operation: Json, definitions: JsonSchema, hasSessions: boolean): Json => ({
  ...operation,
  tags: tagsOf(operation),
  // An operation without these annotations is free and needs no scope.
  "x-credits": operation["x-credits"] ?? 0,
  "x-scope": operation["x-scope"] ?? null,
  parameters: finishParameters(operation["parameters"] ?? []),
  ...(operation["requestBody"] === undefined
    ? {}
    : { requestBody: finishRequest(operation["requestBody"], definitions) }),
  responses: finishResponses(operation, definitions, hasSessions)
})

/**
 * Returns the definitions in plain form. A text that contains JSON is inlined where it is used, so that only its JSON
 * has a name.
 */
const finishDefinitions = (schemas: Json): JsonSchema => {
  const plain = Object.fromEntries(
    Object.entries<Json>(schemas).map(([name, schema]) => [name, plainSchema(schema)] as const)
  )
  const isText = (name: string) => plain[name]?.["contentSchema"] !== undefined
  const inPlace = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inPlace)
    if (typeof value !== "object" || value === null) return value
    const name = "$ref" in value && typeof value.$ref === "string" ? value.$ref.split("/").at(-1)! : ""
    return isText(name)
      ? plain[name]
      : Object.fromEntries(Object.entries(value).map(([key, one]) => [key, inPlace(one)]))
  }
  return Object.fromEntries(
    Object.entries(plain).filter(([name]) => !isText(name)).map(([name, schema]) => [name, inPlace(schema)])
  )
}

/** Completes a document: adds headers, examples and common parameters to all operations. */
const finishDocument = (declared: Json): Json => {
  const hasSessions = opensSessions(declared)
  const document = hasSessions ? declared : withoutSessions(declared)
  const definitions = finishDefinitions(document["components"]["schemas"])
  const refusals = new Refusals()
  const tags = new Set<string>()
  const paths = Object.fromEntries(
    Object.entries<Json>(document["paths"]).map(([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries<Json>(item).map(([method, declared]) => {
          const operation = finishOperation(declared, definitions, hasSessions)
          for (const tag of operation["tags"]) tags.add(tag)
          return [method, { ...operation, responses: refusals.shared(operation["responses"]) }]
        })
      )
    ])
  )
  const text = JSON.stringify([paths, refusals.components])
  const used = (components: Readonly<Record<string, Json>>, kind: string) =>
    Object.fromEntries(
      Object.entries(components).filter(([name]) => text.includes(`"#/components/${kind}/${name}"`))
    )
  return {
    ...document,
    info: { ...document["info"], contact: { name: "Tapeline" } },
    ...tagsAndGroups(document["tags"], tags),
    paths,
    components: {
      ...document["components"],
      schemas: definitions,
      parameters: used(parameters, "parameters"),
      headers: used(headers, "headers"),
      responses: refusals.components
    }
  }
}

/**
 * Returns an API with a complete OpenAPI document. Separate from the definition of the API, because clients do not need
 * its dependencies: examples, messages and descriptions of headers.
 */
export const documented = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
) => api.annotate(OpenApi.Transform, finishDocument)
