import { FailureCode, type ToolSpecification } from "@tapeline/core/specifications"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { KeyAuthorization } from "./authorization.ts"
import { problems } from "./problem.ts"

/** The `data` of a call that was made properly and could not be answered. */
export const FailedCall = Schema.Struct({
  error: Schema.Struct({ code: FailureCode, message: Schema.String, retryable: Schema.Boolean })
}).annotate({ identifier: "FailedCall" })

/** The answer to every tool call that was made properly. */
export const envelopeOf = <Result extends Schema.Codec<unknown, unknown>>(tool: string, result: Result) =>
  Schema.Struct({
    tool: Schema.Literal(tool),
    credits_used: Schema.Int.annotate({ description: "Credits charged for this call; 0 when it failed" }),
    credits_left: Schema.optionalKey(Schema.Int.annotate({ description: "Credits remaining in the month" })),
    took_ms: Schema.optionalKey(Schema.Int.annotate({ description: "Duration in milliseconds" })),
    data: Schema.Union([result, FailedCall])
  })

/** Headers that any tool call may carry; documented, and read by the server itself. */
const callHeaders = [
  {
    name: "Idempotency-Key",
    in: "header",
    required: false,
    schema: { type: "string", minLength: 1, maxLength: 128 },
    description: "A repeat within 24 hours returns the first answer and is charged once."
  },
  {
    name: "X-Lang",
    in: "header",
    required: false,
    schema: { type: "string", enum: ["en", "ko", "ru"] },
    description: "Language of messages; English by default."
  }
]

const toolEndpoint = <S extends ToolSpecification>(specification: S) =>
  HttpApiEndpoint.post(specification.name as S["name"], `/v1/tools/${specification.name as S["name"]}`, {
    payload: specification.parameters,
    success: envelopeOf(specification.name, specification.result as S["result"]),
    error: problems
  }).annotateMerge(OpenApi.annotations({
    identifier: specification.name,
    summary: specification.name,
    description: specification.summary,
    transform: (operation) => ({
      ...operation,
      parameters: [...(operation["parameters"] ?? []), ...callHeaders],
      requestBody: withExample(operation["requestBody"], specification.example),
      "x-area": specification.area,
      "x-credits": specification.credits,
      "x-required-scope": specification.scope
    })
  }))

/** A body may be left out where no argument is required; the example is one that works. */
const withExample = (body: Record<string, any>, example: unknown) => {
  const media = body["content"]["application/json"]
  return {
    ...body,
    required: (media.schema.required ?? []).length > 0,
    content: { "application/json": { ...media, example } }
  }
}

type ToolEndpoint<S extends ToolSpecification> = S extends ToolSpecification ? ReturnType<typeof toolEndpoint<S>>
  : never

/** A path per tool, and one that answers for every name that is not a tool's. */
export const toolsGroup = <const Specifications extends ReadonlyArray<ToolSpecification>>(
  specifications: Specifications
) =>
  HttpApiGroup.make("tools", { topLevel: true })
    .add(
      HttpApiEndpoint.post("unknownTool", "/v1/tools/:name", {
        params: { name: Schema.String },
        success: envelopeOf("", Schema.Unknown),
        error: problems
      }).annotate(OpenApi.Exclude, true),
      ...specifications.map((specification) => toolEndpoint(specification) as ToolEndpoint<Specifications[number]>)
    )
    .middleware(KeyAuthorization)
    .annotate(
      OpenApi.Description,
      "One path per tool. A call that cannot be answered is a 200 with `data.error` and costs nothing."
    )
