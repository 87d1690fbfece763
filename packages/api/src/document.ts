import { toStrictSchema } from "@tapeline/core/specifications"
import { type HttpApi, type HttpApiGroup, OpenApi } from "effect/http-api"
import { headerComponents, parameterComponents } from "./components.ts"
import { type Json, type JsonSchema, makeExample } from "./example.ts"
import { requestHeaderNames } from "./headers.ts"
import { ErrorResponses, finishResponses, plainMedia } from "./responses.ts"
import { hasSignIn, removeSessions } from "./sessionRemoval.ts"
import { tagsAndGroups, tagsOf } from "./tags.ts"

const finishRequest = (body: Json, definitions: JsonSchema) => ({
  ...body,
  content: Object.fromEntries(
    plainMedia(body["content"]).map(([type, media]) => [
      type,
      "example" in media || "examples" in media
        ? media
        : { ...media, example: makeExample(media["schema"], definitions) }
    ])
  )
})

/** Returns all parameters of an operation, with each header replaced by a reference to a shared component. */
const finishParameters = (declaredParameters: ReadonlyArray<Json>): ReadonlyArray<Json> => {
  const headerNames = declaredParameters.filter((parameter) => parameter["in"] === "header").map((one): string =>
    one["name"]
  )
  return [
    ...declaredParameters.filter((parameter) => parameter["in"] !== "header").map((one) => {
      // A parameter that contains JSON in a string, such as a number in a path, gets the schema of the JSON value.
      const { contentMediaType: _, contentSchema, description, ...text } = toStrictSchema(one["schema"])
      const schema = contentSchema === undefined ? text : contentSchema
      return { ...one, ...(description === undefined ? {} : { description }), schema }
    }),
    ...[...new Set([...headerNames, ...requestHeaderNames])].map((name) => ({
      $ref: `#/components/parameters/${name}`
    }))
  ]
}

const finishOperation = (operation: Json, definitions: JsonSchema, hasSessions: boolean): Json => ({
  ...operation,
  tags: tagsOf(operation),
  "x-credits": operation["x-credits"] ?? 0,
  "x-scope": operation["x-scope"] ?? null,
  parameters: finishParameters(operation["parameters"] ?? []),
  ...(operation["requestBody"] === undefined
    ? {}
    : { requestBody: finishRequest(operation["requestBody"], definitions) }),
  responses: finishResponses(operation, definitions, hasSessions)
})

/**
 * Converts schema definitions to plain JSON Schema. Replaces the schema of a string that contains JSON by the schema of
 * the contained value.
 */
const finishDefinitions = (schemas: Json): JsonSchema => {
  const plain = Object.fromEntries(
    Object.entries<Json>(schemas).map(([name, schema]) => [name, toStrictSchema(schema)] as const)
  )
  const containsJson = (name: string) => plain[name]?.["contentSchema"] !== undefined
  const inlineJson = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inlineJson)
    if (typeof value !== "object" || value === null) return value
    const name = "$ref" in value && typeof value.$ref === "string" ? value.$ref.split("/").at(-1)! : ""
    return containsJson(name)
      ? plain[name]
      : Object.fromEntries(Object.entries(value).map(([key, child]) => [key, inlineJson(child)]))
  }
  return Object.fromEntries(
    Object.entries(plain).filter(([name]) => !containsJson(name)).map(([name, schema]) => [name, inlineJson(schema)])
  )
}

const finishDocument = (declared: Json): Json => {
  const hasSessions = hasSignIn(declared)
  const document = hasSessions ? declared : removeSessions(declared)
  const definitions = finishDefinitions(document["components"]["schemas"])
  const errorResponses = new ErrorResponses()
  const tags = new Set<string>()
  const paths = Object.fromEntries(
    Object.entries<Json>(document["paths"]).map(([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries<Json>(item).map(([method, declared]) => {
          const operation = finishOperation(declared, definitions, hasSessions)
          for (const tag of operation["tags"]) tags.add(tag)
          return [method, { ...operation, responses: errorResponses.shareErrors(operation["responses"]) }]
        })
      )
    ])
  )
  const text = JSON.stringify([paths, errorResponses.components])
  const usedComponents = (components: Readonly<Record<string, Json>>, kind: string) =>
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
      parameters: usedComponents(parameterComponents, "parameters"),
      headers: usedComponents(headerComponents, "headers"),
      responses: errorResponses.components
    }
  }
}

/** Completes the OpenAPI document of an API, for example with examples and descriptions. */
export const withOpenApiDocument = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
) => api.annotate(OpenApi.Transform, finishDocument)
