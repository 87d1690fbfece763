import { type Claims, IdentityProvider, NotVouched, ProviderSignIn, ProviderUnavailable } from "@tapeline/core"
import { Effect, Layer } from "effect"
import { HttpServer } from "effect/http"

export const publicUrl = "http://localhost:8787"

/**
 * Creates an OpenID provider in the test process. The test chooses the authenticated user, and each code can be used
 * several times.
 */
export const makeFakeProvider = () => {
  const codes = new Map<string, { readonly nonce: string | null; readonly subject: string; readonly claims: Claims }>()
  const authenticatedTimes: Array<number | null> = []
  let isUnavailable = false
  let authenticationCount = 0
  const failIfUnavailable = Effect.suspend(() =>
    isUnavailable ? Effect.fail(new ProviderUnavailable({ reason: "it is away" })) : Effect.void
  )
  const service = IdentityProvider.of({
    label: "The desk",
    authorize: ({ authenticatedSince, nonce, redirectUri, state, verifier }) =>
      Effect.map(failIfUnavailable, () => {
        const challenge = `${verifier.length} characters`
        const again = authenticatedSince === null ? {} : { since: String(authenticatedSince) }
        const query = new URLSearchParams({ state, nonce, challenge, redirect_uri: redirectUri, ...again })
        return `https://id.example/authorize?${query.toString()}`
      }),
    authenticate: Effect.fnUntraced(function*({ authenticatedSince, nonce }, query) {
      authenticationCount++
      authenticatedTimes.push(authenticatedSince)
      yield* failIfUnavailable
      const parameters = new URLSearchParams(query)
      if (parameters.get("error") === "access_denied") {
        return yield* new NotVouched({ how: "denied", reason: "access_denied" })
      }
      const codeRecord = codes.get(parameters.get("code") ?? "")
      if (codeRecord?.nonce !== nonce) return yield* new NotVouched({ how: "unsound", reason: "no such code" })
      return { issuer: "https://id.example", subject: codeRecord.subject, claims: codeRecord.claims }
    })
  })
  return {
    layer: ProviderSignIn.layer({
      redirectUri: `${publicUrl}/v1/account/openid/callback`,
      beginUrl: `${publicUrl}/v1/account/openid`,
      plan: "pro",
      planClaim: { claim: "desk", plans: { night: "premium" } }
    }).pipe(Layer.provide(Layer.succeed(IdentityProvider, service))),
    /** Returns the query string of the redirect from the provider back to the service, with a code for a user. */
    makeCallbackQuery: (url: string, subject: string, claims: Claims = {}) => {
      const query = new URL(url).searchParams
      const code = `code${codes.size}`
      codes.set(code, { nonce: query.get("nonce"), subject, claims })
      return `?${new URLSearchParams({ code, state: query.get("state") ?? "" }).toString()}`
    },
    set isUnavailable(isUnavailableNow: boolean) {
      isUnavailable = isUnavailableNow
    },
    /** The `authenticatedSince` of each authentication that the service requested. */
    authenticatedTimes,
    /** The number of codes that the service has exchanged at the provider. */
    get authenticationCount() {
      return authenticationCount
    }
  }
}

/** Returns the cookies that a response sets, by name, with their values and attributes. */
const parseCookies = (headers: Headers) =>
  new Map(
    headers.getSetCookie().map((line) => {
      const [pair = "", ...attributes] = line.split("; ")
      const separator = pair.indexOf("=")
      return [pair.slice(0, separator), {
        value: pair.slice(separator + 1),
        attributes: attributes.toSorted().join("; ")
      }] as const
    })
  )

/** Requests a URL as a browser does, without following a redirect. */
export const visit = Effect.fnUntraced(function*(path: string, headers: Readonly<Record<string, string>> = {}) {
  const { address } = yield* HttpServer.HttpServer
  const response = yield* Effect.promise((signal) =>
    fetch(`${HttpServer.formatAddress(address)}${path}`, {
      signal,
      redirect: "manual",
      headers: { "sec-fetch-site": "cross-site", "sec-fetch-dest": "document", ...headers }
    })
  )
  const text = yield* Effect.promise(() => response.text())
  return {
    status: response.status,
    headers: response.headers,
    location: response.headers.get("location"),
    cookies: parseCookies(response.headers),
    text
  }
})

export const makeBrowser = () => {
  const jar = new Map<string, string>()
  return {
    jar,
    visit: (path: string, headers: Readonly<Record<string, string>> = {}) =>
      Effect.tap(
        Effect.suspend(() =>
          visit(path, { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; "), ...headers })
        ),
        ({ cookies }) =>
          Effect.sync(() => {
            for (const [name, { value }] of cookies) {
              if (value === "") jar.delete(name)
              else jar.set(name, value)
            }
          })
      )
  }
}
