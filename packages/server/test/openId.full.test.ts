import { assert, it } from "@effect/vitest"
import { ignorePaths } from "@tapeline/document/validateResponses"
import { startProgram } from "@tapeline/testing/programs"
import { Effect } from "effect"
import { fileURLToPath } from "node:url"
import { openIdModule, startListingModules } from "./support/loadedModules.ts"
import { type ServerProcess, startServer } from "./support/process.ts"
import { sendRequest } from "./support/service.ts"
import { makePglite } from "./support/testDatabases.ts"

/** The public URL in the settings. The tests replace the URL by the URL at which the server listens. */
const publicUrl = "http://localhost:8787"

const program = fileURLToPath(new URL("./support/provider.mjs", import.meta.url))

const provider = Effect.map(
  Effect.acquireRelease(
    Effect.promise(async () => {
      const { end, started } = startProgram({
        args: [program, `${publicUrl}/v1/account/openid/callback`],
        pattern: /http\S+/
      })
      return { issuer: (await started)[0], end }
    }),
    ({ end }) => Effect.promise(() => end("SIGKILL"))
  ),
  ({ issuer }) => issuer
)

const settings = (issuer: string) => ({
  TAPELINE_PUBLIC_URL: publicUrl,
  TAPELINE_OPENID_ISSUER: issuer,
  TAPELINE_OPENID_CLIENT_ID: "tapeline",
  TAPELINE_OPENID_CLIENT_SECRET: "secret-of-the-client",
  TAPELINE_OPENID_SCOPES: "openid profile",
  TAPELINE_OPENID_LABEL: "The desk",
  TAPELINE_OPENID_PLAN: "lite",
  TAPELINE_OPENID_CLAIM: "desk",
  TAPELINE_OPENID_CLAIM_PLANS: JSON.stringify({ night: "pro" })
})

/**
 * A browser that stores cookies by host and follows redirects. Requests to the public URL are sent to the server's own
 * URL.
 */
const browser = ({ address }: ServerProcess) => {
  const jars = new Map<string, Map<string, string>>()
  const at = (url: string) => url.startsWith(publicUrl) ? address + url.slice(publicUrl.length) : url
  const followRedirects = async (url: string, form?: Readonly<Record<string, string>>): Promise<Response> => {
    const target = new URL(at(url))
    if (target.origin !== address) ignorePaths(target.pathname)
    const jar = jars.get(target.host) ?? new Map<string, string>()
    jars.set(target.host, jar)
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ")
    const response = await fetch(target, {
      redirect: "manual",
      headers: { ...(cookie === "" ? {} : { cookie }), "x-tapeline-console": "1", "sec-fetch-site": "same-origin" },
      ...(form === undefined ? {} : { method: "POST", body: new URLSearchParams(form) })
    })
    for (const line of response.headers.getSetCookie()) {
      const [name = "", value = ""] = line.split(";")[0]!.split(/=(.*)/)
      if (value === "") jar.delete(name)
      else jar.set(name, value)
    }
    return response
  }
  const redirectUrl = (from: string, response: Response): string =>
    new URL(response.headers.get("location")!, at(from)).href
  return {
    followRedirects,
    signIn: async (login: string): Promise<ReadonlyArray<string>> => {
      const addresses = [`${address}/v1/account/openid`]
      for (let step = 0; step < 10; step++) {
        const from = addresses.at(-1)!
        const isInteraction = new URL(from).pathname.startsWith("/interaction/")
        const response = await followRedirects(
          from,
          isInteraction ? { prompt: "login", login, password: "x" } : undefined
        )
        if (!response.headers.has("location")) break
        addresses.push(at(redirectUrl(from, response)))
      }
      return addresses
    }
  }
}

const account = (at: ReturnType<typeof browser>, { address }: ServerProcess) =>
  Effect.promise(async () => JSON.parse(await (await at.followRedirects(`${address}/v1/account`)).text()))

it.live("the first sign-in by a provider creates an account, and later ones find it, also after a restart", () =>
  Effect.gen(function*() {
    const [database, issuer] = [yield* makePglite(), yield* provider]
    const first = yield* Effect.scoped(Effect.gen(function*() {
      const server = yield* startServer({ ...database.environment, ...settings(issuer) })
      assert.deepStrictEqual((yield* sendRequest(server, "GET", "/v1/account/ways")).body, {
        openid: { label: "The desk", url: `${publicUrl}/v1/account/openid` },
        has_session: false
      })
      const [ada, nina] = [browser(server), browser(server)]
      const signInPage = yield* Effect.promise(() => ada.signIn("ada"))
      assert.strictEqual(signInPage.at(-1), `${server.address}/app/`, signInPage.join("\n"))
      const accountBody = yield* account(ada, server)
      assert.deepStrictEqual([accountBody.name, accountBody.plan.name, accountBody.session.signed_in_by], [
        "Trader ada",
        "lite",
        "openid"
      ])
      yield* Effect.promise(() => nina.signIn("nina"))
      assert.deepInclude((yield* account(nina, server)).plan, { name: "pro" })
      const adaAgain = browser(server)
      yield* Effect.promise(() => adaAgain.signIn("ada"))
      assert.strictEqual((yield* account(adaAgain, server)).id, accountBody.id)
      // The browser repeats the callback, which is invalid because it was already used.
      const answer = signInPage.find((url) => url.includes("/callback?"))!
      const secondSignIn = yield* Effect.promise(() => ada.followRedirects(answer))
      assert.strictEqual(secondSignIn.headers.get("location"), "/app/sign-in?refused=used")
      const output = server.stdout() + server.stderr()
      for (const secret of ["secret-of-the-client", new URL(answer).searchParams.get("code")!]) {
        assert.notInclude(output, secret)
      }
      return accountBody.id
    }))
    const server = yield* startServer({ ...database.environment, ...settings(issuer) })
    const ada = browser(server)
    yield* Effect.promise(() => ada.signIn("ada"))
    assert.strictEqual((yield* account(ada, server)).id, first)
  }))

it.live(
  "the server starts without the provider, reports it as unavailable, and loads the OpenID client",
  () =>
    Effect.gen(function*() {
      const unreachable = settings("http://127.0.0.1:9")
      const { modules, server } = yield* startListingModules({ ...(yield* makePglite()).environment, ...unreachable })
      const answer = yield* Effect.promise(() => browser(server).followRedirects(`${server.address}/v1/account/openid`))
      assert.deepStrictEqual(
        [answer.status, answer.headers.get("location")],
        [302, "/app/sign-in?refused=provider_away"]
      )
      assert.isAbove(modules().filter((url) => openIdModule.test(url)).length, 3)
    })
)
