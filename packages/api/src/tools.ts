import { acceptedScopes, failureFields, type ToolSpecification } from "@tapeline/core/specifications"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { KeyAuthorization } from "./authorization.ts"
import type { Json } from "./example.ts"
import { CallHeaders } from "./headers.ts"
import { CommonErrors, RejectUnknownQuery } from "./middleware.ts"
import { problemSchemas } from "./problem.ts"

/** The `data` of a valid call that the tool could not answer. */
export const FailedCall = Schema.Struct({
  error: Schema.Struct(failureFields)
}).annotate({ identifier: "FailedCall" })

const accountingFields = {
  credits_used: Schema.Int.annotate({ description: "Credits charged for this call; 0 when it failed" }),
  credits_left: Schema.Int.annotate({ description: "Credits remaining in the month" }),
  took_ms: Schema.Int.annotate({ description: "Duration in milliseconds" })
}

/** Converts a tool's name for type names: `get_price` to `GetPrice`. */
const typeName = (tool: string): string =>
  tool.split("_").map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("")

/** The response schema of valid calls of one tool. */
export const toolResponseSchema = <const Name extends string, Result extends Schema.Codec<unknown, unknown>>(
  tool: Name,
  result: Result
) =>
  Schema.Struct({
    tool: Schema.Literal(tool),
    ...accountingFields,
    data: Schema.Union([result.annotate({ identifier: `${typeName(tool)}Result` }), FailedCall])
  }).annotate({ identifier: `${typeName(tool)}Answer`, description: `What \`${tool}\` answers` })

/** The response schema of all tools. The tool's own schema defines `data`. */
export const ToolResponseBody = Schema.Struct({ tool: Schema.String, ...accountingFields, data: Schema.Unknown })

/** The errors that a tool call can get. */
const toolProblemSchemas = problemSchemas(
  "invalid_body",
  "user_id_not_accepted",
  "idempotency_key_reused",
  "over_limit",
  "scope_required",
  "unknown_tool",
  "request_in_progress",
  "payload_too_large",
  "unsupported_media_type"
)

/** The path of the tools, before their names. */
export const toolsPath = "/v1/tools"

/** Returns a part of a specification, with its exact type. */
const specificationField = <S extends ToolSpecification, Part extends keyof S>(specification: S, name: Part): S[Part] =>
  specification[name]

const toolEndpoint = <S extends ToolSpecification>(specification: S) =>
  HttpApiEndpoint.post(
    specificationField(specification, "name"),
    `${toolsPath}/${specificationField(specification, "name")}`,
    {
      headers: CallHeaders,
      // The encoded form, as callers write it.
      payload: Schema.toEncoded(specificationField(specification, "parameters")),
      success: toolResponseSchema(
        specificationField(specification, "name"),
        specificationField(specification, "result")
      ),
      error: toolProblemSchemas
    }
  ).annotateMerge(OpenApi.annotations({
    identifier: specification.name,
    summary: specification.name,
    description: specification.summary,
    transform: (operation) => ({
      ...operation,
      requestBody: withExample(operation["requestBody"], specification.example),
      "x-area": specification.area,
      "x-credits": specification.credits,
      "x-scope": specification.scope,
      "x-scopes-any": acceptedScopes(specification.scope, specification.area)
    })
  }))

/** Adds a working example to the body. The body is optional if the tool requires no argument. */
const withExample = (body: Json, example: unknown) => {
  const media = body["content"]["application/json"]
  return {
    ...body,
    required: (media.schema.required ?? []).length > 0,
    content: {
      "application/json": { ...media, examples: { working: { summary: "A call that works", value: example } } }
    }
  }
}

type ToolEndpoint<S extends ToolSpecification> = S extends ToolSpecification ? ReturnType<typeof toolEndpoint<S>>
  : never

const toolEndpoints = <const Specifications extends ReadonlyArray<ToolSpecification>>(specifications: Specifications) =>
  // An endpoint has the types of its own specification. `map` only knows the union of all, and not that there is at
  // least one.
  specifications.map(toolEndpoint) as unknown as readonly [
    ToolEndpoint<Specifications[number]>,
    ...ReadonlyArray<ToolEndpoint<Specifications[number]>>
  ]

const description = "One path per tool. A call that cannot be answered is a 200 with `data.error` and costs nothing. " +
  "`Idempotency-Key` makes a call safe to repeat."

/** The tools as they are documented and called by typed clients: one path each, with its own schemas. */
export const toolsGroup = <const Specifications extends ReadonlyArray<ToolSpecification>>(
  specifications: Specifications
) =>
  HttpApiGroup.make("tools", { topLevel: true })
    .add(...toolEndpoints(specifications))
    .middleware(RejectUnknownQuery)
    .middleware(KeyAuthorization)
    .middleware(CommonErrors)
    .annotate(OpenApi.Description, description)

/** The tools as they are served: one path, whose last segment may also name an unknown tool. */
export const servedToolsGroup = HttpApiGroup.make("tools", { topLevel: true })
  .add(
    HttpApiEndpoint.post("callTool", `${toolsPath}/:name`, {
      params: { name: Schema.String },
      success: ToolResponseBody,
      error: toolProblemSchemas
    })
  )
  .middleware(RejectUnknownQuery)
  .middleware(KeyAuthorization)
  .middleware(CommonErrors)
