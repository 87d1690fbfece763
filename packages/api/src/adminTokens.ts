import { AdminScope, adminScopeMeanings, allAdminScopes, Name } from "@tapeline/core/engine"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { changeProblems, instant, maxId, NextCursor, PageQuery, scopeList } from "./admin.ts"
import { AdminAuthorization, adminOperation } from "./authorization.ts"
import { ChangeHeaders } from "./headers.ts"
import { CommonErrors, RejectUnknownQuery } from "./middleware.ts"
import { problemSchemas } from "./problem.ts"
import { wholeNumber } from "./wholeNumber.ts"

export const CreateAdminToken = Schema.Struct({
  name: Name.annotate({ description: "Events name the token in their `actor`, as `admin:NAME`" }),
  scopes: scopeList(AdminScope).annotate({
    description: allAdminScopes.map((scope) => `\`${scope}\`: ${adminScopeMeanings[scope]}`).join("; ")
  }),
  expires_at: Schema.optionalKey(Schema.NullOr(instant()))
})

const tokenFields = {
  id: Schema.Int,
  name: Schema.String,
  scopes: Schema.Array(AdminScope),
  created_at: Schema.String,
  created_by: Schema.String.annotate({ description: "The actor that created the token, as in events" }),
  expires_at: Schema.NullOr(Schema.String)
}

export const CreatedAdminTokenBody = Schema.Struct({
  ...tokenFields,
  token: Schema.String.annotate({ description: "The secret of the token. It cannot be read again" })
}).annotate({ identifier: "CreatedAdminToken", description: "The new token. Its secret is returned only here" })

export const AdminTokenBody = Schema.Struct({
  ...tokenFields,
  revoked_at: Schema.NullOr(Schema.String),
  last_used_at: Schema.NullOr(Schema.String).annotate({ description: "Recorded at most once a minute" })
}).annotate({ identifier: "AdminToken", description: "An admin token without its secret" })

export const AdminTokenList = Schema.Struct({ tokens: Schema.Array(AdminTokenBody), next_cursor: NextCursor }).annotate(
  {
    identifier: "AdminTokenList",
    description: "A page of admin tokens"
  }
)

/** The endpoints that manage named admin tokens. */
export const adminTokensGroup = HttpApiGroup.make("adminTokens")
  .add(
    HttpApiEndpoint.post("createAdminToken", "/admin/v1/tokens", {
      payload: CreateAdminToken,
      headers: ChangeHeaders,
      success: CreatedAdminTokenBody,
      error: problemSchemas(...changeProblems, "admin_scope_required", "admin_token_name_taken", "secret_returned")
    }).annotateMerge(
      adminOperation("keys", {
        identifier: "createAdminToken",
        summary: "Create an admin token",
        description:
          "Creates a named admin token, which can have only scopes of the token that creates it. Only this response " +
          "contains its secret."
      })
    ),
    HttpApiEndpoint.get("adminTokens", "/admin/v1/tokens", {
      query: PageQuery,
      success: AdminTokenList
    }).annotateMerge(
      adminOperation("read", {
        identifier: "listAdminTokens",
        summary: "List admin tokens",
        description:
          "Returns the named admin tokens in pages, oldest token first, including revoked and expired tokens."
      })
    ),
    HttpApiEndpoint.delete("revokeAdminToken", "/admin/v1/tokens/:id", {
      params: { id: wholeNumber(1, maxId, "The token's id") },
      headers: ChangeHeaders,
      success: HttpApiSchema.NoContent.annotate({ description: "The token is revoked" }),
      error: problemSchemas("idempotency_key_reused", "not_found")
    }).annotateMerge(
      adminOperation("keys", {
        identifier: "revokeAdminToken",
        summary: "Revoke an admin token",
        description: "Revokes an admin token permanently. All processes reject the token immediately."
      })
    )
  )
  .middleware(RejectUnknownQuery)
  .middleware(AdminAuthorization)
  .middleware(CommonErrors)
  .annotate(OpenApi.Description, "Named admin tokens.")
