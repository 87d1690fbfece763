import { Sessions } from "@tapeline/core"
import { enrol } from "@tapeline/testing"
import { Effect, Redacted } from "effect"
import { request } from "./server.ts"

/** The headers that browsers send with requests of the service's pages, and the header that the page adds. */
export const fromPage = { "sec-fetch-site": "same-origin", "x-tapeline-console": "1" }

type Answer = Effect.Success<ReturnType<typeof request>>

/** The cookie that a response sets, as a browser returns it; undefined if the response sets no cookie. */
export const cookieOf = ({ headers }: Answer): string | undefined => headers.get("set-cookie")?.split(";")[0]

export const newLink = (account: number) =>
  Effect.flatMap(Sessions, (sessions) => Effect.map(sessions.createLink(account), ({ text }) => Redacted.value(text)))

/** Sends a sign-in request, from a page of the service unless other headers are given. */
export const signInBy = (link: string, headers: Readonly<Record<string, string>> = {}) =>
  request("POST", "/v1/account/sign-in", { body: { link }, headers: { ...fromPage, ...headers } })

/** A browser whose user has signed in. Its requests carry its cookie, and responses update the cookie. */
export const signedIn = Effect.fnUntraced(function*(plan = "pro") {
  const { account, key, record } = yield* enrol({ plan })
  const answer = yield* signInBy(yield* newLink(account.id))
  const jar = { cookie: cookieOf(answer)! }
  const ask = (method: string, path: string, options: Parameters<typeof request>[2] = {}) =>
    Effect.tap(
      request(method, path, { ...options, headers: { ...fromPage, cookie: jar.cookie, ...options.headers } }),
      (answer) =>
        Effect.sync(() => {
          jar.cookie = cookieOf(answer) ?? jar.cookie
        })
    )
  return { account, key, record, answer, jar, ask }
})
