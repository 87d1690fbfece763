import { assert, layer } from "@effect/vitest"
import { makeApiWithParts, withOpenApiDocument } from "@tapeline/api"
import { Administration, type Claims } from "@tapeline/core"
import { acceptOtherDocuments } from "@tapeline/document/validateResponses"
import { createKeyedAccount } from "@tapeline/testing"
import { Effect, Layer, Tracer } from "effect"
import { OpenApi } from "effect/http-api"
import { TestClock } from "effect/testing"
import { AttemptLimits } from "../src/callers/callerLimits.ts"
import { makeBrowser, makeFakeProvider, publicUrl, visit } from "./fakeProvider.ts"
import { layerTestServer, sendRaw, sendRequest } from "./testServer.ts"
import { signInNewUser } from "./testSession.ts"
import { testTools } from "./testTools.ts"

acceptOtherDocuments(() => {
  const parts = {
    accountData: true,
    backups: true,
    administration: true,
    analyst: true,
    sessions: true,
    openId: false,
    webhooks: true
  }
  return OpenApi.fromApi(
    withOpenApiDocument(makeApiWithParts(testTools.map(({ specification }) => specification), parts))
  )
})

const start = "/v1/account/openid"
const callback = "/v1/account/openid/callback"
const stateCookie = "tapeline_openid"

type Browser = ReturnType<typeof makeBrowser>

const log: Array<string> = []
const provider = makeFakeProvider()
const highLimits = Layer.succeed(AttemptLimits, { maxPerAddress: 1_000, maxTotal: 1_000, window: "5 minutes" })

/** Begins a sign-in, and returns the URL of the provider to which the browser is redirected. */
const startSignIn = (at = makeBrowser()) =>
  Effect.map(at.visit(start), ({ location, status }) => {
    assert.strictEqual(status, 302)
    return { at, url: location! }
  })

const signIn = Effect.fnUntraced(function*(subject: string, claims: Claims = {}, at: Browser = makeBrowser()) {
  const { url } = yield* startSignIn(at)
  const answer = yield* at.visit(callback + provider.makeCallbackQuery(url, subject, claims))
  return { answer, at }
})

const account = (at: Browser) =>
  Effect.map(at.visit("/v1/account"), ({ status, text }) => status === 200 ? JSON.parse(text) : undefined)

const rejectionPath = (reason: string) => `/app/sign-in?refused=${reason}`

