import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { accountParams } from "./admin.ts"
import { AdminAuthorization } from "./authorization.ts"
import { CommonErrors, RejectUnknownQuery } from "./middleware.ts"
import { problemSchemas } from "./problem.ts"

/** The page on which a user signs in. A link's text follows as a fragment, which browsers do not send. */
export const signInPath = "/app/sign-in"

export const LinkBody = Schema.Struct({
  url: Schema.String.annotate({
    description: "Opens the console, signed in. Shown here and never again; whoever has it can use it"
  }),
  expires_at: Schema.String
}).annotate({ identifier: "SignInLink", description: "The link, shown this once" })

/** The admin API for users who sign in. Only an engine with sessions has it. */
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
