import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AnyRequest, KnownQuery } from "./middleware.ts"

/** Where the provider sends browsers back to, below the service's address. */
export const openIdCallback = "/v1/account/openid/callback"

/** Where a sign-in by the provider begins. */
export const openIdStart = "/v1/account/openid"

/**
 * Why nobody was signed in by the provider, as the page that signs in is told in its address, by `refused`: the browser
 * began no such sign-in, or too long ago; the answer was used before; the provider said no; its answer does not check;
 * nothing gives this one an account; too many attempts have failed; the provider, or the service, is away.
 */
export const refusedSignIns = [
  "elsewhere",
  "used",
  "denied",
  "unsound",
  "no_account",
  "attempts",
  "provider_away",
  "unavailable"
] as const
export type RefusedSignIn = (typeof refusedSignIns)[number]

const leads = (description: string) => HttpApiSchema.Empty(302).annotate({ description })

/** People who sign in where an OpenID Connect provider says who they are. Browsers go there; no program asks it. */
export const openIdGroup = HttpApiGroup.make("openId")
  .add(
    HttpApiEndpoint.get("beginOpenId", openIdStart, {
      success: leads("Leads to the provider; where that is away, back to the page that signs in")
    }).annotateMerge(
      OpenApi.annotations({
        identifier: "beginOpenId",
        summary: "Sign in by a provider",
        description:
          "A browser that comes here is led to the provider, which asks who its user is. A cookie, good for " +
          "ten minutes, binds the answer to this browser."
      })
    )
  )
  .middleware(KnownQuery)
  .add(
    HttpApiEndpoint.get("endOpenId", openIdCallback, {
      success: leads(
        "Leads to the console, with a session's cookie; where nobody is signed in, to the page that signs in, whose " +
          `\`refused\` says why: ${refusedSignIns.map((reason) => `\`${reason}\``).join(", ")}`
      )
    }).annotateMerge(
      OpenApi.annotations({
        identifier: "endOpenId",
        summary: "Come back from a provider",
        description:
          "Where the provider leads a browser back to, with `code` or `error`, with `state`, and with what " +
          "providers add. Opens a session, as a link does; an account is made at the first time."
      })
    )
  )
  .middleware(AnyRequest)
