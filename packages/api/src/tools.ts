import { failureFields, scopesAny, type ToolSpecification } from "@tapeline/core/specifications"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { KeyAuthorization } from "./authorization.ts"
import type { Json } from "./example.ts"
import { CallHeaders } from "./headers.ts"
import { AnyRequest, KnownQuery } from "./middleware.ts"
import { refusedWith } from "./problem.ts"

/** The `data` of a call that was made properly and could not be answered. */
export const FailedCall = Schema.Struct({
  error: Schema.Struct(failureFields)
}).annotate({ identifier: "FailedCall" })

const accounts = {
  credits_used: Schema.Int.annotate({ description: "Credits charged for this call; 0 when it failed" }),
  credits_left: Schema.Int.annotate({ description: "Credits remaining in the month" }),
  took_ms: Schema.Int.annotate({ description: "Duration in milliseconds" })
}

/** `get_price` as a part of type names: `GetPrice`. */
const typeName = (tool: string): string =>
  tool.split("_").map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("")

/** The answer to every call of one tool that was made properly. */
export const answerOf = <const Name extends string, Result extends Schema.Codec<unknown, unknown>>(
  tool: Name,
  result: Result
) =>
  Schema.Struct({
    tool: Schema.Literal(tool),
    ...accounts,
    data: Schema.Union([result.annotate({ identifier: `${typeName(tool)}Result` }), FailedCall])
  }).annotate({ identifier: `${typeName(tool)}Answer`, description: `What \`${tool}\` answers` })

/** The answer to every tool call, whichever tool it is of: `data` holds what that tool's own schema says. */
export const ToolAnswer = Schema.Struct({ tool: Schema.String, ...accounts, data: Schema.Unknown })

/** What a tool call may be refused with. */
const toolProblems = refusedWith(
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

/** Where tools are called: their names stand after it. */
export const toolsPath = "/v1/tools"

/** A part of a specification, of that specification's own type. */
const part = <S extends ToolSpecification, Part extends keyof S>(specification: S, name: Part): S[Part] =>
  specification[name]

const toolEndpoint = <S extends ToolSpecification>(specification: S) =>
  HttpApiEndpoint.post(part(specification, "name"), `${toolsPath}/${part(specification, "name")}`, {
    headers: CallHeaders,
    // As a caller writes them.
    payload: Schema.toEncoded(part(specification, "parameters")),
    success: answerOf(part(specification, "name"), part(specification, "result")),
    error: toolProblems
  }).annotateMerge(OpenApi.annotations({
    identifier: specification.name,
    summary: specification.name,
    description: specification.summary,
    transform: (operation) => ({
      ...operation,
      requestBody: withExample(operation["requestBody"], specification.example),
      "x-area": specification.area,
      "x-credits": specification.credits,
      "x-scope": specification.scope,
      "x-scopes-any": scopesAny(specification.scope, specification.area)
    })
  }))

/** A body may be left out where no argument is required; the example is one that works. */
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

const endpointsOf = <const Specifications extends ReadonlyArray<ToolSpecification>>(specifications: Specifications) =>
  // An endpoint has its own specification's types; `map` only knows those of all of them, and not that there is one.
  specifications.map(toolEndpoint) as unknown as readonly [
    ToolEndpoint<Specifications[number]>,
    ...ReadonlyArray<ToolEndpoint<Specifications[number]>>
  ]

const description = "One path per tool. A call that cannot be answered is a 200 with `data.error` and costs nothing. " +
  "`Idempotency-Key` makes a call safe to repeat."

/** The tools as they are documented and called by typed clients: a path each, with its own schemas. */
export const toolsGroup = <const Specifications extends ReadonlyArray<ToolSpecification>>(
  specifications: Specifications
) =>
  HttpApiGroup.make("tools", { topLevel: true })
    .add(...endpointsOf(specifications))
    .middleware(KnownQuery)
    .middleware(KeyAuthorization)
    .middleware(AnyRequest)
    .annotate(OpenApi.Description, description)

/** The tools as they are served: one path whose last segment names the tool, or no tool at all. */
export const servedToolsGroup = HttpApiGroup.make("tools", { topLevel: true })
  .add(
    HttpApiEndpoint.post("callTool", `${toolsPath}/:name`, {
      params: { name: Schema.String },
      success: ToolAnswer,
      error: toolProblems
    })
  )
  .middleware(KnownQuery)
  .middleware(KeyAuthorization)
  .middleware(AnyRequest)
