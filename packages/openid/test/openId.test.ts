import { assert, it } from "@effect/vitest"
import { IdentityProvider, type SignInParameters } from "@tapeline/core/engine"
import { layerOpenIdProvider, type OpenIdOptions } from "@tapeline/openid"
import { isFullRun } from "@tapeline/testing/fullRun"
import { Effect, Layer, Redacted } from "effect"
import { type ProviderBehavior, startTestProvider } from "./support/testProvider.ts"

const redirectUri = "https://tapeline.example/v1/account/openid/callback"
const parameters: SignInParameters = {
  redirectUri,
  state: "s".repeat(64),
  nonce: "n".repeat(64),
  verifier: "v".repeat(64),
  authenticatedSince: null
}
const answer = `?${new URLSearchParams({ code: "a-code", state: parameters.state }).toString()}`

const over = Effect.fnUntraced(function*(options: Partial<OpenIdOptions> = {}) {
  const provider = yield* startTestProvider
  provider.nonce = parameters.nonce
  const layer = layerOpenIdProvider({
    issuer: provider.url,
    clientId: "tapeline",
    clientSecret: Redacted.make("a secret+/"),
    label: "Desk",
    timeoutMs: 500,
    ...options
  })
  const adapter = yield* Effect.provideContext(IdentityProvider, yield* Layer.build(layer))
  return { provider, adapter, authenticate: (query = answer) => adapter.authenticate(parameters, query) }
})

/** Returns the reason of the rejected sign-in, and checks that the error message contains no secret. */
const refusalOf = (behavior: ProviderBehavior, query = answer, options: Partial<OpenIdOptions> = {}) =>
  Effect.scoped(Effect.gen(function*() {
    const { provider, authenticate } = yield* over(options)
    provider.behavior = behavior
    const error = yield* Effect.flip(authenticate(query))
    assert.notMatch(error.message, /<|secret|a-code/)
    return error._tag === "NotVouched" ? error.how : error._tag
  }))

it.live("redirects to the provider with state, nonce and challenge, and accepts a valid response", () =>
  Effect.scoped(Effect.gen(function*() {
    const { adapter, provider, authenticate } = yield* over({ scopes: "openid groups" })
    const url = new URL(yield* adapter.authorize(parameters))
    assert.strictEqual(`${url.origin}${url.pathname}`, `${provider.url}/authorize`)
    const challenge = Buffer.from(
      yield* Effect.promise(() => crypto.subtle.digest("SHA-256", new TextEncoder().encode(parameters.verifier)))
    ).toString("base64url")
    assert.deepStrictEqual(Object.fromEntries(url.searchParams), {
      client_id: "tapeline",
      response_type: "code",
      redirect_uri: redirectUri,
      scope: "openid groups",
      state: parameters.state,
      nonce: parameters.nonce,
      code_challenge: challenge,
      code_challenge_method: "S256"
    })
    provider.behavior = { claims: { name: "Ada", groups: ["desk"] } }
    const identity = yield* authenticate(`${answer}&session_state=x&scope=openid`)
    assert.deepStrictEqual([identity.issuer, identity.subject], [provider.url, "ada"])
    assert.deepInclude(identity.claims, { name: "Ada", groups: ["desk"] })
    const token = provider.requests.find(({ path }) => path === "/token")!
    assert.deepStrictEqual(Object.fromEntries(new URLSearchParams(token.body)), {
      grant_type: "authorization_code",
      code: "a-code",
      redirect_uri: redirectUri,
      code_verifier: parameters.verifier
    })
    assert.strictEqual(token.authorization, `Basic ${Buffer.from("tapeline:a+secret%2B%2F").toString("base64")}`)
    // The adapter requests the metadata only once. The user info endpoint is not requested, because the ID token
    // contains a name.
    const paths = provider.requests.map(({ path }) => path)
    assert.deepStrictEqual(paths, ["/.well-known/openid-configuration", "/token", "/keys"])
  })))

