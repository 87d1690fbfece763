import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { accountParams } from "./admin.ts"
import { AdminAuthorization, adminOperation } from "./authorization.ts"
import { ChangeHeaders } from "./headers.ts"
import { CommonErrors, RejectUnknownQuery } from "./middleware.ts"
import { problemSchemas } from "./problem.ts"

/**
 * The path of the sign-in page. A sign-in link contains its secret in the URL fragment, because browsers do not send
 * fragments to servers.
 */
export const signInPath = "/app/sign-in"

export const LinkBody = Schema.Struct({
  url: Schema.String.annotate({
    description:
      "Opens the console, signed in to the account. Anyone with the link can use it, and it cannot be read again"
  }),
  expires_at: Schema.String
}).annotate({ identifier: "SignInLink", description: "The new link, which is returned only here" })

/** The admin endpoint that creates sign-in links, available only if the engine has sessions. */
export const linksGroup = HttpApiGroup.make("links")
  .add(
    HttpApiEndpoint.post("createLink", "/admin/v1/accounts/:id/links", {
      params: accountParams,
      headers: ChangeHeaders,
      success: LinkBody,
      error: problemSchemas("idempotency_key_reused", "not_found", "secret_returned")
    }).annotateMerge(
      adminOperation("write", {
        identifier: "createLink",
        summary: "Create a sign-in link",
        description:
          "Creates a link that signs a user in to the account. The link works once, within 15 minutes. Earlier links " +
          "stay valid."
      })
    )
  )
  .middleware(RejectUnknownQuery)
  .middleware(AdminAuthorization)
  .middleware(CommonErrors)
  .annotate(OpenApi.Description, "Sign-in links. Requires an admin token.")
