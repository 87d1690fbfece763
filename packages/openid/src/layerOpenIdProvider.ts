import { type Asked, IdentityProvider, nameClaims, NotVouched, ProviderUnavailable } from "@tapeline/core/engine"
import { Cache, Effect, Exit, Layer, Redacted } from "effect"
import * as oidc from "openid-client"
import { boundedFetch } from "./boundedFetch.ts"
import { failureOf, unavailable } from "./failures.ts"

export interface OpenIdOptions {
  /**
   * The provider's own name: the address below which its description stands, at `/.well-known/openid-configuration`.
   * Without TLS it has to be this machine's.
   */
  readonly issuer: string
  readonly clientId: string
  /** None of a client that has no secret, and shows by PKCE alone that it is the one that asked. */
  readonly clientSecret?: Redacted.Redacted | undefined
  /** What people know the provider as. */
  readonly label: string
  /** What is asked for, separated by spaces; `openid profile email` when left out. */
  readonly scopes?: string | undefined
  /** A claim that is looked for beside those of a name. */
  readonly claim?: string | undefined
  /** How long each request to the provider may take; 5,000 ms when left out. */
  readonly timeoutMs?: number | undefined
}

/** So far apart the provider's clock and this one may be. */
const clockToleranceSeconds = 60

/** The provider's description of itself is asked for anew after this; its keys are, by the client, as they change. */
const describedFor = "1 hour"

/** A provider that did not describe itself is not asked again before this. */
const pause = "3 seconds"

/** As the provider takes it: by itself a client would show its secret in one way, and some take only the other. */
const authentication = (secret: OpenIdOptions["clientSecret"]): oidc.ClientAuth => {
  if (secret === undefined) return oidc.None()
  const [basic, post] = [oidc.ClientSecretBasic(Redacted.value(secret)), oidc.ClientSecretPost(Redacted.value(secret))]
  return (server, client, body, headers) => {
    const taken = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"]
    return (taken.includes("client_secret_basic") ? basic : post)(server, client, body, headers)
  }
}

const describe = ({ clientId, clientSecret, issuer, timeoutMs = 5_000 }: OpenIdOptions) =>
  Effect.tryPromise({
    try: () =>
      oidc.discovery(
        new URL(issuer),
        clientId,
        { [oidc.clockTolerance]: clockToleranceSeconds },
        authentication(clientSecret),
        {
          timeout: timeoutMs / 1_000,
          [oidc.customFetch]: boundedFetch,
          execute: [
            // Else what comes by TLS from the provider itself is taken without a look at who signed it.
            oidc.enableNonRepudiationChecks,
            ...(new URL(issuer).protocol === "http:" ? [oidc.allowInsecureRequests] : [])
          ]
        }
      ),
    catch: unavailable
  })

/** Claims that are wanted and not in what was signed may be where the provider tells more. */
const withUserInfo = async (
  provider: oidc.Configuration,
  token: string,
  signed: oidc.IDToken,
  claim: string | undefined
): Promise<oidc.UserInfoResponse> => {
  const isNamed = nameClaims.some((name) => signed[name] !== undefined)
  const isWhole = isNamed && (claim === undefined || signed[claim] !== undefined)
  if (isWhole || provider.serverMetadata().userinfo_endpoint === undefined) return signed
  return { ...await oidc.fetchUserInfo(provider, token, signed.sub), ...signed }
}

/** `IdentityProvider` by OpenID Connect: the authorization code flow with PKCE. It is asked when somebody signs in. */
export const layerOpenIdProvider = (options: OpenIdOptions): Layer.Layer<IdentityProvider> =>
  Layer.effect(
    IdentityProvider,
    Effect.gen(function*() {
      const described = yield* Cache.makeWith((_: "provider") => describe(options), {
        capacity: 1,
        timeToLive: (exit) => Exit.isSuccess(exit) ? describedFor : pause
      })
      const provider = Cache.get(described, "provider")
      return IdentityProvider.of({
        label: options.label,
        authorize: Effect.fnUntraced(function*({ nonce, redirectUri, state, verifier }: Asked) {
          const known = yield* provider
          const url = yield* Effect.tryPromise({
            try: async () =>
              oidc.buildAuthorizationUrl(known, {
                redirect_uri: redirectUri,
                scope: options.scopes ?? "openid profile email",
                state,
                nonce,
                code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
                code_challenge_method: "S256"
              }),
            catch: unavailable
          })
          if (url.protocol === "https:" || url.protocol === new URL(options.issuer).protocol) return url.href
          return yield* new ProviderUnavailable({
            reason: "the address at which it signs people in is one without TLS"
          })
        }),
        vouch: Effect.fnUntraced(function*({ nonce, redirectUri, state, verifier }: Asked, query: string) {
          const known = yield* provider
          const back = new URL(redirectUri)
          back.search = query
          const vouched = yield* Effect.tryPromise({
            try: async () => {
              const tokens = await oidc.authorizationCodeGrant(known, back, {
                expectedState: state,
                expectedNonce: nonce,
                pkceCodeVerifier: verifier,
                idTokenExpected: true
              })
              const signed = tokens.claims()
              return signed === undefined
                ? undefined
                : { signed, claims: await withUserInfo(known, tokens.access_token, signed, options.claim) }
            },
            catch: failureOf
          })
          if (vouched === undefined) return yield* new NotVouched({ how: "unsound", reason: "it gave no word" })
          const { claims, signed: { iss, sub } } = vouched
          return { issuer: iss, subject: sub, claims }
        })
      })
    })
  )