it.live("requests a new authentication for a repeated sign-in, and rejects an earlier authentication", () =>
  Effect.scoped(Effect.gen(function*() {
    const { adapter, provider, authenticate } = yield* over()
    const beganAt = Date.now()
    const again: SignInParameters = { ...parameters, authenticatedSince: beganAt }
    const { searchParams } = new URL(yield* adapter.authorize(again))
    assert.deepStrictEqual([searchParams.get("prompt"), searchParams.get("max_age")], ["login", "0"])
    const authenticatedAt = (auth_time: number | undefined, parameters: SignInParameters) => {
      provider.behavior = { claims: { name: "Ada", auth_time } }
      return Effect.result(adapter.authenticate(parameters, answer))
    }
    const now = Math.floor(beganAt / 1_000)
    // The adapter accepts a clock difference of one minute.
    for (const auth_time of [undefined, now, now + 30, now - 59]) {
      assert.strictEqual((yield* authenticatedAt(auth_time, again))._tag, "Success", String(auth_time))
    }
    for (const auth_time of [now - 61, now - 3_600, 0]) {
      const rejected = yield* Effect.flip(Effect.fromResult(yield* authenticatedAt(auth_time, again)))
      assert.deepInclude(rejected, { _tag: "NotVouched", how: "unsound" })
      assert.include(rejected.message, "prompt=login")
    }
    assert.strictEqual((yield* authenticatedAt(now - 3_600, parameters))._tag, "Success")
    assert.strictEqual(yield* Effect.map(authenticate(), ({ subject }) => subject), "ada")
  })))

it.live("sends the client secret by the provider's method, and no secret if none is set", () =>
  Effect.scoped(Effect.gen(function*() {
    const post = yield* over()
    post.provider.behavior = { metadata: { token_endpoint_auth_methods_supported: ["client_secret_post"] } }
    yield* post.authenticate()
    const postTokenRequest = post.provider.requests.find(({ path }) => path === "/token")!
    assert.strictEqual(new URLSearchParams(postTokenRequest.body).get("client_secret"), "a secret+/")
    assert.isUndefined(postTokenRequest.authorization)
    const open = yield* over({ clientSecret: undefined })
    yield* open.authenticate()
    const publicTokenRequest = open.provider.requests.find(({ path }) => path === "/token")!
    assert.strictEqual(new URLSearchParams(publicTokenRequest.body).get("client_id"), "tapeline")
    assert.isFalse(new URLSearchParams(publicTokenRequest.body).has("client_secret"))
  })))

it.live("requests user info for a missing name or plan claim, and keeps the signed claims", () =>
  Effect.scoped(Effect.gen(function*() {
    const { provider, authenticate } = yield* over({ claim: "tier" })
    assert.deepInclude((yield* authenticate()).claims, { name: "Ada Lovelace" })
    provider.behavior = { claims: { name: "Ada" }, userInfo: { name: "Eve", tier: "gold" } }
    assert.deepInclude((yield* authenticate()).claims, { name: "Ada", tier: "gold" })
    provider.behavior = { userInfo: { sub: "eve" } }
    const another = yield* Effect.flip(authenticate())
    assert.deepInclude(another, { _tag: "NotVouched", how: "unsound" })
    provider.behavior = { failing: "/userinfo" }
    assert.strictEqual((yield* Effect.flip(authenticate()))._tag, "ProviderUnavailable")
  })))

const seconds = (from: number) => Math.floor(Date.now() / 1_000) + from

it.live("rejects an ID token of another client, sign-in, time or issuer, or with a wrong signature", () =>
  Effect.gen(function*() {
    const invalidResponses: Readonly<Record<string, ProviderBehavior>> = {
      "another client": { claims: { aud: "another" } },
      "several clients, with another authorized party": { claims: { aud: ["tapeline", "another"], azp: "another" } },
      "no client": { claims: { aud: undefined } },
      "another sign-in": { claims: { nonce: "m".repeat(64) } },
      "no sign-in": { claims: { nonce: undefined } },
      "another provider": { claims: { iss: "https://id.example" } },
      "no subject": { claims: { sub: undefined } },
      "a time that has passed": { claims: { exp: seconds(-61) } },
      "a time to come": { claims: { nbf: seconds(90) } },
      "no expiry": { claims: { exp: undefined } },
      "signed by another key": { signedBy: "other" },
      "not signed": { signedBy: "nothing" },
      "a rejected code": { tokenError: { error: "invalid_grant", error_description: "<script>secret" } }
    }
    for (const [name, behavior] of Object.entries(invalidResponses)) {
      assert.strictEqual(yield* refusalOf({ ...behavior }), "unsound", name)
    }
  }))

