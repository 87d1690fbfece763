import {
  IdentityProvider,
  nameClaims,
  NotVouched,
  ProviderUnavailable,
  type SignInParameters
} from "@tapeline/core/engine"
import { Cache, Effect, Exit, Layer, Redacted } from "effect"
import * as oidc from "openid-client"
import { boundedFetch } from "./boundedFetch.ts"
import { toProviderUnavailable, toSignInFailure } from "./errors.ts"

export interface OpenIdOptions {
  /**
   * The provider's issuer URL, under which the metadata is at `/.well-known/openid-configuration`. The issuer URL must
   * use TLS unless the host is the local machine.
   */
  readonly issuer: string
  readonly clientId: string
  /** The client secret. A public client has no secret and uses only PKCE. */
  readonly clientSecret?: Redacted.Redacted | undefined
  /** The provider's name that users see. */
  readonly label: string
  /** The requested scopes, separated by spaces; `openid profile email` by default. */
  readonly scopes?: string | undefined
  /** The name of a claim to request in addition to the user's name. */
  readonly claim?: string | undefined
  /** The timeout of each request to the provider, in ms; 5,000 by default. */
  readonly timeoutMs?: number | undefined
}

/** The tolerated difference between the provider's clock and the local clock, in seconds. */
const clockToleranceSeconds = 60

/** Returns the earliest accepted `auth_time` of a user who must authenticate after a time (epoch ms). */
const earliest = (authenticatedSince: number): number => Math.floor(authenticatedSince / 1_000) - clockToleranceSeconds

/** The time for which the provider's metadata is cached. The client library caches the provider's keys separately. */
const metadataTtl = "1 hour"

/** The minimum time between a failed request for the metadata and the next request. */
const failedMetadataTtl = "3 seconds"

/** Returns a client authentication method that the provider supports. */
const makeClientAuthentication = (secret: OpenIdOptions["clientSecret"]): oidc.ClientAuth => {
  if (secret === undefined) return oidc.None()
  const [basic, post] = [oidc.ClientSecretBasic(Redacted.value(secret)), oidc.ClientSecretPost(Redacted.value(secret))]
  return (server, client, body, headers) => {
    const supportedMethods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"]
    return (supportedMethods.includes("client_secret_basic") ? basic : post)(server, client, body, headers)
  }
}

const fetchMetadata = ({ clientId, clientSecret, issuer, timeoutMs = 5_000 }: OpenIdOptions) =>
  Effect.tryPromise({
    try: () =>
      oidc.discovery(
        new URL(issuer),
        clientId,
        { [oidc.clockTolerance]: clockToleranceSeconds },
        makeClientAuthentication(clientSecret),
        {
          timeout: timeoutMs / 1_000,
          [oidc.customFetch]: boundedFetch,
          execute: [
            // Without `enableNonRepudiationChecks`, the client does not verify the signatures of tokens that it
            // receives from the provider over TLS.
            oidc.enableNonRepudiationChecks,
            ...(new URL(issuer).protocol === "http:" ? [oidc.allowInsecureRequests] : [])
          ]
        }
      ),
    catch: toProviderUnavailable
  })

/**
 * Returns the claims of the ID token. If the ID token contains no name or lacks `claim`, adds the claims of the user
 * info endpoint.
 */
const withUserInfo = async (
  provider: oidc.Configuration,
  token: string,
  idToken: oidc.IDToken,
  claim: string | undefined
): Promise<oidc.UserInfoResponse> => {
  const isNamed = nameClaims.some((name) => idToken[name] !== undefined)
  const isComplete = isNamed && (claim === undefined || idToken[claim] !== undefined)
  if (isComplete || provider.serverMetadata().userinfo_endpoint === undefined) return idToken
  return { ...await oidc.fetchUserInfo(provider, token, idToken.sub), ...idToken }
}

/**
 * Implements `IdentityProvider` with the authorization code flow and PKCE. The layer sends no request to the provider
 * before the first sign-in.
 */
export const layerOpenIdProvider = (options: OpenIdOptions): Layer.Layer<IdentityProvider> =>
  Layer.effect(
    IdentityProvider,
    Effect.gen(function*() {
      const metadataCache = yield* Cache.makeWith((_: "provider") => fetchMetadata(options), {
        capacity: 1,
        timeToLive: (exit) => Exit.isSuccess(exit) ? metadataTtl : failedMetadataTtl
      })
      const provider = Cache.get(metadataCache, "provider")
      return IdentityProvider.of({
        label: options.label,
        authorize: Effect.fnUntraced(function*(parameters: SignInParameters) {
          const { authenticatedSince, nonce, redirectUri, state, verifier } = parameters
          const configuration = yield* provider
          const url = yield* Effect.tryPromise({
            try: async () =>
              oidc.buildAuthorizationUrl(configuration, {
                redirect_uri: redirectUri,
                scope: options.scopes ?? "openid profile email",
                state,
                nonce,
                code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
                code_challenge_method: "S256",
                ...(authenticatedSince === null ? {} : { prompt: "login", max_age: "0" })
              }),
            catch: toProviderUnavailable
          })
          if (url.protocol === "https:" || url.protocol === new URL(options.issuer).protocol) return url.href
          return yield* new ProviderUnavailable({
            reason: "the sign-in address of the provider does not use TLS"
          })
        }),
        authenticate: Effect.fnUntraced(
          function*(parameters: SignInParameters, query: string) {
            const { authenticatedSince, nonce, redirectUri, state, verifier } = parameters
            const configuration = yield* provider
            const callbackUrl = new URL(redirectUri)
            callbackUrl.search = query
            const verified = yield* Effect.tryPromise({
              try: async () => {
                const tokens = await oidc.authorizationCodeGrant(configuration, callbackUrl, {
                  expectedState: state,
                  expectedNonce: nonce,
                  pkceCodeVerifier: verifier,
                  idTokenExpected: true
                })
                const idToken = tokens.claims()
                return idToken === undefined
                  ? undefined
                  : {
                    signed: idToken,
                    claims: await withUserInfo(configuration, tokens.access_token, idToken, options.claim)
                  }
              },
              catch: toSignInFailure
            })
            if (verified === undefined) {
              return yield* new NotVouched({ how: "unsound", reason: "the provider returned no ID token" })
            }
            const { claims, signed: { auth_time, iss, sub } } = verified
            if (authenticatedSince !== null && auth_time !== undefined && auth_time < earliest(authenticatedSince)) {
              return yield* new NotVouched({
                how: "unsound",
                reason: "the provider did not authenticate the user again, although the request had `prompt=login`"
              })
            }
            return { issuer: iss, subject: sub, claims }
          }
        )
      })
    })
  )
