import { Schema } from "effect"

// The subset of OpenAPI 3.1 that the service uses.
const Json = Schema.Record(Schema.String, Schema.Unknown)
const Text = Schema.String.check(Schema.isMinLength(1))
const Ref = Schema.Struct({ $ref: Schema.String.check(Schema.isPattern(/^#\/components\/\w+\/[\w.-]+$/)) })
const refOr = <S extends Schema.Top>(schema: S) => Schema.Union([Ref, schema])
const optional = Schema.optionalKey

const Example = Schema.Struct({
  summary: optional(Text),
  value: Schema.Unknown,
  "x-disabled": optional(Schema.Boolean)
})
const Media = Schema.Struct({
  schema: Json,
  "x-item-schema": optional(Json),
  example: optional(Schema.Unknown),
  examples: optional(Schema.Record(Schema.String, Example))
})
const Content = Schema.Record(Schema.String, Media)
const Header = Schema.Struct({ description: Text, required: Schema.Boolean, schema: Json })
const Parameter = Schema.Struct({
  name: Text,
  in: Schema.Literals(["query", "header", "path"]),
  required: Schema.Boolean,
  description: optional(Text),
  schema: Json,
  examples: optional(Schema.Record(Schema.String, Example))
})
const Response = Schema.Struct({
  description: Text,
  headers: optional(Schema.Record(Schema.String, refOr(Header))),
  "x-returned": optional(Schema.Literal(false)),
  content: optional(Content)
})
const Security = Schema.Array(Schema.Record(Schema.String, Schema.Array(Schema.String)))
const Operation = Schema.Struct({
  tags: Schema.Array(Text),
  operationId: Text,
  summary: Text,
  description: Text,
  parameters: Schema.Array(refOr(Parameter)),
  security: Security,
  requestBody: optional(Schema.Struct({ required: Schema.Boolean, content: Content })),
  responses: Schema.Record(Schema.String.check(Schema.isPattern(/^[1-5]\d\d$/)), refOr(Response)),
  "x-admin-scope": optional(Text),
  "x-area": optional(Text),
  "x-credits": Schema.Int,
  "x-scope": Schema.NullOr(Text),
  "x-scopes-any": optional(Schema.Array(Text))
})
const method = optional(Operation)

/** An OpenAPI document. Decode with `onExcessProperty: "error"`, so that unknown fields are reported. */
export const OpenApi31 = Schema.Struct({
  openapi: Schema.String.check(Schema.isPattern(/^3\.1\.\d+$/)),
  info: Schema.Struct({
    title: Text,
    version: Text,
    description: Text,
    license: Schema.Struct({ name: Text, identifier: Text }),
    contact: Schema.Struct({ name: Text })
  }),
  servers: Schema.Array(Schema.Struct({ url: Text, description: Text })).check(Schema.isMinLength(1)),
  tags: Schema.Array(Schema.Struct({ name: Text, "x-displayName": Text, description: Text })),
  "x-tagGroups": Schema.Array(Schema.Struct({ name: Text, tags: Schema.Array(Text) })),
  security: Security,
  paths: Schema.Record(
    Schema.String.check(Schema.isPattern(/^\/[^?#]*$/)),
    Schema.Struct({ get: method, post: method, patch: method, delete: method })
  ),
  components: Schema.Struct({
    schemas: Schema.Record(Schema.String.check(Schema.isPattern(/^[\w.-]+$/)), Json),
    responses: Schema.Record(Schema.String, Response),
    parameters: Schema.Record(Schema.String, Parameter),
    headers: Schema.Record(Schema.String, Header),
    securitySchemes: Schema.Record(
      Schema.String,
      Schema.Union([
        Schema.Struct({ type: Schema.Literal("http"), scheme: Schema.Literal("bearer"), description: Text }),
        Schema.Struct({ type: Schema.Literal("apiKey"), in: Schema.Literal("cookie"), name: Text, description: Text })
      ])
    )
  })
})
