import { acceptedScopes, failureFields, type ToolSpecification } from "@tapeline/core/specifications"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { KeyAuthorization } from "./authorization.ts"
import type { Json } from "./example.ts"
import { CallHeaders } from "./headers.ts"
import { CommonErrors, RejectUnknownQuery } from "./middleware.ts"
import { problemSchemas } from "./problem.ts"

/** The schema of the field `data` in the response to a valid call that the tool could not answer. */
export const FailedCall = Schema.Struct({
  error: Schema.Struct(failureFields)
}).annotate({ identifier: "FailedCall" })

const accountingFields = {
  credits_used: Schema.Int.annotate({ description: "Credits charged for this call; 0 if it failed" }),
  credits_left: Schema.Int.annotate({ description: "Credits remaining in the month" }),
  took_ms: Schema.Int.annotate({ description: "Duration in milliseconds" })
}

const typeName = (tool: string): string =>
  tool.split("_").map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("")

/** Returns the response schema of a tool. The schema also describes calls that the tool could not answer. */
export const toolResponseSchema = <const Name extends string, Result extends Schema.Codec<unknown, unknown>>(
  tool: Name,
  result: Result
) =>
  Schema.Struct({
    tool: Schema.Literal(tool),
    ...accountingFields,
    data: Schema.Union([result.annotate({ identifier: `${typeName(tool)}Result` }), FailedCall])
  }).annotate({ identifier: `${typeName(tool)}Answer`, description: `The response of \`${tool}\`` })

/** The response schema that fits every tool, with `data` untyped. */
export const ToolResponseBody = Schema.Struct({ tool: Schema.String, ...accountingFields, data: Schema.Unknown })

const toolProblemSchemas = problemSchemas(
  "invalid_body",
  "user_id_not_accepted",
  "idempotency_key_reused",
  "over_limit",
  "key_over_limit",
  "scope_required",
  "unknown_tool",
  "request_in_progress",
  "payload_too_large",
  "unsupported_media_type"
)

/** The path prefix of all tools. The last path segment is the name of the tool. */
export const toolsPath = "/v1/tools"

const specificationField = <S extends ToolSpecification, Part extends keyof S>(specification: S, name: Part): S[Part] =>
  specification[name]

const toolEndpoint = <S extends ToolSpecification>(specification: S) =>
  HttpApiEndpoint.post(
    specificationField(specification, "name"),
    `${toolsPath}/${specificationField(specification, "name")}`,
    {
      headers: CallHeaders,
      // The payload type is the encoded form of the arguments, because callers send the encoded form.
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

/**
 * Adds a working example to the request body of a tool. The request body is optional if the tool has no required
 * argument.
 */
const withExample = (body: Json, example: unknown) => {
  const media = body["content"]["application/json"]
  return {
    ...body,
    required: (media.schema.required ?? []).length > 0,
    content: {
      "application/json": { ...media, examples: { working: { summary: "A working call", value: example } } }
    }
  }
}

type ToolEndpoint<S extends ToolSpecification> = S extends ToolSpecification ? ReturnType<typeof toolEndpoint<S>>
  : never

const toolEndpoints = <const Specifications extends ReadonlyArray<ToolSpecification>>(specifications: Specifications) =>
  // The cast restores what `map` loses: one endpoint type for each specification, and a list with at least one
  // endpoint.
  specifications.map(toolEndpoint) as unknown as readonly [
    ToolEndpoint<Specifications[number]>,
    ...ReadonlyArray<ToolEndpoint<Specifications[number]>>
  ]

const description =
  "Each tool has its own path. If a tool cannot answer a valid call, the response is a 200 with `data.error`, and the " +
  "call costs nothing. With an `Idempotency-Key`, a call can be repeated safely."

/** Returns the tool endpoints for OpenAPI documents and typed clients, with a path and schemas for each tool. */
export const toolsGroup = <const Specifications extends ReadonlyArray<ToolSpecification>>(
  specifications: Specifications
) =>
  HttpApiGroup.make("tools", { topLevel: true })
    .add(...toolEndpoints(specifications))
    .middleware(RejectUnknownQuery)
    .middleware(KeyAuthorization)
    .middleware(CommonErrors)
    .annotate(OpenApi.Description, description)

/**
 * The tool endpoint that a server implements, with one path for all tools. The path can contain the name of an unknown
 * tool.
 */
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