layer(
  layerTestServer(log, {}, { corsOrigins: [], publicUrl }, provider.layer).pipe(Layer.provide(highLimits))
)("sign-in by an OpenID provider", (it) => {
  it.effect("redirects to the provider and back, and finds the same account the next time", () =>
    Effect.gen(function*() {
      const methodsResponse = yield* sendRequest("GET", "/v1/account/ways")
      const openid = { label: "The desk", url: `${publicUrl}${start}` }
      assert.deepStrictEqual(methodsResponse.body, { openid, has_session: false })
      const at = makeBrowser()
      const first = yield* at.visit(start)
      assert.strictEqual(first.status, 302)
      const url = new URL(first.location!)
      assert.strictEqual(url.origin, "https://id.example")
      assert.strictEqual(url.searchParams.get("redirect_uri"), `${publicUrl}${callback}`)
      assert.strictEqual(url.searchParams.get("challenge"), "64 characters")
      const cookieText = first.cookies.get(stateCookie)!
      assert.strictEqual(cookieText.attributes, "HttpOnly; Max-Age=600; Path=/; SameSite=Lax")
      assert.notInclude(first.location!, cookieText.value)
      const query = provider.makeCallbackQuery(first.location!, "ada", {
        name: "Ada Lovelace",
        email: "ada@example.com"
      })
      const back = yield* at.visit(callback + query)
      assert.deepStrictEqual([back.status, back.location, back.text], [302, "/app/", ""])
      assert.strictEqual(back.headers.get("cache-control"), "no-store")
      assert.strictEqual(back.headers.get("referrer-policy"), "no-referrer")
      assert.match(back.cookies.get("tapeline_session")!.value, /^tl_sess_/)
      assert.strictEqual(
        back.cookies.get("tapeline_session")!.attributes,
        "HttpOnly; Max-Age=2592000; Path=/; SameSite=Lax"
      )
      assert.notInclude(back.cookies.get(stateCookie)!.value, cookieText.value)
      assert.strictEqual(JSON.parse((yield* at.visit("/v1/account/ways")).text).has_session, true)
      const accountBody = yield* account(at)
      assert.deepStrictEqual([accountBody.name, accountBody.plan.name, accountBody.session.signed_in_by], [
        "Ada Lovelace",
        "pro",
        "openid"
      ])
      const later = yield* signIn("ada", { name: "Countess", email: "countess@example.com", desk: "night" })
      assert.deepInclude(yield* account(later.at), { id: accountBody.id, name: "Ada Lovelace" })
      assert.notStrictEqual((yield* account((yield* signIn("charles")).at)).id, accountBody.id)
      const logText = log.join("\n")
      for (const secret of [cookieText.value, url.searchParams.get("state")!, url.searchParams.get("nonce")!]) {
        assert.notInclude(logText, secret)
      }
    }))

  it.effect("requires a new authentication for a repeated sign-in, and replaces the session", () =>
    Effect.gen(function*() {
      const { at } = yield* signIn("careful")
      const before = yield* account(at)
      yield* TestClock.adjust("11 minutes")
      const { location } = yield* at.visit(`${start}?again=true`)
      const since = Number(new URL(location!).searchParams.get("since"))
      const answer = yield* at.visit(callback + provider.makeCallbackQuery(location!, "careful"))
      assert.strictEqual(answer.location, "/app/")
      assert.deepStrictEqual(provider.authenticatedTimes.slice(-2), [null, since])
      const after = yield* account(at)
      assert.strictEqual(after.id, before.id)
      assert.strictEqual(Date.parse(after.session.created_at), since)
      assert.strictEqual(since - Date.parse(before.session.created_at), 660_000)
      const page = { "sec-fetch-site": "same-origin", cookie: `tapeline_session=${at.jar.get("tapeline_session")}` }
      const { body } = yield* sendRequest("GET", "/v1/account/sessions", { headers: page })
      assert.deepStrictEqual(
        body.sessions.map((session: { readonly ended_because: string | null }) => session.ended_because),
        ["replaced", null]
      )
      // If the browser removes `.again` from its secret, the state no longer matches, and the sign-in is rejected.
      const second = yield* at.visit(`${start}?again=true`)
      const kept = at.jar.get(stateCookie)!
      assert.match(kept, /\.again$/)
      at.jar.set(stateCookie, kept.replace(/\.again$/, ""))
      const weakened = yield* at.visit(callback + provider.makeCallbackQuery(second.location!, "careful"))
      assert.strictEqual(weakened.location, rejectionPath("elsewhere"))
      assert.strictEqual((yield* visit(`${start}?again=maybe`)).status, 400)
    }))

  it.effect("creates one account for concurrent tabs, and signs in each of up to four tabs", () =>
    Effect.gen(function*() {
      const at = makeBrowser()
      const urls = yield* Effect.replicateEffect(Effect.map(startSignIn(at), ({ url }) => url), 4)
      const jar = [...at.jar].map(([name, value]) => `${name}=${value}`).join("; ")
      const answers = yield* Effect.forEach(
        urls,
        (url) => visit(callback + provider.makeCallbackQuery(url, "tabs"), { cookie: jar }),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(answers.map(({ location }) => location), ["/app/", "/app/", "/app/", "/app/"])
      const ids = yield* Effect.forEach(answers, ({ cookies }) =>
        Effect.map(
          sendRequest("GET", "/v1/account", {
            headers: { cookie: `tapeline_session=${cookies.get("tapeline_session")!.value}` }
          }),
          ({ body }) => body.id
        ))
      assert.strictEqual(new Set(ids).size, 1)
      const five = makeBrowser()
      const [oldest, ...others] = yield* Effect.replicateEffect(Effect.map(startSignIn(five), ({ url }) => url), 5)
      assert.strictEqual(
        (yield* five.visit(callback + provider.makeCallbackQuery(oldest!, "tabs"))).location,
        rejectionPath("elsewhere")
      )
      for (const url of others) {
        assert.strictEqual((yield* five.visit(callback + provider.makeCallbackQuery(url, "tabs"))).location, "/app/")
      }
      assert.notInclude(five.jar.get(stateCookie), "tl_openid_")
    }))

  it.effect("rejects a repeated callback, even if the provider accepts its code again", () =>
    Effect.gen(function*() {
      const at = makeBrowser()
      const { url } = yield* startSignIn(at)
      const query = provider.makeCallbackQuery(url, "replayed")
      const before = at.jar.get(stateCookie)!
      assert.strictEqual((yield* at.visit(callback + query)).location, "/app/")
      const session = at.jar.get("tapeline_session")
      // The browser has deleted its cookie after the sign-in, but an attacker may have a copy of the cookie.
      const secondVisit = yield* at.visit(callback + query)
      assert.strictEqual(secondVisit.location, rejectionPath("used"))
      const copied = yield* visit(callback + query, { cookie: `${stateCookie}=${before}` })
      assert.strictEqual(copied.location, rejectionPath("used"))
      for (const { cookies } of [secondVisit, copied]) assert.isFalse(cookies.has("tapeline_session"))
      assert.strictEqual(at.jar.get("tapeline_session"), session)
      assert.isDefined(yield* account(at))
      const asked = provider.authenticationCount
      yield* startSignIn(at)
      assert.strictEqual((yield* at.visit(callback + query)).location, rejectionPath("used"))
      assert.strictEqual(provider.authenticationCount, asked)
    }))

  it.effect("rejects the callback of a sign-in that another browser began", () =>
    Effect.gen(function*() {
      const attacker = yield* startSignIn()
      const query = provider.makeCallbackQuery(attacker.url, "mallory")
      const tokenRequests = provider.authenticationCount
      // Three visitors: one without a sign-in, one with another pending sign-in, and one who is signed in.
      const visitors = [makeBrowser(), (yield* startSignIn()).at, (yield* signIn("victim")).at]
      const after = provider.authenticationCount
      for (const visitor of visitors) {
        const session = visitor.jar.get("tapeline_session")
        const answer = yield* visitor.visit(callback + query)
        assert.strictEqual(answer.location, rejectionPath("elsewhere"))
        assert.isFalse(answer.cookies.has("tapeline_session"))
        assert.strictEqual(visitor.jar.get("tapeline_session"), session)
      }
      assert.strictEqual(provider.authenticationCount, after, "the provider receives no request for these answers")
      assert.strictEqual(after, tokenRequests + 1)
      assert.strictEqual((yield* attacker.at.visit(callback + query)).location, "/app/")
    }))

  it.effect("rejects a wrong, repeated, missing or expired state", () =>
    Effect.gen(function*() {
      const { at, url } = yield* startSignIn()
      const query = provider.makeCallbackQuery(url, "late")
      const state = new URL(url).searchParams.get("state")!
      const invalidQueries = [
        query.replace(state, "0".repeat(64)),
        query.replace(state, state.toUpperCase()),
        query.replace(state, state.slice(1)),
        query.replace(`state=${state}`, ""),
        `${query}&state=${state}`,
        `${query}&state=other`,
        ""
      ]
      for (const other of invalidQueries) {
        assert.strictEqual((yield* at.visit(callback + other)).location, rejectionPath("elsewhere"))
      }
      // Only the service can create a valid cookie value, because the service checks its form and time.
      const cookieText = at.jar.get(stateCookie)!
      const [text] = cookieText.split(".")
      for (
        const invalidState of [
          text!,
          `${text}.`,
          `${text}.1`,
          `${text}.9999999999999`,
          `x${cookieText}`,
          "a~b~c~d~e~f",
          "~".repeat(99)
        ]
      ) {
        const answer = yield* visit(callback + query, { cookie: `${stateCookie}=${invalidState}` })
        assert.strictEqual(answer.location, rejectionPath("elsewhere"), invalidState)
      }
      assert.strictEqual(
        (yield* visit(callback + query, { cookie: `${stateCookie}=${cookieText}; ${stateCookie}=${cookieText}` }))
          .location,
        rejectionPath("elsewhere")
      )
      yield* TestClock.adjust(600_001)
      assert.strictEqual((yield* at.visit(callback + query)).location, rejectionPath("elsewhere"))
      const { at: timelyBrowser, url: second } = yield* startSignIn(at)
      yield* TestClock.adjust(600_000)
      assert.strictEqual(
        (yield* timelyBrowser.visit(callback + provider.makeCallbackQuery(second, "late"))).location,
        "/app/"
      )
    }))

  it.effect("rejects a code of another sign-in and a denied consent, each with its own reason", () =>
    Effect.gen(function*() {
      const one = yield* startSignIn()
      const other = yield* startSignIn()
      // The provider issued the code for another sign-in.
      const code = new URLSearchParams(provider.makeCallbackQuery(other.url, "ada")).get("code")!
      const state = new URL(one.url).searchParams.get("state")!
      assert.strictEqual(
        (yield* one.at.visit(`${callback}?${new URLSearchParams({ code, state }).toString()}`)).location,
        rejectionPath("unsound")
      )
      assert.notInclude(one.at.jar.get(stateCookie), "tl_openid_")
      const deniedSignIn = yield* startSignIn()
      const deniedQuery = new URLSearchParams({
        error: "access_denied",
        error_description: "<script>alert(1)</script>",
        state: new URL(deniedSignIn.url).searchParams.get("state")!
      })
      const answer = yield* deniedSignIn.at.visit(`${callback}?${deniedQuery.toString()}`)
      assert.strictEqual(answer.location, rejectionPath("denied"))
      assert.notInclude(answer.text, "script")
    }))

  it.effect("redirects only to the provider and to the console, whatever the request contains", () =>
    Effect.gen(function*() {
      for (const name of ["return_to", "redirect_uri", "next"]) {
        const answer = yield* visit(`${start}?${name}=https://evil.example`)
        assert.strictEqual(answer.status, 400, name)
      }
      const at = makeBrowser()
      const sent = yield* at.visit(start, { "x-forwarded-host": "evil.example", "x-forwarded-proto": "https" })
      assert.strictEqual(new URL(sent.location!).searchParams.get("redirect_uri"), `${publicUrl}${callback}`)
      const extraQuery = "&redirect_uri=https://evil.example&return_to=//evil.example&session_state=1&scope=openid"
      assert.strictEqual(
        (yield* at.visit(callback + provider.makeCallbackQuery(sent.location!, "led") + extraQuery)).location,
        "/app/"
      )
      const raw = yield* sendRaw(`GET ${start} HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n`)
      const location = /^location: (.*)\r$/im.exec(raw)?.[1] ?? ""
      assert.strictEqual(new URL(location).searchParams.get("redirect_uri"), `${publicUrl}${callback}`)
      // On a host other than the local machine, the cookie is restricted to TLS.
      assert.match(raw, /^set-cookie: __Host-tapeline_openid=tl_openid_.*; Secure/im)
    }))

  it.effect("replaces and ends a session that was planted in the browser", () =>
    Effect.gen(function*() {
      const plantedUser = yield* signInNewUser()
      const at = makeBrowser()
      at.jar.set("tapeline_session", plantedUser.jar.cookie.split("=")[1]!)
      yield* signIn("fixed", {}, at)
      assert.notStrictEqual(`tapeline_session=${at.jar.get("tapeline_session")}`, plantedUser.jar.cookie)
      assert.notStrictEqual((yield* account(at)).id, plantedUser.account.id)
      assert.strictEqual((yield* plantedUser.ask("GET", "/v1/account")).status, 401)
    }))

  it.effect("reports an unavailable provider, and signs in once the provider is back", () =>
    Effect.gen(function*() {
      const { at, url } = yield* startSignIn()
      provider.isUnavailable = true
      assert.strictEqual((yield* visit(start)).location, rejectionPath("provider_away"))
      assert.strictEqual(
        (yield* at.visit(callback + provider.makeCallbackQuery(url, "away"))).location,
        rejectionPath("provider_away")
      )
      provider.isUnavailable = false
      assert.include(log.join("\n"), "it is away")
      assert.strictEqual((yield* signIn("away", {}, at)).answer.location, "/app/")
    }))

  it.effect("logs an unavailable provider once a minute, however many requests fail", () =>
    Effect.gen(function*() {
      const countLogged = (from: number) => log.slice(from).filter((line) => line.includes("it is away")).length
      yield* TestClock.adjust("1 minute")
      provider.isUnavailable = true
      const from = log.length
      for (let i = 0; i < 5; i++) assert.strictEqual((yield* visit(start)).location, rejectionPath("provider_away"))
      assert.strictEqual(countLogged(from), 1)
      yield* TestClock.adjust("1 minute")
      yield* visit(start)
      assert.strictEqual(countLogged(from), 2)
      provider.isUnavailable = false
    }))

  it.effect("logs a flood of invalid callbacks once a minute, with their number", () =>
    Effect.gen(function*() {
      const linesSince = (from: number) =>
        log.slice(from).filter((line) => line.includes("no such code")).map((line) => JSON.parse(line).message)
      const answerInvalid = Effect.gen(function*() {
        const { at, url } = yield* startSignIn()
        const state = new URL(url).searchParams.get("state")
        assert.strictEqual((yield* at.visit(`${callback}?code=a&state=${state}`)).location, rejectionPath("unsound"))
      })
      yield* TestClock.adjust("1 minute")
      yield* answerInvalid
      yield* TestClock.adjust("1 minute")
      const from = log.length
      for (let i = 0; i < 5; i++) yield* answerInvalid
      yield* TestClock.adjust("1 minute")
      yield* answerInvalid
      const message = "The identity provider did not authenticate the user: no such code"
      assert.deepStrictEqual(linesSince(from), [message, `${message} (4 repetitions were not logged)`])
    }))

  it.effect("begins for a followed link of any site, and not for an embedded request", () =>
    Effect.gen(function*() {
      for (const site of ["same-site", "cross-site"]) {
        const embedded = yield* visit(start, { "sec-fetch-site": site, "sec-fetch-dest": "image" })
        assert.strictEqual(embedded.location, rejectionPath("elsewhere"))
        const followedLinkHeaders = { "sec-fetch-site": site, "sec-fetch-dest": "document" }
        assert.match((yield* visit(start, followedLinkHeaders)).location ?? "", /^https:\/\/id\.example\/authorize/)
      }
    }))

  it.effect("sanitizes the user's name, and takes the plan from the claim's table", () =>
    Effect.gen(function*() {
      const administration = yield* Administration
      const names: ReadonlyArray<readonly [Claims, string]> = [
        [{ name: " A\u0000d\u001ba\n Love\tlace " }, "Ada Love lace"],
        [{ name: "\u202eevil\u2066" }, "evil"],
        [{ name: "\u{1f4c8}".repeat(60) }, "\u{1f4c8}".repeat(50)],
        [{ name: `a${"\u{1f4c8}".repeat(60)}` }, `a${"\u{1f4c8}".repeat(49)}`],
        [{ name: "x".repeat(1_000_00) }, "x".repeat(100)],
        [{ name: "\ud800\u0000", preferred_username: "ada" }, "\ufffd"],
        [{ name: " \u0000\u200b ", preferred_username: "ada" }, "ada"],
        [{ name: 7, preferred_username: ["x"], email: "ada@example.com" }, "ada@example.com"],
        [{}, "OpenID"]
      ]
      for (const [i, [claims, name]] of names.entries()) {
        const { id } = yield* account((yield* signIn(`name${i}`, claims)).at)
        assert.strictEqual((yield* administration.account(id)).name, name)
      }
      const plans: ReadonlyArray<readonly [unknown, string]> = [
        ["night", "premium"],
        [["day", "night"], "premium"],
        ["day", "pro"],
        [{ night: true }, "pro"],
        [null, "pro"],
        ["__proto__", "pro"]
      ]
      for (const [i, [claimValue, plan]] of plans.entries()) {
        const accountBody = yield* account((yield* signIn(`plan${i}`, { desk: claimValue })).at)
        assert.strictEqual(accountBody.plan.name, plan, JSON.stringify(claimValue))
      }
      for (const subject of ["", "a\u0000b", "\ud800", "x".repeat(256)]) {
        assert.strictEqual((yield* signIn(subject)).answer.location, rejectionPath("unsound"))
      }
    }))
})

const spans: Array<Tracer.Span> = []
const tracer = Tracer.make({
  span: (options) => {
    const span = new Tracer.NativeSpan(options)
    spans.push(span)
    return span
  }
})
const loggedProvider = makeFakeProvider()

layer(
  layerTestServer([], {}, { corsOrigins: [], publicUrl }, loggedProvider.layer).pipe(
    Layer.provide(Layer.succeed(Tracer.Tracer, tracer))
  )
)("the trace of a sign-in", (it) => {
  it.effect("contains neither the code nor the state, the nonce and the session", () =>
    Effect.gen(function*() {
      const at = makeBrowser()
      const { location } = yield* at.visit(start)
      const query = loggedProvider.makeCallbackQuery(location!, "ada")
      assert.strictEqual((yield* at.visit(callback + query)).location, "/app/")
      const attributes = spans.map((span) => JSON.stringify(Object.fromEntries(span.attributes)))
      assert.isTrue(attributes.some((text) => text.includes(callback)))
      const secrets = [
        ...new URLSearchParams(query).values(),
        new URL(location!).searchParams.get("nonce")!,
        at.jar.get("tapeline_session")!
      ]
      for (const text of attributes) for (const secret of secrets) assert.notInclude(text, secret)
    }))
})

layer(layerTestServer())("a service without a provider", (it) => {
  it.effect("returns 404 for OpenID paths, and lists no provider", () =>
    Effect.gen(function*() {
      yield* createKeyedAccount()
      assert.deepStrictEqual((yield* sendRequest("GET", "/v1/account/ways")).body, { openid: null, has_session: false })
      for (const path of [start, callback]) assert.strictEqual((yield* visit(path)).status, 404, path)
      const document = (yield* sendRequest("GET", "/v1/openapi.json")).body
      assert.notProperty(document.paths, start)
    }))
})
