import { Sessions } from "@tapeline/core"
import { createKeyedAccount } from "@tapeline/testing"
import { Effect, Redacted } from "effect"
import { sendRequest } from "./testServer.ts"

/** The headers of a request from a page of the service: the browser's headers, and the header that the page adds. */
export const samePageHeaders = { "sec-fetch-site": "same-origin", "x-tapeline-console": "1" }

type TestResponse = Effect.Success<ReturnType<typeof sendRequest>>

export const cookieFrom = ({ headers }: TestResponse): string | undefined => headers.get("set-cookie")?.split(";")[0]

export const createSignInLink = (account: number) =>
  Effect.flatMap(Sessions, (sessions) => Effect.map(sessions.createLink(account), ({ token }) => Redacted.value(token)))

/** Sends a sign-in request. Without `headers`, the request comes from a page of the service. */
export const signInWithLink = (link: string, headers: Readonly<Record<string, string>> = {}) =>
  sendRequest("POST", "/v1/account/sign-in", { body: { link }, headers: { ...samePageHeaders, ...headers } })

/** Signs in a new user in a simulated browser, which sends its session cookie and stores new cookies. */
export const signInNewUser = Effect.fnUntraced(function*(plan = "pro") {
  const { account, key, record } = yield* createKeyedAccount({ plan })
  const answer = yield* signInWithLink(yield* createSignInLink(account.id))
  const jar = { cookie: cookieFrom(answer)! }
  const requestInSession = (method: string, path: string, options: Parameters<typeof sendRequest>[2] = {}) =>
    Effect.tap(
      sendRequest(method, path, {
        ...options,
        headers: { ...samePageHeaders, cookie: jar.cookie, ...options.headers }
      }),
      (answer) =>
        Effect.sync(() => {
          jar.cookie = cookieFrom(answer) ?? jar.cookie
        })
    )
  return { account, key, record, answer, jar, ask: requestInSession }
})
