import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { accountParams, changeProblems } from "./admin.ts"
import { AdminAuthorization, adminOperation, SessionAuthorization } from "./authorization.ts"
import { ChangeHeaders } from "./headers.ts"
import { CommonErrors, RejectUnknownQuery } from "./middleware.ts"
import { problemSchemas } from "./problem.ts"

/* Exports and erasures of an account's data. */

/** The media type of an export: JSON Lines. */
export const exportMediaType = "application/jsonl"

const ExportText = Schema.String.annotate({
  description:
    "One JSON object per line. `kind` names the kind of the line. The first line, of the kind `archive`, describes the " +
    "export, and the last line, of the kind `end`, counts the lines. An export without the last line is incomplete",
  examples: [
    "{\"kind\":\"archive\",\"format\":\"tapeline-account\",\"version\":1,\"account\":2,...}\n" +
    "{\"kind\":\"account\",\"id\":2,...}\n{\"kind\":\"end\",\"lines\":3,\"counts\":{\"account\":1,...}}\n"
  ]
}).pipe(HttpApiSchema.asText({ contentType: exportMediaType }))

export const EraseAccount = Schema.Struct({
  confirm: Schema.String.annotate({
    description:
      "The account's `external_id`, or its `name` if it has none. A request that repeats an erasure needs no confirmation"
  }).check(Schema.isMaxLength(500))
})

export const ErasureBody = Schema.Struct({
  account: Schema.Int,
  state: Schema.Literals(["running", "finished"]),
  requested_at: Schema.String,
  requested_by: Schema.String.annotate({ description: "The actor of the request, as in events" }),
  finished_at: Schema.NullOr(Schema.String).annotate({ description: "The time at which the last data was erased" }),
  leaves_backups_at: Schema.NullOr(Schema.String).annotate({
    description:
      "The time at which the last backup with the data is deleted, if backups are kept for `TAPELINE_BACKUP_DAYS`"
  }),
  kinds: Schema.Array(Schema.Struct({
    kind: Schema.String.annotate({ description: "The kind of the rows, as in exports" }),
    deleted: Schema.Int,
    redacted: Schema.Int.annotate({ description: "Number of kept rows from which personal data was removed" }),
    kept: Schema.Int.annotate({ description: "Number of kept rows; 0 while the erasure runs" }),
    reason: Schema.NullOr(Schema.String).annotate({
      description: "Why rows of the kind are kept; null if no row is kept"
    })
  }))
}).annotate({ identifier: "Erasure", description: "What an erasure deleted, and what was kept" })

/** The admin endpoints that export and erase the data of an account. */
export const adminAccountDataGroup = HttpApiGroup.make("adminAccountData")
  .add(
    HttpApiEndpoint.get("exportAccount", "/admin/v1/accounts/:id/export", {
      params: accountParams,
      success: ExportText,
      error: problemSchemas("not_found")
    }).annotateMerge(
      adminOperation("personal", {
        identifier: "exportAccount",
        summary: "Export an account's data",
        description:
          "Returns all data of an account as JSON Lines, without secrets. The response is a stream: data that changes " +
          "during the export is exported before or after its change. Records an event."
      })
    ),
    HttpApiEndpoint.post("eraseAccount", "/admin/v1/accounts/:id/erase", {
      params: accountParams,
      payload: EraseAccount,
      headers: ChangeHeaders,
      success: ErasureBody,
      error: problemSchemas(...changeProblems, "invalid_arguments", "not_found")
    }).annotateMerge(
      adminOperation("personal", {
        identifier: "eraseAccount",
        summary: "Erase an account's personal data",
        description:
          "Closes the account, and erases its personal data in the background, which cannot be undone. Amounts are kept " +
          "for accounting, without names. A repeated request returns the report, and checks again for data to erase."
      })
    ),
    HttpApiEndpoint.get("accountErasure", "/admin/v1/accounts/:id/erasure", {
      params: accountParams,
      success: ErasureBody,
      error: problemSchemas("not_found")
    }).annotateMerge(
      adminOperation("read", {
        identifier: "getErasure",
        summary: "Get the report of an erasure",
        description: "Returns what an erasure has deleted, what was kept, and whether the erasure has finished."
      })
    )
  )
  .middleware(RejectUnknownQuery)
  .middleware(AdminAuthorization)
  .middleware(CommonErrors)
  .annotate(
    OpenApi.Description,
    "Exports and erasures of accounts. Requires an admin token with the scope `x-admin-scope` of the operation."
  )

/** The endpoint with which a signed-in user exports the data of their own account. */
export const accountDataGroup = HttpApiGroup.make("accountData")
  .add(
    HttpApiEndpoint.get("exportOwnAccount", "/v1/account/export", {
      success: ExportText,
      error: problemSchemas("sign_in_again")
    }).annotateMerge(
      OpenApi.annotations({
        identifier: "exportOwnAccount",
        summary: "Export the account's data",
        description:
          "Returns all data of the signed-in account as JSON Lines, without secrets. Requires a sign-in within the last " +
          "ten minutes. Data that changes during the export is exported before or after its change."
      })
    )
  )
  .middleware(SessionAuthorization)
  .middleware(RejectUnknownQuery)
  .middleware(CommonErrors)
  .annotate(OpenApi.Description, "The data of the signed-in account. Requires a session, and rejects keys.")
