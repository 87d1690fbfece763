import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { CommonErrors, RejectUnknownQuery } from "./middleware.ts"

/** The path to which the OpenID provider redirects browsers after sign-in. */
export const openIdCallback = "/v1/account/openid/callback"

/** The path at which a sign-in with the OpenID provider begins. */
export const openIdStart = "/v1/account/openid"

/**
 * The reasons why a sign-in with the OpenID provider failed, as in the query parameter `refused` of the sign-in page.
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

/** The endpoints for sign-in with an OpenID Connect provider, to which browsers navigate. */
export const openIdGroup = HttpApiGroup.make("openId")
  .add(
    HttpApiEndpoint.get("beginOpenId", openIdStart, {
      query: {
        again: Schema.optionalKey(
          Schema.Literal("true").annotate({
            description: "The provider must authenticate the user again, even if it remembers the user"
          })
        )
      },
      success: redirect("Redirects to the provider, or back to the sign-in page if the provider is unavailable")
    }).annotateMerge(
      OpenApi.annotations({
        identifier: "beginOpenId",
        summary: "Start a sign-in with the provider",
        description:
          "Redirects the browser to the OpenID Connect provider, which authenticates the user. A cookie, valid for ten " +
          "minutes, binds the provider's response to this browser."
      })
    )
  )
  .middleware(RejectUnknownQuery)
  .add(
    HttpApiEndpoint.get("endOpenId", openIdCallback, {
      success: redirect(
        "Redirects to the console with a session cookie. If the sign-in failed, redirects to the sign-in page with the " +
          `reason in the query parameter \`refused\`: ${signInFailures.map((reason) => `\`${reason}\``).join(", ")}`
      )
    }).annotateMerge(
      OpenApi.annotations({
        identifier: "endOpenId",
        summary: "Complete a sign-in with the provider",
        description:
          "The provider redirects the browser to this address, with `code` or `error`, `state`, and the provider's own " +
          "parameters. Opens a session. The first sign-in of a user creates an account, if the rules for new accounts allow it."
      })
    )
  )
  .middleware(CommonErrors)
