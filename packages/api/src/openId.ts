import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { CommonErrors, RejectUnknownQuery } from "./middleware.ts"

/** The path to which the OpenID provider redirects browsers after sign-in. */
export const openIdCallback = "/v1/account/openid/callback"

/** The path at which a sign-in with the OpenID provider begins. */
export const openIdStart = "/v1/account/openid"

/**
 * The reasons why a sign-in with the OpenID provider failed. The sign-in page reads the reason from the query parameter
 * `refused`.
 *
 * - `elsewhere`: this browser did not begin the sign-in, or began the sign-in too long ago.
 * - `used`: the provider's response was used before.
 * - `denied`: the provider rejected the sign-in.
 * - `unsound`: the provider's response is invalid.
 * - `no_account`: the user has no account, and no rule creates one.
 * - `attempts`: too many sign-in attempts have failed.
 * - `provider_away`, `unavailable`: the provider or the service is unavailable.
 */
export const signInFailures = [
  "elsewhere",
  "used",
  "denied",
  "unsound",
  "no_account",
  "attempts",
  "provider_away",
  "unavailable"
] as const
export type SignInFailure = (typeof signInFailures)[number]

const redirect = (description: string) => HttpApiSchema.Empty(302).annotate({ description })

/**
 * The endpoints for sign-in with an OpenID Connect provider. Browsers navigate to the sign-in endpoints; typed clients
 * do not call them.
 */
export const openIdGroup = HttpApiGroup.make("openId")
  .add(
    HttpApiEndpoint.get("beginOpenId", openIdStart, {
      success: redirect("Leads to the provider; where that is away, back to the page that signs in")
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
  .middleware(RejectUnknownQuery)
  .add(
    HttpApiEndpoint.get("endOpenId", openIdCallback, {
      success: redirect(
        "Leads to the console, with a session's cookie; where nobody is signed in, to the page that signs in, whose " +
          `\`refused\` says why: ${signInFailures.map((reason) => `\`${reason}\``).join(", ")}`
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
  .middleware(CommonErrors)