it.live("tolerates a clock that is almost a minute off", () =>
  Effect.scoped(Effect.gen(function*() {
    const { provider, authenticate } = yield* over()
    for (const claims of [{ exp: seconds(-50) }, { nbf: seconds(50) }, { iat: seconds(50) }]) {
      provider.behavior = { claims }
      assert.strictEqual((yield* authenticate()).subject, "ada")
    }
  })))

it.live.runIf(isFullRun)(
  "reports a silent, failing or invalid provider as unavailable, without its text",
  () =>
    Effect.gen(function*() {
      const description = "/.well-known/openid-configuration"
      for (const path of [description, "/token", "/keys"]) {
        for (const behaviorName of ["silent", "failing", "huge", "notJson"]) {
          const errorKind = yield* refusalOf({ [behaviorName]: path })
          assert.strictEqual(errorKind, "ProviderUnavailable", `${behaviorName} ${path}`)
        }
      }
      const invalidResponses: ReadonlyArray<ProviderBehavior> = [
        { tokenError: { error: "invalid_client" } },
        { tokenError: { error: "<script>secret</script>" } },
        { metadata: { issuer: "https://id.example" } },
        { metadata: { token_endpoint: undefined } }
      ]
      for (const behavior of invalidResponses) {
        assert.strictEqual(yield* refusalOf(behavior), "ProviderUnavailable", JSON.stringify(behavior))
      }
      assert.strictEqual(yield* refusalOf({}, answer, { issuer: "http://127.0.0.1:9" }), "ProviderUnavailable")
    })
)

it.live.runIf(isFullRun)(
  "retries an unavailable provider after a pause, with one request for concurrent sign-ins",
  () =>
    Effect.scoped(Effect.gen(function*() {
      const { adapter, provider } = yield* over()
      provider.behavior = { failing: "/.well-known/openid-configuration" }
      const failures = yield* Effect.all(Array.from({ length: 5 }, () => Effect.flip(adapter.authorize(parameters))), {
        concurrency: "unbounded"
      })
      assert.strictEqual(failures.length, 5)
      assert.strictEqual(provider.requests.length, 1)
      provider.behavior = {}
      // After a failure, the provider is requested again only after a pause.
      assert.strictEqual((yield* Effect.flip(adapter.authorize(parameters)))._tag, "ProviderUnavailable")
      yield* Effect.eventually(Effect.delay(adapter.authorize(parameters), 100))
      assert.strictEqual(provider.requests.length, 2)
    }))
)

it.live("rejects a callback that reports an error, is malformed, or belongs to another sign-in", () =>
  Effect.gen(function*() {
    const query = (values: Record<string, string>) =>
      `?${new URLSearchParams({ state: parameters.state, ...values }).toString()}`
    const cases: ReadonlyArray<readonly [string, string]> = [
      [query({ error: "access_denied", error_description: "<script>secret" }), "denied"],
      [query({ error: "login_required" }), "denied"],
      [query({ error: "temporarily_unavailable" }), "ProviderUnavailable"],
      [query({ error: "<script>secret" }), "ProviderUnavailable"],
      [query({ code: "a-code", state: "other" }), "unsound"],
      [query({ code: "a-code", iss: "https://id.example" }), "unsound"],
      [query({}), "unsound"],
      [`${answer}&code=another`, "unsound"],
      [`${answer}&state=${parameters.state}`, "unsound"],
      ["", "unsound"]
    ]
    for (const [behavior, errorKind] of cases) assert.strictEqual(yield* refusalOf({}, behavior), errorKind, behavior)
  }))

it.live("rejects an authorization address that is not a web address", () =>
  Effect.scoped(Effect.gen(function*() {
    const { adapter, provider } = yield* over()
    provider.behavior = { metadata: { authorization_endpoint: "javascript:alert(1)" } }
    assert.strictEqual((yield* Effect.flip(adapter.authorize(parameters)))._tag, "ProviderUnavailable")
  })))
