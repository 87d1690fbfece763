import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { accountParams } from "./admin.ts"
import { AdminAuthorization } from "./authorization.ts"
import { CommonErrors, RejectUnknownQuery } from "./middleware.ts"
import { problemSchemas } from "./problem.ts"

/**
 * The path of the console's sign-in page. The secret of a sign-in link follows as a URL fragment, which browsers do not
 * send to servers.
 */
export const signInPath = "/app/sign-in"

export const LinkBody = Schema.Struct({
  url: Schema.String.annotate({
    description: "Opens the console, signed in. Shown here and never again; whoever has it can use it"
  }),
  expires_at: Schema.String
}).annotate({ identifier: "SignInLink", description: "The link, shown this once" })

/** The admin endpoint that creates sign-in links, available only if the engine has sessions. */
export const linksGroup = HttpApiGroup.make("links")
  .add(
    HttpApiEndpoint.post("createLink", "/admin/v1/accounts/:id/links", {
      params: accountParams,
      success: LinkBody,
      error: problemSchemas("not_found")
    }).annotateMerge(
      OpenApi.annotations({
        identifier: "createLink",
        summary: "Make a link that signs in",
        description:
          "Makes a link that signs a person in to the account, once, within a quarter of an hour. Links that were made " +
          "before stay as they are."
      })
    )
  )
  .middleware(RejectUnknownQuery)
  .middleware(AdminAuthorization)
  .middleware(CommonErrors)
  .annotate(OpenApi.Description, "Links that sign people in. Needs the administration's own token.")
